/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/series_work.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

/* Gauss and Legendre's rule of 8 nodes: powers are products of two series over at most the time
 * that one is good for, whose terms from the 16th on are below 1e-9 of the first; the rule
 * leaves less than 1e-8 of those. */
enum { HALF = 4 };
static const double NODES[HALF] = {0.18343464249564980494, 0.52553240991632898582,
                                   0.79666647741362673959, 0.96028985649753623168};
static const double WEIGHTS[HALF] = {0.36268378337836198297, 0.31370664587788728734,
                                     0.22238103445337447054, 0.10122853629037625915};

struct series_work {
    const struct flow_solver_parts *parts;
    double *q, *v, *damping; /* [n_modes] */
    double *force;           /* [n_modes + n_ports] */
};

enum masing_status series_work_create(const struct flow_solver_parts *parts,
                                      struct series_work **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_modes = (size_t)parts->ports->n_modes;
    struct series_work *work = memory_array(1, sizeof *work);
    TRY_ALLOCATED(work);
    work->parts = parts;
    work->q = memory_array(3 * n_modes, sizeof(double));
    work->force = memory_array(n_modes + (size_t)parts->ports->n_ports, sizeof(double));
    TRY_ALLOCATED(work->q && work->force);
    work->v = work->q + n_modes;
    work->damping = work->v + n_modes;
done:
    if (status != MASING_OK) {
        series_work_destroy(work);
        work = NULL;
    }
    *created = work;
    return status;
}

void series_work_destroy(struct series_work *work)
{
    if (work) {
        free(work->q);
        free(work->force);
        free(work);
    }
}

/* Power at a part of the series, times a weight in seconds. */
static void add_power(struct series_work *work, const struct series *series,
                      const struct masing_flow_line *lines, double phase, double part,
                      double weight, struct work *total)
{
    const struct flow_solver_parts *parts = work->parts;
    int n_modes = series->n_modes;
    phase += parts->omega * part * series->length;
    series_state(series, part, work->q, work->v);
    newmark_damping(parts->newmark, work->v, work->damping);
    forcing_at(parts->forcing, phase, work->force);
    for (int k = 0; k < n_modes; k++) {
        total->loads += weight * work->force[k] * work->v[k];
        total->damping += weight * work->damping[k] * work->v[k];
    }
    if (parts->ports->flexibility) {
        forcing_derivative(parts->forcing, parts->omega, phase, 1, work->force);
    }
    for (int axis = 0; axis < series->n_axes; axis++) {
        double x, w;
        series_axis(series, axis, part, &x, &w);
        double f = lines[axis].stiffness * x + lines[axis].damping * w + lines[axis].level;
        total->joints += weight * f * w;
        if (parts->ports->flexibility) {
            total->loads += weight * f * work->force[n_modes + axis];
        }
    }
}

void series_work_add(struct series_work *work, const struct series *series,
                     const struct masing_flow_line *lines, double phase, double part,
                     struct work *total)
{
    double half = 0.5 * part;
    for (int i = 0; i < HALF; i++) {
        double weight = half * series->length * WEIGHTS[i];
        add_power(work, series, lines, phase, half * (1.0 - NODES[i]), weight, total);
        add_power(work, series, lines, phase, half * (1.0 + NODES[i]), weight, total);
    }
}
