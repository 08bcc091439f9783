/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matio, which is loaded when a file of MATLAB is read, and the HDF5 that it stands on. */
#ifndef MASING_DATA_MATIO_LIBRARY_H
#define MASING_DATA_MATIO_LIBRARY_H

#include <matio.h>
#include <stdbool.h>
#include <stdio.h>

#include "data/libraries/hdf5_library.h"

/* As HDF5_FUNCTIONS: result, name without the prefix, arguments. */
#define MATIO_FUNCTIONS(F)                                                                     \
    F(mat_t *, Open, (const char *, int))                                                      \
    F(int, Close, (mat_t *))                                                                   \
    F(int, Rewind, (mat_t *))                                                                  \
    F(matvar_t *, VarReadNextInfo, (mat_t *))                                                  \
    F(matvar_t *, VarReadInfo, (mat_t *, const char *))                                        \
    F(int, VarReadDataAll, (mat_t *, matvar_t *))                                              \
    F(void, VarFree, (matvar_t *))                                                             \
    F(mat_t *, CreateVer, (const char *, const char *, enum mat_ft))                           \
    F(matvar_t *, VarCreate,                                                                   \
      (const char *, enum matio_classes, enum matio_types, int, size_t *, void *, int))        \
    F(matvar_t *, VarCreateStruct, (const char *, int, size_t *, const char **, unsigned))     \
    F(matvar_t *, VarSetCell, (matvar_t *, int, matvar_t *))                                   \
    F(matvar_t *, VarSetStructFieldByIndex, (matvar_t *, size_t, size_t, matvar_t *))          \
    F(int, VarWrite, (mat_t *, matvar_t *, enum matio_compression))

struct matio_library {
#define MATIO_MEMBER(result, name, arguments) result(*name) arguments;
    MATIO_FUNCTIONS(MATIO_MEMBER)
#undef MATIO_MEMBER
    struct hdf5_library hdf5; /* held with it: matio calls it */
};

/* As hdf5_library_hold and hdf5_library_release, under the same lock. */
enum masing_status matio_library_hold(struct matio_library *library,
                                      struct masing_error *error);
void matio_library_release(struct matio_library *library);

/* Whether they are installed, likewise. */
enum masing_status matio_library_check(struct masing_error *error);

/* Whether all of a file is there, from its beginning. Elements of version 5 have their lengths
 * before them; matio takes what memory holds for what a file lacks, and does not look whether
 * what it writes was written. */
bool matio_file_is_whole(FILE *stream);

#endif
