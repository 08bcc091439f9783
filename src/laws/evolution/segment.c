/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/segment.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "laws/evolution/radau_step.h"
#include "linalg/bracket.h"

/* A law's relaxation length is followed in steps of this part of it: 1e-10 in one step. */
static const double STEP_OF_LENGTH = 0.1;

/* A rest of a segment of less than this part of a step is no step of its own. */
static const double ROUNDING = 1e-9;

/* Times that a step is halved whose stages Newton's iteration does not find. */
enum { MAX_REFUSALS = 20 };

/* A segment on the way of being followed. */
struct follower {
    const struct masing_law *law;
    const void *parameters;
    const struct segment *segment;
    const struct masing_path *path;
    struct masing_branch_point branch; /* x, v and z are those of the last call */
    enum segment_derivative derivative;
    struct segment_effect *effect;
    double *change;
};

/* Where a stage lies; on a curved segment with the weights of the stencil's samples for x and v
 * and for dx/dc of the segment. */
struct stage {
    double c; /* fraction of the segment */
    double weights[STENCIL], travel[STENCIL];
};

/* A law that is linear in its state at the nodes of a step. */
struct linear_nodes {
    struct stage stages[LINEAR_NODES];
    double x[LINEAR_NODES], v[LINEAR_NODES], way[LINEAR_NODES];
    double free[LINEAR_NODES], free_x[LINEAR_NODES], free_v[LINEAR_NODES];
    double fade[LINEAR_NODES], fade_v[LINEAR_NODES];
};

/* What is differentiated at a stage: dz by dx/dc, x and v there. */
struct stage_effect {
    double by_way, by_x, by_v;
};

/* An implicit step from fraction c to c + length of the segment that may yet be recorded. */
struct attempt {
    double start, length; /* fractions of the segment */
    struct stage stages[RADAU_STAGES];
    struct radau_input input;
    struct radau_output output;
};

/* first = kept first + second */
static void append_gradient(struct segment_gradient *first, double kept,
                            const struct segment_gradient *second)
{
    first->start = kept * first->start + second->start;
    first->end = kept * first->end + second->end;
    for (int m = 0; m < STENCIL; m++) {
        first->x[m] = kept * first->x[m] + second->x[m];
        first->v[m] = kept * first->v[m] + second->v[m];
    }
}

static void add_gradient(struct segment_gradient *to, double factor,
                         const struct segment_gradient *from)
{
    to->start += factor * from->start;
    to->end += factor * from->end;
    for (int m = 0; m < STENCIL; m++) {
        to->x[m] += factor * from->x[m];
        to->v[m] += factor * from->v[m];
    }
}

void segment_effect_append(struct segment_effect *first, const struct segment_effect *second,
                           enum segment_derivative derivative)
{
    double kept = 1.0 - second->decay, kept_first = 1.0 - first->decay;
    if (derivative) {
        append_gradient(&first->by_path, kept, &second->by_path);
        for (int m = 0; m < STENCIL; m++) {
            first->slow[m] = kept * first->slow[m] + second->slow[m];
        }
    }
    if (derivative == SEGMENT_ANY_STATE) { /* the second begins at offset + kept z */
        add_gradient(&first->by_path, first->offset, &second->by_state);
        struct segment_gradient by_state = {.start = 0.0};
        add_gradient(&by_state, kept_first, &second->by_state);
        append_gradient(&first->by_state, kept, &by_state);
    }
    first->offset = second->offset + kept * first->offset;
    first->decay = second->decay + kept * first->decay;
    first->shift += second->shift;
}

double segment_effect_settle(struct segment_effect *effect, double z, bool with_gradient)
{
    if (with_gradient) {
        add_gradient(&effect->by_path, z, &effect->by_state);
    }
    return effect->offset + z - effect->decay * z;
}

static void set_stage(const struct segment *segment, double c, struct stage *stage)
{
    double span = segment->end - segment->start, at = segment->start + c * span;
    stage->c = c;
    if (segment->is_curved) {
        turning_weights(at, stage->weights);
        turning_slope_weights(at, stage->travel);
        for (int m = 0; m < STENCIL; m++) {
            stage->travel[m] *= span;
        }
    }
}

/* x, v and dx/dc there */
static inline void place_stage(const struct segment *segment, const struct stage *stage,
                               double *x, double *v, double *way)
{
    if (segment->is_curved) {
        *x = turning_interpolate(stage->weights, segment->x);
        *v = turning_interpolate(stage->weights, segment->v);
        *way = turning_interpolate(stage->travel, segment->x);
    } else {
        double dx = segment->x_to - segment->x_from, dv = segment->v_to - segment->v_from;
        *x = segment->x_from + stage->c * dx;
        *v = segment->v_from + stage->c * dv;
        *way = dx;
    }
}

/*
 * A curved segment's ends move with the turning points: stage c lies at t = start + c (end -
 * start) of the step, where dx/dc = x'(t) (end - start).
 */
static void add_ends(const struct segment *segment, const struct stage *stage,
                     const struct stage_effect *by, struct segment_gradient *gradient)
{
    double span = segment->end - segment->start, c = stage->c, at = segment->start + c * span;
    double slope_weights[STENCIL], bend_weights[STENCIL];
    turning_slope_weights(at, slope_weights);
    turning_bend_weights(at, bend_weights);
    double slope = turning_interpolate(slope_weights, segment->x),
           bend = turning_interpolate(bend_weights, segment->x);
    double by_t = by->by_way * span * bend + by->by_x * slope +
                  by->by_v * turning_interpolate(slope_weights, segment->v);
    gradient->end += c * by_t + by->by_way * slope;
    gradient->start += (1.0 - c) * by_t - by->by_way * slope;
}

static inline void add_stage(const struct segment *segment, const struct stage *stage,
                             const struct stage_effect *by, struct segment_gradient *gradient)
{
    double *x = gradient->x, *v = gradient->v, c = stage->c;
    if (segment->is_curved) {
        for (int m = 0; m < STENCIL; m++) {
            x[m] += by->by_way * stage->travel[m] + by->by_x * stage->weights[m];
            v[m] += by->by_v * stage->weights[m];
        }
        if (segment->end - segment->start < 1.0) {
            add_ends(segment, stage, by, gradient);
        }
        return;
    }
    x[1] += (1.0 - c) * by->by_x - by->by_way;
    x[2] += c * by->by_x + by->by_way;
    v[1] += (1.0 - c) * by->by_v;
    v[2] += c * by->by_v;
}

/* Stages of a step from fraction c to c + length. */
static void place_stages(const struct segment *segment, double c, double length,
                         struct stage stages[RADAU_STAGES], struct radau_input *input)
{
    for (int k = 0; k < RADAU_STAGES; k++) {
        set_stage(segment, c + radau_nodes[k] * length, &stages[k]);
        place_stage(segment, &stages[k], &input->x[k], &input->v[k], &input->travel[k]);
        input->travel[k] *= length;
    }
}

static void add_radau_gradient(const struct segment *segment, double length,
                               const struct stage *stages, const struct radau_input *input,
                               const struct radau_output *output,
                               struct segment_gradient *gradient)
{
    for (int k = 0; k < RADAU_STAGES; k++) {
        const struct masing_rate *rate = &output->rate[k];
        double weight = output->weight[k], travel = input->travel[k];
        const struct stage_effect by = {weight * rate->value * length,
                                        weight * travel * rate->x, weight * travel * rate->v};
        add_stage(segment, &stages[k], &by, gradient);
    }
}

/* change = (1 - decay) change + sum_k weight travel rate_p */
static void add_change(const struct follower *follower, const struct radau_input *input,
                       const struct radau_output *output)
{
    const struct masing_evolution *evolution = follower->law->evolution;
    for (int p = 0; p < follower->path->n_parameters; p++) {
        double sum = (1.0 - output->decay) * follower->change[p];
        for (int k = 0; k < RADAU_STAGES; k++) {
            sum += output->weight[k] * input->travel[k] *
                   evolution->rate_change(follower->parameters, follower->path->dp[p],
                                          &output->at[k]);
        }
        follower->change[p] = sum;
    }
}

/*
 * y = z - E x: dy_end = (1 - decay) dy - decay E dx_start + excess (dx_end - dx_start), where
 * the step starts at fraction c of the segment.
 */
static void add_slow_gradient(const struct follower *follower, double c, double length,
                              const struct radau_output *output, struct segment_effect *effect)
{
    double elastic = follower->law->evolution->elastic_rate(follower->parameters);
    effect->slow[1] = -output->decay * elastic * (1.0 - c) - length * output->excess;
    effect->slow[2] = -output->decay * elastic * c + length * output->excess;
}

/* An implicit step, which counts only once it is recorded. */
static enum masing_status try_step(const struct follower *follower, double c, double length,
                                   double z, struct attempt *attempt)
{
    const struct segment *segment = follower->segment;
    attempt->start = c;
    attempt->length = length;
    attempt->input.branch = follower->branch;
    place_stages(segment, c, length, attempt->stages, &attempt->input);
    return radau_step(follower->law->evolution, follower->parameters, &attempt->input, z,
                      follower->derivative, &attempt->output);
}

/* Entry by entry: at once they are a slow `rep stos`. */
static void set_empty(struct segment_effect *effect, bool with_gradient)
{
    effect->decay = effect->offset = effect->shift = 0.0;
    for (int m = 0; with_gradient && m < STENCIL; m++) {
        effect->by_path.x[m] = effect->by_path.v[m] = effect->slow[m] = 0.0;
        effect->by_state.x[m] = effect->by_state.v[m] = 0.0;
    }
    if (with_gradient) {
        effect->by_path.start = effect->by_path.end = 0.0;
        effect->by_state.start = effect->by_state.end = 0.0;
    }
}

/* Append the attempt to the effect and the changes; *z becomes its end. The first one is the
 * effect so far. */
static void record_step(const struct follower *follower, const struct attempt *attempt,
                        double *z)
{
    struct segment_effect own, *effect = follower->effect;
    bool is_first = attempt->start == 0.0;
    if (!is_first) {
        effect = &own;
        set_empty(effect, follower->derivative);
    }
    effect->decay = attempt->output.decay;
    if (follower->derivative) {
        add_radau_gradient(follower->segment, attempt->length, attempt->stages, &attempt->input,
                           &attempt->output, &effect->by_path);
    }
    if (follower->law->evolution->lag) {
        effect->shift = attempt->output.shift;
        add_slow_gradient(follower, attempt->start, attempt->length, &attempt->output, effect);
    }
    if (!is_first) {
        segment_effect_append(follower->effect, effect, follower->derivative);
    }
    if (follower->change) {
        add_change(follower, &attempt->input, &attempt->output);
    }
    *z = attempt->output.z;
}

/* Part of the step at which the state reaches the kink. The rate is continuous there, so that
 * the place does not enter the derivative. */
static double find_kink(const struct follower *follower, double c, double length, double z,
                        double z_end, double kink)
{
    struct attempt attempt;
    double below = z - kink, above = z_end - kink;
    static const double TOLERANCE = 1e-12; /* of the change of state over the step */
    double tolerance = TOLERANCE * (fabs(below) + fabs(above));
    struct bracket bracket = bracket_of(0.0, below, 1.0, above);
    while (!(bracket.best <= tolerance) && bracket_next(&bracket, 0.0) &&
           try_step(follower, c, bracket.x * length, z, &attempt) == MASING_OK) {
        bracket_set(&bracket, attempt.output.z - kink);
    }
    return bracket.best <= tolerance ? bracket.x : 0.5 * (bracket.end[0].x + bracket.end[1].x);
}

/* Side of the kink; at the kink itself that to which the state moves. */
static void set_side(struct follower *follower, double distance)
{
    struct masing_rate rate;
    if (distance == 0.0) {
        const struct masing_evolution *evolution = follower->law->evolution;
        struct masing_branch_point at = follower->branch;
        at.z = evolution->kink(follower->parameters);
        evolution->rate(follower->parameters, &at, &rate);
        distance = follower->branch.sign * rate.value;
    }
    follower->branch.side = copysign(1.0, distance);
}

/* To the kink on one side, and on from there on the other; both or nothing is recorded. */
static enum masing_status take_across(struct follower *follower, double c, double length,
                                      double part, double *z)
{
    struct attempt before, after;
    NEED(try_step(follower, c, part * length, *z, &before));
    follower->branch.side = -follower->branch.side;
    NEED(try_step(follower, c + part * length, (1.0 - part) * length, before.output.z, &after));
    record_step(follower, &before, z);
    record_step(follower, &after, z);
    return MASING_OK;
}

static enum masing_status take_step(struct follower *follower, double c, double length,
                                    double *z)
{
    const struct masing_evolution *evolution = follower->law->evolution;
    struct attempt attempt;
    double kink = 0.0;
    if (evolution->kink) {
        kink = evolution->kink(follower->parameters);
        set_side(follower, *z - kink);
    }
    NEED(try_step(follower, c, length, *z, &attempt));
    if (evolution->kink && follower->branch.side * (attempt.output.z - kink) < 0.0) {
        double part = find_kink(follower, c, length, *z, attempt.output.z, kink);
        return take_across(follower, c, length, part, z);
    }
    record_step(follower, &attempt, z);
    return MASING_OK;
}

/* A travel dx along a map that begins and ends at fractions of the segment; false: none. */
static bool add_travel(struct follower *follower, double dx, double start, double end,
                       double *z)
{
    const struct masing_evolution *evolution = follower->law->evolution;
    struct masing_travel after;
    struct masing_leg leg = {
        .sign = follower->branch.sign, .half = follower->branch.half, .z = *z};
    if (!evolution->begin(follower->parameters, &leg)) {
        return false;
    }
    evolution->travel(follower->parameters, &leg, fabs(dx), &after);
    for (int p = 0; follower->change && p < follower->path->n_parameters; p++) {
        follower->change[p] = after.kept * follower->change[p] +
                              evolution->travel_change(follower->parameters,
                                                       follower->path->dp[p], &leg, fabs(dx));
    }
    struct segment_effect *effect = follower->effect;
    effect->decay = after.faded + after.kept * effect->decay;
    if (follower->derivative) { /* an end at x = 0 does not move */
        effect->by_path.x[1] =
            after.kept * effect->by_path.x[1] - (start == 0.0 ? after.rate : 0.0);
        effect->by_path.x[2] =
            after.kept * effect->by_path.x[2] + (end == 1.0 ? after.rate : 0.0);
    }
    *z = after.z;
    return true;
}

/* Nothing travels; there is a derivative by both ends all the same, but for a turning point at
 * a sample. */
static void add_rest(const struct follower *follower, double x, double v, double z)
{
    struct masing_rate rate;
    const struct segment *segment = follower->segment;
    bool is_any = follower->derivative == SEGMENT_ANY_STATE;
    struct segment_effect *effect = follower->effect;
    const struct masing_branch_point at = {
        v < 0.0 ? -1.0 : 1.0, copysign(1.0, z), copysign(1.0, x), x, v, is_any ? 0.0 : z};
    if (segment->is_curved && segment->start == segment->end) {
        return;
    }
    follower->law->evolution->rate(follower->parameters, &at, &rate);
    effect->by_path.x[1] = -rate.value;
    effect->by_path.x[2] = rate.value;
    if (is_any) {
        effect->by_state.x[1] = -rate.z;
        effect->by_state.x[2] = rate.z;
    }
}

static void place_nodes(const struct follower *follower, double c, double length,
                        struct linear_nodes *nodes)
{
    const struct masing_linear_rates rates = {nodes->free, nodes->free_x, nodes->free_v,
                                              nodes->fade, nodes->fade_v};
    for (int i = 0; i < LINEAR_NODES; i++) {
        set_stage(follower->segment, c + linear_nodes[i] * length, &nodes->stages[i]);
        place_stage(follower->segment, &nodes->stages[i], &nodes->x[i], &nodes->v[i],
                    &nodes->way[i]);
        nodes->way[i] *= length;
    }
    follower->law->evolution->linear(follower->parameters, follower->branch.sign, LINEAR_NODES,
                                     nodes->x, nodes->v, &rates);
}

static void add_linear_gradient(const struct follower *follower, double length,
                                const struct linear_nodes *nodes,
                                const struct linear_means *means,
                                const struct linear_step *step, struct segment_effect *effect)
{
    for (int i = 0; i < LINEAR_NODES; i++) {
        double by_free = linear_by_free(step, means, i), way = nodes->way[i];
        double by_fade = linear_by_fade(step, means, i);
        const struct stage_effect by = {
            length * (by_free * nodes->free[i] + by_fade * nodes->fade[i]),
            way * by_free * nodes->free_x[i],
            way * (by_free * nodes->free_v[i] + by_fade * nodes->fade_v[i])};
        add_stage(follower->segment, &nodes->stages[i], &by, &effect->by_path);
        if (follower->derivative == SEGMENT_ANY_STATE) {
            double by_z = linear_means[i] * step->left;
            const struct stage_effect of_state = {by_z * length * nodes->fade[i], 0.0,
                                                  by_z * way * nodes->fade_v[i]};
            add_stage(follower->segment, &nodes->stages[i], &of_state, &effect->by_state);
        }
    }
}

/* The change of free + fade z is linear in z. */
static void add_linear_change(const struct follower *follower, const struct linear_nodes *nodes,
                              const struct linear_means *means, const struct linear_step *step)
{
    const struct masing_path *path = follower->path;
    for (int p = 0; p < path->n_parameters; p++) {
        double sum = (1.0 - step->decay) * follower->change[p];
        for (int i = 0; i < LINEAR_NODES; i++) {
            double at_z[2];
            for (int z = 0; z < 2; z++) {
                struct masing_branch_point at = follower->branch;
                at.x = nodes->x[i];
                at.v = nodes->v[i];
                at.z = z;
                at_z[z] = follower->law->evolution->rate_change(follower->parameters,
                                                                path->dp[p], &at);
            }
            sum += nodes->way[i] * (linear_by_free(step, means, i) * at_z[0] +
                                    linear_by_fade(step, means, i) * (at_z[1] - at_z[0]));
        }
        follower->change[p] = sum;
    }
}

/* What a step is taken on condition of: free / fade the same at all nodes, so that a step of
 * any length is exact; or fade much the same. */
enum demand { DEMAND_NOTHING, DEMAND_SAME, DEMAND_LIKE };

static bool meets(enum demand demand, const struct linear_nodes *nodes)
{
    static const double LITTLE = 1e-2;
    const int last = LINEAR_NODES - 1;
    bool is_met = true;
    for (int i = 0; i < last && demand; i++) {
        double fade = nodes->fade[i];
        is_met = is_met &&
                 (demand == DEMAND_LIKE ? fabs(fade - nodes->fade[last]) <= LITTLE * fabs(fade)
                                        : linear_is_same(nodes->free[i], fade,
                                                         nodes->free[last], nodes->fade[last]));
    }
    return is_met;
}

/* A step of a law that is linear in z, from fraction c to c + length. False: the demand
 * is not met; nothing is done. */
static bool take_linear_step(struct follower *follower, double c, double length, bool is_first,
                             enum demand demand, double *z)
{
    struct linear_nodes nodes;
    struct linear_means means;
    struct linear_step step;
    struct segment_effect own, *effect = is_first ? follower->effect : &own;
    place_nodes(follower, c, length, &nodes);
    if (!meets(demand, &nodes)) {
        return false;
    }
    bool is_any = follower->derivative == SEGMENT_ANY_STATE;
    linear_step_take(nodes.way, nodes.free, nodes.fade, is_any ? 0.0 : *z, &means, &step);
    if (effect == &own) {
        set_empty(effect, follower->derivative);
    }
    effect->decay = step.decay;
    effect->offset = step.z - (is_any ? 0.0 : (1.0 - step.decay) * *z);
    if (follower->derivative) {
        add_linear_gradient(follower, length, &nodes, &means, &step, effect);
    }
    if (effect == &own) {
        segment_effect_append(follower->effect, effect, follower->derivative);
    }
    if (follower->change) {
        add_linear_change(follower, &nodes, &means, &step);
    }
    *z = is_any ? step.z + (1.0 - step.decay) * *z : step.z;
    return true;
}

/* Steps too long for Newton's iteration, of which nothing is recorded, are halved. */
static enum masing_status take_halves(struct follower *follower, double c, double length,
                                      int halvings, double *z)
{
    enum masing_status status = take_step(follower, c, length, z);
    if (status != MASING_NOT_FINITE || halvings == 0) {
        return status;
    }
    NEED(take_halves(follower, c, 0.5 * length, halvings - 1, z));
    return take_halves(follower, c + 0.5 * length, 0.5 * length, halvings - 1, z);
}

/*
 * Travel of the next step: part of the way to the kink, and as much on the way from it, within
 * a small part of the length and `longest`.
 */
static double graded_step(const struct follower *follower, double longest, double z)
{
    /* of the law's length, and of the distance from the kink */
    static const double SMALLEST = 1e-4, PART = 0.2;
    const struct masing_evolution *evolution = follower->law->evolution;
    struct masing_rate rate;
    double distance = z - evolution->kink(follower->parameters);
    const struct masing_branch_point at = {
        .sign = follower->branch.sign, .side = copysign(1.0, distance), .half = 1.0, .z = z};
    evolution->rate(follower->parameters, &at, &rate);
    double smallest = SMALLEST * evolution->length(follower->parameters);
    return fmin(longest, fmax(smallest, PART * fabs(distance / rate.value)));
}

static enum masing_status take_graded_steps(struct follower *follower, double c, double end,
                                            double travel, double longest, double *z)
{
    enum masing_status status = MASING_OK;
    while (c < end && status == MASING_OK) {
        double step = graded_step(follower, longest, *z) / travel;
        bool is_last = !(c + step * (1.0 + ROUNDING) < end);
        step = is_last ? end - c : step;
        status = take_halves(follower, c, step, MAX_REFUSALS, z);
        c = is_last ? end : c + step;
    }
    return status;
}

int segment_pieces(double travel, double longest)
{
    double steps = travel / longest * (1.0 - ROUNDING);
    return steps > 1.0 ? (int)ceil(steps) : 1;
}

/* Lengths of travel after which a double knows nothing of the state before: e^-40. */
static const double FORGETTING = 40.0;

/* Travel after which a state is forgotten; the law forgets most slowly where v = 0. */
static double forgotten_travel(const struct follower *follower, double c)
{
    struct masing_branch_point at = follower->branch;
    const struct segment *segment = follower->segment;
    struct masing_rate rate;
    at.x = segment->x_from + c * (segment->x_to - segment->x_from);
    follower->law->evolution->rate(follower->parameters, &at, &rate);
    return FORGETTING / fabs(rate.z);
}

double segment_memory(const struct masing_law *law, const void *parameters)
{
    return FORGETTING * law->evolution->length(parameters);
}

/* Where between c and end a state is begun with that is forgotten at the end, c at first. */
static double begin_late(const struct follower *follower, double c, double end, double travel)
{
    const struct segment *segment = follower->segment;
    double all = end - c;
    if (all * travel <= segment_memory(follower->law, follower->parameters)) {
        return c;
    }
    double needed = forgotten_travel(follower, end), part = needed / travel, way = 0.0;
    while (part < all) {
        struct stage stage;
        double x, v, dx;
        set_stage(segment, end - part, &stage);
        place_stage(segment, &stage, &x, &v, &dx);
        way = fabs(segment->x_from + end * (segment->x_to - segment->x_from) - x);
        if (way >= needed) {
            return end - part;
        }
        part *= fmin(4.0, 1.0 + needed / fmax(way, 1e-3 * needed)) * 0.75;
    }
    return c;
}

/* Beside a turning point velocities change by much over a short travel. */
enum { STEPS_AT_TURNING = 8 };

/* Steps of laws that are linear in z: no more than what is not forgotten at the end, and one
 * where the state at its limit is the same all the way. */
static enum masing_status take_linear_steps(struct follower *follower, double c, double end,
                                            double travel, double longest, double *z)
{
    bool is_first = c == 0.0;
    double from = begin_late(follower, c, end, travel);
    if (from > c) {
        *z = 0.0;
        longest = fmax(STEP_OF_LENGTH * follower->law->evolution->length(follower->parameters),
                       (end - from) * travel / (1 << SEGMENT_MAX_HALVINGS));
    }
    const struct segment *segment = follower->segment;
    bool turns = segment->is_curved && segment->end - segment->start < 1.0;
    int n = segment_pieces((end - from) * travel, longest);
    enum demand demand = n > 1 ? DEMAND_SAME : turns ? DEMAND_LIKE : DEMAND_NOTHING;
    if (take_linear_step(follower, from, end - from, is_first, demand, z)) {
        return isfinite(*z) ? MASING_OK : MASING_NOT_FINITE;
    }
    n = turns && n < STEPS_AT_TURNING ? STEPS_AT_TURNING : n;
    for (int i = 0; i < n; i++) {
        take_linear_step(follower, from + (end - from) * i / n, (end - from) / n,
                         is_first && i == 0, DEMAND_NOTHING, z);
    }
    return isfinite(*z) ? MASING_OK : MASING_NOT_FINITE;
}

/* From fraction c to end of a segment that travels `travel` in all, in steps of `longest`. */
static enum masing_status take_steps(struct follower *follower, double c, double end,
                                     double travel, double longest, double *z)
{
    enum masing_status status = MASING_OK;
    if (follower->law->evolution->kink) {
        return take_graded_steps(follower, c, end, travel, longest, z);
    }
    if (follower->law->evolution->linear) {
        return take_linear_steps(follower, c, end, travel, longest, z);
    }
    int n = segment_pieces((end - c) * travel, longest);
    for (int i = 0; i < n && status == MASING_OK; i++) {
        status = take_halves(follower, c + (end - c) * i / n, (end - c) / n, MAX_REFUSALS, z);
    }
    return status;
}

/* From fraction c to end of a segment that travels dx in all, on one half of the axis. */
static enum masing_status follow_half(struct follower *follower, double c, double end,
                                      double dx, double longest, double *z)
{
    if (segment_has_map(follower->law, follower->path) &&
        add_travel(follower, (end - c) * dx, c, end, z)) {
        return MASING_OK;
    }
    return take_steps(follower, c, end, fabs(dx), longest, z);
}

double segment_step_length(const struct masing_law *law, const void *parameters, double travel)
{
    double fine_enough = STEP_OF_LENGTH * law->evolution->length(parameters), step = travel;
    for (int halvings = 0; step > fine_enough && halvings < SEGMENT_MAX_HALVINGS; halvings++) {
        step *= 0.5;
    }
    return step;
}

enum masing_status segment_follow(const struct masing_law *law, const void *parameters,
                                  const struct segment *segment, const struct masing_path *path,
                                  double *z, double longest, enum segment_derivative derivative,
                                  struct segment_effect *effect, double *change)
{
    enum masing_status status = MASING_OK;
    const struct masing_evolution *evolution = law->evolution;
    double x_start = segment->x_from, x_end = segment->x_to, dx = x_end - x_start;
    struct follower follower = {
        .law = law,
        .parameters = parameters,
        .segment = segment,
        .path = path,
        .branch = {copysign(1.0, dx), 1.0, copysign(1.0, x_start + x_end), 0.0, 0.0, 0.0},
        .derivative = derivative,
        .effect = effect,
        .change = change,
    };
    set_empty(effect, derivative);
    if (dx == 0.0) {
        if (derivative) {
            add_rest(&follower, x_end, segment->v_to, *z);
        }
        return status;
    }
    bool crosses = evolution->has_kink_at_origin && x_start * x_end < 0.0;
    double middle = crosses ? -x_start / dx : 1.0;
    follower.branch.half = crosses ? copysign(1.0, x_start) : follower.branch.half;
    status = follow_half(&follower, 0.0, middle, dx, longest, z);
    if (crosses && status == MASING_OK) {
        follower.branch.half = copysign(1.0, x_end);
        status = follow_half(&follower, middle, 1.0, dx, longest, z);
    }
    return status;
}
