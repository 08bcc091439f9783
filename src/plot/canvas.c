/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plot/canvas.h"

#include <math.h>
#include <stddef.h>

const struct colour canvas_ink = {0.13, 0.13, 0.13};
const struct colour canvas_paper = {1, 1, 1};
const double canvas_dash[2] = {2.4, 2.8};

/* Viridis (van der Walt and Smith, 2015, CC0) at ten equal steps, linear in between. It is
 * uniform to the eye, for colour-blind readers too; its light end is too pale for lines on
 * white and is left out. */
struct colour canvas_shade(double share)
{
    enum { N_STEPS = 10 };
    static const struct colour steps[N_STEPS] = {{0.267, 0.005, 0.329}, {0.283, 0.157, 0.471},
                                                 {0.243, 0.290, 0.537}, {0.192, 0.408, 0.557},
                                                 {0.149, 0.510, 0.557}, {0.122, 0.620, 0.537},
                                                 {0.208, 0.718, 0.475}, {0.431, 0.808, 0.345},
                                                 {0.710, 0.871, 0.169}, {0.992, 0.906, 0.145}};
    const double lightest = 7.6;
    double place = lightest * fmin(fmax(share, 0), 1);
    int i = (int)place;
    double rest = place - i;
    const struct colour *a = &steps[i], *b = &steps[i + 1];
    return (struct colour){a->red + rest * (b->red - a->red),
                           a->green + rest * (b->green - a->green),
                           a->blue + rest * (b->blue - a->blue)};
}

void canvas_line(const struct canvas *canvas, double x1, double y1, double x2, double y2,
                 struct colour colour, double width)
{
    canvas->move(canvas->context, x1, y1);
    canvas->line(canvas->context, x2, y2);
    canvas->stroke(canvas->context, colour, width, 0);
}

static void draw_rectangle(const struct canvas *canvas, const struct rectangle *area)
{
    double right = area->x + area->width, bottom = area->y + area->height;
    canvas->move(canvas->context, area->x, area->y);
    canvas->line(canvas->context, right, area->y);
    canvas->line(canvas->context, right, bottom);
    canvas->line(canvas->context, area->x, bottom);
    canvas->close(canvas->context);
}

void canvas_outline(const struct canvas *canvas, const struct rectangle *area,
                    struct colour colour, double width)
{
    draw_rectangle(canvas, area);
    canvas->stroke(canvas->context, colour, width, 0);
}

void canvas_fill_rectangle(const struct canvas *canvas, const struct rectangle *area,
                           struct colour colour)
{
    if (area->width > 0 && area->height > 0) {
        draw_rectangle(canvas, area);
        canvas->fill(canvas->context, colour);
    }
}

/* Four cubic arcs with handles of 4/3 tan(pi/8): off a circle by 3e-4 of its radius. */
void canvas_disc(const struct canvas *canvas, double x, double y, double radius,
                 struct colour colour)
{
    static const double ends[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    const double handle = 0.5522847498 * radius;
    canvas->move(canvas->context, x + radius, y);
    for (int i = 0; i < 4; i++) {
        const double *from = ends[i], *to = ends[i + 1];
        double handles[4] = {
            x + radius * from[0] + handle * to[0], y + radius * from[1] + handle * to[1],
            x + radius * to[0] + handle * from[0], y + radius * to[1] + handle * from[1]};
        canvas->curve(canvas->context, handles, x + radius * to[0], y + radius * to[1]);
    }
    canvas->close(canvas->context);
    canvas->fill(canvas->context, colour);
}

double canvas_text_width(const char *text, double size)
{
    /* Advances of DejaVu Sans, 1/1000 of the size, for 0x20..0x7e. It is wider than the other
     * common sans-serif faces, so that a text never needs more than this. */
    static const short advances[] = {
        318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
        636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
        1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
        603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
        500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
        635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};
    const int other = 650; /* any other character */
    int sum = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c >= 0x20 && *c <= 0x7e) {
            sum += advances[*c - 0x20];
        } else if ((*c & 0xc0) != 0x80) { /* not the continuation of a UTF-8 sequence */
            sum += other;
        }
    }
    return sum * size / 1000.0;
}
