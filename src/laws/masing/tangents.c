/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/masing/tangents.h"

size_t tangents_workspace_size(int max_turnings, int n_directions)
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

void tangents_expand(const struct masing_tangents *tangents, const struct masing_path *path,
                     double *workspace, double *df)
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
