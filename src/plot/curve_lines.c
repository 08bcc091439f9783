/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines, dots and marks of peaks of all curves of a panel. */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/curves.h"

struct chord {
    double length, x, y; /* direction of length 1 */
};

static struct chord chord_between(const double a[2], const double b[2])
{
    double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
    return length > 0 ? (struct chord){length, x / length, y / length}
                      : (struct chord){0, 0, 0};
}

/* Tangents just before and just after a point between two chords. */
static void tangents_at(const struct chord *before, const struct chord *after, double corner,
                        double incoming[2], double outgoing[2])
{
    double cosine = before->x * after->x + before->y * after->y;
    double sum = before->length + after->length;
    if (cosine < cos(corner) || !(before->length > 0) || !(after->length > 0)) {
        incoming[0] = before->x, incoming[1] = before->y;
        outgoing[0] = after->x, outgoing[1] = after->y;
        return;
    }
    double share = before->length / sum;
    incoming[0] = outgoing[0] = share * after->x + (1 - share) * before->x;
    incoming[1] = outgoing[1] = share * after->y + (1 - share) * before->y;
}

/* Directions just after a point and just before the next one. */
static void tangents_of(const double (*points)[2], int n, double corner, int i, double start[2],
                        double end[2])
{
    struct chord chord = chord_between(points[i], points[i + 1]);
    double other[2];
    start[0] = end[0] = chord.x, start[1] = end[1] = chord.y;
    if (i > 0) {
        struct chord before = chord_between(points[i - 1], points[i]);
        tangents_at(&before, &chord, corner, other, start);
    }
    if (i + 2 < n) {
        struct chord after = chord_between(points[i + 1], points[i + 2]);
        tangents_at(&chord, &after, corner, end, other);
    }
}

/* The part between two of the points of a smooth line through all of them, [n][2]; corners
 * sharper than @p corner (rad between neighbouring chords) stay corners. The line is cubic
 * Hermite, its tangents those of the parabola through three neighbours (Bessel) over chord
 * length. */
static void draw_part(const struct canvas *canvas, const double (*points)[2], int n,
                      double corner, int from, int to)
{
    if (n < 1) {
        return;
    }
    canvas->move(canvas->context, points[from][0], points[from][1]);
    if (n == 1) {
        canvas->line(canvas->context, points[0][0], points[0][1]);
    }
    for (int i = from; i < to; i++) {
        const double *a = points[i], *b = points[i + 1];
        double start[2], end[2], third = hypot(b[0] - a[0], b[1] - a[1]) / 3;
        tangents_of(points, n, corner, i, start, end);
        double handles[4] = {a[0] + third * start[0], a[1] + third * start[1],
                             b[0] - third * end[0], b[1] - third * end[1]};
        canvas->curve(canvas->context, handles, b[0], b[1]);
    }
}

static struct colour paler(struct colour colour)
{
    const double share = 0.45;
    return (struct colour){1 - share * (1 - colour.red), 1 - share * (1 - colour.green),
                           1 - share * (1 - colour.blue)};
}

static double line_width(const struct curves_view *view)
{
    return view->curves->n_curves > 12 ? 1.1 : 1.6;
}

void curves_dash(const struct canvas *canvas, double width)
{
    canvas->dash(canvas->context, 2.4 * width, 2.8 * width);
}

/* The line that was drawn; whether it is closed and faint stands in its last point. */
static void stroke_part(const struct curves_view *view, const struct curves_point *point,
                        struct colour colour)
{
    const struct canvas *canvas = view->panel.canvas;
    const double width = line_width(view);
    if (view->settings->kind == MASING_PLOT_LOOPS && !point->is_open) {
        canvas->close(canvas->context);
    }
    canvas->stroke(canvas->context, point->is_faint ? paler(colour) : colour,
                   point->is_faint ? 0.7 * width : width);
}

/* Whether the line between a point and the next one is of unstable motions: one of the ends is;
 * points that part the stable from the unstable ones are neither. */
static bool is_unstable(const struct curves_point *point)
{
    return point[0].is_unstable || point[1].is_unstable;
}

/* One stroke of the pen through n points: its solid and its dashed intervals in turn, parts of
 * the same smooth line. */
static void draw_stroke(const struct curves_view *view, const struct curves_point *first, int n,
                        const double (*places)[2], struct colour colour)
{
    const struct canvas *canvas = view->panel.canvas;
    bool are_loops = view->settings->kind == MASING_PLOT_LOOPS;
    double corner = are_loops ? 0.25 : 2.5; /* loops have true corners */
    corner = view->settings->is_coarse ? 0.0 : corner;
    int from = 0;
    do {
        int to = n > 1 ? from + 1 : 0;
        bool is_dashed = n > 1 && is_unstable(first + from);
        while (to < n - 1 && is_unstable(first + to) == is_dashed) {
            to++;
        }
        draw_part(canvas, places, n, corner, from, to);
        if (is_dashed) {
            curves_dash(canvas, line_width(view));
        }
        stroke_part(view, &first[n - 1], colour);
        canvas->dash(canvas->context, 0, 0);
        from = to;
    } while (from < n - 1);
}

/* The faint or the other points of a curve. */
static void draw_curve(const struct curves_view *view, const struct curves_curve *curve,
                       bool draws_faint, struct colour colour, double (*places)[2])
{
    int n = 0;
    for (int j = 0; j <= curve->n_points; j++) {
        const struct curves_point *point = j < curve->n_points ? &curve->points[j] : NULL;
        bool is_faint = point && point->is_faint;
        bool is_shown =
            point && curves_can_show(view, point) && !point->is_dot && is_faint == draws_faint;
        if (n > 0 && (!is_shown || point->is_start)) {
            draw_stroke(view, &curve->points[j - n], n, (const double(*)[2])places, colour);
            n = 0;
        }
        if (is_shown) {
            places[n][0] = axis_place(&view->panel.x, point->x);
            places[n][1] = axis_place(&view->panel.y, curves_value(view, point));
            n++;
        }
    }
}

/* Dots above lines have a rim of paper, and those of later curves lie within those of earlier
 * ones. */
static void draw_dots(const struct curves_view *view, int index)
{
    const struct curves_curve *curve = &view->curves->curves[index];
    const struct colour colour = curves_colour(view, index);
    const bool are_above = view->settings->are_dots_above;
    const double wider = are_above ? 0.8 + 2.4 * (view->curves->n_curves - 1 - index) : 0;
    const struct canvas *canvas = view->panel.canvas;
    const double radius = curve->n_points > 300 ? 1.5 : 2.2;
    for (int j = 0; j < curve->n_points; j++) {
        const struct curves_point *point = &curve->points[j];
        if (point->is_dot && curves_can_show(view, point)) {
            double x = axis_place(&view->panel.x, point->x);
            double y = axis_place(&view->panel.y, curves_value(view, point));
            if (are_above) {
                canvas_ringed_disc(canvas, x, y, radius + wider, 1, canvas_paper, colour);
            } else {
                canvas_circle(canvas, x, y, radius);
                canvas->fill(canvas->context, colour);
            }
        }
    }
}

static void draw_peaks(const struct curves_view *view, const struct curves_curve *curve,
                       struct colour colour)
{
    const struct canvas *canvas = view->panel.canvas;
    const double radius = view->curves->n_curves > 12 ? 2.2 : 3.2;
    for (int j = 0; j < curve->n_points; j++) {
        const struct curves_point *point = &curve->points[j];
        if (point->is_peak && curves_can_show(view, point)) {
            double x = axis_place(&view->panel.x, point->x);
            double y = axis_place(&view->panel.y, curves_value(view, point));
            canvas_ringed_disc(canvas, x, y, radius, 1, canvas_paper, colour);
        }
    }
}

enum masing_status curves_draw_lines(const struct curves_view *view, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct curves *curves = view->curves;
    const struct canvas *canvas = view->panel.canvas;
    int most = 1;
    for (int i = 0; i < curves->n_curves; i++) {
        most = curves->curves[i].n_points > most ? curves->curves[i].n_points : most;
    }
    double(*places)[2] = memory_array((size_t)most, sizeof *places);
    TRY_ALLOCATED(places);
    canvas->clip(canvas->context, &view->panel.frame);
    for (int i = 0; i < curves->n_curves && !view->settings->are_dots_above; i++) {
        draw_dots(view, i);
    }
    for (int i = 0; i < 2 * curves->n_curves; i++) {
        int index = i % curves->n_curves;
        draw_curve(view, &curves->curves[index], i < curves->n_curves,
                   curves_colour(view, index), places);
    }
    canvas->unclip(canvas->context);
    for (int i = 0; i < curves->n_curves && view->settings->are_dots_above; i++) {
        draw_dots(view, i);
    }
    for (int i = 0; i < curves->n_curves; i++) {
        draw_peaks(view, &curves->curves[i], curves_colour(view, i));
    }
done:
    free(places);
    return status;
}
