/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a law says of its cost is per sample where nothing is known of the steady state. With
 * maps, legs.c, each sample is one of them; else a period is gone round two to four times, and
 * an implicit rule solves one equation or three in each sample step, or in each of the small
 * steps around a kink.
 */
/*
 * Evolution laws: dz/dx = rate(s, x, v, z) with s the direction of motion. The flow contracts
 * on each branch, so that the steady state under a periodic path is the fixed point of a scalar
 * map, the state after one period as a function of that before it. It is found by Newton's
 * method, and differentiated by the implicit function theorem; marching until nothing changes
 * would be slow at small amplitudes, where a change of the state hardly fades in one period.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "laws/evolution/legs.h"
#include "laws/evolution/period.h"
#include "laws/evolution/sequence.h"

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
        double travel = fabs(path->x[i] - path->x[i > 0 ? i - 1 : n - 1]);
        largest = travel > largest ? travel : largest;
    }
    return largest;
}

static void lay_out_softened(const struct masing_law *law, int n_parameters,
                             struct memory_room *rest, struct softened *soft)
{
    size_t n = law->evolution->soften ? (size_t)n_parameters : 0;
    size_t own = law->evolution->soften ? 1 : 0;
    soft->size = (law->parameters_size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    soft->parameters = memory_take(rest, own, soft->size);
    soft->dp = memory_take(rest, n, sizeof *soft->dp);
    soft->tangents = memory_take(rest, n, soft->size);
}

static size_t lay_out(struct sequence *sequence, int n_samples, int n_directions,
                      int n_parameters, double *workspace)
{
    size_t n = (size_t)n_samples, z = sizeof(double);
    struct memory_room rest = {workspace, 0};
    lay_out_softened(sequence->law, n_parameters, &rest, &sequence->soft);
    sequence->turnings = memory_take(&rest, n, sizeof *sequence->turnings);
    size_t legs = legs_workspace_size(n_samples, n_directions, n_parameters) + rest.size;
    sequence->rest = workspace ? workspace + rest.size : NULL;
    sequence->z = memory_take(&rest, n, z);
    sequence->effects = memory_take(&rest, n, sizeof *sequence->effects);
    sequence->changes = memory_take(&rest, n * (size_t)n_parameters, z);
    sequence->rates = memory_take(&rest, n, sizeof *sequence->rates);
    sequence->dz = memory_take(&rest, (size_t)(n_directions + n_parameters), z);
    if (sequence->law->evolution->linear) {
        linear_samples_lay_out(&rest, n, &sequence->samples);
    }
    return rest.size > legs ? rest.size : legs;
}

static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    struct sequence sequence = {.law = law};
    return lay_out(&sequence, n_samples, n_directions, n_parameters, NULL);
}

static void find_turnings(struct sequence *sequence)
{
    const struct masing_path *path = sequence->path;
    sequence->n_turnings = turning_find(path->x, path->n_samples, sequence->turnings);
    order_turnings(sequence);
}

/* Both samples of the step to sample i, and the whole stencil where something needs it. */
static void fill_segment(const struct sequence *sequence, int i, bool with_stencil,
                         struct segment *segment)
{
    const struct masing_path *path = sequence->path;
    int before = neighbour(sequence, i, -1);
    bool with_velocity = has_velocity(sequence);
    bool is_first = !path->is_periodic && i == 0;
    segment->x_from = (is_first ? sequence->x_before : path->x[before]) - sequence->origin;
    segment->x_to = path->x[i] - sequence->origin;
    segment->v_from = segment->v_to = segment->start = 0.0;
    segment->end = 1.0;
    if (with_velocity) {
        segment->v_from = is_first ? sequence->v_before : path->v[before];
        segment->v_to = path->v[i];
    }
    for (int m = 0; with_stencil && m < STENCIL; m++) {
        int at = neighbour(sequence, i, m - 2);
        segment->x[m] = path->x[at] - sequence->origin;
        segment->v[m] = with_velocity ? path->v[at] : 0.0;
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
    double slope_weights[STENCIL], bend_weights[STENCIL];
    if (!(fraction > 0.0 && fraction < 1.0)) {
        return;
    }
    turning_slope_weights(fraction, slope_weights);
    turning_bend_weights(fraction, bend_weights);
    double bend = turning_interpolate(bend_weights, segment->x);
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

static enum masing_status follow_segment(struct sequence *sequence, int i,
                                         const struct segment *segment, double *z,
                                         enum segment_derivative derivative,
                                         struct segment_effect *effect)
{
    double longest = sequence->longest;
    bool has_parameters = derivative && sequence->path->n_parameters > 0;
    if (!sequence->path->is_periodic) {
        longest = segment_step_length(sequence->law, sequence->parameters,
                                      fabs(segment->x_to - segment->x_from));
    }
    return segment_follow(sequence->law, sequence->parameters, segment, sequence->path, z,
                          longest, derivative, effect,
                          has_parameters ? changes_of(sequence, i) : NULL);
}

/* dz of a segment by its ends or by its fractions becomes that by the samples alone. */
static void spread_gradient(const struct segment *segment, const double from[STENCIL],
                            const double to[STENCIL], struct segment_gradient *gradient)
{
    if (segment->is_curved) {
        add_end(segment, segment->start, gradient->start, gradient->x);
        add_end(segment, segment->end, gradient->end, gradient->x);
    } else {
        spread(from, to, gradient->x);
        spread(from, to, gradient->v);
    }
}

/* A step with turning points inside, segment by segment. */
static enum masing_status follow_turns(struct sequence *sequence, int i, int turning, double *z,
                                       enum segment_derivative derivative)
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
        status = follow_segment(sequence, i, &segment, z, derivative, &effect);
        if (derivative) {
            spread_gradient(&segment, from, to, &effect.by_path);
            spread_gradient(&segment, from, to, &effect.by_state);
            spread(from, to, effect.slow);
        }
        segment_effect_append(&sequence->effects[i], &effect, derivative);
        memcpy(from, to, sizeof from);
        segment.x_from = segment.x_to;
        segment.v_from = segment.v_to;
        segment.start = segment.end;
    }
    return status;
}

/* Take step i from state *z; fills effects[i] and, with derivatives, changes[i]. */
static enum masing_status sequence_step(struct sequence *sequence, int i, double *z,
                                        enum segment_derivative derivative)
{
    const struct masing_path *path = sequence->path;
    enum masing_status status;
    int step = neighbour(sequence, i, -1), turning = first_turning(sequence, step);
    for (int p = 0; derivative && p < path->n_parameters; p++) {
        changes_of(sequence, i)[p] = 0.0;
    }
    if (turning < sequence->n_turnings && sequence->turnings[turning].step == step) {
        status = follow_turns(sequence, i, turning, z, derivative);
    } else {
        struct segment segment;
        segment.is_curved = path->is_periodic && sequence->law->needs_velocity;
        fill_segment(sequence, i, segment.is_curved, &segment);
        status = follow_segment(sequence, i, &segment, z, derivative, &sequence->effects[i]);
    }
    sequence->z[i] = *z;
    if (!path->is_periodic && i == 0) {
        sequence->effects[0].by_path.x[1] = sequence->effects[0].by_path.v[1] =
            0.0; /* before: constants */
    }
    return status;
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

/* Once around: *z becomes the state after one period from *z at sample 0. */
static enum masing_status go_round(struct sequence *sequence, double *z,
                                   enum segment_derivative derivative)
{
    enum masing_status status = MASING_OK;
    int n = sequence->path->n_samples;
    for (int k = 1; k <= n && status == MASING_OK; k++) {
        status = sequence_step(sequence, k % n, z, derivative);
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
        double *change = changes_of(sequence, i);
        memset(change, 0, sizeof(double) * (size_t)path->n_parameters);
        double longest =
            segment_step_length(sequence->law, sequence->parameters, fabs(segment.x_to));
        status = segment_follow(sequence->law, sequence->parameters, &segment, path,
                                &sequence->z[i], longest, with_gradient, &sequence->effects[i],
                                with_gradient ? change : NULL);
        sequence->effects[i].by_path.x[1] = 0.0;
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

/* How many steps from that to sample k on go one way without a turning point, and which way: at
 * least one, 0 where it turns within or does not move. */
static int steps_one_way(const struct sequence *sequence, int k, int turning, double *sign)
{
    const double *x = sequence->path->x;
    int n = sequence->path->n_samples, steps = 1;
    bool turns = turning < sequence->n_turnings && sequence->turnings[turning].step == k - 1;
    int end = turning < sequence->n_turnings ? sequence->turnings[turning].step + 1 : n + 1;
    double dx = x[k < n ? k : 0] - x[k - 1];
    *sign = turns || dx == 0.0 ? 0.0 : copysign(1.0, dx);
    for (; *sign != 0.0 && k + steps < end; steps++) {
        double next = x[k + steps < n ? k + steps : 0] - x[k + steps - 1];
        if (!(*sign * next > 0.0)) {
            break;
        }
    }
    return steps;
}

/* Once around from any state, of laws that are linear in it. */
static enum masing_status map_round(struct sequence *sequence, bool with_gradient)
{
    const struct linear_run run = {
        .law = sequence->law,
        .parameters = sequence->parameters,
        .path = sequence->path,
        .origin = sequence->origin,
        .longest = sequence->longest,
        .remembered = segment_memory(sequence->law, sequence->parameters),
        .with_gradient = with_gradient,
        .samples = &sequence->samples,
        .effects = sequence->effects,
    };
    int n = sequence->path->n_samples, *pieces = sequence->samples.pieces;
    memset(pieces, 0, sizeof(int) * (size_t)n);
    memset(sequence->samples.sign, 0, sizeof(double) * (size_t)n);
    for (int k = 1, steps; k <= n; k += steps) {
        double sign;
        steps = steps_one_way(sequence, k, first_turning(sequence, k - 1), &sign);
        if (sign != 0.0) {
            linear_run_follow(&run, k % n, steps, sign);
        }
    }
    for (int k = 1; k <= n; k++) {
        double z = 0.0;
        if (pieces[k % n] == 0) {
            NEED(sequence_step(sequence, k % n, &z,
                               with_gradient ? SEGMENT_ANY_STATE : SEGMENT_STATE));
        }
    }
    return MASING_OK;
}

/* Where a period leads from *z, and what fades: one beside the other. */
static double map_end(const struct sequence *sequence, double *z)
{
    int n = sequence->path->n_samples;
    double decay = 0.0, end = *z;
    for (int k = 1; k <= n; k++) {
        const struct segment_effect *effect = &sequence->effects[k % n];
        end += effect->offset - effect->decay * end;
        decay += effect->decay - decay * effect->decay;
    }
    *z = end;
    return decay;
}

static void settle(struct sequence *sequence, bool with_gradient, double *z)
{
    int n = sequence->path->n_samples;
    for (int k = 1; k <= n; k++) {
        *z = segment_effect_settle(&sequence->effects[k % n], *z, with_gradient);
        sequence->z[k % n] = *z;
    }
}

/* Laws that are linear in their state go round once from any state, and parameters, whose
 * changes are not kept like that, a second time. */
static enum masing_status follow_linear_round(void *context, double z, bool is_last,
                                              struct period_end *end)
{
    struct sequence *sequence = context;
    bool has_parameters = sequence->path->n_parameters > 0;
    bool with_gradient = sequence->with_gradient && !has_parameters;
    *end = (struct period_end){.z = z};
    if (!is_last) {
        NEED(map_round(sequence, with_gradient));
        sequence->decay = map_end(sequence, &end->z);
    } else if (has_parameters) {
        NEED(go_round(sequence, &end->z, SEGMENT_DERIVATIVE));
    } else {
        settle(sequence, with_gradient, &end->z);
    }
    end->growth = end->z - z;
    end->decay = sequence->decay;
    return MASING_OK;
}

static enum masing_status follow_round(void *context, double z, bool is_last,
                                       struct period_end *end)
{
    struct sequence *sequence = context;
    (void)is_last;
    end->z = z;
    NEED(go_round(sequence, &end->z,
                  sequence->with_gradient ? SEGMENT_DERIVATIVE : SEGMENT_STATE));
    end->growth = end->z - z;
    end->decay = sequence->decay = period_decay(sequence);
    end->size = largest_state(sequence);
    end->round_off = sequence->path->n_samples * DBL_EPSILON * end->size;
    if (sequence->law->evolution->lag) {
        end->growth = slow_growth(sequence, &end->round_off);
    }
    return MASING_OK;
}

static enum masing_status follow_period(struct sequence *sequence, double *guess)
{
    if (sequence->n_turnings == 0) {
        sequence->decay = 1.0;
        return stand_still(sequence, sequence->with_gradient);
    }
    bool is_linear = sequence->law->evolution->linear != NULL;
    return period_close(is_linear ? follow_linear_round : follow_round, sequence, is_linear,
                        INFINITY, guess);
}

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    (void)law;
    (void)parameters;
    struct evolution_state *s = (struct evolution_state *)(void *)state;
    *s = (struct evolution_state){.x = origin[0], .origin = origin[0]};
}

static enum masing_status follow_open(struct sequence *sequence, struct evolution_state *state,
                                      bool with_gradient)
{
    const struct masing_path *path = sequence->path;
    enum masing_status status = MASING_OK;
    sequence->x_before = state->x;
    sequence->v_before = state->v;
    for (int i = 0; i < path->n_samples && status == MASING_OK; i++) {
        status = sequence_step(sequence, i, &state->z, with_gradient);
        state->x = path->x[i];
        state->v = path->v ? path->v[i] : 0.0;
    }
    return status;
}

/* Of a law that was asked at the samples, in the direction of the velocity there. */
static void put_known_force(const struct sequence *sequence, int i, struct masing_rate *force)
{
    const struct masing_linear_rates *at = &sequence->samples.rates;
    double z = sequence->z[i];
    const struct masing_rate rate = {.value = at->free[i] + at->fade[i] * z,
                                     .x = at->free_x[i],
                                     .v = at->free_v[i] + at->fade_v[i] * z,
                                     .z = at->fade[i]};
    state_force(sequence->law, sequence->parameters, sequence->path->x[i] - sequence->origin,
                sequence->path->v[i], z, &rate, force);
}

static void put_forces(const struct sequence *sequence, struct masing_forces *forces)
{
    const struct masing_path *path = sequence->path;
    bool is_asked = path->is_periodic && sequence->law->evolution->linear &&
                    sequence->law->evolution->force && sequence->n_turnings > 0;
    for (int i = 0; i < path->n_samples; i++) {
        struct masing_rate *rate = &sequence->rates[i];
        double v = velocity(sequence, i);
        if (is_asked && sequence->samples.sign[i] == state_direction(v)) {
            put_known_force(sequence, i, rate);
        } else {
            state_force(sequence->law, sequence->parameters, path->x[i] - sequence->origin, v,
                        sequence->z[i], NULL, rate);
        }
        forces->f[i] = rate->value;
    }
    if (path->n_directions > 0) {
        sequence_expand_directions(sequence, forces->df);
    }
    if (path->n_parameters > 0) {
        sequence_expand_parameters(sequence, forces->dfp);
    }
    forces->slip_share = forces->slip_distance = NAN;
}

/* By maps where they serve, else sample by sample. */
static enum masing_status march_period(struct sequence *sequence, double *guess,
                                       struct masing_forces *forces)
{
    if (legs_serve(sequence->law, sequence->path)) {
        bool has_maps = false;
        double found = *guess;
        enum masing_status status =
            legs_follow(sequence->law, sequence->parameters, sequence->path, sequence->turnings,
                        sequence->n_turnings, &found, forces, sequence->rest, &has_maps);
        if (has_maps) {
            *guess = found;
            return status;
        }
    }
    sequence->longest = segment_step_length(sequence->law, sequence->parameters,
                                            largest_travel(sequence->path));
    NEED(follow_period(sequence, guess));
    *guess = sequence->z[0];
    put_forces(sequence, forces);
    return MASING_OK;
}

/* The law with its memory fading over a longer way, and its tangents. */
static void soften(struct sequence *sequence)
{
    const struct masing_path *path = sequence->path;
    const struct masing_evolution *evolution = sequence->law->evolution;
    struct softened *soft = &sequence->soft;
    const void *given = sequence->parameters;
    evolution->soften(given, NULL, path->smoothing, soft->parameters);
    for (int p = 0; p < path->n_parameters; p++) {
        char *tangent = soft->tangents + (size_t)p * soft->size;
        evolution->soften(given, path->dp[p], path->smoothing, tangent);
        soft->dp[p] = tangent;
    }
    soft->path = *path;
    soft->path.dp = soft->dp;
    sequence->path = &soft->path;
    sequence->parameters = soft->parameters;
}

static enum masing_status march(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace)
{
    (void)tangents;
    if (law->needs_velocity && (!path->v || (path->n_directions > 0 && !path->dv))) {
        return MASING_INTERNAL;
    }
    struct evolution_state *s = (struct evolution_state *)(void *)state;
    struct sequence sequence = {.law = law,
                                .parameters = parameters,
                                .path = path,
                                .origin = path->is_periodic ? path->origin[0] : s->origin,
                                .with_gradient =
                                    path->n_directions > 0 || path->n_parameters > 0};
    lay_out(&sequence, path->n_samples, path->n_directions, path->n_parameters, workspace);
    if (path->smoothing > 0.0 && law->evolution->soften) {
        soften(&sequence);
    }
    if (!path->is_periodic) {
        NEED(follow_open(&sequence, s, sequence.with_gradient));
        put_forces(&sequence, forces);
        return MASING_OK;
    }
    find_turnings(&sequence);
    double guess = s ? s->z : NAN;
    NEED(march_period(&sequence, &guess, forces));
    if (s) {
        *s = (struct evolution_state){.x = path->x[0],
                                      .origin = sequence.origin,
                                      .v = path->v ? path->v[0] : 0.0,
                                      .z = guess};
    }
    return MASING_OK;
}

enum {
    ROW_X = offsetof(struct evolution_state, x) / sizeof(double),
    ROW_ORIGIN = offsetof(struct evolution_state, origin) / sizeof(double),
    ROW_V = offsetof(struct evolution_state, v) / sizeof(double),
    ROW_Z = offsetof(struct evolution_state, z) / sizeof(double)
};

static void state_moved(const struct masing_law *law, const void *parameters, int n,
                        const double *dx, const double *dv, double *dstate)
{
    size_t columns = (size_t)n;
    double *velocity = dstate + ROW_V * columns;
    (void)law;
    (void)parameters;
    memcpy(dstate + ROW_X * columns, dx, sizeof(double) * columns);
    if (dv) {
        memcpy(velocity, dv, sizeof(double) * columns);
    } else {
        memset(velocity, 0, sizeof(double) * columns);
    }
}

/* A row of the state's changes; zero where it is held. */
static double change_before(const struct masing_step *step, int row, int direction)
{
    return step->dstate ? step->dstate[row * step->n + direction] : 0.0;
}

/* Lengths count from the origin, which may vary. */
static void put_changes(const struct segment_effect *effect, const struct masing_rate *force,
                        const struct masing_step *step)
{
    for (int k = 0; k < step->n; k++) {
        double origin = change_before(step, ROW_ORIGIN, k), x_to = step->dx[k] - origin;
        double x_from = change_before(step, ROW_X, k) - origin;
        double v_to = step->dv ? step->dv[k] : 0.0;
        double z = (1.0 - effect->decay) * change_before(step, ROW_Z, k) +
                   effect->by_path.x[1] * x_from + effect->by_path.x[2] * x_to +
                   effect->by_path.v[1] * change_before(step, ROW_V, k) +
                   effect->by_path.v[2] * v_to;
        step->df[k] = force->x * x_to + force->v * v_to + force->z * z;
        if (step->dstate) {
            step->dstate[ROW_Z * step->n + k] = z;
        }
    }
}

/* Straight from the state to x and v. */
static enum masing_status step(const struct masing_step *step)
{
    if (step->law->needs_velocity && (!step->v || (step->n > 0 && !step->dv))) {
        return MASING_INTERNAL;
    }
    struct evolution_state s = *(const struct evolution_state *)(const void *)step->state;
    struct segment_effect effect;
    const struct masing_path nothing = {0};
    const struct segment segment = {.x_from = s.x - s.origin,
                                    .x_to = step->x[0] - s.origin,
                                    .v_from = s.v,
                                    .v_to = step->v ? step->v[0] : 0.0};
    double longest =
        segment_step_length(step->law, step->parameters, fabs(segment.x_to - segment.x_from));
    enum masing_status status = segment_follow(step->law, step->parameters, &segment, &nothing,
                                               &s.z, longest, step->n > 0, &effect, NULL);
    if (status != MASING_OK) {
        return status;
    }
    struct masing_rate force;
    s.x = step->x[0];
    s.v = segment.v_to;
    state_force(step->law, step->parameters, segment.x_to, s.v, s.z, NULL, &force);
    step->f[0] = force.value;
    put_changes(&effect, &force, step);
    if (step->dstate) {
        state_moved(step->law, step->parameters, step->n, step->dx, step->dv, step->dstate);
    }
    memcpy(step->next_state, &s, sizeof s);
    return MASING_OK;
}

const struct masing_family masing_family_evolution = {
    .name = "evolution",
    .summary = "one internal state whose rate depends on the direction of motion",
    .settling_periods = -1,
    .n_state = sizeof(struct evolution_state) / sizeof(double),
    .workspace_size = workspace_size,
    .rest = rest,
    .march = march,
    .step = step,
    .state_moved = state_moved,
    .flow = &flow_evolution,
};
