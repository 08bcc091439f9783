/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The range of x in which a curve stays close to its lowest point. */
#include <math.h>
#include <stdio.h>

#include "plot/plot.h"

static const struct colour shade = {0.90, 0.94, 0.90};

static const struct plot_point *find_lowest(const struct plot *plot,
                                            const struct plot_curve **on)
{
    const struct plot_point *lowest = NULL;
    for (int i = 0; i < plot->n_curves; i++) {
        for (int j = 0; j < plot->curves[i].n_points; j++) {
            const struct plot_point *point = &plot->curves[i].points[j];
            if (isfinite(point->x) && (!lowest || point->y < lowest->y)) {
                lowest = point;
                *on = &plot->curves[i];
            }
        }
    }
    return lowest;
}

/* From the lowest point on in one direction, to where the level is passed: a straight line on
 * the axis between two points. */
static double reach(const struct plot_axis *x, const struct plot_curve *curve, int from,
                    int direction, double level)
{
    int i = from;
    const struct plot_point *points = curve->points;
    while (i + direction >= 0 && i + direction < curve->n_points &&
           points[i + direction].y <= level) {
        i += direction;
    }
    if (i + direction < 0 || i + direction >= curve->n_points) {
        return plot_axis_place(x, points[i].x);
    }
    /* close to the lowest a parabola about it says more than a chord */
    double low = points[from].y, a = points[i].y - low, b = points[i + direction].y - low;
    double root_a = sqrt(fmax(a, 0.0)), root_b = sqrt(fmax(b, 0.0));
    double part = root_b > root_a ? (sqrt(level - low) - root_a) / (root_b - root_a) : 0.0;
    double start = plot_axis_place(x, points[i].x);
    return start + part * (plot_axis_place(x, points[i + direction].x) - start);
}

static bool find(const struct plot *plot, const struct plot_axis *x, double ends[2])
{
    const struct plot_curve *curve = NULL;
    const struct plot_point *lowest = find_lowest(plot, &curve);
    if (!(plot->band > 0.0) || !lowest || !(lowest->y > 0.0)) {
        return false;
    }
    double level = (1.0 + plot->band) * lowest->y;
    for (int side = 0; side < 2; side++) {
        int from = (int)(lowest - curve->points);
        ends[side] = reach(x, curve, from, side == 0 ? -1 : 1, level);
    }
    return true;
}

void plot_band_draw(const struct plot *plot, const struct canvas *canvas,
                    const struct rectangle *frame, const struct plot_axis *x)
{
    double ends[2];
    if (find(plot, x, ends)) {
        const struct rectangle area = {fmin(ends[0], ends[1]), frame->y,
                                       fabs(ends[1] - ends[0]), frame->height};
        canvas_rectangle(canvas, &area);
        canvas->fill(canvas->context, shade);
    }
}

void plot_band_label(const struct plot *plot, const struct canvas *canvas,
                     const struct rectangle *frame, const struct plot_axis *x)
{
    double ends[2];
    char text[64];
    if (find(plot, x, ends)) {
        snprintf(text, sizeof text, "within %g\u202f%% of the lowest", 100.0 * plot->band);
        double half = 0.5 * canvas_text_width(text, PLOT_TEXT_SIZE) + 4;
        double middle = fmin(fmax(0.5 * (ends[0] + ends[1]), frame->x + half),
                             frame->x + frame->width - half);
        plot_text(canvas, middle, frame->y + PLOT_TEXT_SIZE + 4, ANCHOR_MIDDLE, false, text);
    }
}
