/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Curves and loops as data, and a view of them while it is drawn. */
#ifndef MASING_PLOT_CURVES_H
#define MASING_PLOT_CURVES_H

#include "masing/table.h"
#include "plot/panel.h"

struct curves_point {
    double x, y;
    double second; /* of the panel below */
    bool is_start; /* the pen is lifted before it */
    bool is_peak;
    bool is_open;  /* its loop does not close */
    bool is_faint; /* behind what is prominent */
    bool is_dot;   /* stands by itself */
    bool is_unstable;
};

struct curves_curve {
    char *label;
    double value; /* of the group; NAN for a text */
    int n_points;
    size_t capacity;
    struct curves_point *points;
    bool has_prominent; /* points that are not faint */
};

struct curves {
    int n_curves;
    size_t capacity;
    struct curves_curve *curves;
    bool has_unstable; /* points */
    double segment;    /* of the row before */
    bool has_row;
};

struct curves_view {
    struct panel panel;
    const struct curves *curves;
    const struct masing_plot_settings *settings;
    bool is_second;   /* the panel below another one */
    const int *ranks; /* [n_curves] by value, so that colours are ordered whatever the order */
};

/* What the view shows over x. */
double curves_value(const struct curves_view *view, const struct curves_point *point);
bool curves_can_show(const struct curves_view *view, const struct curves_point *point);
struct colour curves_colour(const struct curves_view *view, int index);

/* curve_lines.c: lines, dots and peaks, within the frame */
enum masing_status curves_draw_lines(const struct curves_view *view,
                                     struct masing_error *error);
/* Strokes that follow are dashed as unstable parts are. */
void curves_dash(const struct canvas *canvas, double width);

/* curve_band.c: the shade behind what is close to the lowest value, where the settings have a
 * band, and its label */
void curves_draw_band(const struct curves_view *view);
void curves_label_band(const struct curves_view *view);

#endif
