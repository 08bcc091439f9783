/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The separation h follows from the preload,
 *   F = (4/3) E* sqrt(R) eta A sigma^1.5 I_1.5(h) = C d^2.5 J_1.5(d),  d = n - h,
 * which is nearly a power of d. Newton's method in logarithms, in a bracket.
 */
#include "laws/masing/rough_topography.h"

#include <stdio.h>

#include "laws/masing/rough_integrals.h"
#include "linalg/bracket.h"

bool rough_topography_is_given(const struct rough_topography *t)
{
    return t->height_std.count > 0 || t->summit_radius.count > 0 ||
           t->bodies.youngs_modulus.count > 0 || t->bodies.poisson_ratio.count > 0 ||
           !isnan(t->summit_density) || !isnan(t->area);
}

static const char *missing_key(const struct rough_topography *t)
{
    return t->height_std.count == 0              ? "height_std"
           : t->summit_radius.count == 0         ? "summit_radius"
           : isnan(t->summit_density)            ? "summit_density"
           : isnan(t->area)                      ? "area"
           : t->bodies.youngs_modulus.count == 0 ? "youngs_modulus"
           : t->bodies.poisson_ratio.count == 0  ? "poisson_ratio"
                                                 : NULL;
}

/* C, N */
static double force_scale(const struct rough_topography *t)
{
    return 4.0 / 3.0 * t->bodies.plane_modulus * sqrt(t->radius) * t->summit_density * t->area *
           t->sigma * sqrt(t->sigma);
}

/* The depth of a force relative to C, below the deepest that is permitted. */
static double solve(double relative, double n, double deepest)
{
    enum { MAX_ITERATIONS = 100 };
    struct rough_integral whole, half;
    rough_integrals(0.0, n, &whole, &half);
    /* J_1.5 is least at d = 0, so that this is above the root */
    double high = fmin(pow(relative / whole.value, 0.4), deepest);
    struct bracket bracket = bracket_of(0.0, -1.0, high, 1.0);
    bracket.x = high;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double d = bracket.x;
        rough_integrals(d, n, &whole, &half);
        double excess = 2.5 * log(d) + log(whole.value / relative);
        bracket_set(&bracket, excess);
        bracket_newton(&bracket, d * expm1(-excess * whole.value / (1.5 * half.value)));
        if (fabs(bracket.x - d) <= 1e-16 * d) {
            break;
        }
    }
    return bracket.x;
}

static enum masing_status find_depth(struct rough_topography *t, double preload,
                                     struct masing_error *error)
{
    struct rough_integral whole, half;
    double scale = force_scale(t), deepest = 2.0 * t->cutoff;
    rough_integrals(deepest, t->cutoff, &whole, &half);
    double most = scale * whole.value * deepest * deepest * sqrt(deepest);
    if (!isfinite(most) || !(scale > 0.0)) {
        return masing_error_refuse(error, "topography",
                                   "the numbers of 'topography' are out of range");
    }
    if (preload > most) {
        return masing_error_refuse(
            error, "preload",
            "'preload' must be in [0, %g] N, not %g: above, no summit of "
            "'topography' would be left without contact",
            most, preload);
    }
    t->depth = preload > 0.0 ? solve(preload / scale, t->cutoff, deepest) : 0.0;
    return MASING_OK;
}

enum masing_status rough_topography_check(struct rough_topography *t, double preload,
                                          struct masing_error *error)
{
    struct rough_integral whole, half;
    t->sigma = combined_height(&t->height_std);
    t->radius = combined_radius(&t->summit_radius);
    elastic_pair_check(&t->bodies);
    t->separation = t->depth = t->distance = t->ratio = t->share = t->reduction = NAN;
    if (!rough_topography_is_given(t)) {
        return MASING_OK;
    }
    const char *missing = missing_key(t);
    if (missing) {
        char key[64];
        snprintf(key, sizeof key, "topography.%s", missing);
        return masing_error_refuse(error, key, "'%s' is missing", key);
    }
    enum masing_status status = find_depth(t, preload, error);
    if (status != MASING_OK) {
        return status;
    }
    rough_integrals(t->depth, t->cutoff, &whole, &half);
    t->separation = t->cutoff - t->depth;
    t->distance = t->separation * t->sigma;
    t->ratio = 4.0 / (t->bodies.plane_modulus * t->bodies.shear_compliance);
    t->share = whole.value / (1.5 * half.value);
    t->reduction = t->share * t->depth;
    return MASING_OK;
}

/* dd from that of the logarithm of F / C */
static double depth_change(const struct rough_topography *t, const struct rough_topography *d,
                           const struct rough_integral *whole, double preload,
                           double preload_change)
{
    if (preload == 0.0) {
        return 0.0; /* unbounded, and without effect: all forces are zero */
    }
    double scale_change = d->bodies.plane_modulus / t->bodies.plane_modulus +
                          0.5 * d->radius / t->radius + d->summit_density / t->summit_density +
                          d->area / t->area + 1.5 * d->sigma / t->sigma;
    return (preload_change / preload - scale_change - whole->by_n / whole->value * d->cutoff) /
           (2.5 / t->depth + whole->by_d / whole->value);
}

void rough_topography_derive(const struct rough_topography *t, double preload,
                             double preload_change, struct rough_topography *d)
{
    struct rough_integral whole, half;
    if (!rough_topography_is_given(t)) {
        return;
    }
    rough_integrals(t->depth, t->cutoff, &whole, &half);
    elastic_pair_derive(&t->bodies, &d->bodies);
    d->sigma = combined_height_change(&t->height_std, &d->height_std);
    d->radius = combined_radius_change(&t->summit_radius, &d->summit_radius);
    d->depth = depth_change(t, d, &whole, preload, preload_change);
    d->separation = d->cutoff - d->depth;
    d->distance = d->separation * t->sigma + t->separation * d->sigma;
    d->ratio = -t->ratio * (d->bodies.plane_modulus / t->bodies.plane_modulus +
                            d->bodies.shear_compliance / t->bodies.shear_compliance);
    d->share = t->share * ((whole.by_d * d->depth + whole.by_n * d->cutoff) / whole.value -
                           (half.by_d * d->depth + half.by_n * d->cutoff) / half.value);
    d->reduction = d->share * t->depth + t->share * d->depth;
}
