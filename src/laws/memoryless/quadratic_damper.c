/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A damper whose force grows with the square of the velocity (turbulent flow). */
#include <math.h>

#include "laws/laws.h"

struct parameters {
    double coefficient;
};

static const struct masing_field fields[] = {
    MASING_REAL("coefficient", "N s^2/m^2", MASING_NOT_NEGATIVE, MASING_REQUIRED,
                "force at unit velocity", AT(coefficient)),
};

static void force(const void *parameters, double x, double v, double *f, double *fx, double *fv)
{
    const struct parameters *p = parameters;
    (void)x;
    *f = p->coefficient * v * fabs(v);
    *fx = 0.0;
    *fv = 2.0 * p->coefficient * fabs(v);
}

static double force_change(const void *parameters, const void *tangent, double x, double v)
{
    const struct parameters *d = tangent;
    (void)parameters;
    (void)x;
    return d->coefficient * v * fabs(v);
}

const struct masing_law law_quadratic_damper = {
    .name = "quadratic_damper",
    .summary = "quadratic damper",
    .equation = "f = coefficient v |v|",
    .source = "elementary",
    .example = "coefficient: 25",
    .family = &masing_family_memoryless,
    .n_axes = 1,
    .needs_velocity = true,
    .parameters_size = sizeof(struct parameters),
    MASING_TABLE(fields, fields),
    /* No force without velocity. */
    .stuck_stiffness = masing_law_zero_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .force = force,
    .force_change = force_change,
};
