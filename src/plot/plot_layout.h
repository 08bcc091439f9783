/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A panel of a picture while it is drawn, shared by the files that draw its parts. */
#ifndef MASING_PLOT_PLOT_LAYOUT_H
#define MASING_PLOT_PLOT_LAYOUT_H

#include "plot/plot.h"

struct plot_layout {
    const struct plot *plot;
    const struct canvas *canvas;
    double width, top, bottom; /* of the panel */
    bool is_second;            /* the panel below another one */
    struct plot_axis x, y;
    struct rectangle frame;
    double legend_width; /* 0: none */
    bool has_colour_bar;
    int *ranks; /* [n_curves] by value, so that colours are ordered whatever the order given */
};

/* What the panel shows over x. */
double plot_value_of(const struct plot_layout *layout, const struct plot_point *point);
bool plot_can_show(const struct plot_layout *layout, const struct plot_point *point);
struct colour plot_curve_colour(const struct plot_layout *layout, int index);

/* plot_curves.c: lines, dots and peaks, within the frame */
enum masing_status plot_curves_draw(const struct plot_layout *layout,
                                    struct masing_error *error);
/* Strokes that follow are dashed as unstable stretches are. */
void plot_dash(const struct canvas *canvas, double width);

#endif
