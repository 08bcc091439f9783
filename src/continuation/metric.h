/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The weighted inner product in which arc length, angles and distances are measured:
 * <a, b> = sum metric[i] a[i] b[i] over the n unknowns and lambda, so that ds = 1 is a change
 * as large as the solution or as the whole range of lambda.
 */
#ifndef MASING_CONTINUATION_METRIC_H
#define MASING_CONTINUATION_METRIC_H

#include <math.h>

static inline double metric_dot(int size, const double *metric, const double *a,
                                const double *b)
{
    double even = 0.0;
    double odd = 0.0;
    int i = 0;
    for (; i + 1 < size; i += 2) {
        even += metric[i] * a[i] * b[i];
        odd += metric[i + 1] * a[i + 1] * b[i + 1];
    }
    if (i < size) {
        even += metric[i] * a[i] * b[i];
    }
    return even + odd;
}

static inline double metric_norm(int size, const double *metric, const double *a)
{
    return sqrt(metric_dot(size, metric, a, a));
}

/* a becomes a unit vector; its norm before. */
static inline double metric_normalise(int size, const double *metric, double *a)
{
    double norm = metric_norm(size, metric, a);
    for (int i = 0; i < size; i++) {
        a[i] /= norm;
    }
    return norm;
}

/* <to - from, direction> */
static inline double metric_along(int size, const double *metric, const double *from,
                                  const double *to, const double *direction)
{
    double sum = 0.0;
    for (int i = 0; i < size; i++) {
        sum += metric[i] * direction[i] * (to[i] - from[i]);
    }
    return sum;
}

static inline double metric_distance(int size, const double *metric, const double *a,
                                     const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < size; i++) {
        double difference = a[i] - b[i];
        sum += metric[i] * difference * difference;
    }
    return sqrt(sum);
}

#endif
