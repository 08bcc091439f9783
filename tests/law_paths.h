/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers and smooth periodic paths for tests of joint laws: trigonometric polynomials
 * c[0] + sum c[2h-1] cos h theta + c[2h] sin h theta with turning points found by brute force.
 */
#ifndef MASING_TESTS_LAW_PATHS_H
#define MASING_TESTS_LAW_PATHS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "masing/law.h"

static const double TEST_TWO_PI = 6.283185307179586476925286766559;

enum { TEST_HARMONICS = 7, TEST_COEFFICIENTS = 2 * TEST_HARMONICS + 1, TEST_EXTREMA = 64 };

/* xorshift64*, uniform in [low, high) */
static inline double test_uniform(uint64_t *seed, double low, double high)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    double unit = (double)((*seed * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
    return low + (high - low) * unit;
}

struct test_path {
    int n_harmonics;
    double c[TEST_COEFFICIENTS];
    struct masing_extremum extrema[TEST_EXTREMA];
};

/* Amplitudes fall off with the harmonic; the mean is of the size of the motion or less. */
static inline void test_path_random(struct test_path *path, uint64_t *seed, double amplitude)
{
    memset(path, 0, sizeof *path);
    path->n_harmonics = 1 + (int)test_uniform(seed, 0, TEST_HARMONICS);
    path->c[0] = amplitude * test_uniform(seed, -0.7, 0.7);
    for (int h = 1; h <= path->n_harmonics; h++) {
        path->c[2 * h - 1] = amplitude / h * test_uniform(seed, -1.0, 1.0);
        path->c[2 * h] = amplitude / h * test_uniform(seed, -1.0, 1.0);
    }
}

/* order-th derivative by the angle, order 0 .. 2 */
static inline double test_path_value(const struct test_path *path, double angle, int order)
{
    double sum = order == 0 ? path->c[0] : 0.0;
    for (int h = 1; h <= path->n_harmonics; h++) {
        double a = path->c[2 * h - 1], b = path->c[2 * h], c = cos(h * angle),
               s = sin(h * angle);
        double terms[3] = {a * c + b * s, h * (b * c - a * s), -h * h * (a * c + b * s)};
        sum += terms[order];
    }
    return sum;
}

static inline double test_value(const void *context, double angle)
{
    return test_path_value((const struct test_path *)context, angle, 0);
}

static inline double test_bisect(const struct test_path *path, double from, double to,
                                 double level, int order)
{
    bool starts_above = test_path_value(path, from, order) > level;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (from + to);
        if ((test_path_value(path, middle, order) > level) == starts_above) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return 0.5 * (from + to);
}

static inline double test_root(const void *context, double from, double to, double level)
{
    return test_bisect((const struct test_path *)context, from, to, level, 0);
}

/* The face that laws see; `path` must stay where it is. */
static inline struct masing_smooth_path test_path_smooth(struct test_path *path, double origin)
{
    enum { GRID = 1024 };
    struct masing_smooth_path smooth = {.context = path,
                                        .value = test_value,
                                        .root = test_root,
                                        .extrema = path->extrema,
                                        .constant = path->c[0],
                                        .origin = origin};
    for (int i = 0; i < GRID; i++) {
        double from = TEST_TWO_PI * i / GRID, to = TEST_TWO_PI * (i + 1) / GRID;
        bool rises = test_path_value(path, from, 1) > 0.0;
        if (rises != (test_path_value(path, to, 1) > 0.0) && smooth.n_extrema < TEST_EXTREMA) {
            double angle = test_bisect(path, from, to, 0.0, 1);
            path->extrema[smooth.n_extrema++] =
                (struct masing_extremum){angle, test_path_value(path, angle, 0)};
        }
    }
    return smooth;
}

/* x [n] and, unless NULL, v [n] = omega dx / d theta, from angle `start` on */
static inline void test_path_sample(const struct test_path *path, int n, double start,
                                    double omega, double *x, double *v)
{
    for (int i = 0; i < n; i++) {
        double angle = start + TEST_TWO_PI * i / n;
        x[i] = test_path_value(path, angle, 0);
        if (v) {
            v[i] = omega * test_path_value(path, angle, 1);
        }
    }
}

static inline struct masing_range test_path_range(const struct masing_smooth_path *smooth)
{
    struct masing_range range = {
        .maximum = -INFINITY, .minimum = INFINITY, .origin = smooth->origin};
    for (int i = 0; i < smooth->n_extrema; i++) {
        range.maximum = fmax(range.maximum, smooth->extrema[i].x);
        range.minimum = fmin(range.minimum, smooth->extrema[i].x);
    }
    if (smooth->n_extrema == 0) {
        range.maximum = range.minimum = smooth->constant;
    }
    return range;
}

#endif
