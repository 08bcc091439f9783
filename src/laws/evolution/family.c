/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evolution laws: dz/dx = rate(s, x, v, z) with s the direction of motion. The flow contracts
 * on each branch, so that the steady state under a periodic path is the fixed point of a scalar
 * map, the state after one period as a function of that before it. It is found by Newton's
 * method, and differentiated by the implicit function theorem; marching until nothing changes
 * would be slow at small amplitudes, where a change of the state hardly fades in one period.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "laws/evolution/sequence.h"
#include "laws/evolution/state.h"
#include "laws/flows.h"

static size_t state_size(const struct masing_law *law, const void *parameters)
{
    (void)law;
    (void)parameters;
    return sizeof(struct evolution_state) / sizeof(double);
}

static size_t rates_size(int n_samples)
{
    return (size_t)n_samples * sizeof(struct masing_rate) / sizeof(double);
}

static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    (void)law;
    return sequence_workspace_size(n_samples, n_parameters) + rates_size(n_samples) +
           (size_t)n_directions + (size_t)n_parameters;
}

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    (void)law;
    (void)parameters;
    struct evolution_state *s = (struct evolution_state *)(void *)state;
    *s = (struct evolution_state){.x = origin[0], .origin = origin[0]};
}

static enum masing_status follow_open(struct sequence *sequence, struct evolution_state *state,
                                      bool with_gradient)
{
    const struct masing_path *path = sequence->path;
    enum masing_status status = MASING_OK;
    sequence->x_before = state->x;
    sequence->v_before = state->v;
    for (int i = 0; i < path->n_samples && status == MASING_OK; i++) {
        status = sequence_step(sequence, i, &state->z, with_gradient);
        state->x = path->x[i];
        state->v = path->v ? path->v[i] : 0.0;
    }
    return status;
}

static void put_forces(const struct sequence *sequence, struct masing_rate *rates,
                       double *scratch, struct masing_forces *forces)
{
    const struct masing_path *path = sequence->path;
    for (int i = 0; i < path->n_samples; i++) {
        sequence_force(sequence, i, &rates[i]);
        forces->f[i] = rates[i].value;
    }
    if (path->n_directions > 0) {
        sequence_expand_directions(sequence, rates, scratch, forces->df);
    }
    if (path->n_parameters > 0) {
        sequence_expand_parameters(sequence, rates, scratch, forces->dfp);
    }
    forces->slip_share = forces->slip_distance = NAN;
}

static enum masing_status march(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace)
{
    (void)tangents;
    if (law->needs_velocity && (!path->v || (path->n_directions > 0 && !path->dv))) {
        return MASING_INTERNAL;
    }
    struct evolution_state *s = (struct evolution_state *)(void *)state;
    struct sequence sequence = {.law = law,
                                .parameters = parameters,
                                .path = path,
                                .origin = path->is_periodic ? path->origin[0] : s->origin};
    bool with_gradient = path->n_directions > 0 || path->n_parameters > 0;
    sequence_create(&sequence, workspace);
    workspace += sequence_workspace_size(path->n_samples, path->n_parameters);
    enum masing_status status =
        path->is_periodic ? sequence_follow_period(&sequence, s ? &s->z : NULL, with_gradient)
                          : follow_open(&sequence, s, with_gradient);
    if (status == MASING_OK && path->is_periodic && s) {
        *s = (struct evolution_state){.x = path->x[0],
                                      .origin = sequence.origin,
                                      .v = path->v ? path->v[0] : 0.0,
                                      .z = sequence.z[0]};
    }
    if (status == MASING_OK) {
        put_forces(&sequence, (struct masing_rate *)(void *)workspace,
                   workspace + rates_size(path->n_samples), forces);
    }
    return status;
}

/* Straight from the state to x and v, with the derivative of that if there is an effect. */
static enum masing_status move(const struct masing_law *law, const void *parameters, double x,
                               double v, struct evolution_state *state,
                               struct segment_effect *effect)
{
    struct segment_effect unused;
    struct masing_path nothing = {0};
    struct segment segment = {.x_from = state->x - state->origin,
                              .x_to = x - state->origin,
                              .v_from = state->v,
                              .v_to = v};
    double longest = segment_step_length(law, parameters, fabs(segment.x_to - segment.x_from));
    enum masing_status status =
        segment_follow(law, parameters, &segment, &nothing, &state->z, longest, effect != NULL,
                       effect ? effect : &unused, NULL);
    state->x = x;
    state->v = v;
    return status;
}

static enum masing_status step(const struct masing_law *law, const void *parameters,
                               const double *x_old, const double *x, const double *v,
                               const double *state, double *next_state, double *f, double *fx,
                               double *fv)
{
    if (law->needs_velocity && !v) {
        return MASING_INTERNAL;
    }
    struct evolution_state s = *(const struct evolution_state *)(const void *)state;
    struct segment_effect effect;
    enum masing_status status = MASING_OK;
    if (s.x != *x_old) {
        status = move(law, parameters, *x_old, s.v, &s, NULL);
    }
    if (status == MASING_OK) {
        status = move(law, parameters, *x, v ? *v : 0.0, &s, &effect);
    }
    if (status != MASING_OK) {
        return status;
    }
    struct masing_rate force;
    state_force(law, parameters, s.x - s.origin, s.v, s.z, &force);
    *f = force.value;
    *fx = force.x + force.z * effect.gx[2];
    *fv = force.v + force.z * effect.gv[2];
    memcpy(next_state, &s, sizeof s);
    return MASING_OK;
}

enum {
    ROW_X = offsetof(struct evolution_state, x) / sizeof(double),
    ROW_ORIGIN = offsetof(struct evolution_state, origin) / sizeof(double),
    ROW_V = offsetof(struct evolution_state, v) / sizeof(double),
    ROW_Z = offsetof(struct evolution_state, z) / sizeof(double)
};

static void state_moved(const struct masing_law *law, const void *parameters, int n,
                        const double *dx, const double *dv, double *dstate)
{
    size_t columns = (size_t)n;
    double *velocity = dstate + ROW_V * columns;
    (void)law;
    (void)parameters;
    memcpy(dstate + ROW_X * columns, dx, sizeof(double) * columns);
    if (dv) {
        memcpy(velocity, dv, sizeof(double) * columns);
    } else {
        memset(velocity, 0, sizeof(double) * columns);
    }
}

/* Lengths count from the origin, which may vary. */
static void put_changes(const struct segment_effect *effect, const struct masing_rate *force,
                        const struct masing_step_change *change)
{
    size_t n = (size_t)change->n;
    const double *x_from = change->dstate + ROW_X * n, *v_from = change->dstate + ROW_V * n;
    const double *origin = change->dstate + ROW_ORIGIN * n;
    double *z = change->dstate + ROW_Z * n;
    for (size_t k = 0; k < n; k++) {
        double v_to = change->dv ? change->dv[k] : 0.0;
        z[k] = (1.0 - effect->decay) * z[k] + effect->gx[1] * (x_from[k] - origin[k]) +
               effect->gx[2] * (change->dx[k] - origin[k]) + effect->gv[1] * v_from[k] +
               effect->gv[2] * v_to;
        change->df[k] =
            force->x * (change->dx[k] - origin[k]) + force->v * v_to + force->z * z[k];
    }
}

static enum masing_status step_change(const struct masing_law *law, const void *parameters,
                                      const double *x, const double *v, const double *state,
                                      double *next_state,
                                      const struct masing_step_change *change)
{
    if (law->needs_velocity && (!v || !change->dv)) {
        return MASING_INTERNAL;
    }
    struct evolution_state s = *(const struct evolution_state *)(const void *)state;
    struct segment_effect effect;
    struct masing_rate force;
    enum masing_status status = move(law, parameters, *x, v ? *v : 0.0, &s, &effect);
    if (status != MASING_OK) {
        return status;
    }
    state_force(law, parameters, s.x - s.origin, s.v, s.z, &force);
    put_changes(&effect, &force, change);
    state_moved(law, parameters, change->n, change->dx, change->dv, change->dstate);
    memcpy(next_state, &s, sizeof s);
    return MASING_OK;
}

static size_t state_used(const struct masing_law *law, const void *parameters,
                         const double *state)
{
    (void)state;
    return state_size(law, parameters);
}

const struct masing_family masing_family_evolution = {
    .name = "evolution",
    .summary = "one internal state whose rate depends on the direction of motion",
    .settling_periods = -1,
    .state_size = state_size,
    .workspace_size = workspace_size,
    .rest = rest,
    .march = march,
    .step = step,
    .step_change = step_change,
    .state_used = state_used,
    .state_moved = state_moved,
    .flow = &flow_evolution,
};
