/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields on unstructured grids as VTK and ParaView read them: VTKHDF, format 1.0, which VTK 9.1
 * reads; XML (.vtu) with its arrays appended; collections of those over time (.pvd).
 */
#ifndef MASING_DATA_VTK_H
#define MASING_DATA_VTK_H

#include <stddef.h>
#include <stdint.h>

#include "masing/status.h"

struct mesh;

struct vtk_array {
    const char *name;
    int n_components;
    const double *values; /* [n_points][n_components] */
};

struct vtk_grid {
    size_t n_points, n_cells;
    const double *points;        /* [n_points][3] */
    const int64_t *offsets;      /* [n_cells + 1] in the connectivity */
    const int64_t *connectivity; /* [offsets[n_cells]] points, from 0 */
    const unsigned char *types;  /* [n_cells] VTK's cell types */
    int n_arrays;
    const struct vtk_array *arrays;
};

/* Cells of a mesh, those of elements whose shape is known; arrays are the caller's to free. */
struct vtk_cells {
    size_t n;
    int64_t *offsets, *connectivity; /* as above */
    unsigned char *types;
};

enum masing_status vtk_cells_of_mesh(const struct mesh *mesh, struct vtk_cells *cells,
                                     struct masing_error *error);
/* A vertex at each of so many points. */
enum masing_status vtk_cells_of_points(size_t n_points, struct vtk_cells *cells,
                                       struct masing_error *error);
/* Those of so many copies of a grid with n_points, one behind the other. */
enum masing_status vtk_cells_repeat(size_t n_copies, size_t n_points, struct vtk_cells *cells,
                                    struct masing_error *error);
void vtk_cells_clear(struct vtk_cells *cells);

/*
 * An earlier file stays until the new one is whole. MASING_IO, MASING_NO_MEMORY, and for VTKHDF
 * MASING_UNSUPPORTED where the HDF5 library is not installed.
 */
enum masing_status vtk_write_hdf(const char *file, const struct vtk_grid *grid,
                                 struct masing_error *error);
enum masing_status vtk_write_xml(const char *file, const struct vtk_grid *grid,
                                 struct masing_error *error);

/* MASING_UNSUPPORTED, with the reason, where VTKHDF cannot be written. */
enum masing_status vtk_check_hdf(struct masing_error *error);

/* times [n] (s) of the files [n], named as seen from the folder of this one. */
enum masing_status vtk_write_collection(const char *file, int n, const double *times,
                                        char *const *files, struct masing_error *error);

#endif
