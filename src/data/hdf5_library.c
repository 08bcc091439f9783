/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/hdf5_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/check.h"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

#define HDF5_SAME_TYPE(result, name, arguments)                                                \
    _Static_assert(_Generic(&H5##name, result(*) arguments : 1, default : 0),                  \
                   "H5" #name " has another type");
HDF5_FUNCTIONS(HDF5_SAME_TYPE)

static enum masing_status find_symbol(void *handle, const char *name, void **symbol,
                                      struct masing_error *error)
{
    *symbol = dlsym(handle, name);
    return *symbol
               ? MASING_OK
               : masing_error_set(error, MASING_UNSUPPORTED, "HDF5 files: HDF5 lacks %s", name);
}

static enum masing_status find_function(void *handle, const char *name, void *pointer,
                                        size_t size, struct masing_error *error)
{
    void *symbol;
    NEED(find_symbol(handle, name, &symbol, error));
    /* POSIX lets data and function pointers be converted, ISO C has no cast for it. */
    memcpy(pointer, &symbol, size);
    return MASING_OK;
}

static enum masing_status find_type(void *handle, const char *name, hid_t *type,
                                    struct masing_error *error)
{
    void *symbol;
    NEED(find_symbol(handle, name, &symbol, error));
    *type = *(const hid_t *)symbol;
    return MASING_OK;
}

/* Never unloaded: it ends what it has to when the process ends. */
static enum masing_status load(struct hdf5_library *library, struct masing_error *error)
{
    static const char *const names[] = {"libhdf5_serial.so.103", "libhdf5_serial.so",
                                        "libhdf5.so"};
    void *handle = NULL;
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++) {
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (!handle) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "HDF5 files need the HDF5 library: %s", dlerror());
    }
#define HDF5_FIND(result, name, arguments)                                                     \
    NEED(find_function(handle, "H5" #name, &library->name, sizeof library->name, error));
    HDF5_FUNCTIONS(HDF5_FIND)
#undef HDF5_FIND
    if (library->open() < 0) {
        return masing_error_set(error, MASING_UNSUPPORTED, "HDF5 files: HDF5 does not start");
    }
    NEED(find_type(handle, "H5T_NATIVE_DOUBLE_g", &library->native_double, error));
    NEED(find_type(handle, "H5T_NATIVE_INT_g", &library->native_int, error));
    NEED(find_type(handle, "H5T_IEEE_F64LE_g", &library->file_double, error));
    NEED(find_type(handle, "H5T_STD_I32LE_g", &library->file_int, error));
    NEED(find_type(handle, "H5T_C_S1_g", &library->c_string, error));
    NEED(find_type(handle, "H5P_CLS_FILE_CREATE_ID_g", &library->file_create, error));
    return find_type(handle, "H5P_CLS_DATASET_CREATE_ID_g", &library->set_create, error);
}

enum masing_status hdf5_library_hold(struct hdf5_library *library, struct masing_error *error)
{
    *library = (struct hdf5_library){0};
    pthread_mutex_lock(&one_at_a_time);
    enum masing_status status = load(library, error);
    if (status != MASING_OK) {
        pthread_mutex_unlock(&one_at_a_time);
        return status;
    }
    library->Eget_auto2(H5E_DEFAULT, &library->print, &library->print_data);
    library->Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return MASING_OK;
}

void hdf5_library_release(struct hdf5_library *library)
{
    library->Eset_auto2(H5E_DEFAULT, library->print, library->print_data);
    pthread_mutex_unlock(&one_at_a_time);
}
