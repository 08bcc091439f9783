/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scalable vector graphics, written as it is drawn. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/canvas.h"

struct svg {
    FILE *stream;
    const char *mark; /* lent, of names */
    bool is_in_path;
    int n_clips;
};

static const char svg_fonts[] = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

static void svg_escaped(FILE *stream, const char *text)
{
    static const char special[] = "&<>\"";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (; *text; text++) {
        const char *found = strchr(special, *text);
        if (found) {
            fputs(escapes[found - special], stream);
        } else {
            fputc(*text, stream);
        }
    }
}

static const char *svg_colour(struct colour colour, char text[8])
{
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)lround(255 * colour.red) & 0xffu,
             (unsigned)lround(255 * colour.green) & 0xffu,
             (unsigned)lround(255 * colour.blue) & 0xffu);
    return text;
}

static void svg_move(void *context, double x, double y)
{
    struct svg *svg = context;
    fprintf(svg->stream, "%sM%.2f %.2f", svg->is_in_path ? "" : "<path d=\"", x, y);
    svg->is_in_path = true;
}

static void svg_line(void *context, double x, double y)
{
    struct svg *svg = context;
    fprintf(svg->stream, "L%.2f %.2f", x, y);
}

static void svg_curve(void *context, const double handles[4], double x, double y)
{
    struct svg *svg = context;
    fprintf(svg->stream, "C%.2f %.2f %.2f %.2f %.2f %.2f", handles[0], handles[1], handles[2],
            handles[3], x, y);
}

static void svg_close(void *context)
{
    struct svg *svg = context;
    fputc('Z', svg->stream);
}

static void svg_stroke(void *context, struct colour colour, double width, double dash)
{
    struct svg *svg = context;
    char text[8];
    fprintf(svg->stream, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"",
            svg_colour(colour, text), width);
    if (dash > 0) {
        fprintf(svg->stream, " stroke-dasharray=\"%g %g\"", canvas_dash[0] * dash,
                canvas_dash[1] * dash);
    }
    fputs("/>\n", svg->stream);
    svg->is_in_path = false;
}

static void svg_fill(void *context, struct colour colour)
{
    struct svg *svg = context;
    char text[8];
    fprintf(svg->stream, "\" fill=\"%s\"/>\n", svg_colour(colour, text));
    svg->is_in_path = false;
}

static void svg_clip(void *context, const struct rectangle *area)
{
    struct svg *svg = context;
    int number = ++svg->n_clips;
    fprintf(svg->stream,
            "<clipPath id=\"%sclip%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
            "height=\"%.2f\"/></clipPath>\n<g clip-path=\"url(#%sclip%d)\">\n",
            svg->mark, number, area->x, area->y, area->width, area->height, svg->mark, number);
}

static void svg_unclip(void *context)
{
    struct svg *svg = context;
    fputs("</g>\n", svg->stream);
}

static void svg_text(void *context, double x, double y, const struct text_style *style,
                     const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    struct svg *svg = context;
    char colour[8];
    fprintf(svg->stream, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\"", x,
            y, style->size, anchors[style->anchor]);
    fprintf(svg->stream, " fill=\"%s\"", svg_colour(style->colour, colour));
    if (style->is_bold) {
        fputs(" font-weight=\"bold\"", svg->stream);
    }
    if (style->is_upright) {
        fprintf(svg->stream, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
    }
    fputc('>', svg->stream);
    svg_escaped(svg->stream, text);
    fputs("</text>\n", svg->stream);
}

static enum masing_status svg_finish(void *context, struct masing_error *error)
{
    struct svg *svg = context;
    fputs("</g>\n</svg>\n", svg->stream);
    if (fflush(svg->stream) != 0 || ferror(svg->stream)) {
        return masing_error_set(error, MASING_IO, "cannot write: %s", strerror(errno));
    }
    return MASING_OK;
}

static enum masing_status create(FILE *stream, double width, double height, const char *title,
                                 const char *mark, struct canvas *canvas,
                                 struct masing_error *error)
{
    struct svg *svg = memory_array(1, sizeof *svg);
    NEED_ALLOCATED(svg);
    svg->stream = stream;
    svg->mark = mark ? mark : "";
    *canvas = (struct canvas){svg,      svg_move, svg_line,   svg_curve, svg_close,  svg_stroke,
                              svg_fill, svg_clip, svg_unclip, svg_text,  svg_finish, free};
    fprintf(stream, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
    if (mark) {
        fprintf(stream, "role=\"img\" ");
    } else {
        fprintf(stream, "width=\"%g\" height=\"%g\" ", width, height);
    }
    fprintf(stream, "viewBox=\"0 0 %g %g\" font-family=\"%s\">\n<title>", width, height,
            svg_fonts);
    svg_escaped(stream, title);
    fprintf(stream,
            "</title>\n<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n"
            "<g stroke-linejoin=\"round\" stroke-linecap=\"round\">\n",
            width, height);
    return MASING_OK;
}

enum masing_status canvas_svg_create_inline(FILE *stream, double width, double height,
                                            const char *title, const char *mark,
                                            struct canvas *canvas, struct masing_error *error)
{
    return create(stream, width, height, title, mark, canvas, error);
}

enum masing_status canvas_svg_create(FILE *stream, double width, double height,
                                     const char *title, struct canvas *canvas,
                                     struct masing_error *error)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", stream);
    return create(stream, width, height, title, NULL, canvas, error);
}
