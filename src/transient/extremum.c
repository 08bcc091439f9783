/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/extremum.h"

#include <math.h>

static void widen(struct extremum *extremum, double value)
{
    extremum->maximum = fmax(extremum->maximum, value);
    extremum->minimum = fmin(extremum->minimum, value);
}

/* Cubic Hermite polynomial x0 + d0 s + b s^2 + a s^3 on s in [0, 1] and where it is level. */
static void widen_by_cubic(struct extremum *extremum, double x0, double d0, double x1,
                           double d1)
{
    double a = d0 + d1 - 2.0 * (x1 - x0), b = 3.0 * (x1 - x0) - 2.0 * d0 - d1;
    double discriminant = b * b - 3.0 * a * d0;
    if (!(discriminant >= 0.0)) {
        return;
    }
    /* roots of 3 a s^2 + 2 b s + d0 without cancellation; a may be zero */
    double sum = -(b + copysign(sqrt(discriminant), b));
    double roots[2] = {sum / (3.0 * a), d0 / sum};
    for (int i = 0; i < 2; i++) {
        double s = roots[i];
        if (s > 0.0 && s < 1.0) {
            widen(extremum, x0 + s * (d0 + s * (b + s * a)));
        }
    }
}

/* Vertex of the parabola through three samples, if it lies within half a step of the middle. */
static void widen_by_parabola(struct extremum *extremum, double before, double middle,
                              double after)
{
    double slope = 0.5 * (after - before), curvature = after - 2.0 * middle + before;
    if (fabs(slope) <= 0.5 * fabs(curvature) && curvature != 0.0) {
        widen(extremum, middle - 0.5 * slope * slope / curvature);
    }
}

void extremum_add(struct extremum *extremum, double step, double value, double rate)
{
    if (extremum->n == 0) {
        extremum->maximum = extremum->minimum = value;
    } else if (!isnan(rate)) {
        widen_by_cubic(extremum, extremum->value[0], step * extremum->rate, value, step * rate);
    } else if (extremum->n > 1) {
        widen_by_parabola(extremum, extremum->value[1], extremum->value[0], value);
    }
    widen(extremum, value);
    extremum->value[1] = extremum->value[0];
    extremum->value[0] = value;
    extremum->rate = rate;
    extremum->n++;
}
