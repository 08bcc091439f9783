/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a field that was written, as HDF5 reads them. */
#ifndef MASING_TESTS_VTKHDF_VALUES_H
#define MASING_TESTS_VTKHDF_VALUES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/libraries/hdf5_library.h"
#include "tap.h"

/* values [most] of /VTKHDF/SET, of which there are n; NAN: not there. */
static inline void vtkhdf_read(const char *file, const char *set, int n, int most,
                               double *values)
{
    struct hdf5_library l;
    struct masing_error error;
    char place[100];
    snprintf(place, sizeof place, "/VTKHDF/%s", set);
    for (int i = 0; i < most; i++) {
        values[i] = NAN;
    }
    if (CHECK(hdf5_library_hold(&l, &error) == MASING_OK)) {
        hsize_t sizes[2] = {0, 1};
        hid_t h5 = l.Fopen(file, HDF5_READ, H5P_DEFAULT);
        hid_t data = l.Dopen2(h5, place, H5P_DEFAULT), space = l.Dget_space(data);
        int rank = l.Sget_simple_extent_ndims(space);
        if (CHECK(rank == 1 || rank == 2)) {
            l.Sget_simple_extent_dims(space, sizes, NULL);
        }
        if (CHECK((int)(sizes[0] * sizes[1]) == n && n <= most)) {
            CHECK(l.Dread(data, l.native_double, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        }
        l.Sclose(space);
        l.Dclose(data);
        l.Fclose(h5);
        hdf5_library_release(&l);
    }
}

#endif
