/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/field/field_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/field/node_dofs.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"

/* R v = c v + (1 - c) d (d . v) + s d x v */
void field_grid_turn(const struct masing_turned_mesh *turned, size_t sectors, double v[3])
{
    double angle = TWO_PI * (double)sectors / turned->n_sectors, c = cos(angle), s = sin(angle);
    const double *d = turned->direction;
    double along = d[0] * v[0] + d[1] * v[1] + d[2] * v[2], made[3];
    if (sectors == 0) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        made[k] = c * v[k] + (1.0 - c) * along * d[k] + s * (d[i] * v[j] - d[j] * v[i]);
    }
    memcpy(v, made, sizeof made);
}

void field_grid_turn_place(const struct masing_turned_mesh *turned, size_t sectors,
                           double place[3])
{
    double from[3];
    for (int k = 0; k < 3; k++) {
        from[k] = place[k] - turned->point[k];
    }
    field_grid_turn(turned, sectors, from);
    for (int k = 0; k < 3 && sectors > 0; k++) {
        place[k] = turned->point[k] + from[k];
    }
}

enum masing_status field_grid_create(const struct masing_spec *spec, const char *file,
                                     struct field_grid *grid, struct masing_error *error)
{
    const struct masing_structure_spec *structure = &spec->structure;
    bool is_disk = structure->turned.n_sectors > 0;
    size_t n = (size_t)structure->mesh->n_nodes;
    *grid = (struct field_grid){.mesh = structure->mesh, .n_sectors = 1};
    if (structure->cyclic.n_sectors > 0 && !is_disk) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "%.400s: fields of a sector are written over all of them, "
                                "turned about the axis of the disk: give 'low' and 'high' as "
                                "sets of nodes, with 'axis'",
                                file);
    }
    if (is_disk) {
        grid->turned = &structure->turned;
        grid->n_sectors = (size_t)structure->turned.n_sectors;
    }
    grid->n_points = n * grid->n_sectors;
    NEED_ALLOCATED(grid->points = memory_array(3 * grid->n_points, sizeof *grid->points));
    for (size_t p = 0; p < grid->n_points; p++) {
        memcpy(grid->points + 3 * p, grid->mesh->points + p % n * 3, 3 * sizeof(double));
        if (is_disk) {
            field_grid_turn_place(grid->turned, p / n, grid->points + 3 * p);
        }
    }
    NEED(vtk_cells_of_mesh(grid->mesh, &grid->cells, error));
    return is_disk ? vtk_cells_repeat(grid->n_sectors, n, &grid->cells, error) : MASING_OK;
}

void field_grid_clear(struct field_grid *grid)
{
    free(grid->points);
    free(grid->dofs);
    free(grid->sectors);
    vtk_cells_clear(&grid->cells);
    *grid = (struct field_grid){0};
}

enum masing_status field_grid_name(struct field_grid *grid, bool is_sector, int n_dofs,
                                   char *const *names, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)grid->mesh->n_nodes;
    int *dofs = NULL;
    TRY(node_dofs_find(grid->mesh, is_sector ? 1 : (int)grid->n_sectors, n_dofs, names, &dofs,
                       error));
    grid->dofs = memory_array(3 * grid->n_points, sizeof *grid->dofs);
    grid->sectors = memory_array(grid->n_points, sizeof *grid->sectors);
    TRY_ALLOCATED(grid->dofs && grid->sectors);
    for (size_t p = 0; p < grid->n_points; p++) {
        size_t node = p % n, sector = p / n;
        if (grid->turned && grid->turned->partners[node] >= 0) {
            node = (size_t)grid->turned->partners[node];
            sector = (sector + 1) % grid->n_sectors;
        }
        grid->sectors[p] = (int)sector;
        memcpy(grid->dofs + 3 * p, dofs + 3 * (is_sector ? node : sector * n + node),
               3 * sizeof *dofs);
    }
done:
    free(dofs);
    return status;
}

void field_grid_put(const struct field_grid *grid, size_t sector, const double *motion,
                    double *values)
{
    for (size_t p = 0; p < grid->n_points; p++) {
        double *value = values + 3 * p;
        if ((size_t)grid->sectors[p] != sector) {
            continue;
        }
        for (size_t k = 0; k < 3; k++) {
            int dof = grid->dofs[3 * p + k];
            value[k] = dof == NODE_UNKNOWN ? NAN : dof >= 0 ? motion[dof] : 0.0;
        }
        if (grid->turned) {
            field_grid_turn(grid->turned, sector, value);
        }
    }
}

struct vtk_grid field_grid_vtk(const struct field_grid *grid)
{
    return (struct vtk_grid){.n_points = grid->n_points,
                             .n_cells = grid->cells.n,
                             .points = grid->points,
                             .offsets = grid->cells.offsets,
                             .connectivity = grid->cells.connectivity,
                             .types = grid->cells.types};
}
