/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines, dots and marks of peaks of all curves of a panel. */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/plot_layout.h"

static const struct colour paper = {1, 1, 1};

static struct colour paler(struct colour colour)
{
    const double share = 0.45;
    return (struct colour){1 - share * (1 - colour.red), 1 - share * (1 - colour.green),
                           1 - share * (1 - colour.blue)};
}

static double line_width(const struct plot_layout *layout)
{
    return layout->plot->n_curves > 12 ? 1.1 : 1.6;
}

void plot_dash(const struct canvas *canvas, double width)
{
    canvas->dash(canvas->context, 2.4 * width, 2.8 * width);
}

/* The line of one stroke of the pen; the point tells of which kind it is. */
static void stroke_curve(const struct plot_layout *layout, const struct plot_point *point,
                         struct colour colour)
{
    const struct canvas *canvas = layout->canvas;
    const double width = line_width(layout);
    if (layout->plot->kind == MASING_PLOT_LOOPS && !point->is_open) {
        canvas->close(canvas->context);
    }
    canvas->stroke(canvas->context, point->is_faint ? paler(colour) : colour,
                   point->is_faint ? 0.7 * width : width);
}

/* Whether the line between a point and the next one is of unstable motions: one of the ends is;
 * points that part the stable from the unstable ones are neither. */
static bool is_unstable(const struct plot_point *point)
{
    return point[0].is_unstable || point[1].is_unstable;
}

/* One stroke of the pen through n points: its solid and its dashed stretches in turn, parts of
 * the same smooth line. */
static void draw_stretches(const struct plot_layout *layout, const struct plot_point *first,
                           int n, const double (*places)[2], struct colour colour)
{
    const struct canvas *canvas = layout->canvas;
    bool are_loops = layout->plot->kind == MASING_PLOT_LOOPS;
    double corner = are_loops ? 0.25 : 2.5; /* loops have true corners */
    corner = layout->plot->is_coarse ? 0.0 : corner;
    int from = 0;
    do {
        int to = n > 1 ? from + 1 : 0;
        bool is_dashed = n > 1 && is_unstable(first + from);
        while (to < n - 1 && is_unstable(first + to) == is_dashed) {
            to++;
        }
        plot_line_part(canvas, places, n, corner, from, to);
        if (is_dashed) {
            plot_dash(canvas, line_width(layout));
        }
        stroke_curve(layout, &first[n - 1], colour);
        canvas->dash(canvas->context, 0, 0);
        from = to;
    } while (from < n - 1);
}

/* The faint or the other points of a curve. */
static void draw_curve(const struct plot_layout *layout, const struct plot_curve *curve,
                       bool draws_faint, struct colour colour, double (*places)[2])
{
    int n = 0;
    for (int j = 0; j <= curve->n_points; j++) {
        const struct plot_point *point = j < curve->n_points ? &curve->points[j] : NULL;
        bool is_faint = point && point->is_faint;
        bool is_shown =
            point && plot_can_show(layout, point) && !point->is_dot && is_faint == draws_faint;
        if (n > 0 && (!is_shown || point->is_start)) {
            draw_stretches(layout, &curve->points[j - n], n, (const double(*)[2])places,
                           colour);
            n = 0;
        }
        if (is_shown) {
            places[n][0] = plot_axis_place(&layout->x, point->x);
            places[n][1] = plot_axis_place(&layout->y, plot_value_of(layout, point));
            n++;
        }
    }
}

/* Dots above lines have a rim of paper, and those of later curves lie within those of earlier
 * ones. */
static void draw_dots(const struct plot_layout *layout, int index)
{
    const struct plot_curve *curve = &layout->plot->curves[index];
    const struct colour colour = plot_curve_colour(layout, index);
    const bool are_above = layout->plot->are_dots_above;
    const double wider = are_above ? 0.8 + 2.4 * (layout->plot->n_curves - 1 - index) : 0;
    const struct canvas *canvas = layout->canvas;
    const double radius = curve->n_points > 300 ? 1.5 : 2.2;
    for (int j = 0; j < curve->n_points; j++) {
        const struct plot_point *point = &curve->points[j];
        if (point->is_dot && plot_can_show(layout, point)) {
            double x = plot_axis_place(&layout->x, point->x);
            double y = plot_axis_place(&layout->y, plot_value_of(layout, point));
            if (are_above) {
                canvas_circle(canvas, x, y, radius + wider + 1);
                canvas->fill(canvas->context, paper);
            }
            canvas_circle(canvas, x, y, radius + wider);
            canvas->fill(canvas->context, colour);
        }
    }
}

static void draw_peaks(const struct plot_layout *layout, const struct plot_curve *curve,
                       struct colour colour)
{
    const struct canvas *canvas = layout->canvas;
    const double radius = layout->plot->n_curves > 12 ? 2.2 : 3.2;
    for (int j = 0; j < curve->n_points; j++) {
        const struct plot_point *point = &curve->points[j];
        if (point->is_peak && plot_can_show(layout, point)) {
            double x = plot_axis_place(&layout->x, point->x);
            double y = plot_axis_place(&layout->y, plot_value_of(layout, point));
            canvas_circle(canvas, x, y, radius + 1);
            canvas->fill(canvas->context, paper);
            canvas_circle(canvas, x, y, radius);
            canvas->fill(canvas->context, colour);
        }
    }
}

enum masing_status plot_curves_draw(const struct plot_layout *layout,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct plot *plot = layout->plot;
    const struct canvas *canvas = layout->canvas;
    int most = 1;
    for (int i = 0; i < plot->n_curves; i++) {
        most = plot->curves[i].n_points > most ? plot->curves[i].n_points : most;
    }
    double(*places)[2] = memory_array((size_t)most, sizeof *places);
    TRY_ALLOCATED(places);
    canvas->clip(canvas->context, &layout->frame);
    for (int i = 0; i < plot->n_curves && !plot->are_dots_above; i++) {
        draw_dots(layout, i);
    }
    for (int i = 0; i < 2 * plot->n_curves; i++) {
        int index = i % plot->n_curves;
        draw_curve(layout, &plot->curves[index], i < plot->n_curves,
                   plot_curve_colour(layout, index), places);
    }
    canvas->unclip(canvas->context);
    for (int i = 0; i < plot->n_curves && plot->are_dots_above; i++) {
        draw_dots(layout, i);
    }
    for (int i = 0; i < plot->n_curves; i++) {
        draw_peaks(layout, &plot->curves[i], plot_curve_colour(layout, i));
    }
done:
    free(places);
    return status;
}
