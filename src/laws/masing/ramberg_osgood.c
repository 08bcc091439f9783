/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Ramberg-Osgood curve as a backbone: elastic displacement plus a power of the force. It
 * never saturates, so that the joint has no state of full slip.
 *
 * With y = B / F_y and xi = K u / F_y the curve is y + y^n = xi. Newton's method from the right
 * of the root converges monotonically (the left side is convex); it takes about five powers, so
 * that this law is slower than those whose backbone is explicit.
 */
#include <math.h>

#include "laws/laws.h"

struct parameters {
    double stiffness;   /* K */
    double yield_force; /* F_y */
    double exponent;    /* n */
    double yield_displacement;
};

static const struct masing_field fields[] = {
    MASING_REAL("stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,
                "stiffness of the joint at small force", AT(stiffness)),
    MASING_REAL("yield_force", "N", MASING_POSITIVE, MASING_REQUIRED,
                "force at which the displacement is twice the elastic one", AT(yield_force)),
    MASING_REAL("exponent", "", MASING_ABOVE(1.0), MASING_REQUIRED,
                "power of the force in the displacement", AT(exponent)),
};

static const struct masing_constant constants[] = {
    {"yield_displacement", "m", "displacement at the yield force, 2 yield_force / stiffness",
     AT(yield_displacement)},
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    p->yield_displacement = 2.0 * p->yield_force / p->stiffness;
    if (!isfinite(p->yield_displacement) || p->yield_displacement == 0.0) {
        const struct law_number numbers[] = {{"yield_force", p->yield_force},
                                             {"stiffness", p->stiffness}};
        return masing_error_refuse(error, law_extreme(numbers, 2),
                                   "yield force / stiffness = %g / %g is out of range",
                                   p->yield_force, p->stiffness);
    }
    return MASING_OK;
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    d->yield_displacement =
        (2.0 * d->yield_force - p->yield_displacement * d->stiffness) / p->stiffness;
}

LAW_PARAMETER(stuck_stiffness, stiffness)

/* The root of y + y^n = xi; *power = y^(n-1). */
static double solve(double n, double xi, double *power)
{
    enum { MAX_ITERATIONS = 100 };
    static const double LAST_DIGIT = 1e-16;
    double y = xi <= 1.0 ? xi : pow(xi, 1.0 / n);
    *power = pow(y, n - 1.0);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double step = (y * (1.0 + *power) - xi) / (1.0 + n * *power);
        if (!(step > LAST_DIGIT * y)) {
            break;
        }
        y -= step;
        *power = pow(y, n - 1.0);
    }
    return y;
}

static void backbone(const void *parameters, double u, double *b, double *db)
{
    const struct parameters *p = parameters;
    double power, xi = p->stiffness * u / p->yield_force;
    *b = p->yield_force * solve(p->exponent, xi, &power);
    *db = p->stiffness / (1.0 + p->exponent * power);
}

static double backbone_change(const void *parameters, const void *tangent, double u)
{
    const struct parameters *p = parameters, *d = tangent;
    if (u == 0.0) {
        return 0.0;
    }
    double power, xi = p->stiffness * u / p->yield_force;
    double y = solve(p->exponent, xi, &power);
    double xi_change = xi * (d->stiffness / p->stiffness - d->yield_force / p->yield_force);
    double y_change =
        (xi_change - y * power * log(y) * d->exponent) / (1.0 + p->exponent * power);
    return d->yield_force * y + p->yield_force * y_change;
}

const struct masing_law law_ramberg_osgood = {
    .name = "ramberg_osgood",
    .summary = "power-law backbone without a limit (plastic yielding)",
    .equation = "u = (B/stiffness) [1 + (B/yield_force)^(exponent-1)]",
    .source = "Ramberg and Osgood (1943); Jennings (1964)",
    .example = "stiffness: 4e7\nyield_force: 120\nexponent: 4",
    LAW_OF_ONE_AXIS(masing),
    .is_monotone = true,
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .backbone = backbone,
    .backbone_change = backbone_change,
    .reach = law_endless,
};
