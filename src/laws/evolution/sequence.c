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

static int neighbour(const struct sequence *sequence, int i, int offset)
{
    int n = sequence->path->n_samples, at = i + offset;
    return at < 0 ? at + n : at >= n ? at - n : at;
}

/* Both samples of the step to sample i, and the whole stencil where something needs it. */
static void fill_leg(const struct sequence *sequence, int i, bool with_stencil, struct leg *leg)
{
    const struct masing_path *path = sequence->path;
    int before = neighbour(sequence, i, -1);
    bool has_velocity = sequence->law->needs_velocity && path->v;
    bool is_first = !path->is_periodic && i == 0;
    leg->x_from = (is_first ? sequence->x_before : path->x[before]) - sequence->origin;
    leg->x_to = path->x[i] - sequence->origin;
    leg->v_from = leg->v_to = leg->start = 0.0;
    leg->end = 1.0;
    if (has_velocity) {
        leg->v_from = is_first ? sequence->v_before : path->v[before];
        leg->v_to = path->v[i];
    }
    for (int m = 0; with_stencil && m < STENCIL; m++) {
        int at = neighbour(sequence, i, m - 2);
        leg->x[m] = path->x[at] - sequence->origin;
        leg->v[m] = has_velocity ? path->v[at] : 0.0;
    }
}

/* First turning point whose step is not before `step`; steps come in order. */
static int first_turning(struct sequence *sequence, int step)
{
    int k = sequence->next_turning;
    while (k > 0 && sequence->turnings[k - 1].step >= step) {
        k--;
    }
    while (k < sequence->n_turnings && sequence->turnings[k].step < step) {
        k++;
    }
    sequence->next_turning = k;
    return k;
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

static double dot(const double a[STENCIL], const double b[STENCIL])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* From derivatives by the ends of a straight leg to those by the samples. */
static void spread(const double from[STENCIL], const double to[STENCIL], double *g)
{
    double by_from = g[1], by_to = g[2];
    for (int m = 0; m < STENCIL; m++) {
        g[m] = by_from * from[m] + by_to * to[m];
    }
}

static double *changes_of(const struct sequence *sequence, int i)
{
    return sequence->changes + (size_t)i * (size_t)sequence->path->n_parameters;
}

static enum masing_status follow_leg(struct sequence *sequence, int i, const struct leg *leg,
                                     double *z, bool with_gradient, struct leg_effect *effect)
{
    double longest = sequence->longest;
    bool has_parameters = with_gradient && sequence->path->n_parameters > 0;
    if (!sequence->path->is_periodic) {
        longest = leg_step(sequence->law, sequence->parameters, fabs(leg->x_to - leg->x_from));
    }
    return leg_follow(sequence->law, sequence->parameters, leg, sequence->path, z, longest,
                      with_gradient, effect, has_parameters ? changes_of(sequence, i) : NULL);
}

/* A step with turning points inside, leg by leg. */
static enum masing_status follow_turns(struct sequence *sequence, int i, int turning, double *z,
                                       bool with_gradient)
{
    enum masing_status status = MASING_OK;
    struct leg leg = {.is_curved = sequence->law->needs_velocity};
    double from[STENCIL] = {0.0, 1.0, 0.0, 0.0}, to[STENCIL];
    int step = neighbour(sequence, i, -1);
    bool is_last = false;
    fill_leg(sequence, i, true, &leg);
    memset(&sequence->effects[i], 0, sizeof sequence->effects[i]);
    for (int k = turning; !is_last && status == MASING_OK; k++) {
        struct leg_effect effect;
        is_last = k == sequence->n_turnings || sequence->turnings[k].step != step;
        leg.end = is_last ? 1.0 : sequence->turnings[k].fraction;
        turning_weights(leg.end, to);
        leg.x_to = dot(to, leg.x);
        leg.v_to = dot(to, leg.v);
        status = follow_leg(sequence, i, &leg, z, with_gradient, &effect);
        if (with_gradient && leg.is_curved) {
            add_end(&leg, leg.start, effect.by_start, effect.gx);
            add_end(&leg, leg.end, effect.by_end, effect.gx);
        } else if (with_gradient) {
            spread(from, to, effect.gx);
            spread(from, to, effect.gv);
            spread(from, to, effect.slow);
        }
        leg_effect_append(&sequence->effects[i], &effect, with_gradient);
        memcpy(from, to, sizeof from);
        leg.x_from = leg.x_to;
        leg.v_from = leg.v_to;
        leg.start = leg.end;
    }
    return status;
}

enum masing_status sequence_step(struct sequence *sequence, int i, double *z,
                                 bool with_gradient)
{
    const struct masing_path *path = sequence->path;
    enum masing_status status;
    int step = neighbour(sequence, i, -1), turning = first_turning(sequence, step);
    for (int p = 0; with_gradient && p < path->n_parameters; p++) {
        changes_of(sequence, i)[p] = 0.0;
    }
    if (turning < sequence->n_turnings && sequence->turnings[turning].step == step) {
        status = follow_turns(sequence, i, turning, z, with_gradient);
    } else {
        struct leg leg;
        leg.is_curved = path->is_periodic && sequence->law->needs_velocity;
        fill_leg(sequence, i, leg.is_curved, &leg);
        status = follow_leg(sequence, i, &leg, z, with_gradient, &sequence->effects[i]);
    }
    sequence->z[i] = *z;
    if (!path->is_periodic && i == 0) {
        sequence->effects[0].gx[1] = sequence->effects[0].gv[1] = 0.0; /* before: constants */
    }
    return status;
}
