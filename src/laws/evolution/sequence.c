/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derivatives of the forces along a path, from those of the steps. */
#include "laws/evolution/sequence.h"

#include <math.h>
#include <string.h>

#include "laws/evolution/period.h"

/* dz += what step i adds by gx of the outer samples of its stencil, where there is any. */
static void add_outer(const struct sequence *sequence, int i, const double gx[STENCIL],
                      double *restrict dz)
{
    size_t n = (size_t)sequence->path->n_directions;
    const double *restrict first = sequence->path->dx + (size_t)neighbour(sequence, i, -2) * n;
    const double *restrict last = sequence->path->dx + (size_t)neighbour(sequence, i, 1) * n;
    for (size_t d = 0; (gx[0] != 0.0 || gx[3] != 0.0) && d < n; d++) {
        dz[d] += gx[0] * first[d] + gx[3] * last[d];
    }
}

/* dz = (1 - decay_i) dz + what step i adds by gx or, of the slow part, by its own derivative */
static void advance(const struct sequence *sequence, int i, const double gx[STENCIL],
                    double *restrict dz)
{
    const struct masing_path *path = sequence->path;
    size_t n = (size_t)path->n_directions;
    const double *restrict left = path->dx + (size_t)neighbour(sequence, i, -1) * n;
    const double *restrict right = path->dx + (size_t)i * n;
    double kept = 1.0 - sequence->effects[i].decay, by_left = gx[1], by_right = gx[2];
    for (size_t d = 0; d < n; d++) {
        dz[d] = kept * dz[d] + by_left * left[d] + by_right * right[d];
    }
    add_outer(sequence, i, gx, dz);
}

/* Step i, and the force at its end. */
static void put_step(const struct sequence *sequence, int i, double *restrict dz, double *df)
{
    const struct masing_rate force = sequence->rates[i];
    size_t n = (size_t)sequence->path->n_directions;
    const double *restrict dx = sequence->path->dx + (size_t)i * n;
    double *restrict row = df + (size_t)i * n;
    advance(sequence, i, sequence->effects[i].by_path.x, dz);
    for (size_t d = 0; d < n; d++) {
        row[d] = force.x * dx[d] + force.z * dz[d];
    }
}

/* Rows of the samples around a step, and what it changes the state by along them. */
struct stencil_rows {
    const double *x[STENCIL], *v[STENCIL];
    double kept, by_x[STENCIL], by_v[STENCIL];
};

/* In one loop without a question: dz at the end of a step and df there. */
static void put_row(size_t n, const struct stencil_rows *rows, const struct masing_rate *force,
                    double *restrict dz, double *restrict df)
{
    const double *x0 = rows->x[0], *x1 = rows->x[1], *x2 = rows->x[2], *x3 = rows->x[3];
    const double *v0 = rows->v[0], *v1 = rows->v[1], *v2 = rows->v[2], *v3 = rows->v[3];
    const struct stencil_rows by = *rows;
    double force_x = force->x, force_v = force->v, force_z = force->z;
    for (size_t d = 0; d < n; d++) {
        double by_x = (by.by_x[0] * x0[d] + by.by_x[3] * x3[d]) +
                      (by.by_x[1] * x1[d] + by.by_x[2] * x2[d]);
        double by_v = (by.by_v[0] * v0[d] + by.by_v[3] * v3[d]) +
                      (by.by_v[1] * v1[d] + by.by_v[2] * v2[d]);
        double z = by.kept * dz[d] + (by_x + by_v);
        dz[d] = z;
        df[d] = force_z * z + (force_x * x2[d] + force_v * v2[d]);
    }
}

/* The same of a law that depends on velocity. */
static void put_step_of_velocity(const struct sequence *sequence, int i, double *dz, double *df)
{
    const struct masing_path *path = sequence->path;
    const struct segment_effect *effect = &sequence->effects[i];
    struct stencil_rows rows = {.kept = 1.0 - effect->decay};
    size_t n = (size_t)path->n_directions;
    for (int m = 0; m < STENCIL; m++) {
        size_t at = (size_t)neighbour(sequence, i, m - 2) * n;
        rows.x[m] = path->dx + at;
        rows.v[m] = path->dv + at;
        rows.by_x[m] = effect->by_path.x[m];
        rows.by_v[m] = effect->by_path.v[m];
    }
    put_row(n, &rows, &sequence->rates[i], dz, df + (size_t)i * n);
}

/* Order of the steps of a period: 1, 2, ..., n - 1, 0. */
static int step_of(const struct sequence *sequence, int k)
{
    int n = sequence->path->n_samples;
    return sequence->path->is_periodic ? (k + 1) % n : k;
}

static const double FORGOTTEN = 1e-18; /* part of a change that is nothing any more */

/* What happened before this step of the period is forgotten at its end. */
static int first_remembered(const struct sequence *sequence)
{
    double kept = 1.0;
    int k = sequence->path->n_samples;
    while (k > 0 && kept > FORGOTTEN) {
        k--;
        kept *= fabs(1.0 - sequence->effects[step_of(sequence, k)].decay);
    }
    return k;
}

/* Change of the state at sample 0 that comes back after one period, from its slow part. */
static void start_directions(const struct sequence *sequence, double *dz)
{
    const struct masing_path *path = sequence->path;
    size_t n = (size_t)path->n_directions;
    for (int k = first_remembered(sequence); k < path->n_samples; k++) {
        int i = step_of(sequence, k);
        advance(sequence, i, sequence->effects[i].slow, dz);
    }
    period_close_change(sequence->decay, dz, n);
    double elastic = sequence->law->evolution->elastic_rate(sequence->parameters);
    for (size_t d = 0; d < n; d++) {
        dz[d] += elastic * path->dx[d];
    }
}

static void add_row(size_t n, double factor, const double *restrict dz, double *restrict df)
{
    for (size_t d = 0; d < n; d++) {
        df[d] += factor * dz[d];
    }
}

/* df += what is left of a change of the state at sample 0, sample by sample */
static void add_start(const struct sequence *sequence, const double *dz, double *df)
{
    size_t n = (size_t)sequence->path->n_directions;
    double kept = 1.0;
    for (int k = 0; k < sequence->path->n_samples && fabs(kept) > FORGOTTEN; k++) {
        int i = step_of(sequence, k);
        kept *= 1.0 - sequence->effects[i].decay;
        add_row(n, kept * sequence->rates[i].z, dz, df + (size_t)i * n);
    }
}

/* Where no slow part is found by itself, that of a start that does not change comes first. */
void sequence_expand_directions(const struct sequence *sequence, double *df)
{
    const struct masing_path *path = sequence->path;
    double *dz = sequence->dz;
    bool is_slow = sequence->law->evolution->lag != NULL && sequence->n_turnings > 0;
    size_t n = (size_t)path->n_directions;
    memset(dz, 0, sizeof(double) * n);
    if (path->is_periodic && is_slow) {
        start_directions(sequence, dz);
    }
    for (int k = 0; k < path->n_samples; k++) {
        int i = step_of(sequence, k);
        if (has_velocity(sequence)) {
            put_step_of_velocity(sequence, i, dz, df);
        } else {
            put_step(sequence, i, dz, df);
        }
    }
    if (path->is_periodic && !is_slow) {
        period_close_change(sequence->decay, dz, n);
        add_start(sequence, dz, df);
    }
}

static void advance_parameters(const struct sequence *sequence, int i, double *dz)
{
    size_t n = (size_t)sequence->path->n_parameters;
    const double *change = changes_of(sequence, i);
    for (size_t p = 0; p < n; p++) {
        dz[p] += change[p] - sequence->effects[i].decay * dz[p];
    }
}

void sequence_expand_parameters(const struct sequence *sequence, double *dfp)
{
    const struct masing_path *path = sequence->path;
    const struct masing_evolution *evolution = sequence->law->evolution;
    double *dz = sequence->dz;
    size_t n = (size_t)path->n_parameters;
    memset(dz, 0, sizeof(double) * n);
    for (int k = 0; path->is_periodic && k < path->n_samples; k++) {
        advance_parameters(sequence, step_of(sequence, k), dz);
    }
    if (path->is_periodic) {
        period_close_change(sequence->decay, dz, n);
    }
    for (int k = 0; k < path->n_samples; k++) {
        int i = step_of(sequence, k);
        double v = velocity(sequence, i);
        const struct masing_branch_point at = {.sign = state_direction(v),
                                               .x = path->x[i] - sequence->origin,
                                               .v = v,
                                               .z = sequence->z[i]};
        advance_parameters(sequence, i, dz);
        for (size_t p = 0; p < n; p++) {
            double by_itself =
                evolution->force_change
                    ? evolution->force_change(sequence->parameters, path->dp[p], &at)
                    : 0.0;
            dfp[(size_t)i * n + p] = sequence->rates[i].z * dz[p] + by_itself;
        }
    }
}
