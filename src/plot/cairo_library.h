/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cairo, loaded when a picture needs it. Linking it the ordinary way costs every run of the
 * program about 5 ms of processor time for the libraries that it brings along (measured on
 * Debian 12), as much as a whole study takes.
 */
#ifndef MASING_PLOT_CAIRO_LIBRARY_H
#define MASING_PLOT_CAIRO_LIBRARY_H

#include <cairo.h>

#include "masing/status.h"

/* Result, name without the prefix, arguments. cairo_library.c compares each row with the
 * declaration in cairo's own header when it is compiled. */
#define CAIRO_FUNCTIONS(F)                                                                     \
    F(cairo_surface_t *, image_surface_create, (cairo_format_t, int, int))                     \
    F(cairo_status_t, surface_write_to_png_stream,                                             \
      (cairo_surface_t *, cairo_write_func_t, void *))                                         \
    F(void, surface_destroy, (cairo_surface_t *))                                              \
    F(cairo_t *, create, (cairo_surface_t *))                                                  \
    F(void, destroy, (cairo_t *))                                                              \
    F(cairo_status_t, status, (cairo_t *))                                                     \
    F(const char *, status_to_string, (cairo_status_t))                                        \
    F(void, save, (cairo_t *))                                                                 \
    F(void, restore, (cairo_t *))                                                              \
    F(void, scale, (cairo_t *, double, double))                                                \
    F(void, rotate, (cairo_t *, double))                                                       \
    F(void, translate, (cairo_t *, double, double))                                            \
    F(void, move_to, (cairo_t *, double, double))                                              \
    F(void, line_to, (cairo_t *, double, double))                                              \
    F(void, curve_to, (cairo_t *, double, double, double, double, double, double))             \
    F(void, close_path, (cairo_t *))                                                           \
    F(void, rectangle, (cairo_t *, double, double, double, double))                            \
    F(void, clip, (cairo_t *))                                                                 \
    F(void, reset_clip, (cairo_t *))                                                           \
    F(void, set_source_rgb, (cairo_t *, double, double, double))                               \
    F(void, set_line_width, (cairo_t *, double))                                               \
    F(void, set_dash, (cairo_t *, const double *, int, double))                                \
    F(void, set_line_join, (cairo_t *, cairo_line_join_t))                                     \
    F(void, set_line_cap, (cairo_t *, cairo_line_cap_t))                                       \
    F(void, paint, (cairo_t *))                                                                \
    F(void, stroke, (cairo_t *))                                                               \
    F(void, fill, (cairo_t *))                                                                 \
    F(void, select_font_face,                                                                  \
      (cairo_t *, const char *, cairo_font_slant_t, cairo_font_weight_t))                      \
    F(void, set_font_size, (cairo_t *, double))                                                \
    F(void, text_extents, (cairo_t *, const char *, cairo_text_extents_t *))                   \
    F(void, show_text, (cairo_t *, const char *))

struct cairo_library {
#define CAIRO_MEMBER(result, name, arguments) result(*name) arguments;
    CAIRO_FUNCTIONS(CAIRO_MEMBER)
#undef CAIRO_MEMBER
};

/* MASING_UNSUPPORTED, with the reason, where cairo is not installed. */
enum masing_status cairo_library_load(struct cairo_library *library,
                                      struct masing_error *error);

#endif
