/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Portable network graphics, drawn by cairo. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/cairo_library.h"
#include "plot/canvas.h"

struct png {
    struct cairo_library cairo;
    FILE *stream;
    cairo_surface_t *surface;
    cairo_t *sheet;
};

/* Pixels per point: 240 dots per inch, enough for print at column width. */
static const double png_scale = 2.5;
static const double right_angle = 1.5707963267948966;

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

static void png_stroke(void *context, struct colour colour, double width)
{
    struct png *png = context;
    png_ink(png, colour);
    png->cairo.set_line_width(png->sheet, width);
    png->cairo.stroke(png->sheet);
}

static void png_dash(void *context, double on, double off)
{
    struct png *png = context;
    const double lengths[2] = {on, off};
    png->cairo.set_dash(png->sheet, lengths, on > 0 ? 2 : 0, 0);
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
        cairo->rotate(png->sheet, -right_angle);
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
    TRY(cairo_library_load(&png->cairo, error));
    png->surface = png->cairo.image_surface_create(
        CAIRO_FORMAT_RGB24, (int)lround(width * png_scale), (int)lround(height * png_scale));
    png->sheet = png->cairo.create(png->surface);
    png_prepare(png);
    *canvas = (struct canvas){png,        png_move,    png_line, png_curve,  png_close,
                              png_stroke, png_fill,    png_clip, png_unclip, png_text,
                              png_finish, png_destroy, png_dash};
done:
    if (status != MASING_OK) {
        png_destroy(png);
    }
    return status;
}
