/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A value over a grid of x and y as data, and the drawing of it. */
#ifndef MASING_PLOT_PLOT_MAP_H
#define MASING_PLOT_PLOT_MAP_H

#include "plot/plot.h"

struct plot_map_row {
    double x, y, value;
    bool is_event; /* may lie between the lines of the grid */
};

struct plot_map {
    bool is_log_x, is_log_y;
    char *title, *x_label, *y_label, *value_label;
    int n_rows;
    size_t capacity;
    struct plot_map_row *rows;
};

/* The rows as a grid: its lines are those of rows that are no events. */
struct plot_map_grid {
    int n_x, n_y;
    double *x, *y;  /* ascending */
    double *values; /* [n_y][n_x]; NAN where there is no row */
};

enum masing_status plot_map_create(const char *file,
                                   const struct masing_plot_settings *settings,
                                   struct masing_sink *sink, struct masing_error *error);

enum masing_status plot_map_grid_create(const struct plot_map *map, struct plot_map_grid *grid,
                                        struct masing_error *error);
void plot_map_grid_clear(struct plot_map_grid *grid);

enum masing_status plot_map_draw(const struct plot_map *map, const struct canvas *canvas,
                                 double width, double height, struct masing_error *error);

/* Where the value, linear between the corners of each cell, is a level: straight pieces on the
 * sheet, handed to the pen. */
void plot_contour_draw(const struct plot_map_grid *grid, const struct plot_axis *x,
                       const struct plot_axis *y, double level, const struct canvas *canvas);

#endif
