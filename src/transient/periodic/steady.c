/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/periodic/steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* Consecutive good periods that make a motion periodic. */
enum { GOOD_PERIODS = 2 };

/* A change over d periods that is so many times the distance from a motion of m is no part of
 * it: that motion does not repeat after d. Twice would be the most if the norm saw all
 * directions of the state alike. */
static const double UNEXPLAINED = 100.0;

/* Slow is what shrinks by less than this. */
static const double SLOW = 0.1;

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
    steady->over = memory_array(STEADY_MOST_PERIODS + 1, sizeof *steady->over);
    TRY_ALLOCATED(steady->over);
    steady->is_linear = integrator->ports->n_axes == 0;
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
        free(steady->over);
        free(steady);
    }
}

void steady_sample(struct steady *steady, const struct integrator *integrator)
{
    const struct modal_state *modal = integrator->modal;
    double speed = 0.0;
    for (int k = 0; k < modal->n_modes; k++) {
        speed += modal->v[k] * modal->v[k];
    }
    steady->speed = fmax(steady->speed, speed);
}

void steady_begin(struct steady *steady, const struct integrator *integrator)
{
    size_t n_modes = (size_t)integrator->ports->n_modes;
    memcpy(steady->q, integrator->modal->q, n_modes * sizeof(double));
    memcpy(steady->v, integrator->modal->v, n_modes * sizeof(double));
    steady->speed = 0.0;
    steady_sample(steady, integrator);
}

/* Change from an earlier state relative to the speed, less what round-off explains. */
static double relative_change(const struct steady *steady, const struct integrator *integrator,
                              const double *q, const double *v)
{
    const struct modal_state *modal = integrator->modal;
    double change = 0.0, norm = 0.0, omega2 = integrator->omega * integrator->omega;
    for (int k = 0; k < modal->n_modes; k++) {
        double weight = fmax(modal->stiffness[k], omega2);
        double dq = modal->q[k] - q[k], dv = modal->v[k] - v[k];
        change += dv * dv + weight * dq * dq;
        norm += modal->v[k] * modal->v[k] + weight * modal->q[k] * modal->q[k];
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

/* A ring over the periods: the change that was found so many periods ago. */
static double *change_over(struct steady *steady, int m, int ago)
{
    return &steady->over[m][(steady->n_periods - ago) % (STEADY_MOST_PERIODS + 1)];
}

/* Whole times m periods, over which the shrinkage is measured: not fewer than for one. */
static int span(int m)
{
    return m * ((STEADY_MEMORY - 2) / m + 1);
}

static void measure_changes(struct steady *steady, const struct integrator *integrator)
{
    size_t n = (size_t)integrator->ports->n_modes;
    *change_over(steady, 1, 0) = steady->changes[0];
    for (int m = 2; m <= STEADY_MOST_PERIODS && m <= steady->n_periods; m++) {
        int at = (steady->n_periods - m) % STEADY_MOST_PERIODS;
        const double *q = steady->past + (size_t)at * 2 * n;
        *change_over(steady, m, 0) = relative_change(steady, integrator, q, q + n);
    }
}

/* What the change over m periods, now and so many periods ago, has lost in m periods. */
static double lost(struct steady *steady, int m, int periods)
{
    double change = *change_over(steady, m, 0), before = *change_over(steady, m, periods);
    return before > 0.0 ? 1.0 - pow(change / before, (double)m / periods) : 0.0;
}

/* Estimated distance from a motion of m periods. What hardly shrinks is measured over many
 * periods, in which it shrinks by more than round-off changes it. */
static double distance_from(struct steady *steady, int m)
{
    int most = STEADY_MOST_PERIODS / m * m;
    double change = *change_over(steady, m, 0);
    if (steady->n_periods < m + span(m)) {
        return INFINITY;
    }
    if (change == 0.0) {
        return 0.0;
    }
    double left = lost(steady, m, span(m));
    if (left < SLOW && steady->n_periods >= m + most) {
        left = lost(steady, m, most);
    }
    return change / fmax(left, m * slowest);
}

/* Near a motion of m periods: after how many does it repeat? 0: too early to tell. A change
 * over these is at most twice the distance. */
static int order_within(struct steady *steady, int m, double distance)
{
    int d = 1;
    while (d < m && (m % d != 0 || *change_over(steady, d, 0) >
                                       fmax(steady->tolerance, UNEXPLAINED * distance))) {
        d++;
    }
    double change = *change_over(steady, d, 0);
    if (change > steady->tolerance || (d > 1 && steady->is_linear)) {
        return 0;
    }
    steady->distance = fmax(distance, 0.5 * change);
    return d;
}

/* Near a motion of several periods for twice as many. */
static int find_order(struct steady *steady)
{
    int order = 0;
    for (int m = 2; m <= STEADY_MOST_PERIODS; m++) {
        double distance = distance_from(steady, m);
        steady->n_near[m] = distance <= steady->tolerance ? steady->n_near[m] + 1 : 0;
        if (order == 0 && steady->n_near[m] >= GOOD_PERIODS * m) {
            order = order_within(steady, m, distance);
        }
    }
    return order;
}

int steady_least_order(struct steady *steady, int n_periods)
{
    int d = 1;
    while (d < n_periods &&
           (n_periods % d != 0 || *change_over(steady, d, 0) > steady->tolerance)) {
        d++;
    }
    return d;
}

int steady_most_order(const struct steady *steady)
{
    int m = 1;
    while (!steady->is_linear && m < STEADY_MOST_PERIODS &&
           steady->n_periods >= (m + 1) * (1 + GOOD_PERIODS) + span(m + 1) - 1) {
        m++;
    }
    return m;
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
    measure_changes(steady, integrator);
    double left = fmax(1.0 - shrinkage(steady), slowest);
    steady->distance = steady->changes[0] == 0.0 ? 0.0 : steady->changes[0] / left;
    if (left < SLOW && steady->n_periods > STEADY_MOST_PERIODS) {
        steady->distance = distance_from(steady, 1);
    }
    steady->n_good = steady->distance <= steady->tolerance ? steady->n_good + 1 : 0;
    steady->order = steady->n_good >= GOOD_PERIODS ? 1 : find_order(steady);
    steady_begin(steady, integrator);
    return steady->order > 0;
}
