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

static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    for (int i = 0; i < n; i++) {
        double slope = p->coefficient * at[i].x * at[i].x;
        force[i] = (struct masing_rate){.value = slope * at[i].x, .x = 3.0 * slope};
    }
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *d = tangent;
    (void)parameters;
    return d->coefficient * at->x * at->x * at->x;
}

const struct masing_law law_cubic_spring = {
    .name = "cubic_spring",
    .summary = "cubic spring",
    .equation = "f = coefficient x^3",
    .source = "Duffing (1918)",
    .example = "coefficient: 1e9",
    LAW_OF_ONE_AXIS(memoryless),
    /* Flat at the origin; far away it has no limit, so that the origin stands for both. */
    .stuck_stiffness = masing_law_zero_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .restraint = restraint,
    .force = force,
    .force_change = force_change,
};
