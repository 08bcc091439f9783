/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bouc-Wen. The rate has a kink where z changes sign. No closed form serves every exponent n,
 * so that the path is followed by an implicit rule.
 *
 * It costs some 150 times what jenkins does, see family.c.
 */
#include <math.h>
#include <stdio.h>

#include "laws/laws.h"

struct parameters {
    double linear_stiffness, hysteretic_stiffness, a, beta, gamma, n;
    double z_max, length; /* m */
};

static const struct masing_field fields[] = {
    MASING_REAL("linear_stiffness", "N/m", MASING_ANY_NUMBER, MASING_DEFAULT(0.0),
                "spring beside the hysteresis, k_l", AT(linear_stiffness)),
    MASING_REAL("hysteretic_stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,
                "factor of the hysteretic displacement, k_h", AT(hysteretic_stiffness)),
    MASING_REAL("a", "", MASING_POSITIVE, MASING_DEFAULT(1.0), "rate of z at z = 0", AT(a)),
    MASING_REAL("beta", "1/m^n", MASING_ANY_NUMBER, MASING_REQUIRED,
                "part of the rate that depends on the direction (B of Jamshidi)", AT(beta)),
    MASING_REAL("gamma", "1/m^n", MASING_ANY_NUMBER, MASING_REQUIRED,
                "part that does not (C of Jamshidi); beta + gamma > 0", AT(gamma)),
    MASING_REAL("n", "", MASING_BETWEEN(1.0, INFINITY), MASING_DEFAULT(1.0),
                "sharpness of the transition to slip", AT(n)),
};

static const struct masing_constant constants[] = {
    {"z_max", "m", "limit of the hysteretic displacement, (a / (beta + gamma))^(1/n)",
     AT(z_max)},
    {"length", "m", "shortest displacement over which z forgets", AT(length)},
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    double sum = p->beta + p->gamma, difference = p->gamma - p->beta;
    if (!(sum > 0.0)) {
        return masing_error_refuse(error, "beta",
                                   "'beta' + 'gamma' must be > 0, not %g + %g = %g", p->beta,
                                   p->gamma, sum);
    }
    p->z_max = pow(p->a / sum, 1.0 / p->n);
    p->length = 1.0 / (p->n * fmax(sum, fabs(difference)) * pow(p->z_max, p->n - 1.0));
    if (!(p->z_max > 0.0 && isfinite(p->z_max) && p->length > 0.0 && isfinite(p->length))) {
        const struct law_number numbers[] = {{"beta", sum}, {"a", p->a}, {"n", p->n}};
        return masing_error_refuse(error, law_extreme(numbers, 3),
                                   "the limit (a / (beta + gamma))^(1/n) = (%g / %g)^(1/%g) is "
                                   "out of range",
                                   p->a, sum, p->n);
    }
    return MASING_OK;
}

/* length only sets the size of steps; it counts as a constant. */
static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    double sum = p->beta + p->gamma, ratio = p->a / sum;
    double ratio_change = (d->a - ratio * (d->beta + d->gamma)) / sum;
    d->z_max = p->z_max * (ratio_change / ratio / p->n - d->n * log(ratio) / (p->n * p->n));
}

static double energy_limit(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->gamma <= p->beta && p->gamma >= -p->beta ? INFINITY : 0.0;
}

static bool caution(const void *parameters, struct masing_warning *warning)
{
    const struct parameters *p = parameters;
    *warning = (struct masing_warning){
        "gamma = %g is outside [-beta, beta] = [%g, %g]: the law may create energy",
        {p->gamma, -p->beta, p->beta}};
    return !(energy_limit(p) > 0.0);
}

static double stuck_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->linear_stiffness + p->hysteretic_stiffness * p->a;
}

LAW_PARAMETER(free_stiffness, linear_stiffness)

/* |z|^n on its own side of zero; n = 1 goes on as a straight line beyond it. */
static double power_of(const struct parameters *p, double side, double z)
{
    if (p->n == 1.0) {
        return side * z;
    }
    return p->n == 2.0 ? z * z : pow(fabs(z), p->n);
}

/* beta sgn(s z) + gamma */
static double resistance(const struct parameters *p, const struct masing_branch_point *at)
{
    return at->sign * at->side * p->beta + p->gamma;
}

static void rate(const void *parameters, const struct masing_branch_point *at,
                 struct masing_rate *rate)
{
    const struct parameters *p = parameters;
    double factor = resistance(p, at), power = power_of(p, at->side, at->z);
    *rate = (struct masing_rate){.value = p->a - factor * power};
    if (p->n == 1.0) {
        rate->z = -factor * at->side;
    } else if (at->z != 0.0) {
        rate->z = -factor * p->n * power / at->z;
    }
}

static double rate_change(const void *parameters, const void *tangent,
                          const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double power = power_of(p, at->side, at->z);
    double sum = d->a - resistance(d, at) * power;
    if (at->z != 0.0) {
        sum -= resistance(p, at) * power * log(fabs(at->z)) * d->n;
    }
    return sum;
}

static double lag(const void *parameters, const struct masing_branch_point *at)
{
    const struct parameters *p = parameters;
    return resistance(p, at) * power_of(p, at->side, at->z);
}

LAW_PARAMETER(elastic_rate, a)

static void force(const void *parameters, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    *force = (struct masing_rate){
        .value = p->linear_stiffness * at->x + p->hysteretic_stiffness * at->z,
        .x = p->linear_stiffness,
        .z = p->hysteretic_stiffness,
    };
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *d = tangent;
    (void)parameters;
    return d->linear_stiffness * at->x + d->hysteretic_stiffness * at->z;
}

static double kink(const void *parameters)
{
    (void)parameters;
    return 0.0;
}

LAW_PARAMETER(length, length)

static const struct masing_evolution evolution = {
    .rate = rate,
    .rate_change = rate_change,
    .lag = lag,
    .elastic_rate = elastic_rate,
    .force = force,
    .force_change = force_change,
    .kink = kink,
    .length = length,
};

const struct masing_law law_bouc_wen = {
    .name = "bouc_wen",
    .summary = "Bouc-Wen hysteresis beside a linear spring",
    .equation = "f = linear_stiffness x + hysteretic_stiffness z\n"
                "dz/dx = a - (beta sgn(v z) + gamma) |z|^n",
    .example = "linear_stiffness: 1e4\n"
               "hysteretic_stiffness: 1e6\n"
               "a: 1\n"
               "beta: 4e4\n"
               "gamma: 1e4\n"
               "n: 1",
    .source = "Bouc (1967); Wen (1976); Jamshidi & Koochakinejad (2021), eq. 44",
    LAW_OF_ONE_AXIS(evolution),
    .may_create_energy = true,
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .caution = caution,
    .energy_limit = energy_limit,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = free_stiffness,
    .evolution = &evolution,
};
