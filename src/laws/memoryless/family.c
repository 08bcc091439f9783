/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laws without memory: the force depends on displacement and velocity of the same instant.
 * Their structured derivative has no turning points.
 */
#include <math.h>

#include "masing/law.h"

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

/* An interval lies between corners; the regime has bit i set above corner i. At a corner the
 * motion decides. */
static void size(const struct masing_law *law, const void *parameters,
                 struct masing_flow_size *size)
{
    (void)law;
    (void)parameters;
    *size = (struct masing_flow_size){.n_monitors = MASING_FLOW_MONITORS, .n_regime = 1};
}

static void enter(const struct masing_law *law, const void *parameters,
                  const struct masing_flow_point *point, const int *ended, double *state,
                  double *regime, double *z)
{
    double corners[MASING_FLOW_MONITORS];
    double x = *point->x, direction = *point->v != 0.0 ? *point->v : *point->a;
    int bits = 0, n = law->corners ? law->corners(parameters, corners) : 0;
    (void)ended;
    (void)state;
    (void)z;
    for (int i = 0; i < n; i++) {
        bool is_above = x > corners[i] || (x == corners[i] && direction > 0.0);
        bits |= is_above ? 1 << i : 0;
    }
    *regime = bits;
}

static enum masing_status rate(const struct masing_law *law, const void *parameters,
                               const double *state, const double *regime,
                               const struct masing_flow_point *point, double *f, double *dz)
{
    double fx, fv;
    (void)state;
    (void)regime;
    (void)dz;
    law->force(parameters, *point->x, *point->v, f, &fx, &fv);
    return MASING_OK;
}

static void tangent(const struct masing_law *law, const void *parameters, const double *state,
                    const double *regime, const struct masing_flow_point *point,
                    struct masing_flow_tangent *tangent)
{
    double fv;
    (void)state;
    (void)regime;
    law->force(parameters, point->x[0], 0.0, &tangent->force, &tangent->partial, &fv);
    tangent->along = tangent->partial;
}

static void monitors(const struct masing_law *law, const void *parameters, const double *state,
                     const double *regime, const struct masing_flow_point *point,
                     double *monitors)
{
    int bits = (int)*regime;
    double corners[MASING_FLOW_MONITORS];
    int n = law->corners ? law->corners(parameters, corners) : 0;
    (void)state;
    for (int i = 0; i < MASING_FLOW_MONITORS; i++) {
        double side = bits & 1 << i ? 1.0 : -1.0;
        monitors[i] = i < n ? side * (*point->x - corners[i]) : 1.0;
    }
}

/* A displacement within an interval, of a size that loses no digits of the corners. */
static double representative(const struct masing_law *law, const void *parameters, int regime)
{
    double corners[MASING_FLOW_MONITORS], low = -INFINITY, high = INFINITY;
    int n = law->corners ? law->corners(parameters, corners) : 0;
    for (int i = 0; i < n; i++) {
        if (regime & 1 << i) {
            low = fmax(low, corners[i]);
        } else {
            high = fmin(high, corners[i]);
        }
    }
    if (isinf(low) && isinf(high)) {
        return 0.0;
    }
    if (isinf(low)) {
        return high != 0.0 ? high - fabs(high) : -1.0;
    }
    if (isinf(high)) {
        return low != 0.0 ? low + fabs(low) : 1.0;
    }
    return 0.5 * (low + high);
}

static void line(const struct masing_law *law, const void *parameters, const double *state,
                 const double *regime, struct masing_flow_line *line)
{
    int bits = (int)*regime;
    double corners[MASING_FLOW_MONITORS], x = representative(law, parameters, bits), f;
    int n = law->corners ? law->corners(parameters, corners) : 0;
    (void)state;
    *line = (struct masing_flow_line){0};
    law->force(parameters, x, 0.0, &f, &line->stiffness, &line->damping);
    line->level = f - line->stiffness * x;
    for (int i = 0; i < n; i++) {
        line->monitor_slope[i] = bits & 1 << i ? 1.0 : -1.0;
    }
}

static enum masing_status leave(const struct masing_law *law, const void *parameters,
                                const double *regime, const struct masing_flow_point *point,
                                double *state)
{
    (void)law;
    (void)parameters;
    (void)regime;
    (void)point;
    (void)state;
    return MASING_OK;
}

static const struct masing_flow flow = {
    .size = size,
    .enter = enter,
    .rate = rate,
    .tangent = tangent,
    .monitors = monitors,
    .leave = leave,
    .line = line,
};

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
    .flow = &flow,
};
