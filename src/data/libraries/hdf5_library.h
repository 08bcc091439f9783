/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HDF5, which is loaded when a file needs it: linked the ordinary way it brings along 30
 * libraries, which every run of the program would load.
 */
#ifndef MASING_DATA_HDF5_LIBRARY_H
#define MASING_DATA_HDF5_LIBRARY_H

#include <hdf5.h>

#include "masing/status.h"

/* Result, name without the prefix, arguments. The compiler compares each row with the
 * declaration in HDF5's own header. */
#define HDF5_FUNCTIONS(F)                                                                      \
    F(herr_t, open, (void))                                                                    \
    F(herr_t, Eget_auto2, (hid_t, H5E_auto2_t *, void **))                                     \
    F(herr_t, Eset_auto2, (hid_t, H5E_auto2_t, void *))                                        \
    F(hid_t, Pcreate, (hid_t))                                                                 \
    F(herr_t, Pset_userblock, (hid_t, hsize_t))                                                \
    F(herr_t, Pset_obj_track_times, (hid_t, hbool_t))                                          \
    F(herr_t, Pclose, (hid_t))                                                                 \
    F(hid_t, Fcreate, (const char *, unsigned, hid_t, hid_t))                                  \
    F(hid_t, Fopen, (const char *, unsigned, hid_t))                                           \
    F(herr_t, Fclose, (hid_t))                                                                 \
    F(herr_t, Fflush, (hid_t, H5F_scope_t))                                                    \
    F(herr_t, Fget_filesize, (hid_t, hsize_t *))                                               \
    F(herr_t, Fget_vfd_handle, (hid_t, hid_t, void **))                                        \
    F(herr_t, Pset_fapl_core, (hid_t, size_t, hbool_t))                                        \
    F(hid_t, Gcreate2, (hid_t, const char *, hid_t, hid_t, hid_t))                             \
    F(herr_t, Gclose, (hid_t))                                                                 \
    F(hid_t, Screate, (H5S_class_t))                                                           \
    F(hid_t, Screate_simple, (int, const hsize_t *, const hsize_t *))                          \
    F(int, Sget_simple_extent_ndims, (hid_t))                                                  \
    F(int, Sget_simple_extent_dims, (hid_t, hsize_t *, hsize_t *))                             \
    F(herr_t, Sclose, (hid_t))                                                                 \
    F(hid_t, Tcopy, (hid_t))                                                                   \
    F(hid_t, Tcreate, (H5T_class_t, size_t))                                                   \
    F(herr_t, Tinsert, (hid_t, const char *, size_t, hid_t))                                   \
    F(herr_t, Tset_size, (hid_t, size_t))                                                      \
    F(herr_t, Tset_cset, (hid_t, H5T_cset_t))                                                  \
    F(H5T_class_t, Tget_class, (hid_t))                                                        \
    F(htri_t, Tis_variable_str, (hid_t))                                                       \
    F(herr_t, Tclose, (hid_t))                                                                 \
    F(htri_t, Lexists, (hid_t, const char *, hid_t))                                           \
    F(hid_t, Dcreate2, (hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t))               \
    F(hid_t, Dopen2, (hid_t, const char *, hid_t))                                             \
    F(hid_t, Dget_space, (hid_t))                                                              \
    F(hid_t, Dget_type, (hid_t))                                                               \
    F(herr_t, Dread, (hid_t, hid_t, hid_t, hid_t, hid_t, void *))                              \
    F(herr_t, Dwrite, (hid_t, hid_t, hid_t, hid_t, hid_t, const void *))                       \
    F(herr_t, Dvlen_reclaim, (hid_t, hid_t, hid_t, void *))                                    \
    F(herr_t, Dclose, (hid_t))                                                                 \
    F(hid_t, Acreate2, (hid_t, const char *, hid_t, hid_t, hid_t, hid_t))                      \
    F(herr_t, Awrite, (hid_t, hid_t, const void *))                                            \
    F(herr_t, Aclose, (hid_t))

/* H5F_ACC_RDONLY and H5F_ACC_TRUNC, which call the library by themselves. */
enum { HDF5_READ = 0, HDF5_ANEW = 2 };

struct hdf5_library {
#define HDF5_MEMBER(result, name, arguments) result(*name) arguments;
    HDF5_FUNCTIONS(HDF5_MEMBER)
#undef HDF5_MEMBER
    /* what H5T_NATIVE_DOUBLE and the like stand for */
    hid_t native_double, native_int, native_int64, native_byte, file_double, file_int;
    hid_t c_string, file_create, file_access, set_create;
    H5E_auto2_t print; /* who prints errors, and what it is handed, while we do not */
    void *print_data;
};

/*
 * The library is not safe for threads: between these two it belongs to one, and prints no
 * errors. MASING_UNSUPPORTED, with the reason, where it is not installed; it is not held then.
 */
enum masing_status hdf5_library_hold(struct hdf5_library *library, struct masing_error *error);
void hdf5_library_release(struct hdf5_library *library);

/* Whether it is installed, likewise. */
enum masing_status hdf5_library_check(struct masing_error *error);

#endif
