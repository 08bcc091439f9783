/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state is a differential equation by itself, dz/dt = rate v, smooth on a branch: in one
 * direction, on one side of the rate's kink in z, and on one half of the axis where x = 0 is a
 * kink. The three make the regime.
 */
#include <math.h>

#include "laws/evolution/segment.h"

enum { FORWARDS = 1, ABOVE_KINK = 2, RIGHT_HALF = 4 };
enum { MONITOR_TURNS, MONITOR_KINK, MONITOR_HALF, N_MONITORS };

/* At the kink itself, the side to which the state moves. */
static bool is_above_kink(const struct masing_law *law, const void *parameters, double z,
                          double sign)
{
    double kink = law->evolution->kink(parameters);
    struct masing_rate rate;
    if (z != kink) {
        return z > kink;
    }
    const struct masing_branch_point at = {.sign = sign, .side = sign, .half = 1.0, .z = z};
    law->evolution->rate(parameters, &at, &rate);
    return sign * rate.value > 0.0;
}

static const struct evolution_state *state_of(const struct masing_flow_point *at)
{
    return (const struct evolution_state *)(const void *)at->state;
}

/* Where the joint is on the branch of its interval. */
static struct masing_branch_point place(const struct masing_flow_point *at)
{
    int bits = (int)at->regime[0];
    return (struct masing_branch_point){.sign = bits & FORWARDS ? 1.0 : -1.0,
                                        .side = bits & ABOVE_KINK ? 1.0 : -1.0,
                                        .half = bits & RIGHT_HALF ? 1.0 : -1.0,
                                        .x = at->x[0] - state_of(at)->origin,
                                        .v = at->v[0],
                                        .z = at->z[0]};
}

static void enter(const struct masing_flow_point *at, double *z)
{
    double sign = copysign(1.0, at->v[0] != 0.0 ? at->v[0] : at->a[0]);
    double from_origin = at->x[0] - state_of(at)->origin;
    int bits = sign > 0.0 ? FORWARDS : 0;
    *z = state_of(at)->z;
    if (at->law->evolution->kink && is_above_kink(at->law, at->parameters, *z, sign)) {
        bits |= ABOVE_KINK;
    }
    if (from_origin > 0.0 || (from_origin == 0.0 && sign > 0.0)) {
        bits |= RIGHT_HALF;
    }
    at->regime[0] = bits;
}

static enum masing_status rate(const struct masing_flow_point *at, double *f, double *dz)
{
    struct masing_rate rate, force;
    const struct masing_branch_point here = place(at);
    at->law->evolution->rate(at->parameters, &here, &rate);
    state_force(at->law, at->parameters, here.x, here.v, here.z, &rate, &force);
    *dz = rate.value * here.v;
    *f = force.value;
    return isfinite(*f) && isfinite(*dz) ? MASING_OK : MASING_NOT_FINITE;
}

static void tangent(const struct masing_flow_point *at, struct masing_flow_tangent *tangent)
{
    struct masing_rate rate, force;
    struct masing_branch_point here = place(at);
    here.v = 0.0;
    at->law->evolution->rate(at->parameters, &here, &rate);
    state_force(at->law, at->parameters, here.x, 0.0, here.z, &rate, &force);
    *tangent =
        (struct masing_flow_tangent){force.value, force.x, force.x + force.z * rate.value};
}

static void monitors(const struct masing_flow_point *at, double *monitors)
{
    const struct masing_evolution *evolution = at->law->evolution;
    const struct masing_branch_point here = place(at);
    monitors[MONITOR_TURNS] = here.sign * here.v;
    monitors[MONITOR_KINK] =
        evolution->kink ? here.side * (here.z - evolution->kink(at->parameters)) : 1.0;
    monitors[MONITOR_HALF] = evolution->has_kink_at_origin ? here.half * here.x : 1.0;
}

static void leave(const struct masing_flow_point *at)
{
    struct evolution_state *s = (struct evolution_state *)(void *)at->state;
    s->x = at->x[0];
    s->v = at->v[0];
    s->z = at->z[0];
}

const struct masing_flow flow_evolution = {
    .first_is_reversal = true,
    .size = {.n_states = 1, .n_monitors = N_MONITORS, .n_regime = 1},
    .enter = enter,
    .rate = rate,
    .tangent = tangent,
    .monitors = monitors,
    .leave = leave,
};
