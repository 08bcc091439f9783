/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A damper that puts energy into small motions and takes it out of large ones. */
#include <math.h>

#include "laws/laws.h"

struct parameters {
    double coefficient, amplitude;
};

static const struct masing_field fields[] = {
    MASING_REAL("coefficient", "N s/m", MASING_ANY_NUMBER, MASING_REQUIRED,
                "mu: negative damping of small motions; negative: it damps small motions",
                AT(coefficient)),
    MASING_REAL("amplitude", "m", MASING_POSITIVE, MASING_REQUIRED,
                "a: displacement at which the force changes its sign; a weak one lets an "
                "oscillator swing by 2 a",
                AT(amplitude)),
};

static double energy_limit(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->coefficient == 0.0 ? INFINITY : 0.0;
}

static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    for (int i = 0; i < n; i++) {
        double x = at[i].x / p->amplitude;
        double damping = p->coefficient * (x - 1.0) * (x + 1.0);
        force[i] = (struct masing_rate){.value = damping * at[i].v,
                                        .x = 2.0 * p->coefficient * x * at[i].v / p->amplitude,
                                        .v = damping};
    }
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double x = at->x / p->amplitude;
    return at->v * ((x - 1.0) * (x + 1.0) * d->coefficient -
                    2.0 * p->coefficient * x * x * d->amplitude / p->amplitude);
}

const struct masing_law law_van_der_pol = {
    .name = "van_der_pol",
    .summary = "damper that drives small motions (van der Pol)",
    .equation = "f = coefficient (x^2 / amplitude^2 - 1) v",
    .source = "van der Pol (1926)",
    .example = "coefficient: 2\namplitude: 1e-3",
    LAW_OF_ONE_AXIS(memoryless),
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
