/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/result_file.h"
#include "data/libraries/hdf5_library.h"
#include "data/vtk/vtk.h"

/* A file that is open, and whether something of it failed. */
struct h5 {
    struct hdf5_library library;
    hid_t file, root, data; /* the file, /VTKHDF and its PointData */
    hid_t timeless;         /* data sets without a time: the same bytes again */
    bool has_failed;
};

static void note(struct h5 *h5, bool is_good)
{
    h5->has_failed = h5->has_failed || !is_good;
}

/* [rows][columns], columns 0: [rows] */
static void put(struct h5 *h5, hid_t place, const char *name, size_t rows, size_t columns,
                hid_t type, const void *values)
{
    const struct hdf5_library *l = &h5->library;
    const hsize_t sizes[] = {rows, columns};
    hid_t space = l->Screate_simple(columns ? 2 : 1, sizes, NULL);
    hid_t set = l->Dcreate2(place, name, type, space, H5P_DEFAULT, h5->timeless, H5P_DEFAULT);
    note(h5, set >= 0);
    if (set >= 0) {
        note(h5, rows == 0 || l->Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        note(h5, l->Dclose(set) >= 0);
    }
    l->Sclose(space);
}

static void put_count(struct h5 *h5, const char *name, size_t count)
{
    const int64_t value = (int64_t)count;
    put(h5, h5->root, name, 1, 0, h5->library.native_int64, &value);
}

/* n 0: a scalar */
static void put_attribute(struct h5 *h5, const char *name, hsize_t n, hid_t type,
                          const void *values)
{
    const struct hdf5_library *l = &h5->library;
    hid_t space = n ? l->Screate_simple(1, &n, NULL) : l->Screate(H5S_SCALAR);
    hid_t attribute = l->Acreate2(h5->root, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    note(h5, attribute >= 0);
    if (attribute >= 0) {
        note(h5, l->Awrite(attribute, type, values) >= 0);
        note(h5, l->Aclose(attribute) >= 0);
    }
    l->Sclose(space);
}

/* VTK 9.1 wants a text of fixed length in ASCII. */
static void put_kind(struct h5 *h5)
{
    static const char kind[] = "UnstructuredGrid";
    const int64_t version[] = {1, 0};
    hid_t text = h5->library.Tcopy(h5->library.c_string);
    note(h5, h5->library.Tset_size(text, sizeof kind - 1) >= 0);
    put_attribute(h5, "Version", 2, h5->library.native_int64, version);
    put_attribute(h5, "Type", 0, text, kind);
    h5->library.Tclose(text);
}

static void put_grid(struct h5 *h5, const struct vtk_grid *grid)
{
    const struct hdf5_library *l = &h5->library;
    size_t n_places = (size_t)grid->offsets[grid->n_cells];
    put_kind(h5);
    put_count(h5, "NumberOfPoints", grid->n_points);
    put_count(h5, "NumberOfCells", grid->n_cells);
    put_count(h5, "NumberOfConnectivityIds", n_places);
    put(h5, h5->root, "Points", grid->n_points, 3, l->native_double, grid->points);
    put(h5, h5->root, "Offsets", grid->n_cells + 1, 0, l->native_int64, grid->offsets);
    put(h5, h5->root, "Connectivity", n_places, 0, l->native_int64, grid->connectivity);
    put(h5, h5->root, "Types", grid->n_cells, 0, l->native_byte, grid->types);
    for (int a = 0; a < grid->n_arrays; a++) {
        const struct vtk_array *array = &grid->arrays[a];
        put(h5, h5->data, array->name, grid->n_points,
            array->n_components > 1 ? (size_t)array->n_components : 0, l->native_double,
            array->values);
    }
}

static void put_groups(struct h5 *h5, const struct vtk_grid *grid)
{
    const struct hdf5_library *l = &h5->library;
    h5->root = l->Gcreate2(h5->file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    h5->data = h5->root < 0
                   ? -1
                   : l->Gcreate2(h5->root, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    note(h5, h5->data >= 0);
    if (h5->data >= 0) {
        put_grid(h5, grid);
        note(h5, l->Gclose(h5->data) >= 0);
    }
    if (h5->root >= 0) {
        note(h5, l->Gclose(h5->root) >= 0);
    }
}

/* The whole of it under a name that is there already. */
static enum masing_status write(const char *path, const struct vtk_grid *grid, const char *file,
                                struct masing_error *error)
{
    struct h5 h5 = {.has_failed = false};
    NEED(hdf5_library_hold(&h5.library, error));
    h5.timeless = h5.library.Pcreate(h5.library.set_create);
    note(&h5, h5.library.Pset_obj_track_times(h5.timeless, 0) >= 0);
    h5.file = h5.library.Fcreate(path, HDF5_ANEW, H5P_DEFAULT, H5P_DEFAULT);
    note(&h5, h5.file >= 0);
    if (h5.file >= 0) {
        put_groups(&h5, grid);
        note(&h5, h5.library.Fclose(h5.file) >= 0);
    }
    h5.library.Pclose(h5.timeless);
    hdf5_library_release(&h5.library);
    return h5.has_failed
               ? masing_error_set(error, MASING_IO, "%s: cannot write: HDF5 failed", file)
               : MASING_OK;
}

enum masing_status vtk_check_hdf(struct masing_error *error)
{
    struct hdf5_library library;
    NEED(hdf5_library_hold(&library, error));
    hdf5_library_release(&library);
    return MASING_OK;
}

enum masing_status vtk_write_hdf(const char *file, const struct vtk_grid *grid,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct result_file result = {0};
    TRY(result_file_open(file, &result, error));
    if (!result.temporary) {
        TRY(masing_error_set(error, MASING_IO,
                             "%s: cannot write: HDF5 needs a regular file in a folder that "
                             "takes new ones",
                             file));
    }
    TRY(write(result.temporary, grid, file, error));
    TRY(result_file_keep(file, &result, error));
done:
    result_file_drop(&result);
    return status;
}
