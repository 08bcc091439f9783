/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prescribed periodic motion of a joint: amplitude sum_h s_h sin(h t) + c_h cos(h t). */
#ifndef MASING_ANALYSES_LOOP_MOTION_H
#define MASING_ANALYSES_LOOP_MOTION_H

#include "masing/loop.h"

struct loop_motion {
    int n_terms;
    const struct masing_motion_term *terms;
};

/* Shape x and its derivative by the angle at one angle; either may be NULL. */
void loop_motion_at(const struct loop_motion *motion, double angle, double *x, double *slope);

/*
 * n + 1 samples of one period from the angle @p phase, the last one the first again:
 * x [n + 1] amplitude times the shape, slope [n + 1] likewise its derivative by the angle. From
 * phase 0 the samples of a sine are exactly antisymmetric; n is a multiple of 4.
 */
void loop_motion_sample(const struct loop_motion *motion, double amplitude, double phase, int n,
                        double *x, double *slope);

/* Angles in [0, 2 pi), ascending, at which the motion turns; returns how many. */
enum { LOOP_MOTION_TURNINGS = 2 * MASING_MOTION_HARMONIC };
int loop_motion_turnings(const struct loop_motion *motion, double angles[LOOP_MOTION_TURNINGS]);

/* The angle in [0, 2 pi) at which the absolute value of the shape is largest. */
double loop_motion_largest(const struct loop_motion *motion);

/* Sine and cosine of the first harmonic of the shape. */
void loop_motion_first(const struct loop_motion *motion, double *sine, double *cosine);

/* The highest harmonic. */
int loop_motion_highest(const struct loop_motion *motion);

/* Sine of 2 pi index / n, n a multiple of 4, symmetric to the last bit. */
double loop_motion_sine(long index, int n);

#endif
