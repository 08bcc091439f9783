/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coulomb friction with its jump at zero velocity smoothed. It never sticks: below the
 * regularisation velocity it is a strong viscous damper.
 */
#include <math.h>

#include "base/check.h"
#include "laws/laws.h"
#include "laws/slip_limit.h"

struct parameters {
    struct slip_limit limit;
    double regularization;
    double slope; /* N s/m */
};

static const struct masing_field fields[] = {
    SLIP_LIMIT_FIELDS(AT(limit)),
    MASING_REAL("regularization", "m/s", MASING_POSITIVE, MASING_REQUIRED,
                "velocity at which the force has reached 76 % of its limit",
                AT(regularization)),
};

static const struct masing_constant constants[] = {
    SLIP_LIMIT_CONSTANT(AT(limit)),
    {"slope", "N s/m", "viscous damping at zero velocity", AT(slope)},
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    NEED(slip_limit_check(&p->limit, error));
    p->slope = p->limit.resolved / p->regularization;
    if (!isfinite(p->slope)) {
        return masing_error_refuse(
            error, "regularization",
            "'regularization' = %g m/s is too small for a slip force of %g N",
            p->regularization, p->limit.resolved);
    }
    return MASING_OK;
}

static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    for (int i = 0; i < n; i++) {
        double t = tanh(at[i].v / p->regularization);
        force[i] = (struct masing_rate){.value = p->limit.resolved * t,
                                        .v = p->slope * (1.0 - t) * (1.0 + t)};
    }
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    slip_limit_derive(&p->limit, &d->limit);
    d->slope = (d->limit.resolved - p->slope * d->regularization) / p->regularization;
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double t = tanh(at->v / p->regularization);
    double slope = p->slope * (1.0 - t) * (1.0 + t);
    return d->limit.resolved * t - slope * at->v / p->regularization * d->regularization;
}

const struct masing_law law_tanh_friction = {
    .name = "tanh_friction",
    .summary = "Coulomb friction, smoothed",
    .equation = "f = slip_force tanh(v / regularization)",
    .source = "elementary regularisation",
    .example = "friction: 0.5\npreload: 30\nregularization: 1e-3",
    LAW_OF_ONE_AXIS(memoryless),
    .is_monotone = true,
    SLIP_LIMIT_SPEED(AT(limit)),
    .needs_velocity = true,
    .check = check,
    /* No force without velocity. */
    .stuck_stiffness = masing_law_zero_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .force = force,
    .derive = derive,
    .force_change = force_change,
    MASING_TABLE(constants, constants),
};
