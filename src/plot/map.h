/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A value over a grid of x and y, and its contour lines. */
#ifndef MASING_PLOT_MAP_H
#define MASING_PLOT_MAP_H

#include <stddef.h>

#include "masing/status.h"
#include "plot/axis.h"
#include "plot/canvas.h"

struct map_row {
    double x, y, value;
    bool is_event; /* may lie between the lines of the grid */
};

struct map {
    int n_rows;
    size_t capacity;
    struct map_row *rows;
};

/* The rows as a grid: its lines are those of rows that are no events. */
struct map_grid {
    int n_x, n_y;
    double *x, *y;  /* ascending */
    double *values; /* [n_y][n_x]; NAN where there is no row */
};

enum masing_status map_grid_create(const struct map *map, struct map_grid *grid,
                                   struct masing_error *error);
void map_grid_clear(struct map_grid *grid);

/* Where the value, linear between the corners of each cell, is a level: straight pieces on the
 * sheet, handed to the pen. */
void map_contour(const struct map_grid *grid, const struct axis *x, const struct axis *y,
                 double level, const struct canvas *canvas);

#endif
