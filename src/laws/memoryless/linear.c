/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A linear spring and a viscous dashpot side by side. */
#include <math.h>

#include "laws/laws.h"

struct parameters {
    double stiffness, damping;
};

static const struct masing_field fields[] = {
    MASING_REAL("stiffness", "N/m", MASING_ANY_NUMBER, MASING_OPTIONAL,
                "spring stiffness; may be negative", AT(stiffness)),
    MASING_REAL("damping", "N s/m", MASING_ANY_NUMBER, MASING_OPTIONAL,
                "viscous damping; negative: it puts energy in", AT(damping)),
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    if (isnan(p->stiffness) && isnan(p->damping)) {
        return masing_error_refuse(error, "stiffness",
                                   "neither 'stiffness' nor 'damping' is given");
    }
    p->stiffness = isnan(p->stiffness) ? 0.0 : p->stiffness;
    p->damping = isnan(p->damping) ? 0.0 : p->damping;
    return MASING_OK;
}

LAW_PARAMETER(stiffness, stiffness)

static double energy_limit(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->damping >= 0.0 ? INFINITY : 0.0;
}

static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    for (int i = 0; i < n; i++) {
        force[i] = (struct masing_rate){.value = p->stiffness * at[i].x + p->damping * at[i].v,
                                        .x = p->stiffness,
                                        .v = p->damping};
    }
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *d = tangent;
    (void)parameters;
    return d->stiffness * at->x + d->damping * at->v;
}

const struct masing_law law_linear = {
    .name = "linear",
    .summary = "linear spring and viscous damper",
    .equation = "f = stiffness x + damping v",
    .source = "elementary",
    .example = "stiffness: 40000\ndamping: 12",
    LAW_OF_ONE_AXIS(memoryless),
    .needs_velocity = true,
    .may_create_energy = true,
    .gain_is_meant = true,
    .energy_limit = energy_limit,
    .is_piecewise_linear = true,
    .is_monotone = true,
    .check = check,
    .stuck_stiffness = stiffness,
    .free_stiffness = stiffness,
    .force = force,
    .force_change = force_change,
};
