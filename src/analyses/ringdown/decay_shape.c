/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/decay_shape.h"

#include <math.h>

/*
 * Polynomials 1, s, s^2 - a, s^3 - b s that are orthogonal on the samples themselves (Gram's):
 * Legendre's are so only in the limit, and with few samples a straight line seems to bend.
 */
struct polynomials {
    int n;
    double a, b;
    double square[4]; /* sums of squares */
};

enum { FEWEST_SAMPLES = 5, PARTS = 8 };

/* Share that the third polynomial has in what a parabola leaves where it is no noise. */
static const double TWIST_SHARE = 0.9;

/*
 * Noise of which root mean square r is left in the parts gives the second coefficient a
 * standard deviation of 1.0 r, the first one 0.8 r: what is below so many r is no bending (a
 * kink in the middle has 9 r), where r is so small a part of the first that this is known.
 */
static const double BENDING_BY_CHANCE = 3.0, KNOWN_SLOPE = 0.4;

static double place(int n, int i)
{
    return (2.0 * i - (n - 1)) / (n - 1);
}

static void evaluate(const struct polynomials *p, int i, double values[4])
{
    double s = place(p->n, i);
    values[0] = 1.0;
    values[1] = s;
    values[2] = s * s - p->a;
    values[3] = s * (s * s - p->b);
}

static struct polynomials create(int n)
{
    struct polynomials p = {.n = n};
    double second = 0.0, fourth = 0.0;
    for (int i = 0; i < n; i++) {
        double s = place(n, i);
        second += s * s;
        fourth += s * s * s * s;
    }
    p.a = second / n;
    p.b = fourth / second;
    for (int i = 0; i < n; i++) {
        double values[4];
        evaluate(&p, i, values);
        for (int k = 0; k < 4; k++) {
            p.square[k] += values[k] * values[k];
        }
    }
    return p;
}

/* Coefficients of y [n], about its first value: little is lost to rounding. */
static void expand(const struct polynomials *p, const double *y, double coefficients[4])
{
    double sums[4] = {0.0};
    for (int i = 0; i < p->n; i++) {
        double values[4];
        evaluate(p, i, values);
        for (int k = 0; k < 4; k++) {
            sums[k] += values[k] * (y[i] - y[0]);
        }
    }
    for (int k = 0; k < 4; k++) {
        coefficients[k] = sums[k] / p->square[k];
    }
}

/*
 * Mean square of what the parabola leaves, averaged over parts of the segment: another motion
 * whose beats are shorter than these does not change the slopes.
 */
static double rest(const struct polynomials *p, const double *y, const double coefficients[4])
{
    double square = 0.0;
    int n_parts = p->n < PARTS ? p->n : PARTS, i = 0;
    for (int part = 0; part < n_parts; part++) {
        double sum = 0.0;
        int begin = i, end = (int)((long)p->n * (part + 1) / n_parts);
        for (; i < end; i++) {
            double values[4], left = y[i] - y[0];
            evaluate(p, i, values);
            for (int k = 0; k < 3; k++) {
                left -= coefficients[k] * values[k];
            }
            sum += left / (end - begin);
        }
        square += sum * sum / n_parts;
    }
    return square;
}

struct decay_shape decay_shape_of(const double *logarithm, const double *phase, int n)
{
    struct decay_shape shape = {.level = logarithm[0]};
    if (n < FEWEST_SAMPLES) {
        return shape;
    }
    double real[4], imaginary[4];
    struct polynomials p = create(n);
    expand(&p, logarithm, real);
    expand(&p, phase, imaginary);
    shape.level += real[0];
    shape.slope = 2.0 * real[1] / (n - 1);
    double left = rest(&p, logarithm, real), bending = real[2] / 1.5, r = sqrt(left);
    if (!(fabs(bending) < BENDING_BY_CHANCE * r && r < KNOWN_SLOPE * fabs(real[1]))) {
        shape.bending = bending;
    }
    if (real[3] * real[3] * p.square[3] > TWIST_SHARE * left * p.n) {
        shape.twist = p.b * real[3] / real[1];
    }
    shape.scatter = sqrt(0.5 * (left + rest(&p, phase, imaginary)));
    return shape;
}
