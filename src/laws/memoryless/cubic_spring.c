/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A purely cubic spring (Duffing). */
#include <math.h>

#include "laws/laws.h"

struct parameters {
    double coefficient;
};

static const struct masing_field fields[] = {
    MASING_REAL("coefficient", "N/m^3", MASING_ANY_NUMBER, MASING_REQUIRED,
                "hardening if positive, softening if negative", AT(coefficient)),
};

static enum masing_restraint restraint(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->coefficient != 0.0 ? MASING_RESTRAINT_SPRING : MASING_RESTRAINT_NONE;
}

static void force(const void *parameters, double x, double v, double *f, double *fx, double *fv)
{
    const struct parameters *p = parameters;
    (void)v;
    double slope = p->coefficient * x * x;
    *f = slope * x;
    *fx = 3.0 * slope;
    *fv = 0.0;
}

static double force_change(const void *parameters, const void *tangent, double x, double v)
{
    const struct parameters *d = tangent;
    (void)parameters;
    (void)v;
    return d->coefficient * x * x * x;
}

const struct masing_law law_cubic_spring = {
    .name = "cubic_spring",
    .summary = "cubic spring",
    .equation = "f = coefficient x^3",
    .source = "Duffing (1918)",
    .example = "coefficient: 1e9",
    .family = &masing_family_memoryless,
    .n_axes = 1,
    .parameters_size = sizeof(struct parameters),
    MASING_TABLE(fields, fields),
    /* Flat at the origin; far away it has no limit, so that the origin stands for both. */
    .stuck_stiffness = masing_law_zero_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .restraint = restraint,
    .force = force,
    .force_change = force_change,
};
