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

static struct masing_branch_point branch_of(const double *regime)
{
    int bits = (int)*regime;
    return (struct masing_branch_point){.sign = bits & FORWARDS ? 1.0 : -1.0,
                                        .side = bits & ABOVE_KINK ? 1.0 : -1.0,
                                        .half = bits & RIGHT_HALF ? 1.0 : -1.0};
}

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

static void size(const struct masing_law *law, const void *parameters,
                 struct masing_flow_size *size)
{
    (void)law;
    (void)parameters;
    *size = (struct masing_flow_size){.n_states = 1, .n_monitors = N_MONITORS, .n_regime = 1};
}

static void enter(const struct masing_law *law, const void *parameters,
                  const struct masing_flow_point *point, const int *ended, double *state,
                  double *regime, double *z)
{
    const struct evolution_state *s = (const struct evolution_state *)(const void *)state;
    double sign = copysign(1.0, *point->v != 0.0 ? *point->v : *point->a);
    double from_origin = *point->x - s->origin;
    int bits = sign > 0.0 ? FORWARDS : 0;
    (void)ended;
    *z = s->z;
    if (law->evolution->kink && is_above_kink(law, parameters, s->z, sign)) {
        bits |= ABOVE_KINK;
    }
    if (from_origin > 0.0 || (from_origin == 0.0 && sign > 0.0)) {
        bits |= RIGHT_HALF;
    }
    *regime = bits;
}

static enum masing_status rate(const struct masing_law *law, const void *parameters,
                               const double *state, const double *regime,
                               const struct masing_flow_point *point, double *f, double *dz)
{
    const struct evolution_state *s = (const struct evolution_state *)(const void *)state;
    struct masing_rate rate, force;
    struct masing_branch_point at = branch_of(regime);
    at.x = *point->x - s->origin;
    at.v = *point->v;
    at.z = point->z[0];
    law->evolution->rate(parameters, &at, &rate);
    state_force(law, parameters, at.x, at.v, at.z, &force);
    *dz = rate.value * *point->v;
    *f = force.value;
    return isfinite(*f) && isfinite(*dz) ? MASING_OK : MASING_NOT_FINITE;
}

static void tangent(const struct masing_law *law, const void *parameters, const double *state,
                    const double *regime, const struct masing_flow_point *point,
                    struct masing_flow_tangent *tangent)
{
    const struct evolution_state *s = (const struct evolution_state *)(const void *)state;
    struct masing_rate rate, force;
    struct masing_branch_point at = branch_of(regime);
    at.x = point->x[0] - s->origin;
    at.z = point->z[0];
    law->evolution->rate(parameters, &at, &rate);
    state_force(law, parameters, at.x, 0.0, at.z, &force);
    *tangent =
        (struct masing_flow_tangent){force.value, force.x, force.x + force.z * rate.value};
}

static void monitors(const struct masing_law *law, const void *parameters, const double *state,
                     const double *regime, const struct masing_flow_point *point,
                     double *monitors)
{
    const struct evolution_state *s = (const struct evolution_state *)(const void *)state;
    const struct masing_branch_point branch = branch_of(regime);
    monitors[MONITOR_TURNS] = branch.sign * *point->v;
    monitors[MONITOR_KINK] =
        law->evolution->kink ? branch.side * (point->z[0] - law->evolution->kink(parameters))
                             : 1.0;
    monitors[MONITOR_HALF] =
        law->evolution->has_kink_at_origin ? branch.half * (*point->x - s->origin) : 1.0;
}

static enum masing_status leave(const struct masing_law *law, const void *parameters,
                                const double *regime, const struct masing_flow_point *point,
                                double *state)
{
    struct evolution_state *s = (struct evolution_state *)(void *)state;
    (void)law;
    (void)parameters;
    (void)regime;
    s->x = *point->x;
    s->v = *point->v;
    s->z = point->z[0];
    return MASING_OK;
}

const struct masing_flow flow_evolution = {
    .first_is_reversal = true,
    .size = size,
    .enter = enter,
    .rate = rate,
    .tangent = tangent,
    .monitors = monitors,
    .leave = leave,
};
