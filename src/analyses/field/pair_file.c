/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/field/pair_file.h"

#include <string.h>

#include "analyses/field/field_grid.h"
#include "base/arena.h"
#include "base/check.h"

size_t pair_file_count(const struct masing_spec *spec)
{
    size_t n = 0;
    for (int g = 0; g < spec->n_groups; g++) {
        n += spec->groups[g].pairs ? (size_t)spec->groups[g].n_joints : 0;
    }
    return n;
}

static void fill_points(const struct masing_spec *spec, double *points)
{
    size_t p = 0;
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        for (int j = 0; group->pairs && j < group->n_joints; j++, p++) {
            memcpy(points + 3 * p, group->pairs[j].point, sizeof group->pairs[j].point);
        }
    }
}

/* values [n_sectors][n] of each array, of which there are those of sector 0 */
static void repeat(const struct masing_turned_mesh *turned, size_t n_sectors, size_t n,
                   const struct vtk_array *array, double *values)
{
    size_t size = n * (size_t)array->n_components;
    for (size_t s = 0; s < n_sectors; s++) {
        memcpy(values + s * size, array->values, size * sizeof *values);
        for (size_t i = 0; array->n_components == 3 && s > 0 && i < n; i++) {
            field_grid_turn(turned, s, values + s * size + 3 * i);
        }
    }
}

enum masing_status pair_file_write(const struct masing_spec *spec, const char *file,
                                   int n_arrays, const struct vtk_array *arrays,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct vtk_cells cells = {0};
    struct arena arena = {0};
    const struct masing_turned_mesh *turned = &spec->structure.turned;
    size_t n_sectors = spec->structure.cyclic.n_sectors > 0 ? (size_t)turned->n_sectors : 1;
    size_t n = pair_file_count(spec), n_all = n * n_sectors;
    double *points = arena_doubles(&arena, 3 * n_all);
    struct vtk_array *repeated = arena_array(&arena, (size_t)n_arrays, sizeof *repeated);
    TRY_ALLOCATED(!arena.has_failed);
    fill_points(spec, points);
    for (size_t p = n; p < n_all; p++) {
        memcpy(points + 3 * p, points + p % n * 3, 3 * sizeof *points);
        field_grid_turn_place(turned, p / n, points + 3 * p);
    }
    for (int a = 0; a < n_arrays; a++) {
        double *values = arena_doubles(&arena, n_all * (size_t)arrays[a].n_components);
        TRY_ALLOCATED(values);
        repeat(turned, n_sectors, n, &arrays[a], values);
        repeated[a] = (struct vtk_array){arrays[a].name, arrays[a].n_components, values};
    }
    TRY(vtk_cells_of_points(n_all, &cells, error));
    const struct vtk_grid grid = {.n_points = n_all,
                                  .n_cells = n_all,
                                  .points = points,
                                  .offsets = cells.offsets,
                                  .connectivity = cells.connectivity,
                                  .types = cells.types,
                                  .n_arrays = n_arrays,
                                  .arrays = repeated};
    status = vtk_write_hdf(file, &grid, error);
done:
    vtk_cells_clear(&cells);
    arena_clear(&arena);
    return status;
}
