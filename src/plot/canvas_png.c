/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Portable network graphics, drawn by cairo, which is loaded when a picture needs it. Linking
 * it the ordinary way costs every run of the program about 5 ms of processor time for the
 * libraries that it brings along (measured on Debian 12), as much as a whole study takes.
 */
#include <cairo.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "plot/canvas.h"

/* Result, name without the prefix, arguments. The compiler compares each row with the
 * declaration in cairo's own header. */
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

#define CAIRO_SAME_TYPE(result, name, arguments)                                               \
    _Static_assert(_Generic(&cairo_##name, result(*) arguments : 1, default : 0),              \
                   "cairo_" #name " has another type");
CAIRO_FUNCTIONS(CAIRO_SAME_TYPE)

static enum masing_status find_function(void *handle, const char *name, void *pointer,
                                        size_t size, struct masing_error *error)
{
    void *symbol = dlsym(handle, name);
    if (!symbol) {
        return masing_error_set(error, MASING_UNSUPPORTED, "PNG pictures: cairo lacks %s",
                                name);
    }
    /* POSIX lets data and function pointers be converted, ISO C has no cast for it. */
    memcpy(pointer, &symbol, size);
    return MASING_OK;
}

/* MASING_UNSUPPORTED, with the reason, where cairo is not installed. */
static enum masing_status load_cairo(struct cairo_library *library, struct masing_error *error)
{
    /* Never unloaded: cairo and its font libraries keep caches for the life of a process. */
    void *handle = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "PNG pictures need the cairo library: %s", dlerror());
    }
    enum masing_status status = MASING_OK;
#define CAIRO_FIND(result, name, arguments)                                                    \
    if (status == MASING_OK) {                                                                 \
        status = find_function(handle, "cairo_" #name, &library->name, sizeof library->name,   \
                               error);                                                         \
    }
    CAIRO_FUNCTIONS(CAIRO_FIND)
#undef CAIRO_FIND
    return status;
}

struct png {
    struct cairo_library cairo;
    FILE *stream;
    cairo_surface_t *surface;
    cairo_t *sheet;
};

/* Pixels per point: 240 dots per inch, enough for print at column width. */
static const double png_scale = 2.5;

static void png_move(void *context, double x, double y)
{
    struct png *png = context;
    png->cairo.move_to(png->sheet, x, y);
}

static void png_line(void *context, double x, double y)
{
    struct png *png = context;
    png->cairo.line_to(png->sheet, x, y);
}

static void png_curve(void *context, const double handles[4], double x, double y)
{
    struct png *png = context;
    png->cairo.curve_to(png->sheet, handles[0], handles[1], handles[2], handles[3], x, y);
}

static void png_close(void *context)
{
    struct png *png = context;
    png->cairo.close_path(png->sheet);
}

static void png_ink(struct png *png, struct colour colour)
{
    png->cairo.set_source_rgb(png->sheet, colour.red, colour.green, colour.blue);
}

static void png_stroke(void *context, struct colour colour, double width, double dash)
{
    struct png *png = context;
    const double lengths[2] = {canvas_dash[0] * dash, canvas_dash[1] * dash};
    png_ink(png, colour);
    png->cairo.set_line_width(png->sheet, width);
    png->cairo.set_dash(png->sheet, lengths, dash > 0 ? 2 : 0, 0);
    png->cairo.stroke(png->sheet);
}

static void png_fill(void *context, struct colour colour)
{
    struct png *png = context;
    png_ink(png, colour);
    png->cairo.fill(png->sheet);
}

static void png_clip(void *context, const struct rectangle *area)
{
    struct png *png = context;
    png->cairo.rectangle(png->sheet, area->x, area->y, area->width, area->height);
    png->cairo.clip(png->sheet);
}

static void png_unclip(void *context)
{
    struct png *png = context;
    png->cairo.reset_clip(png->sheet);
}

static void png_text(void *context, double x, double y, const struct text_style *style,
                     const char *text)
{
    static const double shares[] = {0, 0.5, 1};
    struct png *png = context;
    const struct cairo_library *cairo = &png->cairo;
    cairo_text_extents_t extents;
    cairo->select_font_face(png->sheet, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                            style->is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo->set_font_size(png->sheet, style->size);
    cairo->text_extents(png->sheet, text, &extents);
    cairo->save(png->sheet);
    cairo->translate(png->sheet, x, y);
    if (style->is_upright) {
        cairo->rotate(png->sheet, -0.5 * PI);
    }
    png_ink(png, style->colour);
    cairo->move_to(png->sheet, -shares[style->anchor] * extents.x_advance, 0);
    cairo->show_text(png->sheet, text);
    cairo->restore(png->sheet);
}

static cairo_status_t png_write(void *context, const unsigned char *bytes, unsigned count)
{
    FILE *stream = context;
    return fwrite(bytes, 1, count, stream) == count ? CAIRO_STATUS_SUCCESS
                                                    : CAIRO_STATUS_WRITE_ERROR;
}

static enum masing_status png_finish(void *context, struct masing_error *error)
{
    struct png *png = context;
    cairo_status_t drawn = png->cairo.status(png->sheet);
    if (drawn != CAIRO_STATUS_SUCCESS) {
        return masing_error_set(error, MASING_INTERNAL, "cannot draw: %s",
                                png->cairo.status_to_string(drawn));
    }
    drawn = png->cairo.surface_write_to_png_stream(png->surface, png_write, png->stream);
    if (drawn != CAIRO_STATUS_SUCCESS || fflush(png->stream) != 0) {
        return masing_error_set(error, MASING_IO, "cannot write: %s",
                                errno ? strerror(errno) : png->cairo.status_to_string(drawn));
    }
    return MASING_OK;
}

static void png_destroy(void *context)
{
    struct png *png = context;
    if (png) {
        if (png->sheet) {
            png->cairo.destroy(png->sheet);
        }
        if (png->surface) {
            png->cairo.surface_destroy(png->surface);
        }
        free(png);
    }
}

static void png_prepare(struct png *png)
{
    const struct cairo_library *cairo = &png->cairo;
    cairo->scale(png->sheet, png_scale, png_scale);
    cairo->set_source_rgb(png->sheet, 1, 1, 1);
    cairo->paint(png->sheet);
    cairo->set_line_join(png->sheet, CAIRO_LINE_JOIN_ROUND);
    cairo->set_line_cap(png->sheet, CAIRO_LINE_CAP_ROUND);
}

enum masing_status canvas_png_create(FILE *stream, double width, double height,
                                     const char *title, struct canvas *canvas,
                                     struct masing_error *error)
{
    (void)title; /* stands in the picture */
    enum masing_status status = MASING_OK;
    struct png *png = memory_array(1, sizeof *png);
    TRY_ALLOCATED(png);
    png->stream = stream;
    TRY(load_cairo(&png->cairo, error));
    png->surface = png->cairo.image_surface_create(
        CAIRO_FORMAT_RGB24, (int)lround(width * png_scale), (int)lround(height * png_scale));
    png->sheet = png->cairo.create(png->surface);
    png_prepare(png);
    *canvas =
        (struct canvas){png,      png_move, png_line,   png_curve, png_close,  png_stroke,
                        png_fill, png_clip, png_unclip, png_text,  png_finish, png_destroy};
done:
    if (status != MASING_OK) {
        png_destroy(png);
    }
    return status;
}
