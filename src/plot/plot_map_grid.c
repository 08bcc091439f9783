/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/plot_map.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different values of one coordinate. */
static int collect(const struct plot_map *map, bool is_x, double *values)
{
    int n = 0, kept = 0;
    for (int i = 0; i < map->n_rows; i++) {
        if (!map->rows[i].is_event) {
            values[n++] = is_x ? map->rows[i].x : map->rows[i].y;
        }
    }
    qsort(values, (size_t)n, sizeof *values, compare);
    for (int i = 0; i < n; i++) {
        if (i == 0 || values[i] != values[kept - 1]) {
            values[kept++] = values[i];
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
    *grid = (struct plot_map_grid){.x = memory_array(n_rows, sizeof(double)),
                                   .y = memory_array(n_rows, sizeof(double))};
    TRY_ALLOCATED(grid->x && grid->y);
    grid->n_x = collect(map, true, grid->x);
    grid->n_y = collect(map, false, grid->y);
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
    return status;
}

void plot_map_grid_clear(struct plot_map_grid *grid)
{
    free(grid->x);
    free(grid->y);
    free(grid->values);
    *grid = (struct plot_map_grid){0};
}
