/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/libraries/matio_library.h"

#include <stdint.h>

#include "base/check.h"
#include "base/loaded_library.h"

#define MATIO_SAME_TYPE(result, name, arguments)                                               \
    _Static_assert(_Generic(&Mat_##name, result(*) arguments : 1, default : 0),                \
                   "Mat_" #name " has another type");
MATIO_FUNCTIONS(MATIO_SAME_TYPE)

static enum masing_status load(struct matio_library *matio, struct masing_error *error)
{
    static const char *const names[] = {"libmatio.so.11", "libmatio.so", NULL};
    struct loaded_library library = {"files of MATLAB", "matio", NULL};
    NEED(loaded_library_open(&library, names, error));
#define MATIO_FIND(result, name, arguments)                                                    \
    NEED(loaded_library_find(&library, "Mat_" #name, &matio->name, sizeof matio->name, error));
    MATIO_FUNCTIONS(MATIO_FIND)
#undef MATIO_FIND
    /* its own lookup goes through what it is linked with: two HDF5 would not know each other */
    herr_t (*open)(void);
    NEED(loaded_library_find(&library, "H5open", &open, sizeof open, error));
    return open == matio->hdf5.open
               ? MASING_OK
               : masing_error_set(error, MASING_UNSUPPORTED,
                                  "files of MATLAB: matio is linked with another HDF5");
}

enum masing_status matio_library_hold(struct matio_library *library, struct masing_error *error)
{
    *library = (struct matio_library){0};
    NEED(hdf5_library_hold(&library->hdf5, error));
    enum masing_status status = load(library, error);
    if (status != MASING_OK) {
        hdf5_library_release(&library->hdf5);
    }
    return status;
}

void matio_library_release(struct matio_library *library)
{
    hdf5_library_release(&library->hdf5);
}

enum masing_status matio_library_check(struct masing_error *error)
{
    struct matio_library library;
    NEED(matio_library_hold(&library, error));
    matio_library_release(&library);
    return MASING_OK;
}

/* ---- whether all of a file is there ---- */

enum { HEADER = 128, TAG = 8 };

static uint32_t number_at(const unsigned char *bytes, bool is_swapped)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; i++) {
        number = number << 8 | bytes[is_swapped ? i : 3 - i];
    }
    return number;
}

bool matio_file_is_whole(FILE *stream)
{
    unsigned char bytes[HEADER];
    long at = HEADER, length;
    if (fread(bytes, 1, HEADER, stream) != HEADER) {
        return false;
    }
    bool is_swapped = bytes[HEADER - 2] == 'M'; /* MI: of a big-endian machine */
    bool is_version_5 = bytes[is_swapped ? HEADER - 4 : HEADER - 3] == 1;
    if (!is_version_5 || fseek(stream, 0, SEEK_END) != 0 || (length = ftell(stream)) < 0) {
        return !is_version_5;
    }
    while (at < length) {
        if (length - at < TAG || fseek(stream, at, SEEK_SET) != 0 ||
            fread(bytes, 1, TAG, stream) != TAG) {
            return false;
        }
        uint32_t size = number_at(bytes + 4, is_swapped);
        if ((unsigned long)(length - at - TAG) < size) {
            return false;
        }
        at += TAG + (long)size;
    }
    return true;
}
