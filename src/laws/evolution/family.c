/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evolution laws: dz/dx = rate(s, x, v, z) with s the direction of motion. The flow contracts
 * on each branch, so that the steady state under a periodic path is the fixed point of a scalar
 * map, the state after one period as a function of that before it. It is found by Newton's
 * method, and differentiated by the implicit function theorem; marching until nothing changes
 * would be slow at small amplitudes, where one period forgets hardly anything.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "laws/evolution/expand.h"
#include "laws/evolution/force.h"
#include "laws/evolution/period.h"

struct state {
    double x, origin, v, z;
};

static size_t state_size(const struct masing_law *law, const void *parameters)
{
    (void)law;
    (void)parameters;
    return sizeof(struct state) / sizeof(double);
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
    struct state *s = (struct state *)(void *)state;
    *s = (struct state){.x = origin[0], .origin = origin[0]};
}

static enum masing_status follow_open(struct sequence *sequence, struct state *state,
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
        force_at(sequence, i, &rates[i]);
        forces->f[i] = rates[i].value;
    }
    if (path->n_directions > 0) {
        expand_directions(sequence, rates, scratch, forces->df);
    }
    if (path->n_parameters > 0) {
        expand_parameters(sequence, rates, scratch, forces->dfp);
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
    struct state *s = (struct state *)(void *)state;
    struct sequence sequence = {.law = law,
                                .parameters = parameters,
                                .path = path,
                                .origin = path->is_periodic ? path->origin[0] : s->origin};
    bool with_gradient = path->n_directions > 0 || path->n_parameters > 0;
    sequence_create(&sequence, workspace);
    workspace += sequence_workspace_size(path->n_samples, path->n_parameters);
    enum masing_status status = path->is_periodic
                                    ? period_follow(&sequence, s ? &s->z : NULL, with_gradient)
                                    : follow_open(&sequence, s, with_gradient);
    if (status == MASING_OK) {
        put_forces(&sequence, (struct masing_rate *)(void *)workspace,
                   workspace + rates_size(path->n_samples), forces);
    }
    return status;
}

/* The last step's leg is straight; its state before it does not vary. */
static enum masing_status step(const struct masing_law *law, const void *parameters,
                               const double *x_old, const double *x, const double *v,
                               const double *state, double *next_state, double *f, double *fx,
                               double *fv)
{
    if (law->needs_velocity && !v) {
        return MASING_INTERNAL;
    }
    struct state s = *(const struct state *)(const void *)state;
    struct leg leg = {0};
    struct leg_effect effect;
    struct masing_path nothing = {0};
    enum masing_status status = MASING_OK;
    double targets[2] = {*x_old, *x}, velocities[2] = {s.v, v ? *v : 0.0};
    for (int k = s.x != *x_old ? 0 : 1; k < 2 && status == MASING_OK; k++) {
        leg.x_from = s.x - s.origin;
        leg.v_from = s.v;
        leg.x_to = targets[k] - s.origin;
        leg.v_to = velocities[k];
        double longest = leg_step(law, parameters, fabs(leg.x_to - leg.x_from));
        status =
            leg_follow(law, parameters, &leg, &nothing, &s.z, longest, k == 1, &effect, NULL);
        s.x = targets[k];
        s.v = velocities[k];
    }
    if (status != MASING_OK) {
        return status;
    }
    struct masing_rate force;
    force_of_state(law, parameters, s.x - s.origin, s.v, s.z, &force);
    *f = force.value;
    *fx = force.x + force.z * effect.gx[2];
    *fv = force.v + force.z * effect.gv[2];
    memcpy(next_state, &s, sizeof s);
    return MASING_OK;
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
};
