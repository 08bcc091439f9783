/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The points and cells of a field: those of the mesh, or, where that is a sector of a disk, of
 * all its copies, turned about the axis; and which DOFs move them. A node of the far boundary
 * of a sector moves as its partner of the following one does.
 */
#ifndef MASING_ANALYSES_FIELD_GRID_H
#define MASING_ANALYSES_FIELD_GRID_H

#include "data/mesh/mesh.h"
#include "data/vtk/vtk.h"
#include "masing/model.h"

struct field_grid {
    const struct mesh *mesh;                 /* lent */
    const struct masing_turned_mesh *turned; /* lent; NULL: the mesh is there once */
    size_t n_sectors, n_points;              /* 1 where it is there once; of all copies */
    double *points;                          /* [n_points][3] */
    struct vtk_cells cells;
    /* when the DOFs are known: */
    int *dofs;    /* [n_points][3] as of node_dofs.h */
    int *sectors; /* [n_points] along whose axes these are */
};

/* MASING_UNSUPPORTED where the copies of a sector have no places. The caller clears it. */
enum masing_status field_grid_create(const struct masing_spec *spec, const char *file,
                                     struct field_grid *grid, struct masing_error *error);
void field_grid_clear(struct field_grid *grid);

/* DOFs by their names: of a sector, which stand for those of all, or of the whole disk. */
enum masing_status field_grid_name(struct field_grid *grid, bool is_sector, int n_dofs,
                                   char *const *names, struct masing_error *error);

/* A motion [n_dofs] of a sector at its points, values [n_points][3], along the mesh's axes. */
void field_grid_put(const struct field_grid *grid, size_t sector, const double *motion,
                    double *values);

/* v turned by so many sectors about the axis, or a place. */
void field_grid_turn(const struct masing_turned_mesh *turned, size_t sectors, double v[3]);
void field_grid_turn_place(const struct masing_turned_mesh *turned, size_t sectors,
                           double place[3]);

/* Without arrays. */
struct vtk_grid field_grid_vtk(const struct field_grid *grid);

#endif
