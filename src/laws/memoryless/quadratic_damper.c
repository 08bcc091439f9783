/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A damper whose force grows with the square of the velocity (turbulent flow). */
#include <math.h>

#include "laws/laws.h"

struct parameters {
    double coefficient;
};

static const struct masing_field fields[] = {
    MASING_REAL("coefficient", "N s^2/m^2", MASING_ANY_NUMBER, MASING_REQUIRED,
                "force at unit velocity; negative: it puts energy in", AT(coefficient)),
};

static double energy_limit(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->coefficient >= 0.0 ? INFINITY : 0.0;
}

static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    for (int i = 0; i < n; i++) {
        force[i] = (struct masing_rate){.value = p->coefficient * at[i].v * fabs(at[i].v),
                                        .v = 2.0 * p->coefficient * fabs(at[i].v)};
    }
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *d = tangent;
    (void)parameters;
    return d->coefficient * at->v * fabs(at->v);
}

const struct masing_law law_quadratic_damper = {
    .name = "quadratic_damper",
    .summary = "quadratic damper",
    .equation = "f = coefficient v |v|",
    .source = "elementary",
    .example = "coefficient: 25",
    LAW_OF_ONE_AXIS(memoryless),
    .is_monotone = true,
    .needs_velocity = true,
    .may_create_energy = true,
    .gain_is_meant = true,
    .energy_limit = energy_limit,
    /* No force without velocity. */
    .stuck_stiffness = masing_law_zero_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .force = force,
    .force_change = force_change,
};
