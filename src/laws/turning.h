/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turning points of a periodic sampled path. The path between two samples is the cubic through
 * them and their two neighbours, so that a turning point inside a step is found to fourth order
 * in the step, and moves continuously with the samples.
 */
#ifndef MASING_LAWS_TURNING_H
#define MASING_LAWS_TURNING_H

#include <stdbool.h>

#include "masing/law.h"

struct turning {
    int step;        /* lies between samples step and step + 1; ascending, below n, from -3 */
    bool is_maximum; /* maxima and minima alternate */
    double fraction; /* of the step, 0 .. 1 */
    double x;
};

/* Fill turnings [at least n] and return how many there are: even; 0 where x is constant. */
int turning_find(const double *x, int n, struct turning *turnings);

/* Lagrange polynomials of the nodes -1, 0, 1, 2 at a fraction of the middle step. */
static inline void turning_weights(double fraction, double weights[MASING_TURNING_WEIGHTS])
{
    double t = fraction;
    weights[0] = -t * (t - 1.0) * (t - 2.0) / 6.0;
    weights[1] = (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0;
    weights[2] = -(t + 1.0) * t * (t - 2.0) / 2.0;
    weights[3] = (t + 1.0) * t * (t - 1.0) / 6.0;
}

/* What a path is there, from the four samples around. */
static inline double turning_interpolate(const double weights[MASING_TURNING_WEIGHTS],
                                         const double samples[MASING_TURNING_WEIGHTS])
{
    return weights[0] * samples[0] + weights[1] * samples[1] + weights[2] * samples[2] +
           weights[3] * samples[3];
}

/* Their first and second derivatives by the fraction. */
static inline void turning_slope_weights(double fraction,
                                         double weights[MASING_TURNING_WEIGHTS])
{
    double t = fraction;
    weights[0] = (-3.0 * t * t + 6.0 * t - 2.0) / 6.0;
    weights[1] = (3.0 * t * t - 4.0 * t - 1.0) / 2.0;
    weights[2] = (-3.0 * t * t + 2.0 * t + 2.0) / 2.0;
    weights[3] = (3.0 * t * t - 1.0) / 6.0;
}

static inline void turning_bend_weights(double fraction, double weights[MASING_TURNING_WEIGHTS])
{
    double t = fraction;
    weights[0] = 1.0 - t;
    weights[1] = 3.0 * t - 2.0;
    weights[2] = 1.0 - 3.0 * t;
    weights[3] = t;
}

#endif
