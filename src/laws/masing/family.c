/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Masing laws: a backbone B(u) and return-point memory.
 *
 * Virgin loading: f = sgn(x) B(|x|), x measured from where the slider stood. After a reversal
 * at (x_r, f_r): f = f_r + 2 s B(|x - x_r| / 2) in direction s. Moving past the reversal before
 * the last closes the loop between them; moving past -x_r, where only one is left, leads back
 * to the virgin curve. B saturates by itself, so that there is no separate slip limit.
 * (Masing 1926; the rules for unsteady motion: Jayakumar 1987.)
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "laws/flows.h"
#include "laws/masing/periodic_path.h"
#include "laws/masing/return_points.h"

/* Doubles of scratch for tangents_expand. */
static size_t tangents_workspace_size(int max_turnings, int n_directions)
{
    return 2 * (size_t)max_turnings * (size_t)n_directions;
}

/* dx(r) as the weighted sum of its samples' directions. */
static void turning_directions(const struct masing_turning *turning,
                               const struct masing_path *path, double *dx)
{
    int n = path->n_samples;
    size_t n_directions = (size_t)path->n_directions;
    for (size_t d = 0; d < n_directions; d++) {
        dx[d] = 0.0;
    }
    for (int m = 0; m < MASING_TURNING_WEIGHTS; m++) {
        double weight = turning->weights[m];
        if (weight == 0.0) {
            continue;
        }
        int sample = ((turning->sample - 1 + m) % n + n) % n;
        const double *row = path->dx + (size_t)sample * n_directions;
        for (size_t d = 0; d < n_directions; d++) {
            dx[d] += weight * row[d];
        }
    }
}

/* dx(r) and df(r) of all turning points: workspace [n_turnings][2][n_directions]. */
static void fill_memory(const struct masing_tangents *tangents, const struct masing_path *path,
                        double *workspace)
{
    size_t n = (size_t)path->n_directions;
    for (int r = 0; r < tangents->n_turnings; r++) {
        const struct masing_turning *turning = &tangents->turnings[r];
        double *dx = workspace + 2 * (size_t)r * n, *df = dx + n;
        turning_directions(turning, path, dx);
        if (turning->parent < 0) {
            for (size_t d = 0; d < n; d++) {
                df[d] = turning->tangent * dx[d];
            }
            continue;
        }
        const double *parent = workspace + 2 * (size_t)turning->parent * n;
        for (size_t d = 0; d < n; d++) {
            df[d] = turning->tangent * (dx[d] - parent[d]) + parent[n + d];
        }
    }
}

/* df [n_samples][n_directions] from the structured derivative. */
static void tangents_expand(const struct masing_tangents *tangents,
                            const struct masing_path *path, double *workspace, double *df)
{
    size_t n = (size_t)path->n_directions;
    fill_memory(tangents, path, workspace);
    for (size_t i = 0; i < (size_t)path->n_samples; i++) {
        const double *dx = path->dx + i * n;
        double *out = df + i * n, fx = tangents->fx[i];
        int branch = tangents->branch[i];
        if (branch < 0) {
            for (size_t d = 0; d < n; d++) {
                out[d] = fx * dx[d];
            }
        } else {
            const double *turning = workspace + 2 * (size_t)branch * n;
            for (size_t d = 0; d < n; d++) {
                out[d] = fx * (dx[d] - turning[d]) + turning[n + d];
            }
        }
    }
}

/* Doubles of scratch for changes_of_period: one per turning point and parameter. */
static size_t changes_workspace_size(int max_turnings, int n_parameters)
{
    return (size_t)max_turnings * ((size_t)n_parameters + 1);
}

static void add_backbone(const struct masing_law *law, const void *parameters,
                         const struct masing_path *path, double factor, double u, double *out)
{
    for (int k = 0; k < path->n_parameters; k++) {
        out[k] += factor * law->backbone_change(parameters, path->dp[k], u);
    }
}

/*
 * Changes of the forces with the parameters, at a held path. The turning points are points of
 * the path and do not move with the parameters, so that
 *   f = f_r + 2 s B(|x - x_r| / 2)  gives  f_p = f_r,p + 2 s B_p(|x - x_r| / 2).
 * Which loop a motion is in does not matter to first order, because the force is continuous
 * where loops close. Here on a branch, f_r,p being `base` (NULL: zero); out
 * [path->n_parameters].
 */
static void changes_on_branch(const struct masing_law *law, const void *parameters,
                              const struct masing_path *path, const double *base,
                              double x_start, double x, double *out)
{
    for (int k = 0; k < path->n_parameters; k++) {
        out[k] = base ? base[k] : 0.0;
    }
    add_backbone(law, parameters, path, copysign(2.0, x - x_start), 0.5 * fabs(x - x_start),
                 out);
}

/* On the virgin curve: f_p = s B_p(|x - origin|). */
static void changes_on_virgin(const struct masing_law *law, const void *parameters,
                              const struct masing_path *path, double origin, double x,
                              double *out)
{
    for (int k = 0; k < path->n_parameters; k++) {
        out[k] = 0.0;
    }
    add_backbone(law, parameters, path, copysign(1.0, x - origin), fabs(x - origin), out);
}

static double turning_displacement(const struct masing_path *path,
                                   const struct masing_turning *turning)
{
    int n = path->n_samples;
    double x = 0.0;
    for (int m = 0; m < MASING_TURNING_WEIGHTS; m++) {
        x += turning->weights[m] * path->x[((turning->sample - 1 + m) % n + n) % n];
    }
    return x;
}

/* dfp [n_samples][n_parameters] of a periodic path from what was found along it. */
static void changes_of_period(const struct masing_law *law, const void *parameters,
                              const struct masing_path *path,
                              const struct masing_tangents *tangents, double *workspace,
                              double *dfp)
{
    size_t n = (size_t)path->n_parameters;
    double *x = workspace, *change = workspace + tangents->n_turnings;
    for (int r = 0; r < tangents->n_turnings; r++) {
        int parent = tangents->turnings[r].parent;
        double *out = change + (size_t)r * n;
        x[r] = turning_displacement(path, &tangents->turnings[r]);
        if (parent < 0) {
            changes_on_virgin(law, parameters, path, path->origin[0], x[r], out);
        } else {
            changes_on_branch(law, parameters, path, change + (size_t)parent * n, x[parent],
                              x[r], out);
        }
    }
    for (int i = 0; i < path->n_samples; i++) {
        int branch = tangents->branch[i];
        double *out = dfp + (size_t)i * n;
        if (branch < 0) {
            changes_on_virgin(law, parameters, path, path->origin[0], path->x[i], out);
        } else {
            changes_on_branch(law, parameters, path, change + (size_t)branch * n, x[branch],
                              path->x[i], out);
        }
    }
}

/* The motion turned at sample i, on the branch and with the tangent it had there. */
static void record(const struct masing_tangents *tangents, int i,
                   struct masing_turning *turning)
{
    *turning = (struct masing_turning){.sample = i,
                                       .weights = {0.0, 1.0, 0.0, 0.0},
                                       .parent = tangents->branch[i],
                                       .tangent = tangents->fx[i]};
}

/* Change of the present force; turnings' changes stand in workspace [n_turnings][n]. */
static void change(const struct masing_law *law, const void *parameters,
                   const struct masing_path *path, const struct return_points *memory,
                   const double *workspace, double *out)
{
    int branch = return_points_branch(memory);
    if (memory->count == 0.0) {
        changes_on_virgin(law, parameters, path, memory->origin, memory->x, out);
        return;
    }
    const double *base =
        branch < 0 ? NULL : workspace + (size_t)branch * (size_t)path->n_parameters;
    changes_on_branch(law, parameters, path, base, memory->reversals[(int)memory->count - 1].x,
                      memory->x, out);
}

/*
 * Open paths are straight between samples, so that they turn at samples. What happened before
 * the path began does not vary with it; its reversals count as constants in the derivative.
 */
static enum masing_status follow_open(const struct masing_law *law, const void *parameters,
                                      const struct masing_path *path,
                                      struct return_points *memory,
                                      struct masing_forces *forces,
                                      struct masing_tangents *tangents, double *workspace)
{
    size_t n = (size_t)path->n_parameters;
    int n_slipping = 0, n_kept = (int)memory->count;
    for (int k = 0; k < n_kept; k++) {
        memory->reversals[k].turning = -1.0;
    }
    tangents->n_turnings = 0;
    for (int i = 0; i < path->n_samples; i++) {
        double turning = i > 0 ? (double)tangents->n_turnings : -1.0;
        struct return_points_value value =
            return_points_move(memory, law, parameters, path->x[i], turning, NULL);
        if (value.turned && i > 0) {
            if (tangents->n_turnings == tangents->max_turnings) {
                return MASING_INVALID;
            }
            for (size_t k = 0; k < n; k++) {
                size_t at = (size_t)tangents->n_turnings * n + k;
                workspace[at] = forces->dfp[(size_t)(i - 1) * n + k];
            }
            record(tangents, i - 1, &tangents->turnings[tangents->n_turnings++]);
        }
        forces->f[i] = memory->force;
        tangents->fx[i] = value.tangent;
        tangents->branch[i] = return_points_branch(memory);
        n_slipping += value.slips;
        if (n > 0) {
            change(law, parameters, path, memory, workspace, forces->dfp + (size_t)i * n);
        }
    }
    bool can_slip = return_points_slip_onset(law, parameters) < INFINITY;
    forces->slip_distance = NAN;
    forces->slip_share = can_slip ? (double)n_slipping / path->n_samples : NAN;
    return MASING_OK;
}

static size_t state_size(const struct masing_law *law, const void *parameters)
{
    (void)law;
    (void)parameters;
    return sizeof(struct return_points) / sizeof(double);
}

/* Room for a structured derivative: fx, branch, turnings. */
static size_t tangents_size(int n_samples)
{
    size_t n = (size_t)n_samples;
    return n + memory_doubles(n, sizeof(int)) +
           memory_doubles(n, sizeof(struct masing_turning));
}

static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    (void)law;
    return tangents_size(n_samples) + periodic_path_workspace_size(n_samples) +
           tangents_workspace_size(n_samples, n_directions) +
           changes_workspace_size(n_samples, n_parameters);
}

static struct masing_tangents own_tangents(int n_samples, double *workspace)
{
    size_t n = (size_t)n_samples;
    double *branch = workspace + n, *turnings = branch + memory_doubles(n, sizeof(int));
    return (struct masing_tangents){.fx = workspace,
                                    .branch = (int *)(void *)branch,
                                    .turnings = (struct masing_turning *)(void *)turnings,
                                    .max_turnings = n_samples};
}

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    (void)law;
    (void)parameters;
    return_points_rest((struct return_points *)(void *)state, origin[0]);
}

static enum masing_status march(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace)
{
    enum masing_status status;
    struct masing_tangents own = own_tangents(path->n_samples, workspace);
    struct masing_tangents *used = tangents ? tangents : &own;
    double *scratch = workspace + tangents_size(path->n_samples);
    double *changes = scratch + periodic_path_workspace_size(path->n_samples) +
                      tangents_workspace_size(path->n_samples, path->n_directions);
    if (path->is_periodic) {
        status = periodic_path_follow(law, parameters, path, forces, used, scratch);
    } else {
        status = follow_open(law, parameters, path, (struct return_points *)(void *)state,
                             forces, used, changes);
    }
    if (status == MASING_OK && path->is_periodic && path->n_parameters > 0) {
        changes_of_period(law, parameters, path, used, changes, forces->dfp);
    }
    if (status == MASING_OK && path->n_directions > 0) {
        scratch += periodic_path_workspace_size(path->n_samples);
        tangents_expand(used, path, scratch, forces->df);
    }
    if (tangents && tangents->fv) {
        memset(tangents->fv, 0, sizeof(double) * (size_t)path->n_samples);
    }
    return status;
}

static enum masing_status step(const struct masing_law *law, const void *parameters,
                               const double *x_old, const double *x, const double *v,
                               const double *state, double *next_state, double *f, double *fx,
                               double *fv)
{
    (void)v;
    struct return_points *memory = (struct return_points *)(void *)next_state;
    return_points_copy((const struct return_points *)(const void *)state, memory);
    if (memory->x != *x_old) {
        return_points_move(memory, law, parameters, *x_old, -1.0, NULL);
    }
    struct return_points_value value =
        return_points_move(memory, law, parameters, *x, -1.0, NULL);
    *f = memory->force;
    *fx = value.tangent;
    *fv = 0.0;
    return MASING_OK;
}

static enum masing_status step_change(const struct masing_law *law, const void *parameters,
                                      const double *x, const double *v, const double *state,
                                      double *next_state,
                                      const struct masing_step_change *change)
{
    (void)v;
    struct return_points *memory = (struct return_points *)(void *)next_state;
    return_points_copy((const struct return_points *)(const void *)state, memory);
    return_points_move(memory, law, parameters, *x, -1.0, change);
    return MASING_OK;
}

static size_t state_used(const struct masing_law *law, const void *parameters,
                         const double *state)
{
    (void)law;
    (void)parameters;
    return return_points_used((const struct return_points *)(const void *)state);
}

static void state_moved(const struct masing_law *law, const void *parameters, int n,
                        const double *dx, const double *dv, double *dstate)
{
    (void)law;
    (void)parameters;
    (void)dv;
    size_t row = offsetof(struct return_points, x) / sizeof(double);
    memcpy(dstate + row * (size_t)n, dx, sizeof(double) * (size_t)n);
}

const struct masing_family masing_family_masing = {
    .name = "masing",
    .summary = "a virgin curve and the memory of the points where the motion turned",
    .has_tangents = true,
    .settling_periods = 1,
    .state_size = state_size,
    .workspace_size = workspace_size,
    .rest = rest,
    .march = march,
    .step = step,
    .step_change = step_change,
    .state_used = state_used,
    .state_moved = state_moved,
    .flow = &flow_masing,
};
