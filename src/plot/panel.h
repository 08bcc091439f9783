/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A panel of a picture: a frame with axes, their labels and, beside it, a scale of colours.
 * What the frame holds is drawn after the axes and before the frame.
 */
#ifndef MASING_PLOT_PANEL_H
#define MASING_PLOT_PANEL_H

#include "plot/axis.h"
#include "plot/canvas.h"

struct panel {
    const struct canvas *canvas;
    struct rectangle frame;
    double left; /* room for the labels of the y axis beside the frame */
    struct axis x, y;
    bool has_lines[2];             /* across the frame at the ticks of x, of y */
    const char *x_label, *y_label; /* with units; NULL: none */
    const char *caption;           /* above the frame; NULL: none */
    const char *const *x_names;    /* [n_x_names] at 1, 2, ... in place of ticks; or NULL */
    int n_x_names;
};

#define PANEL_TEXT_SIZE 12.0

/* Colour of lines on top of colours. */
extern const struct colour panel_line_on_colour;

void panel_text(const struct canvas *canvas, double x, double y, enum anchor anchor,
                bool is_upright, const char *text);

/* The heading of the sheet, about @p middle; NULL or "": none. */
void panel_title(const struct canvas *canvas, double middle, const char *title);

/* Room that the labels of the fitted y axis need on the left of the frame. */
double panel_left(const struct panel *panel);

/* Put the frame where it is to be, the fitted axes along it, and the y label at the end of the
 * room on its left. */
void panel_place(struct panel *panel, struct rectangle frame, double left);

void panel_draw_axes(const struct panel *panel);
void panel_draw_frame(const struct panel *panel);

/* The colours of canvas_shade over a fitted axis, right of the frame and @p height high from
 * its top. The ticks are lines across the colours where they are contour lines in the frame. */
void panel_draw_scale(const struct panel *panel, struct axis scale, double height,
                      bool are_ticks_contours);

#endif
