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
#include <string.h>

#include "laws/masing/changes.h"
#include "laws/masing/engine.h"
#include "laws/masing/flow.h"
#include "laws/masing/tangents.h"

static size_t state_size(const struct masing_law *law, const void *parameters)
{
    (void)law;
    (void)parameters;
    return sizeof(struct return_points) / sizeof(double);
}

static size_t in_doubles(size_t bytes)
{
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

/* Room for a structured derivative: fx, branch, turnings. */
static size_t tangents_size(int n_samples)
{
    size_t n = (size_t)n_samples;
    return n + in_doubles(n * sizeof(int)) + in_doubles(n * sizeof(struct masing_turning));
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
    double *branch = workspace + n, *turnings = branch + in_doubles(n * sizeof(int));
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
        status = open_path_follow(law, parameters, path, (struct return_points *)(void *)state,
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
    .flow = &masing_flow_of_return_points,
};
