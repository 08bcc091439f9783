/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open paths: straight between samples, so that they turn at samples. What happened before the
 * path began does not vary with it; its reversals count as constants in the derivative.
 */
#include <math.h>

#include "laws/masing/changes.h"
#include "laws/masing/engine.h"

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

enum masing_status open_path_follow(const struct masing_law *law, const void *parameters,
                                    const struct masing_path *path,
                                    struct return_points *memory, struct masing_forces *forces,
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
    bool can_slip = engine_slip_onset(law, parameters) < INFINITY;
    forces->slip_distance = NAN;
    forces->slip_share = can_slip ? (double)n_slipping / path->n_samples : NAN;
    return MASING_OK;
}
