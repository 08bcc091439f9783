/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/plot_map.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Values of one coordinate that many rows share: what stands in a few rows only is an event
 * between the lines of the grid. */
static int collect(const struct plot_map *map, bool is_x, double *all, double *values)
{
    int n = 0, most = 0, kept = 0, run = 0;
    for (int i = 0; i < map->n_rows; i++) {
        all[n++] = is_x ? map->rows[i].x : map->rows[i].y;
    }
    qsort(all, (size_t)n, sizeof *all, compare);
    for (int i = 0; i < n; i++) {
        run = i > 0 && all[i] == all[i - 1] ? run + 1 : 1;
        most = run > most ? run : most;
    }
    for (int i = 0; i < n; i++) {
        run = i > 0 && all[i] == all[i - 1] ? run + 1 : 1;
        bool is_last = i + 1 == n || all[i + 1] != all[i];
        if (is_last && 2 * run >= most) {
            values[kept++] = all[i];
        }
    }
    return kept;
}

static int find(const double *values, int n, double value)
{
    const double *place = bsearch(&value, values, (size_t)n, sizeof *values, compare);
    return place ? (int)(place - values) : -1;
}

enum masing_status plot_map_grid_create(const struct plot_map *map, struct plot_map_grid *grid,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_rows = (size_t)map->n_rows;
    double *all = memory_array(n_rows, sizeof *all);
    *grid = (struct plot_map_grid){.x = memory_array(n_rows, sizeof(double)),
                                   .y = memory_array(n_rows, sizeof(double))};
    TRY_ALLOCATED(all && grid->x && grid->y);
    grid->n_x = collect(map, true, all, grid->x);
    grid->n_y = collect(map, false, all, grid->y);
    grid->values = memory_array((size_t)grid->n_x * (size_t)grid->n_y, sizeof(double));
    TRY_ALLOCATED(grid->values);
    for (int i = 0; i < grid->n_x * grid->n_y; i++) {
        grid->values[i] = NAN;
    }
    for (int i = 0; i < map->n_rows; i++) {
        int column = find(grid->x, grid->n_x, map->rows[i].x);
        int row = find(grid->y, grid->n_y, map->rows[i].y);
        if (column >= 0 && row >= 0) {
            grid->values[row * grid->n_x + column] = map->rows[i].value;
        }
    }
done:
    free(all);
    return status;
}

void plot_map_grid_clear(struct plot_map_grid *grid)
{
    free(grid->x);
    free(grid->y);
    free(grid->values);
    *grid = (struct plot_map_grid){0};
}
