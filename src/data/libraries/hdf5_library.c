/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/libraries/hdf5_library.h"

#include <pthread.h>

#include "base/check.h"
#include "base/loaded_library.h"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

#define HDF5_SAME_TYPE(result, name, arguments)                                                \
    _Static_assert(_Generic(&H5##name, result(*) arguments : 1, default : 0),                  \
                   "H5" #name " has another type");
HDF5_FUNCTIONS(HDF5_SAME_TYPE)

static enum masing_status find_type(const struct loaded_library *library, const char *name,
                                    hid_t *type, struct masing_error *error)
{
    const hid_t *found;
    NEED(loaded_library_find(library, name, &found, sizeof found, error));
    *type = *found;
    return MASING_OK;
}

static enum masing_status load(struct hdf5_library *hdf5, struct masing_error *error)
{
    static const char *const names[] = {"libhdf5_serial.so.103", "libhdf5_serial.so",
                                        "libhdf5.so", NULL};
    struct loaded_library library = {"HDF5 files", "HDF5", NULL};
    NEED(loaded_library_open(&library, names, error));
#define HDF5_FIND(result, name, arguments)                                                     \
    NEED(loaded_library_find(&library, "H5" #name, &hdf5->name, sizeof hdf5->name, error));
    HDF5_FUNCTIONS(HDF5_FIND)
#undef HDF5_FIND
    if (hdf5->open() < 0) {
        return masing_error_set(error, MASING_UNSUPPORTED, "HDF5 files: HDF5 does not start");
    }
    NEED(find_type(&library, "H5T_NATIVE_DOUBLE_g", &hdf5->native_double, error));
    NEED(find_type(&library, "H5T_NATIVE_INT_g", &hdf5->native_int, error));
    NEED(find_type(&library, "H5T_NATIVE_INT64_g", &hdf5->native_int64, error));
    NEED(find_type(&library, "H5T_NATIVE_UINT8_g", &hdf5->native_byte, error));
    NEED(find_type(&library, "H5T_IEEE_F64LE_g", &hdf5->file_double, error));
    NEED(find_type(&library, "H5T_STD_I32LE_g", &hdf5->file_int, error));
    NEED(find_type(&library, "H5T_C_S1_g", &hdf5->c_string, error));
    NEED(find_type(&library, "H5P_CLS_FILE_CREATE_ID_g", &hdf5->file_create, error));
    NEED(find_type(&library, "H5P_CLS_FILE_ACCESS_ID_g", &hdf5->file_access, error));
    return find_type(&library, "H5P_CLS_DATASET_CREATE_ID_g", &hdf5->set_create, error);
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

enum masing_status hdf5_library_check(struct masing_error *error)
{
    struct hdf5_library library;
    NEED(hdf5_library_hold(&library, error));
    hdf5_library_release(&library);
    return MASING_OK;
}
