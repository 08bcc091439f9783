/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The range of x in which a curve stays close to its lowest point. */
#include <math.h>
#include <stdio.h>

#include "plot/curves.h"

static const struct colour shade = {0.90, 0.94, 0.90};

static const struct curves_point *find_lowest(const struct curves *curves,
                                              const struct curves_curve **on)
{
    const struct curves_point *lowest = NULL;
    for (int i = 0; i < curves->n_curves; i++) {
        for (int j = 0; j < curves->curves[i].n_points; j++) {
            const struct curves_point *point = &curves->curves[i].points[j];
            if (isfinite(point->x) && (!lowest || point->y < lowest->y)) {
                lowest = point;
                *on = &curves->curves[i];
            }
        }
    }
    return lowest;
}

/* From the lowest point on in one direction, to where the level is passed: a straight line on
 * the axis between two points. */
static double reach(const struct axis *x, const struct curves_curve *curve, int from,
                    int direction, double level)
{
    int i = from;
    const struct curves_point *points = curve->points;
    while (i + direction >= 0 && i + direction < curve->n_points &&
           points[i + direction].y <= level) {
        i += direction;
    }
    if (i + direction < 0 || i + direction >= curve->n_points) {
        return axis_place(x, points[i].x);
    }
    /* close to the lowest a parabola about it says more than a chord */
    double low = points[from].y, a = points[i].y - low, b = points[i + direction].y - low;
    double root_a = sqrt(fmax(a, 0.0)), root_b = sqrt(fmax(b, 0.0));
    double part = root_b > root_a ? (sqrt(level - low) - root_a) / (root_b - root_a) : 0.0;
    double start = axis_place(x, points[i].x);
    return start + part * (axis_place(x, points[i + direction].x) - start);
}

static bool find(const struct curves_view *view, double ends[2])
{
    const double band = view->settings->band;
    const struct curves_curve *curve = NULL;
    const struct curves_point *lowest = find_lowest(view->curves, &curve);
    if (!(band > 0.0) || !lowest || !(lowest->y > 0.0)) {
        return false;
    }
    double level = (1.0 + band) * lowest->y;
    for (int side = 0; side < 2; side++) {
        int from = (int)(lowest - curve->points);
        ends[side] = reach(&view->panel.x, curve, from, side == 0 ? -1 : 1, level);
    }
    return true;
}

void curves_draw_band(const struct curves_view *view)
{
    const struct rectangle *frame = &view->panel.frame;
    double ends[2];
    if (find(view, ends)) {
        const struct rectangle area = {fmin(ends[0], ends[1]), frame->y,
                                       fabs(ends[1] - ends[0]), frame->height};
        canvas_fill_rectangle(view->panel.canvas, &area, shade);
    }
}

void curves_label_band(const struct curves_view *view)
{
    const struct rectangle *frame = &view->panel.frame;
    double ends[2];
    char text[64];
    if (find(view, ends)) {
        snprintf(text, sizeof text, "within %g\u202f%% of the lowest",
                 100.0 * view->settings->band);
        double half = 0.5 * canvas_text_width(text, PANEL_TEXT_SIZE) + 4;
        double middle = fmin(fmax(0.5 * (ends[0] + ends[1]), frame->x + half),
                             frame->x + frame->width - half);
        panel_text(view->panel.canvas, middle, frame->y + PANEL_TEXT_SIZE + 4, ANCHOR_MIDDLE,
                   false, text);
    }
}
