/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/loop/motion.h"

#include <math.h>
#include <stddef.h>

#include "base/pi.h"
#include "linalg/bracket.h"

double loop_motion_sine(long index, int n)
{
    long quarter = n / 4, i = index % n;
    i = i < 0 ? i + n : i;
    double sign = i < 2 * quarter ? 1.0 : -1.0;
    i = i % (2 * quarter);
    i = i > quarter ? 2 * quarter - i : i; /* in the first quarter */
    return sign * (2 * i > quarter ? cos(TWO_PI * (double)(quarter - i) / n)
                                   : sin(TWO_PI * (double)i / n));
}

static void add(const struct masing_motion_term *term, double sine, double cosine, double *x,
                double *slope)
{
    if (x) {
        *x += term->sine * sine + term->cosine * cosine;
    }
    if (slope) {
        *slope += term->harmonic * (term->sine * cosine - term->cosine * sine);
    }
}

void loop_motion_at(const struct loop_motion *motion, double angle, double *x, double *slope)
{
    if (x) {
        *x = 0.0;
    }
    if (slope) {
        *slope = 0.0;
    }
    for (int t = 0; t < motion->n_terms; t++) {
        double at = motion->terms[t].harmonic * angle;
        add(&motion->terms[t], sin(at), cos(at), x, slope);
    }
}

void loop_motion_sample(const struct loop_motion *motion, double amplitude, double phase, int n,
                        double *x, double *slope)
{
    for (int i = 0; i <= n; i++) {
        double shape = 0.0, rate = 0.0;
        for (int t = 0; t < motion->n_terms && phase == 0.0; t++) {
            long index = (long)motion->terms[t].harmonic * i;
            add(&motion->terms[t], loop_motion_sine(index, n),
                loop_motion_sine(index + n / 4, n), &shape, &rate);
        }
        if (phase != 0.0) {
            loop_motion_at(motion, phase + TWO_PI * (i % n) / n, &shape, &rate);
        }
        x[i] = amplitude * shape;
        slope[i] = amplitude * rate;
    }
}

int loop_motion_highest(const struct loop_motion *motion)
{
    int highest = 1;
    for (int t = 0; t < motion->n_terms; t++) {
        int harmonic = motion->terms[t].harmonic;
        highest = harmonic > highest ? harmonic : highest;
    }
    return highest;
}

void loop_motion_first(const struct loop_motion *motion, double *sine, double *cosine)
{
    *sine = *cosine = 0.0;
    for (int t = 0; t < motion->n_terms; t++) {
        if (motion->terms[t].harmonic == 1) {
            *sine += motion->terms[t].sine;
            *cosine += motion->terms[t].cosine;
        }
    }
}

/* The zero of the slope between two angles at which it has different signs. */
static double turning(const struct loop_motion *motion, double from, double at_from, double to,
                      double at_to)
{
    struct bracket bracket = bracket_of(from, at_from, to, at_to);
    while (bracket_next(&bracket, 0.0)) {
        double slope;
        loop_motion_at(motion, bracket.x, NULL, &slope);
        bracket_set(&bracket, slope);
    }
    return bracket_root(&bracket);
}

int loop_motion_turnings(const struct loop_motion *motion, double angles[LOOP_MOTION_TURNINGS])
{
    enum { PER_HARMONIC = 64 };
    int n = PER_HARMONIC * loop_motion_highest(motion), count = 0;
    double before, after;
    loop_motion_at(motion, 0.0, NULL, &before);
    for (int i = 0; i < n && count < LOOP_MOTION_TURNINGS; i++) {
        double from = TWO_PI * i / n, to = TWO_PI * (i + 1) / n;
        loop_motion_at(motion, to, NULL, &after);
        if ((before > 0.0) != (after > 0.0)) {
            angles[count++] = turning(motion, from, before, to, after);
        }
        before = after;
    }
    return count;
}

double loop_motion_largest(const struct loop_motion *motion)
{
    double angles[LOOP_MOTION_TURNINGS], best = 0.0, largest = -1.0, x;
    int n = loop_motion_turnings(motion, angles);
    for (int i = 0; i < n; i++) {
        loop_motion_at(motion, angles[i], &x, NULL);
        if (fabs(x) > largest * (1.0 + 1e-14)) {
            largest = fabs(x);
            best = angles[i];
        }
    }
    return best;
}
