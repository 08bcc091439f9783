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

/* dz = (1 - decay_i) dz + what step i adds, for all directions. */
static void advance(const struct sequence *sequence, int i, double *dz)
{
    const struct masing_path *path = sequence->path;
    const struct leg_effect *effect = &sequence->effects[i];
    size_t n = (size_t)path->n_directions;
    for (size_t d = 0; d < n; d++) {
        dz[d] -= effect->decay * dz[d];
    }
    for (int m = 0; m < STENCIL; m++) {
        int at = ((i - 2 + m) % path->n_samples + path->n_samples) % path->n_samples;
        const double *dx = path->dx + (size_t)at * n;
        if (effect->gx[m] != 0.0) {
            for (size_t d = 0; d < n; d++) {
                dz[d] += effect->gx[m] * dx[d];
            }
        }
        if (effect->gv[m] != 0.0) {
            const double *dv = path->dv + (size_t)at * n;
            for (size_t d = 0; d < n; d++) {
                dz[d] += effect->gv[m] * dv[d];
            }
        }
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

/* A change of the state that comes back as it was after one period. */
static void close_period(double decay, double *dz, size_t n)
{
    for (size_t d = 0; d < n; d++) {
        dz[d] = decay != 0.0 ? dz[d] / decay : 0.0;
    }
}

void expand_directions(const struct sequence *sequence, const struct masing_rate *rates,
                       double *dz, double *df)
{
    const struct masing_path *path = sequence->path;
    size_t n = (size_t)path->n_directions;
    memset(dz, 0, sizeof(double) * n);
    for (int k = 0; path->is_periodic && k < path->n_samples; k++) {
        advance(sequence, step_of(sequence, k), dz);
    }
    if (path->is_periodic) {
        close_period(expand_decay(sequence), dz, n);
    }
    for (int k = 0; k < path->n_samples; k++) {
        int i = step_of(sequence, k);
        advance(sequence, i, dz);
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
