/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A picture as data, and the drawing of it: curves, axes, colours. */
#ifndef MASING_PLOT_PLOT_H
#define MASING_PLOT_PLOT_H

#include <stdbool.h>

#include "plot/canvas.h"
#include "masing/table.h"

struct plot_point {
    double x, y;
    double second; /* of the panel below */
    bool is_start; /* the pen is lifted before it */
    bool is_peak;
    bool is_open;  /* its loop does not close */
    bool is_faint; /* behind what is prominent */
    bool is_dot;   /* stands by itself */
    bool is_unstable;
};

struct plot_curve {
    char *label;
    double value; /* of the group; NAN for a text */
    int n_points;
    size_t capacity;
    struct plot_point *points;
    bool has_prominent; /* points that are not faint */
};

struct plot {
    enum masing_plot_kind kind;
    bool is_log_x, is_log_y, is_coarse, are_dots_above;
    char *title, *x_label, *y_label, *group_label;
    char *second_label;     /* NULL: there is no panel below */
    bool is_second_cropped; /* of two panels the lower one need not begin at zero */
    double band;            /* part above the lowest value within which x is shaded; 0: none */
    int n_curves;
    size_t capacity;
    struct plot_curve *curves;
    bool has_unstable; /* points */
};

enum masing_status plot_draw(const struct plot *plot, const struct canvas *canvas, double width,
                             double height, struct masing_error *error);

/* An axis: the range of the data and where it lies on the sheet. */
struct plot_axis {
    double low, high; /* of the data; low < high */
    bool is_log;
    double from, to; /* on the sheet */
    double step;     /* between ticks; 0: logarithmic ones */
    int exponent;    /* tick labels are in units of 10^exponent */
    int decimals;
};

enum { PLOT_TICKS = 64, PLOT_TICK_LABEL = 32, PLOT_LABEL = 256 };

struct plot_tick {
    double value;
    char label[PLOT_TICK_LABEL]; /* "" for a minor one */
};

/* Choose range and ticks for data between @p low and @p high; `from` and `to` come later. */
void plot_axis_fit(struct plot_axis *axis, double low, double high, bool is_log, bool is_tight);
int plot_axis_ticks(const struct plot_axis *axis, struct plot_tick ticks[PLOT_TICKS]);
double plot_axis_place(const struct plot_axis *axis, double value);
/* The label with the axis's power of ten in its unit: "x (m)" becomes "x (10^-3 m)". */
void plot_axis_label(const struct plot_axis *axis, const char *label, char text[PLOT_LABEL]);

/* Texts and ticks about a frame, with the axes placed on it. */
#define PLOT_TEXT_SIZE 12.0
void plot_text(const struct canvas *canvas, double x, double y, enum anchor anchor,
               bool is_upright, const char *text);
void plot_frame_x(const struct canvas *canvas, const struct rectangle *frame,
                  const struct plot_axis *axis, bool has_grid);
void plot_frame_y(const struct canvas *canvas, const struct rectangle *frame,
                  const struct plot_axis *axis, bool has_grid);

/* The shade behind what is close to the lowest value, where the plot wants it, and its label.
 */
void plot_band_draw(const struct plot *plot, const struct canvas *canvas,
                    const struct rectangle *frame, const struct plot_axis *x);
void plot_band_label(const struct plot *plot, const struct canvas *canvas,
                     const struct rectangle *frame, const struct plot_axis *x);

/* Ordered colours, dark to light, readable on white and in grey; share in 0..1. */
struct colour plot_colour(double share);

/* The part between two of the points of a smooth line through all of them on the sheet, [n][2];
 * corners sharper than @p corner (rad between neighbouring chords) stay corners. */
void plot_line_part(const struct canvas *canvas, const double (*points)[2], int n,
                    double corner, int from, int to);

#endif
