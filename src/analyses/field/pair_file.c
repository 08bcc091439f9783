/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/field/pair_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

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

enum masing_status pair_file_write(const struct masing_spec *spec, const char *file,
                                   int n_arrays, const struct vtk_array *arrays,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct vtk_cells cells = {0};
    size_t n = pair_file_count(spec);
    double *points = memory_array(3 * n, sizeof *points);
    TRY_ALLOCATED(points);
    fill_points(spec, points);
    TRY(vtk_cells_of_points(n, &cells, error));
    const struct vtk_grid grid = {.n_points = n,
                                  .n_cells = n,
                                  .points = points,
                                  .offsets = cells.offsets,
                                  .connectivity = cells.connectivity,
                                  .types = cells.types,
                                  .n_arrays = n_arrays,
                                  .arrays = arrays};
    status = vtk_write_hdf(file, &grid, error);
done:
    vtk_cells_clear(&cells);
    free(points);
    return status;
}
