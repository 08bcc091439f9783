/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/oscillator.h"

#include <math.h>
#include <stdbool.h>

/* Below this square of a phase a series loses fewer digits than the closed form. */
static const double SERIES_BELOW = 1e-4;

/* The step response is the integral of free[1]. */
static double forced(double square, double d, double h, const double free[4])
{
    double s = square * h * h, c = d * h;
    if (fabs(s) + c * c < SERIES_BELOW) {
        return h * h * (0.5 - c / 6.0 - (s - c * c) / 24.0 + c * (2.0 * s - c * c) / 120.0);
    }
    if (fabs(s) < SERIES_BELOW) { /* hardly any stiffness: (h - free[1]) / d as s vanishes */
        double e = exp(-c);
        return (h - (1.0 - e) / d) / d -
               square / (d * d * d * d) * (0.5 * c * c - 2.0 * c + 3.0 - e * (c + 3.0));
    }
    return (1.0 - free[0]) / square;
}

struct oscillator_step oscillator_step(double square, double d, double h)
{
    double decay = exp(-0.5 * d * h), discriminant = square - 0.25 * d * d;
    double root = sqrt(fabs(discriminant)), phase = root * h, cosine, sine;
    if (phase * phase < SERIES_BELOW) {
        double p = discriminant * h * h;
        cosine = 1.0 - p / 2.0 * (1.0 - p / 12.0 * (1.0 - p / 30.0));
        sine = h * (1.0 - p / 6.0 * (1.0 - p / 20.0 * (1.0 - p / 42.0)));
    } else if (discriminant > 0.0) {
        cosine = cos(phase);
        sine = sin(phase) / root;
    } else { /* by the slower of two exponentials: no others overflow where that does not */
        double fast = expm1(-2.0 * phase);
        decay = exp(d > 0.0 ? -square / (0.5 * d + root) * h : (root - 0.5 * d) * h);
        cosine = 1.0 + 0.5 * fast;
        sine = -0.5 * fast / root;
    }
    struct oscillator_step step = {.free = {decay * (cosine + 0.5 * d * sine), decay * sine,
                                            -square * decay * sine,
                                            decay * (cosine - 0.5 * d * sine)}};
    step.forced = forced(square, d, h, step.free);
    return step;
}
