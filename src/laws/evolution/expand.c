/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/expand.h"

#include <math.h>
#include <string.h>

#include "laws/evolution/force.h"

double expand_decay(const struct sequence *sequence)
{
    double decay = 0.0;
    for (int i = 0; i < sequence->path->n_samples; i++) {
        decay += (1.0 - decay) * sequence->effects[i].decay;
    }
    return decay;
}

/* dz += factor seeds, if there is a factor */
static void add(double factor, const double *restrict seeds, size_t n, double *restrict dz)
{
    for (size_t d = 0; factor != 0.0 && d < n; d++) {
        dz[d] += factor * seeds[d];
    }
}

/* dz = (1 - decay_i) dz + what step i adds by gx or, of the slow part, by its own derivative */
static void advance(const struct sequence *sequence, int i, bool is_slow, double *restrict dz)
{
    const struct masing_path *path = sequence->path;
    const struct leg_effect *effect = &sequence->effects[i];
    const double *gx = is_slow ? effect->slow : effect->gx;
    size_t n = (size_t)path->n_directions, rows[STENCIL];
    for (int m = 0; m < STENCIL; m++) {
        int at = i - 2 + m;
        at = at < 0 ? at + path->n_samples : at >= path->n_samples ? at - path->n_samples : at;
        rows[m] = (size_t)at * n;
    }
    const double *restrict left = path->dx + rows[1], *restrict right = path->dx + rows[2];
    double kept = 1.0 - effect->decay, by_left = gx[1], by_right = gx[2];
    for (size_t d = 0; d < n; d++) {
        dz[d] = kept * dz[d] + by_left * left[d] + by_right * right[d];
    }
    add(gx[0], path->dx + rows[0], n, dz);
    add(gx[3], path->dx + rows[3], n, dz);
    for (int m = 0; path->dv && m < STENCIL; m++) {
        add(effect->gv[m], path->dv + rows[m], n, dz);
    }
}

static void put_force(const struct sequence *sequence, const struct masing_rate *rate, int i,
                      const double *dz, double *df)
{
    const struct masing_path *path = sequence->path;
    size_t n = (size_t)path->n_directions, at = (size_t)i * n;
    for (size_t d = 0; d < n; d++) {
        df[at + d] = rate->x * path->dx[at + d] + rate->z * dz[d];
    }
    for (size_t d = 0; rate->v != 0.0 && d < n; d++) {
        df[at + d] += rate->v * path->dv[at + d];
    }
}

/* Order of the steps of a period: 1, 2, ..., n - 1, 0. */
static int step_of(const struct sequence *sequence, int k)
{
    int n = sequence->path->n_samples;
    return sequence->path->is_periodic ? (k + 1) % n : k;
}

/* What happened before this step of the period is forgotten at its end. */
static int first_remembered(const struct sequence *sequence)
{
    static const double FORGOTTEN = 1e-18;
    double kept = 1.0;
    int k = sequence->path->n_samples;
    while (k > 0 && kept > FORGOTTEN) {
        k--;
        kept *= fabs(1.0 - sequence->effects[step_of(sequence, k)].decay);
    }
    return k;
}

/* A change of the state that comes back as it was after one period. */
static void close_period(double decay, double *dz, size_t n)
{
    for (size_t d = 0; d < n; d++) {
        dz[d] = decay != 0.0 ? dz[d] / decay : 0.0;
    }
}

/* Change of the state at sample 0 that comes back after one period. */
static void start_directions(const struct sequence *sequence, double *dz)
{
    const struct masing_path *path = sequence->path;
    const struct masing_evolution *evolution = sequence->law->evolution;
    size_t n = (size_t)path->n_directions;
    bool is_slow = evolution->lag != NULL && sequence->n_turnings > 0;
    for (int k = first_remembered(sequence); k < path->n_samples; k++) {
        advance(sequence, step_of(sequence, k), is_slow, dz);
    }
    close_period(expand_decay(sequence), dz, n);
    double elastic = is_slow ? evolution->elastic_rate(sequence->parameters) : 0.0;
    for (size_t d = 0; is_slow && d < n; d++) {
        dz[d] += elastic * path->dx[d];
    }
}

void expand_directions(const struct sequence *sequence, const struct masing_rate *rates,
                       double *dz, double *df)
{
    const struct masing_path *path = sequence->path;
    memset(dz, 0, sizeof(double) * (size_t)path->n_directions);
    if (path->is_periodic) {
        start_directions(sequence, dz);
    }
    for (int k = 0; k < path->n_samples; k++) {
        int i = step_of(sequence, k);
        advance(sequence, i, false, dz);
        put_force(sequence, &rates[i], i, dz, df);
    }
}

static void advance_parameters(const struct sequence *sequence, int i, double *dz)
{
    size_t n = (size_t)sequence->path->n_parameters;
    const double *change = sequence->changes + (size_t)i * n;
    for (size_t p = 0; p < n; p++) {
        dz[p] += change[p] - sequence->effects[i].decay * dz[p];
    }
}

void expand_parameters(const struct sequence *sequence, const struct masing_rate *rates,
                       double *dz, double *dfp)
{
    const struct masing_path *path = sequence->path;
    size_t n = (size_t)path->n_parameters;
    memset(dz, 0, sizeof(double) * n);
    for (int k = 0; path->is_periodic && k < path->n_samples; k++) {
        advance_parameters(sequence, step_of(sequence, k), dz);
    }
    if (path->is_periodic) {
        close_period(expand_decay(sequence), dz, n);
    }
    for (int k = 0; k < path->n_samples; k++) {
        int i = step_of(sequence, k);
        advance_parameters(sequence, i, dz);
        for (size_t p = 0; p < n; p++) {
            dfp[(size_t)i * n + p] =
                rates[i].z * dz[p] + force_change_at(sequence, i, path->dp[p]);
        }
    }
}
