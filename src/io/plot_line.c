/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cubic Hermite line through points, with tangents of the parabola through three neighbours
 * (Bessel) over chord length.
 */
#include <math.h>

#include "io/plot.h"

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

void plot_line_draw(const struct canvas *canvas, const double (*points)[2], int n,
                    double corner)
{
    if (n < 1) {
        return;
    }
    canvas->move(canvas->context, points[0][0], points[0][1]);
    if (n == 1) {
        canvas->line(canvas->context, points[0][0], points[0][1]);
        return;
    }
    struct chord chord = chord_between(points[0], points[1]);
    double start[2] = {chord.x, chord.y};
    for (int i = 1; i < n; i++) {
        double end[2] = {chord.x, chord.y}, next_start[2] = {0, 0};
        struct chord next = {0, 0, 0};
        if (i + 1 < n) {
            next = chord_between(points[i], points[i + 1]);
            tangents_at(&chord, &next, corner, end, next_start);
        }
        double third = chord.length / 3;
        double handles[4] = {points[i - 1][0] + third * start[0],
                             points[i - 1][1] + third * start[1], points[i][0] - third * end[0],
                             points[i][1] - third * end[1]};
        canvas->curve(canvas->context, handles, points[i][0], points[i][1]);
        start[0] = next_start[0], start[1] = next_start[1];
        chord = next;
    }
}
