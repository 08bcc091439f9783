/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three forms of the same function, so that no digits cancel: a series where |Omega| <= 1, and
 * exponentials with negative exponents on either side.
 */
#include "laws/masing/rough_exponential.h"

#include <math.h>

static const double SERIES = 1.0; /* |Omega| up to which the series is used */

/* 1 / (k + 2)! */
static const double coefficients[] = {0x1p-1,
                                      1.0 / 6,
                                      1.0 / 24,
                                      1.0 / 120,
                                      1.0 / 720,
                                      1.0 / 5040,
                                      1.0 / 40320,
                                      1.0 / 362880,
                                      1.0 / 3628800,
                                      1.0 / 39916800,
                                      1.0 / 479001600,
                                      1.0 / 6227020800,
                                      1.0 / 87178291200,
                                      1.0 / 1307674368000,
                                      1.0 / 20922789888000,
                                      1.0 / 355687428096000,
                                      1.0 / 6402373705728000};

enum { N_COEFFICIENTS = sizeof coefficients / sizeof *coefficients };

/* g(z) = (z - 1 + e^(-z)) / z^2 for |z| <= 1 */
static double second_mean(double z)
{
    double sum = 0.0;
    for (int k = N_COEFFICIENTS - 1; k >= 0; k--) {
        sum = coefficients[k] - z * sum;
    }
    return sum;
}

static double second_mean_slope(double z)
{
    double sum = 0.0;
    for (int k = N_COEFFICIENTS - 1; k >= 1; k--) {
        sum = k * coefficients[k] - z * sum;
    }
    return -sum;
}

/* (1 - e^(-z)) / z for z >= 0 */
static double mean_of(double z)
{
    return z > 0.0 ? -expm1(-z) / z : 1.0;
}

/* Its slope, any z >= -1. */
static double mean_slope(double z)
{
    if (fabs(z) <= SERIES) {
        return -second_mean(z) - z * second_mean_slope(z);
    }
    return (exp(-z) * (1.0 + z) - 1.0) / (z * z);
}

static struct rough_exponential curve_of(double omega)
{
    double size = fabs(omega);
    struct rough_exponential curve = {.omega = omega, .decay = exp(-size)};
    curve.complete = omega < 0.0 ? -expm1(-size) : 1.0 - curve.decay;
    curve.mean = size <= SERIES ? 1.0 - omega * second_mean(omega) : -expm1(-omega) / omega;
    return curve;
}

/* q of an Omega >= 0, and its slope. */
static double share_of(double omega, double *slope)
{
    if (omega <= SERIES) {
        double g = second_mean(omega), mean = 1.0 - omega * g;
        *slope = -(second_mean_slope(omega) * mean - g * mean_slope(omega)) / (mean * mean);
        return 1.0 - g / mean;
    }
    double decay = exp(-omega), complete = 1.0 - decay;
    *slope = -1.0 / (omega * omega) + decay / (complete * complete);
    return 1.0 / omega - decay / complete;
}

/* q falls with Omega and is convex, so that Newton's method from the left rises to the root. */
static double solve(double q)
{
    enum { MAX_ITERATIONS = 60 };
    static const double FAR = 0.02; /* here e^(-1/q) is below rounding */
    if (q < FAR) {
        return 1.0 / q;
    }
    double omega = 12.0 * (0.5 - q); /* q = 1/2 - Omega/12 + Omega^3/720 - ... */
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double slope, step = (q - share_of(omega, &slope)) / slope;
        if (!(step > 1e-16 * omega)) {
            break;
        }
        omega += step;
    }
    return omega;
}

struct rough_exponential rough_exponential_of(double q)
{
    return curve_of(q > 0.5 ? -solve(1.0 - q) : solve(q));
}

double rough_exponential_by_q(const struct rough_exponential *curve)
{
    double slope;
    share_of(fabs(curve->omega), &slope); /* q(-Omega) = 1 - q(Omega) */
    return 1.0 / slope;
}

/* B = K x_L w [1 - w g(Omega w) / E(Omega)] with E the mean above */
static double value_near(const struct rough_exponential *curve, double w, double *slope)
{
    double z = curve->omega * w, g = second_mean(z);
    *slope = fmax(1.0 - w * (1.0 - z * g) / curve->mean, 0.0);
    return w * (1.0 - w * g / curve->mean);
}

static double value_steep(const struct rough_exponential *curve, double w, double *slope)
{
    static const double SMALL = 0.7; /* up to where e^(-z) - 1 needs its own function */
    double z = curve->omega * w, gone, left;
    if (z < SMALL) {
        gone = -expm1(-z);
        left = 1.0 - gone;
    } else {
        left = exp(-z);
        gone = 1.0 - left;
    }
    *slope = fmax(left - curve->decay, 0.0) / curve->complete;
    return w > 0.0 ? w * (gone / z - curve->decay) / curve->complete : 0.0;
}

/* q > 1/2, with P = -Omega: f = w [1 - e^(-P (1 - w)) E(P w)] / (1 - e^(-P)) */
static double value_blunt(const struct rough_exponential *curve, double w, double *slope)
{
    double size = -curve->omega, open = -expm1(-size * (1.0 - w));
    *slope = open / curve->complete;
    return w * (1.0 - (1.0 - open) * mean_of(size * w)) / curve->complete;
}

double rough_exponential_value(const struct rough_exponential *curve, double w, double *slope)
{
    if (fabs(curve->omega) <= SERIES) {
        return value_near(curve, w, slope);
    }
    return curve->omega > 0.0 ? value_steep(curve, w, slope) : value_blunt(curve, w, slope);
}

double rough_exponential_by_omega(const struct rough_exponential *curve, double w)
{
    double slope, f = rough_exponential_value(curve, w, &slope), z = curve->omega * w;
    if (fabs(curve->omega) <= SERIES) {
        double mean = curve->mean, mean_change = mean_slope(curve->omega);
        return -w * w * (w * second_mean_slope(z) - second_mean(z) * mean_change / mean) / mean;
    }
    if (curve->omega > 0.0) {
        return (w * w * mean_slope(z) + curve->decay * (w - f)) / curve->complete;
    }
    double size = -curve->omega, closed = exp(-size * (1.0 - w));
    double share = closed * mean_of(size * w);
    double share_change = w * closed * mean_slope(size * w) - (1.0 - w) * share;
    return (w * share_change + f * curve->decay) / curve->complete;
}
