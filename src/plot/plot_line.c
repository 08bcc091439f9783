/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cubic Hermite line through points, with tangents of the parabola through three neighbours
 * (Bessel) over chord length.
 */
#include <math.h>

#include "plot/plot.h"

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

void plot_line_part(const struct canvas *canvas, const double (*points)[2], int n,
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
