/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t in_doubles(size_t bytes)
{
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

size_t sequence_workspace_size(int n_samples, int n_parameters)
{
    size_t n = (size_t)n_samples;
    return n + in_doubles(n * sizeof(struct leg_effect)) + n * (size_t)n_parameters +
           in_doubles(n * sizeof(struct turning));
}

/* Steps before the first sample belong to the end of the period. */
static void order_turnings(struct sequence *sequence)
{
    int n = sequence->path->n_samples, wrapped = 0;
    struct turning *turnings = sequence->turnings;
    for (int k = 0; k < sequence->n_turnings; k++) {
        turnings[k].step = ((turnings[k].step % n) + n) % n;
        wrapped += k > 0 && turnings[k].step < turnings[k - 1].step ? k : 0;
    }
    /* a rotation of an ascending list: bring its smallest element to the front */
    for (int k = 0; k < wrapped; k++) {
        struct turning first = turnings[0];
        memmove(turnings, turnings + 1, sizeof first * (size_t)(sequence->n_turnings - 1));
        turnings[sequence->n_turnings - 1] = first;
    }
}

/* Between neighbouring samples of a period. */
static double largest_travel(const struct masing_path *path)
{
    int n = path->n_samples;
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(path->x[i] - path->x[i > 0 ? i - 1 : n - 1]));
    }
    return largest;
}

void sequence_create(struct sequence *sequence, double *workspace)
{
    const struct masing_path *path = sequence->path;
    size_t n = (size_t)path->n_samples;
    sequence->z = workspace;
    workspace += n;
    sequence->effects = (struct leg_effect *)(void *)workspace;
    workspace += in_doubles(n * sizeof(struct leg_effect));
    sequence->changes = workspace;
    workspace += n * (size_t)path->n_parameters;
    sequence->turnings = (struct turning *)(void *)workspace;
    sequence->n_turnings = 0;
    if (path->is_periodic) {
        sequence->n_turnings = turning_find(path->x, path->n_samples, sequence->turnings);
        order_turnings(sequence);
        sequence->longest = leg_step(sequence->law, sequence->parameters, largest_travel(path));
    }
}

/* Stencil of the step to sample i. */
static void fill_stencil(const struct sequence *sequence, int i, struct leg *leg)
{
    const struct masing_path *path = sequence->path;
    int n = path->n_samples;
    bool has_velocity = sequence->law->needs_velocity && path->v;
    for (int m = 0; m < STENCIL; m++) {
        int at = ((i - 2 + m) % n + n) % n;
        bool is_used = path->is_periodic || m == 1 || m == 2;
        leg->x[m] = is_used ? path->x[at] - sequence->origin : 0.0;
        leg->v[m] = is_used && has_velocity ? path->v[at] : 0.0;
    }
    if (!path->is_periodic && i == 0) {
        leg->x[1] = sequence->x_before - sequence->origin;
        leg->v[1] = sequence->v_before;
    }
}

/* First turning point whose step is not before `step`. */
static int first_turning(const struct sequence *sequence, int step)
{
    int low = 0, high = sequence->n_turnings;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sequence->turnings[middle].step < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/*
 * An end at a turning point moves with the samples: x'(t) = 0 gives
 * dt = -sum_m w'_m dx_m / x''(t). Ends at samples do not move.
 */
static void add_end(const struct leg *leg, double fraction, double effect, double *gx)
{
    double slope_weights[STENCIL], bend_weights[STENCIL], bend = 0.0;
    if (!(fraction > 0.0 && fraction < 1.0)) {
        return;
    }
    turning_slope_weights(fraction, slope_weights);
    turning_bend_weights(fraction, bend_weights);
    for (int m = 0; m < STENCIL; m++) {
        bend += bend_weights[m] * leg->x[m];
    }
    for (int m = 0; bend != 0.0 && m < STENCIL; m++) {
        gx[m] -= effect * slope_weights[m] / bend;
    }
}

static enum masing_status add_leg(struct sequence *sequence, int i, struct leg *leg, double *z,
                                  bool with_gradient)
{
    struct leg_effect effect;
    double *change = with_gradient
                         ? sequence->changes + (size_t)i * (size_t)sequence->path->n_parameters
                         : NULL;
    double longest = sequence->longest;
    if (!sequence->path->is_periodic) {
        longest = leg_step(sequence->law, sequence->parameters, fabs(leg->x[2] - leg->x[1]));
    }
    enum masing_status status =
        leg_follow(sequence->law, sequence->parameters, leg, sequence->path, z, longest,
                   with_gradient, &effect, change);
    if (with_gradient && leg->is_curved) {
        add_end(leg, leg->start, effect.by_start, effect.gx);
        add_end(leg, leg->end, effect.by_end, effect.gx);
    }
    leg_effect_append(&sequence->effects[i], &effect);
    memcpy(leg->from, leg->to, sizeof leg->from);
    leg->start = leg->end;
    return status;
}

enum masing_status sequence_step(struct sequence *sequence, int i, double *z,
                                 bool with_gradient)
{
    static const double left[STENCIL] = {0.0, 1.0, 0.0, 0.0};
    static const double right[STENCIL] = {0.0, 0.0, 1.0, 0.0};
    const struct masing_path *path = sequence->path;
    struct leg leg = {.is_curved = path->is_periodic && sequence->law->needs_velocity};
    enum masing_status status = MASING_OK;
    int n = path->n_samples, step = (i - 1 + n) % n;
    memset(&sequence->effects[i], 0, sizeof sequence->effects[i]);
    memset(sequence->changes + (size_t)i * (size_t)path->n_parameters, 0,
           sizeof(double) * (size_t)path->n_parameters);
    fill_stencil(sequence, i, &leg);
    memcpy(leg.from, left, sizeof left);
    for (int k = first_turning(sequence, step);
         k < sequence->n_turnings && sequence->turnings[k].step == step && status == MASING_OK;
         k++) {
        turning_weights(sequence->turnings[k].fraction, leg.to);
        leg.end = sequence->turnings[k].fraction;
        status = add_leg(sequence, i, &leg, z, with_gradient);
    }
    if (status == MASING_OK) {
        memcpy(leg.to, right, sizeof right);
        leg.end = 1.0;
        status = add_leg(sequence, i, &leg, z, with_gradient);
    }
    sequence->z[i] = *z;
    if (!path->is_periodic && i == 0) {
        sequence->effects[0].gx[1] = sequence->effects[0].gv[1] = 0.0; /* before: constants */
    }
    return status;
}
