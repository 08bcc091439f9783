/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LuGre: bristles of mean deflection z that bend with the motion and break away at a force that
 * falls with velocity (Stribeck). Written in travel, dz/dx = 1 - s sigma_0 z / g(v), which is
 * linear in z.
 *
 * It costs some 13 times what jenkins does, see family.c.
 */
#include <math.h>
#include <stdio.h>

#include "base/branchless_exp.h"
#include "laws/laws.h"

struct parameters {
    double sigma0, sigma1, sigma2, coulomb_force, static_force, stribeck_velocity;
    double excess;       /* N, static_force - coulomb_force */
    double per_velocity; /* s/m, one over the Stribeck velocity; 0 where there is no excess */
    double length;       /* m */
};

static const struct masing_field fields[] = {
    MASING_REAL("sigma0", "N/m", MASING_POSITIVE, MASING_REQUIRED, "stiffness of the bristles",
                AT(sigma0)),
    MASING_REAL("sigma1", "N s/m", MASING_NOT_NEGATIVE, MASING_DEFAULT(0.0),
                "damping of the bristles", AT(sigma1)),
    MASING_REAL("sigma2", "N s/m", MASING_NOT_NEGATIVE, MASING_DEFAULT(0.0), "viscous friction",
                AT(sigma2)),
    MASING_REAL("coulomb_force", "N", MASING_POSITIVE, MASING_REQUIRED,
                "friction force at high velocity", AT(coulomb_force)),
    MASING_REAL("static_force", "N", MASING_POSITIVE, MASING_OPTIONAL,
                "friction force at low velocity; coulomb_force where it is not given",
                AT(static_force)),
    MASING_REAL(
        "stribeck_velocity", "m/s", MASING_POSITIVE, MASING_OPTIONAL,
        "velocity over which the friction force falls; needed if static_force is larger",
        AT(stribeck_velocity)),
};

static const struct masing_constant constants[] = {
    {"length", "m", "displacement over which the bristles forget, coulomb_force / sigma0",
     AT(length)},
    {"excess", "N", "static_force - coulomb_force", AT(excess)},
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    p->excess = isnan(p->static_force) ? 0.0 : p->static_force - p->coulomb_force;
    if (p->excess < 0.0) {
        return masing_error_refuse(error, "static_force",
                                   "'static_force' must be >= 'coulomb_force' = %g N, not %g",
                                   p->coulomb_force, p->static_force);
    }
    if (p->excess > 0.0 && isnan(p->stribeck_velocity)) {
        return masing_error_refuse(error, "static_force",
                                   "'stribeck_velocity' is missing: 'static_force' = %g N is "
                                   "larger than 'coulomb_force' = %g N",
                                   p->static_force, p->coulomb_force);
    }
    p->per_velocity = p->excess > 0.0 ? 1.0 / p->stribeck_velocity : 0.0;
    p->length = p->coulomb_force / p->sigma0;
    if (!(p->length > 0.0 && isfinite(p->length))) {
        const struct law_number numbers[] = {{"coulomb_force", p->coulomb_force},
                                             {"sigma0", p->sigma0}};
        return masing_error_refuse(error, law_extreme(numbers, 2),
                                   "coulomb_force / sigma0 = %g / %g is out of range",
                                   p->coulomb_force, p->sigma0);
    }
    return MASING_OK;
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    d->excess = isnan(p->static_force) ? 0.0 : d->static_force - d->coulomb_force;
    d->length = (d->coulomb_force - p->length * d->sigma0) / p->sigma0;
}

/* Passive from velocity to force if sigma_2 >= sigma_1 (F_s - F_c) / F_c (Barahona & Canudas
 * de Wit 2001). */
static double needed_sigma2(const struct parameters *p)
{
    return p->sigma1 * p->excess / p->coulomb_force;
}

static bool caution(const void *parameters, struct masing_warning *warning)
{
    const struct parameters *p = parameters;
    *warning = (struct masing_warning){
        "sigma2 = %g N s/m is below sigma1 (static_force - coulomb_force) / coulomb_force = "
        "%g: the law may create energy",
        {p->sigma2, needed_sigma2(p)}};
    return p->sigma2 < needed_sigma2(p);
}

static double energy_limit(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->sigma2 >= needed_sigma2(p) ? INFINITY : 0.0;
}

/* At rest the bristles are a spring. */
LAW_PARAMETER(stuck_stiffness, sigma0)

/* Breakaway force g(v) and dg/dv. */
struct breakaway {
    double force, slope;
};

/* A bell that far out adds nothing, and has all digits of a double. */
static const double FAR_OUT = 600.0;

static inline double exponent_at(const struct parameters *p, double v)
{
    double ratio = v * p->per_velocity, square = ratio * ratio;
    return square < FAR_OUT ? -square : -FAR_OUT;
}

static inline struct breakaway breakaway_of(const struct parameters *p, double v,
                                            double exponent)
{
    double per = p->per_velocity, bell = branchless_exp(exponent);
    return (struct breakaway){.force = p->coulomb_force + p->excess * bell,
                              .slope = -2.0 * per * per * p->excess * bell * v};
}

static struct breakaway breakaway_at(const struct parameters *p, double v)
{
    return breakaway_of(p, v, exponent_at(p, v));
}

static double breakaway_change(const struct parameters *p, const struct parameters *d, double v,
                               const struct breakaway *g)
{
    double change = d->coulomb_force;
    if (!isnan(p->stribeck_velocity)) {
        double ratio = v / p->stribeck_velocity, bell = exp(-ratio * ratio);
        change += d->excess * bell - g->slope * v / p->stribeck_velocity * d->stribeck_velocity;
    } else {
        change += d->excess;
    }
    return change;
}

static void linear(const void *parameters, double sign, int n, const double *restrict x,
                   const double *restrict v, const struct masing_linear_rates *rates)
{
    const struct parameters *given = parameters;
    const struct parameters p = *given; /* nothing that is written lies there */
    double *restrict free = rates->free, *restrict fade = rates->fade;
    double *restrict free_x = rates->free_x, *restrict free_v = rates->free_v;
    double *restrict fade_v = rates->fade_v;
    (void)x;
    for (int i = 0; i < n; i++) { /* by itself, which compilers then do in pairs */
        fade[i] = exponent_at(&p, v[i]);
    }
    for (int i = 0; i < n; i++) {
        struct breakaway g = breakaway_of(&p, v[i], fade[i]);
        double per = 1.0 / g.force, pull = sign * p.sigma0 * per;
        free[i] = 1.0;
        free_x[i] = free_v[i] = 0.0;
        fade[i] = -pull;
        fade_v[i] = pull * g.slope * per;
    }
}

static void rate(const void *parameters, const struct masing_branch_point *at,
                 struct masing_rate *rate)
{
    const struct parameters *p = parameters;
    struct breakaway g = breakaway_at(p, at->v);
    double per = 1.0 / g.force, pull = at->sign * p->sigma0 * per;
    *rate = (struct masing_rate){
        .value = 1.0 - pull * at->z, .v = pull * g.slope * per * at->z, .z = -pull};
}

static double rate_change(const void *parameters, const void *tangent,
                          const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    struct breakaway g = breakaway_at(p, at->v);
    return -at->sign * at->z / g.force *
           (d->sigma0 - p->sigma0 * breakaway_change(p, d, at->v, &g) / g.force);
}

/* z changes in time by v dz/dx */
static void force(const void *parameters, const struct masing_branch_point *at,
                  const struct masing_rate *known, struct masing_rate *force)
{
    const struct parameters *p = parameters;
    struct masing_rate own;
    if (!known) {
        rate(parameters, at, &own);
        known = &own;
    }
    *force = (struct masing_rate){
        .value = p->sigma0 * at->z + p->sigma1 * at->v * known->value + p->sigma2 * at->v,
        .v = p->sigma1 * (known->value + at->v * known->v) + p->sigma2,
        .z = p->sigma0 + p->sigma1 * at->v * known->z,
    };
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    struct masing_rate r;
    rate(parameters, at, &r);
    return d->sigma0 * at->z + d->sigma1 * at->v * r.value + d->sigma2 * at->v +
           p->sigma1 * at->v * rate_change(parameters, tangent, at);
}

LAW_PARAMETER(length, length)

/* Softer bristles, with bell and damping in proportion: what they do within their own length is
 * done within a longer one, and no force becomes larger. */
static void soften(const void *parameters, const void *tangent, double smoothing,
                   void *softened)
{
    const struct parameters *p = parameters, *d = tangent;
    struct parameters *soft = softened;
    double whole = p->length + smoothing, part = p->length / whole;
    *soft = d ? *d : *p;
    soft->sigma0 *= part;
    soft->sigma1 *= part;
    soft->stribeck_velocity /= part;
    soft->per_velocity *= part;
    soft->length = d ? d->length : whole;
    if (d) {
        double change = d->length * smoothing / (whole * whole);
        soft->sigma0 += change * p->sigma0;
        soft->sigma1 += change * p->sigma1;
        soft->stribeck_velocity -= change * p->stribeck_velocity / (part * part);
    }
}

static const struct masing_evolution evolution = {
    .rate = rate,
    .rate_change = rate_change,
    .linear = linear,
    .force = force,
    .force_change = force_change,
    .length = length,
    .soften = soften,
};

const struct masing_law law_lugre = {
    .name = "lugre",
    .summary = "LuGre friction: bristles with a breakaway force that falls with velocity",
    .equation = "f = sigma0 z + sigma1 dz/dt + sigma2 v\n"
                "dz/dt = v - sigma0 |v| z / g(v)\n"
                "g(v) = coulomb_force + (static_force - coulomb_force) "
                "exp(-(v / stribeck_velocity)^2)",
    .example = "sigma0: 1e6\n"
               "sigma1: 100\n"
               "sigma2: 30\n"
               "coulomb_force: 20\n"
               "static_force: 24\n"
               "stribeck_velocity: 1e-3",
    .source = "Canudas de Wit, Olsson, Astrom & Lischinsky (1995)",
    LAW_OF_ONE_AXIS(evolution),
    .needs_velocity = true,
    .can_smooth = true,
    .may_create_energy = true,
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .caution = caution,
    .energy_limit = energy_limit,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .evolution = &evolution,
};
