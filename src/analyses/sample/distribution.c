/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each distribution is a monotonic function of a standard one: of a normal variable, or of a
 * uniform one. Bounds cut the standard one, above its middle by its upper tail, so that bounds
 * far out lose no digits.
 */
#include "analyses/sample/distribution.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* Share of a triangular distribution below its mode. */
static double below_mode(const double *n)
{
    return (n[1] - n[0]) / (n[2] - n[0]);
}

/* Probability below a value, or above it. */
static double probability(const struct masing_uncertain_number *number, double x, bool is_above)
{
    const double *n = number->numbers;
    double p = 0.0;
    switch (number->distribution) {
    case MASING_NORMAL:
    case MASING_LOGNORMAL: {
        bool is_log = number->distribution == MASING_LOGNORMAL;
        double z = !is_log ? (x - n[0]) / n[1] : x > 0.0 ? log(x / n[0]) / n[1] : -INFINITY;
        return is_above ? gsl_cdf_ugaussian_Q(z) : gsl_cdf_ugaussian_P(z);
    }
    case MASING_UNIFORM:
        p = fmin(fmax((x - n[0]) / (n[1] - n[0]), 0.0), 1.0);
        break;
    case MASING_TRIANGULAR: {
        double left = fmax(x - n[0], 0.0), right = fmax(n[2] - x, 0.0), width = n[2] - n[0];
        p = x <= n[1] ? (n[1] > n[0] ? left * left / (width * (n[1] - n[0])) : 0.0)
                      : 1.0 - (n[2] > n[1] ? right * right / (width * (n[2] - n[1])) : 0.0);
        break;
    }
    }
    return is_above ? 1.0 - p : p;
}

/* The value with so much below it, or above it. */
static double quantile(const struct masing_uncertain_number *number, double p, bool is_above)
{
    const double *n = number->numbers;
    double below = is_above ? 1.0 - p : p;
    switch (number->distribution) {
    case MASING_NORMAL:
    case MASING_LOGNORMAL: {
        double z = is_above ? gsl_cdf_ugaussian_Qinv(p) : gsl_cdf_ugaussian_Pinv(p);
        return number->distribution == MASING_NORMAL ? n[0] + n[1] * z : n[0] * exp(n[1] * z);
    }
    case MASING_UNIFORM:
        return n[0] + (n[1] - n[0]) * below;
    case MASING_TRIANGULAR:
        break;
    }
    double width = n[2] - n[0];
    return below <= below_mode(n) ? n[0] + sqrt(below * width * (n[1] - n[0]))
                                  : n[2] - sqrt((1.0 - below) * width * (n[2] - n[1]));
}

double distribution_location(const struct masing_uncertain_number *number)
{
    const double *n = number->numbers;
    return number->distribution == MASING_UNIFORM      ? 0.5 * n[0] + 0.5 * n[1]
           : number->distribution == MASING_TRIANGULAR ? n[1]
                                                       : n[0];
}

/* Of the bounds; is_above: they lie beyond the middle, and the shares are those above them. */
static bool shares(const struct masing_uncertain_number *number, double *first, double *second)
{
    bool is_above = probability(number, number->bounds[0], false) > 0.5;
    *first = probability(number, number->bounds[0], is_above);
    *second = probability(number, number->bounds[1], is_above);
    return is_above;
}

double distribution_within_bounds(const struct masing_uncertain_number *number)
{
    double first, second;
    if (!number->has_bounds) {
        return 1.0;
    }
    shares(number, &first, &second);
    return fabs(second - first);
}

double distribution_quantile(const struct masing_uncertain_number *number, double p)
{
    double first, second;
    if (!number->has_bounds) {
        return quantile(number, p, false);
    }
    bool is_above = shares(number, &first, &second);
    double x = quantile(number, first + p * (second - first), is_above);
    return fmin(fmax(x, number->bounds[0]), number->bounds[1]);
}
