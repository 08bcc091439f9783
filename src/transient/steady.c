/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* Consecutive good periods that make a motion periodic. */
enum { GOOD_PERIODS = 2 };

/* A state is as one several periods ago where it differs by this part of the tolerance, and
 * much less than from the last one. */
static const double ALIKE = 0.1, OTHER = 1e-2;

/* Round-off of one period relative to the state's norm, and the slowest shrinkage believed. */
static const double round_off = 1e-13, slowest = 1e-4;

enum masing_status steady_create(const struct integrator *integrator, double tolerance,
                                 struct steady **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_modes = (size_t)integrator->ports->n_modes;
    struct steady *steady = memory_array(1, sizeof *steady);
    TRY_ALLOCATED(steady);
    steady->tolerance = tolerance;
    steady->q = memory_array(n_modes, sizeof(double));
    steady->v = memory_array(n_modes, sizeof(double));
    TRY_ALLOCATED(steady->q);
    TRY_ALLOCATED(steady->v);
    steady->past = memory_array(2 * STEADY_MOST_PERIODS * n_modes, sizeof(double));
    TRY_ALLOCATED(steady->past);
done:
    if (status != MASING_OK) {
        steady_destroy(steady);
        steady = NULL;
    }
    *created = steady;
    return status;
}

void steady_destroy(struct steady *steady)
{
    if (steady) {
        free(steady->q);
        free(steady->v);
        free(steady->past);
        free(steady);
    }
}

void steady_sample(struct steady *steady, const struct integrator *integrator)
{
    const struct newmark *newmark = integrator->newmark;
    double speed = 0.0;
    for (int k = 0; k < newmark->n_modes; k++) {
        speed += newmark->v[k] * newmark->v[k];
    }
    steady->speed = fmax(steady->speed, speed);
}

void steady_begin(struct steady *steady, const struct integrator *integrator)
{
    size_t n_modes = (size_t)integrator->ports->n_modes;
    memcpy(steady->q, integrator->newmark->q, n_modes * sizeof(double));
    memcpy(steady->v, integrator->newmark->v, n_modes * sizeof(double));
    steady->speed = 0.0;
    steady_sample(steady, integrator);
}

/* Change from an earlier state relative to the speed, less what round-off explains. */
static double relative_change(const struct steady *steady, const struct integrator *integrator,
                              const double *q, const double *v)
{
    const struct newmark *newmark = integrator->newmark;
    double change = 0.0, norm = 0.0, omega2 = integrator->omega * integrator->omega;
    for (int k = 0; k < newmark->n_modes; k++) {
        double weight = fmax(newmark->stiffness[k], omega2);
        double dq = newmark->q[k] - q[k], dv = newmark->v[k] - v[k];
        change += dv * dv + weight * dq * dq;
        norm += newmark->v[k] * newmark->v[k] + weight * newmark->q[k] * newmark->q[k];
    }
    if (!isfinite(change + norm)) {
        return INFINITY; /* the squares of what grows without end are no numbers first */
    }
    double excess = sqrt(change) - round_off * sqrt(norm);
    if (!(excess > 0.0)) {
        return 0.0;
    }
    return steady->speed > 0.0 ? excess / sqrt(steady->speed) : INFINITY;
}

/* Shrinkage per period, the geometric mean over the periods that are remembered. */
static double shrinkage(const struct steady *steady)
{
    int last = steady->n_periods < STEADY_MEMORY ? steady->n_periods - 1 : STEADY_MEMORY - 1;
    if (last < 1 || !(steady->changes[last] > 0.0)) {
        return last < 1 ? 1.0 : 0.0;
    }
    return pow(steady->changes[0] / steady->changes[last], 1.0 / last);
}

/* The motion of several periods: as it was so many periods ago, for as many in a row. */
static int find_order(struct steady *steady, const struct integrator *integrator)
{
    size_t n = (size_t)integrator->ports->n_modes;
    int order = 0;
    for (int m = 2; m <= STEADY_MOST_PERIODS && m <= steady->n_periods; m++) {
        int at = (steady->n_periods - m) % STEADY_MOST_PERIODS;
        const double *q = steady->past + (size_t)at * 2 * n;
        double change = relative_change(steady, integrator, q, q + n);
        bool is_alike =
            change <= ALIKE * steady->tolerance && change < OTHER * steady->changes[0];
        steady->n_alike[m] = is_alike ? steady->n_alike[m] + 1 : 0;
        if (order == 0 && steady->n_alike[m] >= GOOD_PERIODS * m) {
            order = m;
            steady->distance = change;
        }
    }
    return order;
}

/* The state at which the period began is one more of the past. */
static void remember(struct steady *steady, const struct integrator *integrator)
{
    size_t n = (size_t)integrator->ports->n_modes;
    int at = steady->n_periods % STEADY_MOST_PERIODS;
    double *q = steady->past + (size_t)at * 2 * n;
    memcpy(q, steady->q, n * sizeof(double));
    memcpy(q + n, steady->v, n * sizeof(double));
}

bool steady_end(struct steady *steady, const struct integrator *integrator)
{
    steady_sample(steady, integrator);
    memmove(steady->changes + 1, steady->changes, (STEADY_MEMORY - 1) * sizeof(double));
    steady->changes[0] = relative_change(steady, integrator, steady->q, steady->v);
    remember(steady, integrator);
    steady->n_periods++;
    double left = fmax(1.0 - shrinkage(steady), slowest);
    steady->distance = steady->changes[0] == 0.0 ? 0.0 : steady->changes[0] / left;
    steady->n_good = steady->distance <= steady->tolerance ? steady->n_good + 1 : 0;
    steady->order = steady->n_good >= GOOD_PERIODS ? 1 : find_order(steady, integrator);
    steady_begin(steady, integrator);
    return steady->order > 0;
}
