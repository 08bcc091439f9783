/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/sequence.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "laws/evolution/state.h"
#include "linalg/bracket.h"

/* Errors of the state over its size: one that needs no better, and one of which Newton's
 * quadratic convergence leaves nothing. */
static const double EXACT = 1e-14, NEARLY = 1e-8;

size_t sequence_workspace_size(int n_samples, int n_parameters)
{
    size_t n = (size_t)n_samples;
    return n + memory_doubles(n, sizeof(struct segment_effect)) + n * (size_t)n_parameters +
           memory_doubles(n, sizeof(struct turning));
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
    sequence->effects = (struct segment_effect *)(void *)workspace;
    workspace += memory_doubles(n, sizeof(struct segment_effect));
    sequence->changes = workspace;
    workspace += n * (size_t)path->n_parameters;
    sequence->turnings = (struct turning *)(void *)workspace;
    sequence->n_turnings = 0;
    if (path->is_periodic) {
        sequence->n_turnings = turning_find(path->x, path->n_samples, sequence->turnings);
        order_turnings(sequence);
        sequence->longest =
            segment_step_length(sequence->law, sequence->parameters, largest_travel(path));
    }
}

static int neighbour(const struct sequence *sequence, int i, int offset)
{
    int n = sequence->path->n_samples, at = i + offset;
    return at < 0 ? at + n : at >= n ? at - n : at;
}

/* Both samples of the step to sample i, and the whole stencil where something needs it. */
static void fill_segment(const struct sequence *sequence, int i, bool with_stencil,
                         struct segment *segment)
{
    const struct masing_path *path = sequence->path;
    int before = neighbour(sequence, i, -1);
    bool has_velocity = sequence->law->needs_velocity && path->v;
    bool is_first = !path->is_periodic && i == 0;
    segment->x_from = (is_first ? sequence->x_before : path->x[before]) - sequence->origin;
    segment->x_to = path->x[i] - sequence->origin;
    segment->v_from = segment->v_to = segment->start = 0.0;
    segment->end = 1.0;
    if (has_velocity) {
        segment->v_from = is_first ? sequence->v_before : path->v[before];
        segment->v_to = path->v[i];
    }
    for (int m = 0; with_stencil && m < STENCIL; m++) {
        int at = neighbour(sequence, i, m - 2);
        segment->x[m] = path->x[at] - sequence->origin;
        segment->v[m] = has_velocity ? path->v[at] : 0.0;
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
static void add_end(const struct segment *segment, double fraction, double effect, double *gx)
{
    double slope_weights[STENCIL], bend_weights[STENCIL], bend = 0.0;
    if (!(fraction > 0.0 && fraction < 1.0)) {
        return;
    }
    turning_slope_weights(fraction, slope_weights);
    turning_bend_weights(fraction, bend_weights);
    for (int m = 0; m < STENCIL; m++) {
        bend += bend_weights[m] * segment->x[m];
    }
    for (int m = 0; bend != 0.0 && m < STENCIL; m++) {
        gx[m] -= effect * slope_weights[m] / bend;
    }
}

/* From derivatives by the ends of a straight segment to those by the samples. */
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

static enum masing_status follow_segment(struct sequence *sequence, int i,
                                         const struct segment *segment, double *z,
                                         bool with_gradient, struct segment_effect *effect)
{
    double longest = sequence->longest;
    bool has_parameters = with_gradient && sequence->path->n_parameters > 0;
    if (!sequence->path->is_periodic) {
        longest = segment_step_length(sequence->law, sequence->parameters,
                                      fabs(segment->x_to - segment->x_from));
    }
    return segment_follow(sequence->law, sequence->parameters, segment, sequence->path, z,
                          longest, with_gradient, effect,
                          has_parameters ? changes_of(sequence, i) : NULL);
}

/* A step with turning points inside, segment by segment. */
static enum masing_status follow_turns(struct sequence *sequence, int i, int turning, double *z,
                                       bool with_gradient)
{
    enum masing_status status = MASING_OK;
    struct segment segment = {.is_curved = sequence->law->needs_velocity};
    double from[STENCIL] = {0.0, 1.0, 0.0, 0.0}, to[STENCIL];
    int step = neighbour(sequence, i, -1);
    bool is_last = false;
    fill_segment(sequence, i, true, &segment);
    memset(&sequence->effects[i], 0, sizeof sequence->effects[i]);
    for (int k = turning; !is_last && status == MASING_OK; k++) {
        struct segment_effect effect;
        is_last = k == sequence->n_turnings || sequence->turnings[k].step != step;
        segment.end = is_last ? 1.0 : sequence->turnings[k].fraction;
        turning_weights(segment.end, to);
        segment.x_to = turning_interpolate(to, segment.x);
        segment.v_to = turning_interpolate(to, segment.v);
        status = follow_segment(sequence, i, &segment, z, with_gradient, &effect);
        if (with_gradient && segment.is_curved) {
            add_end(&segment, segment.start, effect.by_start, effect.gx);
            add_end(&segment, segment.end, effect.by_end, effect.gx);
        } else if (with_gradient) {
            spread(from, to, effect.gx);
            spread(from, to, effect.gv);
            spread(from, to, effect.slow);
        }
        segment_effect_append(&sequence->effects[i], &effect, with_gradient);
        memcpy(from, to, sizeof from);
        segment.x_from = segment.x_to;
        segment.v_from = segment.v_to;
        segment.start = segment.end;
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
        struct segment segment;
        segment.is_curved = path->is_periodic && sequence->law->needs_velocity;
        fill_segment(sequence, i, segment.is_curved, &segment);
        status = follow_segment(sequence, i, &segment, z, with_gradient, &sequence->effects[i]);
    }
    sequence->z[i] = *z;
    if (!path->is_periodic && i == 0) {
        sequence->effects[0].gx[1] = sequence->effects[0].gv[1] = 0.0; /* before: constants */
    }
    return status;
}

static double velocity(const struct sequence *sequence, int i)
{
    const struct masing_path *path = sequence->path;
    return sequence->law->needs_velocity && path->v ? path->v[i] : 0.0;
}

void sequence_force(const struct sequence *sequence, int i, struct masing_rate *force)
{
    state_force(sequence->law, sequence->parameters, sequence->path->x[i] - sequence->origin,
                velocity(sequence, i), sequence->z[i], force);
}

static double force_change(const struct sequence *sequence, int i, const void *tangent)
{
    const struct masing_evolution *evolution = sequence->law->evolution;
    double v = velocity(sequence, i);
    if (!evolution->force_change) {
        return 0.0;
    }
    return evolution->force_change(sequence->parameters, tangent, state_direction(v),
                                   sequence->path->x[i] - sequence->origin, v, sequence->z[i]);
}

/* 1 - the factor by which a change of the state is left after one period, without loss of
 * digits. */
static double period_decay(const struct sequence *sequence)
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
    const struct segment_effect *effect = &sequence->effects[i];
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
    close_period(period_decay(sequence), dz, n);
    double elastic = is_slow ? evolution->elastic_rate(sequence->parameters) : 0.0;
    for (size_t d = 0; is_slow && d < n; d++) {
        dz[d] += elastic * path->dx[d];
    }
}

void sequence_expand_directions(const struct sequence *sequence,
                                const struct masing_rate *rates, double *dz, double *df)
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

void sequence_expand_parameters(const struct sequence *sequence,
                                const struct masing_rate *rates, double *dz, double *dfp)
{
    const struct masing_path *path = sequence->path;
    size_t n = (size_t)path->n_parameters;
    memset(dz, 0, sizeof(double) * n);
    for (int k = 0; path->is_periodic && k < path->n_samples; k++) {
        advance_parameters(sequence, step_of(sequence, k), dz);
    }
    if (path->is_periodic) {
        close_period(period_decay(sequence), dz, n);
    }
    for (int k = 0; k < path->n_samples; k++) {
        int i = step_of(sequence, k);
        advance_parameters(sequence, i, dz);
        for (size_t p = 0; p < n; p++) {
            dfp[(size_t)i * n + p] =
                rates[i].z * dz[p] + force_change(sequence, i, path->dp[p]);
        }
    }
}

/* Once around: *z becomes the state after one period from *z at sample 0. */
static enum masing_status go_round(struct sequence *sequence, double *z, bool with_gradient)
{
    enum masing_status status = MASING_OK;
    int n = sequence->path->n_samples;
    for (int k = 1; k <= n && status == MASING_OK; k++) {
        status = sequence_step(sequence, k % n, z, with_gradient);
    }
    return status;
}

/* Nothing moves: the joint was brought here from rest, as on a virgin curve. */
static enum masing_status stand_still(struct sequence *sequence, bool with_gradient)
{
    const struct masing_path *path = sequence->path;
    enum masing_status status = MASING_OK;
    for (int i = 0; i < path->n_samples && status == MASING_OK; i++) {
        struct segment segment = {.x_to = path->x[i] - sequence->origin};
        sequence->z[i] = 0.0;
        double *change = sequence->changes + (size_t)i * (size_t)path->n_parameters;
        memset(change, 0, sizeof(double) * (size_t)path->n_parameters);
        double longest =
            segment_step_length(sequence->law, sequence->parameters, fabs(segment.x_to));
        status = segment_follow(sequence->law, sequence->parameters, &segment, path,
                                &sequence->z[i], longest, with_gradient, &sequence->effects[i],
                                with_gradient ? change : NULL);
        sequence->effects[i].gx[1] = 0.0;
        sequence->effects[i].decay = 1.0; /* each sample is brought here by itself */
    }
    return status;
}

static double largest_state(const struct sequence *sequence)
{
    double largest = 0.0;
    for (int i = 0; i < sequence->path->n_samples; i++) {
        largest = fmax(largest, fabs(sequence->z[i]));
    }
    return largest;
}

/* Newton's next guess; halving instead where that leaves what is known. The map contracts, so
 * that z lies below the fixed point where it grows in a period. */
static double next_guess(struct bracket *bracket, double z, double growth, double decay)
{
    if (!(decay > 0.0)) {
        return z + growth / decay; /* a law that does not contract has no such order */
    }
    bracket->x = z;
    bracket_set(bracket, growth);
    bracket_newton(bracket, growth / decay);
    return bracket->x;
}

/* Growth of the slow part of the state; the rest follows the displacement, which comes back. */
static double slow_growth(const struct sequence *sequence, double *round_off)
{
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < sequence->path->n_samples; i++) {
        sum += sequence->effects[i].shift;
        size += fabs(sequence->effects[i].shift);
    }
    *round_off = 8.0 * DBL_EPSILON * size;
    return sum;
}

enum masing_status sequence_follow_period(struct sequence *sequence, double *guess,
                                          bool with_gradient)
{
    enum { MAX_ITERATIONS = 60 };
    struct bracket bracket = bracket_of(-INFINITY, 1.0, INFINITY, -1.0);
    double z = guess && isfinite(*guess) ? *guess : 0.0;
    bool is_last = false;
    if (sequence->n_turnings == 0) {
        return stand_still(sequence, with_gradient);
    }
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double end = z;
        enum masing_status status = go_round(sequence, &end, with_gradient);
        if (status != MASING_OK || !isfinite(end)) {
            return status != MASING_OK ? status : MASING_NOT_FINITE;
        }
        double growth = end - z, decay = period_decay(sequence), size = largest_state(sequence);
        double round_off = sequence->path->n_samples * DBL_EPSILON * size;
        if (sequence->law->evolution->lag) {
            growth = slow_growth(sequence, &round_off);
        }
        if (is_last || fabs(growth) <= EXACT * fabs(decay) * size) {
            if (guess) {
                *guess = end;
            }
            return MASING_OK;
        }
        if (decay == 0.0) {
            return MASING_SINGULAR;
        }
        is_last = fabs(growth) <= NEARLY * fabs(decay) * size || fabs(growth) <= round_off;
        z = next_guess(&bracket, z, growth, decay);
    }
    return MASING_NOT_CONVERGED;
}
