/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sheet to draw on, the same for every picture format. Lengths are in points of 1/96 inch,
 * y grows downwards. A path is begun by `move` and used up by `stroke` or `fill`. Failures are
 * kept inside and reported by `finish`.
 */
#ifndef MASING_PLOT_CANVAS_H
#define MASING_PLOT_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

#include "masing/status.h"

struct colour {
    double red, green, blue; /* 0..1 */
};

struct rectangle {
    double x, y, width, height;
};

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* How a text stands; it turns about its own foot, anti-clockwise where is_upright. */
struct text_style {
    double size;
    enum anchor anchor;
    bool is_upright; /* read from bottom to top */
    bool is_bold;
    struct colour colour;
};

struct canvas {
    void *context;
    void (*move)(void *context, double x, double y);
    void (*line)(void *context, double x, double y);
    /* cubic Bezier: two handles and the end */
    void (*curve)(void *context, const double handles[4], double x, double y);
    void (*close)(void *context);
    /* dash: lengths of dashes and gaps follow from it, see canvas_dash; 0: a solid line */
    void (*stroke)(void *context, struct colour colour, double width, double dash);
    void (*fill)(void *context, struct colour colour);
    void (*clip)(void *context, const struct rectangle *area);
    void (*unclip)(void *context);
    void (*text)(void *context, double x, double y, const struct text_style *style,
                 const char *text);
    enum masing_status (*finish)(void *context, struct masing_error *error);
    void (*destroy)(void *context);
};

extern const struct colour canvas_ink, canvas_paper;
extern const double canvas_dash[2]; /* a dash and the gap behind it, in widths of the line */

/* Ordered colours, dark to light, readable on white and in grey; share in 0..1. */
struct colour canvas_shade(double share);

/* Both write to @p stream, which stays the caller's; @p title describes the picture. */
enum masing_status canvas_svg_create(FILE *stream, double width, double height,
                                     const char *title, struct canvas *canvas,
                                     struct masing_error *error);
/* The same to stand in a page: it begins with its element, fits into its place, and all names
 * in it begin with a mark. */
enum masing_status canvas_svg_create_inline(FILE *stream, double width, double height,
                                            const char *title, const char *mark,
                                            struct canvas *canvas, struct masing_error *error);
enum masing_status canvas_png_create(FILE *stream, double width, double height,
                                     const char *title, struct canvas *canvas,
                                     struct masing_error *error);

/* Shapes made of the primitives above. */
void canvas_line(const struct canvas *canvas, double x1, double y1, double x2, double y2,
                 struct colour colour, double width);
void canvas_outline(const struct canvas *canvas, const struct rectangle *area,
                    struct colour colour, double width);
/* Nothing where it has no area. */
void canvas_fill_rectangle(const struct canvas *canvas, const struct rectangle *area,
                           struct colour colour);
void canvas_disc(const struct canvas *canvas, double x, double y, double radius,
                 struct colour colour);

/* Width of a text at a size of 1, close enough to lay out margins and legends. */
double canvas_text_width(const char *text, double size);

#endif
