/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/result_file.h"
#include "data/libraries/hdf5_writer.h"
#include "data/vtk/vtk.h"

/* A file that is open. */
struct h5 {
    struct hdf5_writer writer;
    hid_t root, data; /* /VTKHDF and its PointData */
};

/* [rows][columns], columns 0: [rows] */
static void put(struct h5 *h5, hid_t place, const char *name, size_t rows, size_t columns,
                hid_t type, const void *values)
{
    const hsize_t sizes[] = {rows, columns};
    hdf5_writer_put(&h5->writer, place, name, columns ? 2 : 1, sizes, type, type, values, NULL);
}

static void put_count(struct h5 *h5, const char *name, size_t count)
{
    const int64_t value = (int64_t)count;
    put(h5, h5->root, name, 1, 0, h5->writer.library.native_int64, &value);
}

/* VTK 9.1 wants a text of fixed length in ASCII. */
static void put_kind(struct h5 *h5)
{
    static const char kind[] = "UnstructuredGrid";
    const int64_t version[] = {1, 0};
    const struct hdf5_library *l = &h5->writer.library;
    hid_t text = l->Tcopy(l->c_string);
    l->Tset_size(text, sizeof kind - 1);
    hdf5_writer_attribute(&h5->writer, h5->root, "Version", 2, l->native_int64, version);
    hdf5_writer_attribute(&h5->writer, h5->root, "Type", 0, text, kind);
    l->Tclose(text);
}

static void put_grid(struct h5 *h5, const struct vtk_grid *grid)
{
    const struct hdf5_library *l = &h5->writer.library;
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

static enum masing_status write(FILE *stream, const struct vtk_grid *grid, const char *file,
                                struct masing_error *error)
{
    struct h5 h5;
    hdf5_writer_open(&h5.writer, file, 0, error);
    h5.root = hdf5_writer_group(&h5.writer, h5.writer.file, "VTKHDF");
    h5.data = hdf5_writer_group(&h5.writer, h5.root, "PointData");
    put_grid(&h5, grid);
    hdf5_writer_end_group(&h5.writer, h5.data);
    hdf5_writer_end_group(&h5.writer, h5.root);
    return hdf5_writer_close(&h5.writer, stream);
}

enum masing_status vtk_check_hdf(struct masing_error *error)
{
    return hdf5_library_check(error);
}

enum masing_status vtk_write_hdf(const char *file, const struct vtk_grid *grid,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct result_file result = {0};
    TRY(result_file_open(file, &result, error));
    TRY(write(result.stream, grid, file, error));
    TRY(result_file_keep(file, &result, error));
done:
    result_file_drop(&result);
    return status;
}
