/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laws without memory: the force depends on displacement and velocity of the same instant.
 * Their structured derivative has no turning points.
 */
#include <math.h>

#include "masing/law.h"

/* fx and fv per sample, for callers that do not bring room for them. */
static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    (void)law;
    (void)n_directions;
    (void)n_parameters;
    return 2 * (size_t)n_samples;
}

/* df = fx dx + fv dv; without velocities fv is zero, whatever it multiplies */
static inline void differentiate_row(size_t n, const struct masing_rate *force,
                                     const double *restrict dx, const double *restrict dv,
                                     double *restrict df)
{
    double fx = force->x, fv = force->v;
    dv = dv ? dv : dx;
    for (size_t d = 0; d < n; d++) {
        df[d] = fx * dx[d] + fv * dv[d];
    }
}

static void differentiate(const struct masing_path *path, const double *fx, const double *fv,
                          double *df)
{
    size_t n = (size_t)path->n_directions;
    for (size_t i = 0; i < (size_t)path->n_samples; i++) {
        const struct masing_rate force = {.x = fx[i], .v = fv[i]};
        differentiate_row(n, &force, path->dx + i * n, path->dv ? path->dv + i * n : NULL,
                          df + i * n);
    }
}

static void differentiate_parameters(const struct masing_law *law, const void *parameters,
                                     const struct masing_path *path, double *dfp)
{
    size_t n = (size_t)path->n_parameters;
    bool is_smooth = path->smoothing > 0.0 && law->smooth_force;
    struct masing_branch_point at = {0};
    for (size_t i = 0; i < (size_t)path->n_samples; i++) {
        at.x = path->x[i];
        at.v = path->v ? path->v[i] : 0.0;
        for (size_t k = 0; k < n; k++) {
            dfp[i * n + k] = is_smooth ? law->smooth_force_change(parameters, path->dp[k],
                                                                  path->smoothing, &at)
                                       : law->force_change(parameters, path->dp[k], &at);
        }
    }
}

static void evaluate(const struct masing_law *law, const void *parameters,
                     const struct masing_path *path, double *f, double *fx, double *fv)
{
    enum { AT_ONCE = 32 }; /* samples that one call of a law is worth */
    bool is_smooth = path->smoothing > 0.0 && law->smooth_force;
    struct masing_branch_point at[AT_ONCE] = {0};
    struct masing_rate force[AT_ONCE];
    for (int first = 0, n; first < path->n_samples; first += n) {
        n = path->n_samples - first < AT_ONCE ? path->n_samples - first : AT_ONCE;
        for (int i = 0; i < n; i++) {
            at[i].x = path->x[first + i];
            at[i].v = path->v ? path->v[first + i] : 0.0;
        }
        for (int i = 0; is_smooth && i < n; i++) {
            law->smooth_force(parameters, path->smoothing, &at[i], &force[i]);
        }
        if (!is_smooth) {
            law->force(parameters, n, at, force);
        }
        for (int i = 0; i < n; i++) {
            f[first + i] = force[i].value;
            fx[first + i] = force[i].x;
            fv[first + i] = force[i].v;
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

static enum masing_status step(const struct masing_step *step)
{
    struct masing_branch_point at; /* of which these laws read x and v alone */
    struct masing_rate force;
    bool has_velocity = step->v && (step->n == 0 || step->dv);
    if (!has_velocity && step->law->needs_velocity) {
        return MASING_INTERNAL;
    }
    at.x = step->x[0];
    at.v = step->v ? step->v[0] : 0.0;
    step->law->force(step->parameters, 1, &at, &force);
    step->f[0] = force.value;
    const double *restrict dx = step->dx, *restrict dv = step->dv ? step->dv : dx;
    double *restrict df = step->df, fx = force.x, fv = force.v;
    if (step->n == 2) { /* by x and by v, as most steps are: not worth a loop */
        df[0] = fx * dx[0] + fv * dv[0];
        df[1] = fx * dx[1] + fv * dv[1];
    } else {
        differentiate_row((size_t)step->n, &force, dx, dv, df);
    }
    return MASING_OK;
}

/* Corners of the force, at most MASING_FLOW_MONITORS. */
static int corners_of(const struct masing_flow_point *at, double *corners)
{
    return at->law->corners ? at->law->corners(at->parameters, corners) : 0;
}

/* An interval lies between corners; the regime has bit i set above corner i. At a corner the
 * motion decides. */
static void enter(const struct masing_flow_point *at, double *z)
{
    double corners[MASING_FLOW_MONITORS];
    double x = at->x[0], direction = at->v[0] != 0.0 ? at->v[0] : at->a[0];
    int bits = 0, n = corners_of(at, corners);
    (void)z;
    for (int i = 0; i < n; i++) {
        bool is_above = x > corners[i] || (x == corners[i] && direction > 0.0);
        bits |= is_above ? 1 << i : 0;
    }
    at->regime[0] = bits;
}

static enum masing_status rate(const struct masing_flow_point *at, double *f, double *dz)
{
    const struct masing_branch_point here = {.x = at->x[0], .v = at->v[0]};
    struct masing_rate force;
    (void)dz;
    at->law->force(at->parameters, 1, &here, &force);
    f[0] = force.value;
    return MASING_OK;
}

static void tangent(const struct masing_flow_point *at, struct masing_flow_tangent *tangent)
{
    const struct masing_branch_point here = {.x = at->x[0]};
    struct masing_rate force;
    at->law->force(at->parameters, 1, &here, &force);
    *tangent = (struct masing_flow_tangent){force.value, force.x, force.x};
}

static void monitors(const struct masing_flow_point *at, double *monitors)
{
    int bits = (int)at->regime[0];
    double corners[MASING_FLOW_MONITORS];
    int n = corners_of(at, corners);
    for (int i = 0; i < MASING_FLOW_MONITORS; i++) {
        double side = bits & 1 << i ? 1.0 : -1.0;
        monitors[i] = i < n ? side * (at->x[0] - corners[i]) : 1.0;
    }
}

/* A displacement within an interval, of a size that loses no digits of the corners. */
static double representative(int n, const double *corners, int regime)
{
    double low = -INFINITY, high = INFINITY;
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

static void line(const struct masing_flow_point *at, struct masing_flow_line *line)
{
    int bits = (int)at->regime[0];
    double corners[MASING_FLOW_MONITORS];
    int n = corners_of(at, corners);
    const struct masing_branch_point here = {.x = representative(n, corners, bits)};
    struct masing_rate force;
    at->law->force(at->parameters, 1, &here, &force);
    *line = (struct masing_flow_line){
        .stiffness = force.x, .damping = force.v, .level = force.value - force.x * here.x};
    for (int i = 0; i < n; i++) {
        line->monitor_slope[i] = bits & 1 << i ? 1.0 : -1.0;
    }
}

static void leave(const struct masing_flow_point *at)
{
    (void)at; /* nothing is remembered */
}

static const struct masing_flow flow = {
    .size = {.n_monitors = MASING_FLOW_MONITORS, .n_regime = 1},
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
    .workspace_size = workspace_size,
    .march = march,
    .step = step,
    .flow = &flow,
};
