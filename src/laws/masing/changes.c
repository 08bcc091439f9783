/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The turning points are points of the path and do not move with the parameters, so that
 *   f = f_r + 2 s B(|x - x_r| / 2)  gives  f_p = f_r,p + 2 s B_p(|x - x_r| / 2).
 * Which loop a motion is in does not matter to first order, because the force is continuous
 * where loops close.
 */
#include "laws/masing/changes.h"

#include <math.h>

size_t changes_workspace_size(int max_turnings, int n_parameters)
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

void changes_on_branch(const struct masing_law *law, const void *parameters,
                       const struct masing_path *path, const double *base, double x_start,
                       double x, double *out)
{
    for (int k = 0; k < path->n_parameters; k++) {
        out[k] = base ? base[k] : 0.0;
    }
    add_backbone(law, parameters, path, copysign(2.0, x - x_start), 0.5 * fabs(x - x_start),
                 out);
}

void changes_on_virgin(const struct masing_law *law, const void *parameters,
                       const struct masing_path *path, double origin, double x, double *out)
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

void changes_of_period(const struct masing_law *law, const void *parameters,
                       const struct masing_path *path, const struct masing_tangents *tangents,
                       double *workspace, double *dfp)
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
