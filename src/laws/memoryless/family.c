/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laws without memory: the force depends on displacement and velocity of the same instant.
 * Their structured derivative has no turning points.
 */
#include <math.h>

#include "laws/flows.h"

static size_t state_size(const struct masing_law *law, const void *parameters)
{
    (void)law;
    (void)parameters;
    return 0;
}

/* fx and fv per sample, for callers that do not bring room for them. */
static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    (void)law;
    (void)n_directions;
    (void)n_parameters;
    return 2 * (size_t)n_samples;
}

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    (void)law;
    (void)parameters;
    (void)origin;
    (void)state;
}

/* df = fx dx + fv dv */
static void differentiate(const struct masing_path *path, const double *fx, const double *fv,
                          double *df)
{
    size_t n = (size_t)path->n_directions;
    for (size_t i = 0; i < (size_t)path->n_samples; i++) {
        for (size_t d = 0; d < n; d++) {
            df[i * n + d] = fx[i] * path->dx[i * n + d];
        }
        for (size_t d = 0; path->dv && d < n; d++) {
            df[i * n + d] += fv[i] * path->dv[i * n + d];
        }
    }
}

static void differentiate_parameters(const struct masing_law *law, const void *parameters,
                                     const struct masing_path *path, double *dfp)
{
    size_t n = (size_t)path->n_parameters;
    for (size_t i = 0; i < (size_t)path->n_samples; i++) {
        double v = path->v ? path->v[i] : 0.0;
        for (size_t k = 0; k < n; k++) {
            dfp[i * n + k] = law->force_change(parameters, path->dp[k], path->x[i], v);
        }
    }
}

static void evaluate(const struct masing_law *law, const void *parameters,
                     const struct masing_path *path, double *f, double *fx, double *fv)
{
    bool is_smooth = path->smoothing > 0.0 && law->smooth_force;
    for (size_t i = 0; i < (size_t)path->n_samples; i++) {
        double x = path->x[i], v = path->v ? path->v[i] : 0.0;
        if (is_smooth) {
            law->smooth_force(parameters, path->smoothing, x, v, &f[i], &fx[i], &fv[i]);
        } else {
            law->force(parameters, x, v, &f[i], &fx[i], &fv[i]);
        }
    }
}

static enum masing_status march(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace)
{
    (void)state;
    size_t n = (size_t)path->n_samples;
    if (law->needs_velocity && (!path->v || (path->n_directions > 0 && !path->dv))) {
        return MASING_INTERNAL;
    }
    double *fx = tangents ? tangents->fx : workspace;
    double *fv = tangents && tangents->fv ? tangents->fv : workspace + n;
    evaluate(law, parameters, path, forces->f, fx, fv);
    if (tangents) {
        for (size_t i = 0; i < n; i++) {
            tangents->branch[i] = -1;
        }
        tangents->n_turnings = 0;
    }
    if (path->n_directions > 0) {
        differentiate(path, fx, fv, forces->df);
    }
    if (path->n_parameters > 0) {
        differentiate_parameters(law, parameters, path, forces->dfp);
    }
    forces->slip_share = forces->slip_distance = NAN;
    return MASING_OK;
}

static enum masing_status step(const struct masing_law *law, const void *parameters,
                               const double *x_old, const double *x, const double *v,
                               const double *state, double *next_state, double *f, double *fx,
                               double *fv)
{
    (void)x_old;
    (void)state;
    (void)next_state;
    if (law->needs_velocity && !v) {
        return MASING_INTERNAL;
    }
    law->force(parameters, *x, v ? *v : 0.0, f, fx, fv);
    return MASING_OK;
}

static enum masing_status step_change(const struct masing_law *law, const void *parameters,
                                      const double *x, const double *v, const double *state,
                                      double *next_state,
                                      const struct masing_step_change *change)
{
    double f, fx, fv;
    enum masing_status status = step(law, parameters, x, x, v, state, next_state, &f, &fx, &fv);
    for (int k = 0; k < change->n && status == MASING_OK; k++) {
        change->df[k] = fx * change->dx[k] + (change->dv ? fv * change->dv[k] : 0.0);
    }
    return status;
}

static size_t state_used(const struct masing_law *law, const void *parameters,
                         const double *state)
{
    (void)state;
    return state_size(law, parameters);
}

static void state_moved(const struct masing_law *law, const void *parameters, int n,
                        const double *dx, const double *dv, double *dstate)
{
    (void)law;
    (void)parameters;
    (void)n;
    (void)dx;
    (void)dv;
    (void)dstate;
}

const struct masing_family masing_family_memoryless = {
    .name = "memoryless",
    .summary = "force as a function of displacement and velocity at the same time",
    .has_tangents = true,
    .state_size = state_size,
    .workspace_size = workspace_size,
    .rest = rest,
    .march = march,
    .step = step,
    .step_change = step_change,
    .state_used = state_used,
    .state_moved = state_moved,
    .flow = &flow_memoryless,
};
