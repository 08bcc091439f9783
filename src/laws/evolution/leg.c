/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/leg.h"

#include <math.h>
#include <string.h>

#include "laws/evolution/radau.h"

/* A law's relaxation length is followed in steps of this part of it: 1e-10 in one step. */
static const double STEP_OF_LENGTH = 0.1;

/* More would be waste: the rule is stiffly accurate. */
enum { MAX_HALVINGS = 6, MAX_RESCUES = 20 };

/* Where a stage lies; on a curved leg with the weights of the stencil's samples. */
struct stage {
    double c; /* fraction of the leg */
    double weights[STENCIL], travel[STENCIL];
};

struct follower {
    const struct masing_law *law;
    const void *parameters;
    const struct leg *leg;
    const struct masing_path *path;
    struct masing_branch branch;
    bool with_gradient;
    struct leg_effect *effect;
    double *change;
};

static double weigh(const double weights[STENCIL], const double samples[STENCIL])
{
    return weights[0] * samples[0] + weights[1] * samples[1] + weights[2] * samples[2] +
           weights[3] * samples[3];
}

static void clear_effect(struct leg_effect *effect)
{
    memset(effect, 0, sizeof *effect);
}

void leg_effect_append(struct leg_effect *first, const struct leg_effect *second,
                       bool with_gradient)
{
    double kept = 1.0 - second->decay;
    first->decay = second->decay + kept * first->decay;
    first->shift += second->shift;
    if (!with_gradient) {
        return;
    }
    first->by_start = kept * first->by_start + second->by_start;
    first->by_end = kept * first->by_end + second->by_end;
    for (int m = 0; m < STENCIL; m++) {
        first->gx[m] = kept * first->gx[m] + second->gx[m];
        first->gv[m] = kept * first->gv[m] + second->gv[m];
        first->slow[m] = kept * first->slow[m] + second->slow[m];
    }
}

/* Stages of a step from fraction c of a curved leg on that is `length` of the leg long. */
static void place_curved(const struct leg *leg, double c, double length,
                         struct stage stages[RADAU_STAGES], struct radau_input *input)
{
    double span = leg->end - leg->start, start_weights[STENCIL];
    turning_weights(leg->start + c * span, start_weights);
    input->x_start = weigh(start_weights, leg->x);
    for (int k = 0; k < RADAU_STAGES; k++) {
        struct stage *stage = &stages[k];
        stage->c = c + radau_nodes[k] * length;
        double at = leg->start + stage->c * span;
        turning_weights(at, stage->weights);
        turning_slope_weights(at, stage->travel);
        for (int m = 0; m < STENCIL; m++) {
            stage->travel[m] *= span * length;
        }
        input->x[k] = weigh(stage->weights, leg->x);
        input->v[k] = weigh(stage->weights, leg->v);
        input->travel[k] = weigh(stage->travel, leg->x);
    }
}

static void place_straight(const struct leg *leg, double c, double length,
                           struct stage stages[RADAU_STAGES], struct radau_input *input)
{
    double dx = leg->x_to - leg->x_from, dv = leg->v_to - leg->v_from;
    input->x_start = leg->x_from + c * dx;
    for (int k = 0; k < RADAU_STAGES; k++) {
        stages[k].c = c + radau_nodes[k] * length;
        input->x[k] = leg->x_from + stages[k].c * dx;
        input->v[k] = leg->v_from + stages[k].c * dv;
        input->travel[k] = length * dx;
    }
}

static void add_curved_gradient(const struct stage *stages, const struct radau_input *input,
                                const struct radau_output *output, struct leg_effect *effect)
{
    for (int k = 0; k < RADAU_STAGES; k++) {
        const struct masing_rate *rate = &output->rate[k];
        double by_travel = output->weight[k] * rate->value;
        double by_x = output->weight[k] * input->travel[k] * rate->x;
        double by_v = output->weight[k] * input->travel[k] * rate->v;
        for (int m = 0; m < STENCIL; m++) {
            effect->gx[m] += by_travel * stages[k].travel[m] + by_x * stages[k].weights[m];
            effect->gv[m] += by_v * stages[k].weights[m];
        }
    }
}

static void add_straight_gradient(double length, const struct stage *stages,
                                  const struct radau_input *input,
                                  const struct radau_output *output, struct leg_effect *effect)
{
    for (int k = 0; k < RADAU_STAGES; k++) {
        const struct masing_rate *rate = &output->rate[k];
        double c = stages[k].c, by_travel = output->weight[k] * rate->value * length;
        double by_x = output->weight[k] * input->travel[k] * rate->x;
        double by_v = output->weight[k] * input->travel[k] * rate->v;
        effect->gx[1] += (1.0 - c) * by_x - by_travel;
        effect->gx[2] += c * by_x + by_travel;
        effect->gv[1] += (1.0 - c) * by_v;
        effect->gv[2] += c * by_v;
    }
}

/*
 * A curved leg's ends move with the turning points. Stage k lies at t = start + c (end - start)
 * of the step, and its travel is length x'(t) (end - start).
 */
static void add_ends(const struct leg *leg, double length, const struct stage *stages,
                     const struct radau_input *input, const struct radau_output *output,
                     struct leg_effect *effect)
{
    double span = leg->end - leg->start;
    for (int k = 0; k < RADAU_STAGES; k++) {
        const struct masing_rate *rate = &output->rate[k];
        double c = stages[k].c, slope_weights[STENCIL], bend_weights[STENCIL];
        turning_slope_weights(leg->start + c * span, slope_weights);
        turning_bend_weights(leg->start + c * span, bend_weights);
        double slope = weigh(slope_weights, leg->x), bend = weigh(bend_weights, leg->x);
        double by_t =
            output->weight[k] *
            (rate->value * length * span * bend +
             input->travel[k] * (rate->x * slope + rate->v * weigh(slope_weights, leg->v)));
        double by_span = output->weight[k] * rate->value * length * slope;
        effect->by_end += c * by_t + by_span;
        effect->by_start += (1.0 - c) * by_t - by_span;
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
                                          input->branch, input->x[k], input->v[k],
                                          output->stages[k]);
        }
        follower->change[p] = sum;
    }
}

/*
 * y = z - E x: dy_end = (1 - decay) dy - decay E dx_start + excess (dx_end - dx_start), where
 * the step starts at fraction c of the leg.
 */
static void add_slow_gradient(const struct follower *follower, double c, double length,
                              const struct radau_output *output, struct leg_effect *effect)
{
    double elastic = follower->law->evolution->elastic_rate(follower->parameters);
    effect->slow[1] = -output->decay * elastic * (1.0 - c) - length * output->excess;
    effect->slow[2] = -output->decay * elastic * c + length * output->excess;
}

/* An implicit step from fraction c to c + length of the leg that may yet be recorded. */
struct attempt {
    double start, length; /* fractions of the leg */
    struct stage stages[RADAU_STAGES];
    struct radau_input input;
    struct radau_output output;
};

static enum masing_status try_step(const struct follower *follower, double c, double length,
                                   double z, struct attempt *attempt)
{
    const struct leg *leg = follower->leg;
    attempt->start = c;
    attempt->length = length;
    attempt->input.branch = follower->branch;
    if (leg->is_curved) {
        place_curved(leg, c, length, attempt->stages, &attempt->input);
    } else {
        place_straight(leg, c, length, attempt->stages, &attempt->input);
    }
    return radau_step(follower->law->evolution, follower->parameters, &attempt->input, z,
                      follower->with_gradient, &attempt->output);
}

static void record(const struct follower *follower, const struct attempt *attempt, double *z)
{
    struct leg_effect effect;
    clear_effect(&effect);
    effect.decay = attempt->output.decay;
    if (follower->with_gradient && follower->leg->is_curved) {
        add_curved_gradient(attempt->stages, &attempt->input, &attempt->output, &effect);
        add_ends(follower->leg, attempt->length, attempt->stages, &attempt->input,
                 &attempt->output, &effect);
    } else if (follower->with_gradient) {
        add_straight_gradient(attempt->length, attempt->stages, &attempt->input,
                              &attempt->output, &effect);
    }
    if (follower->law->evolution->lag) {
        effect.shift = attempt->output.shift;
        add_slow_gradient(follower, attempt->start, attempt->length, &attempt->output, &effect);
    }
    leg_effect_append(follower->effect, &effect, follower->with_gradient);
    if (follower->change) {
        add_change(follower, &attempt->input, &attempt->output);
    }
    *z = attempt->output.z;
}

/*
 * Part of the step at which the state reaches the kink, by the Illinois variant of false
 * position. The rate is continuous there, so that the place does not enter the derivative.
 */
static double find_kink(const struct follower *follower, double c, double length, double z,
                        double z_end, double kink)
{
    struct attempt attempt;
    double low = 0.0, high = 1.0, below = z - kink, above = z_end - kink;
    double tolerance = 1e-12 * (fabs(below) + fabs(above));
    for (int i = 0; i < 50; i++) {
        double at = (low * above - high * below) / (above - below);
        if (!(at > low && at < high) ||
            try_step(follower, c, at * length, z, &attempt) != MASING_OK) {
            return 0.5 * (low + high);
        }
        double value = attempt.output.z - kink;
        if (fabs(value) <= tolerance) {
            return at;
        }
        if ((value > 0.0) == (above > 0.0)) {
            high = at;
            above = value;
            below *= 0.5;
        } else {
            low = at;
            below = value;
            above *= 0.5;
        }
    }
    return 0.5 * (low + high);
}

/* Side of the kink; at the kink itself that to which the state moves. */
static void set_side(struct follower *follower, double distance)
{
    struct masing_rate rate;
    if (distance == 0.0) {
        const struct masing_evolution *evolution = follower->law->evolution;
        evolution->rate(follower->parameters, follower->branch, 0.0, 0.0,
                        evolution->kink(follower->parameters), &rate);
        distance = follower->branch.sign * rate.value;
    }
    follower->branch.side = copysign(1.0, distance);
}

/* To the kink on one side, and on from there on the other; both or nothing is recorded. */
static enum masing_status take_across(struct follower *follower, double c, double length,
                                      double part, double *z)
{
    struct attempt before, after;
    enum masing_status status = try_step(follower, c, part * length, *z, &before);
    if (status == MASING_OK) {
        follower->branch.side = -follower->branch.side;
        status = try_step(follower, c + part * length, (1.0 - part) * length, before.output.z,
                          &after);
    }
    if (status == MASING_OK) {
        record(follower, &before, z);
        record(follower, &after, z);
    }
    return status;
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
    enum masing_status status = try_step(follower, c, length, *z, &attempt);
    if (status != MASING_OK) {
        return status;
    }
    if (evolution->kink && follower->branch.side * (attempt.output.z - kink) < 0.0) {
        double part = find_kink(follower, c, length, *z, attempt.output.z, kink);
        return take_across(follower, c, length, part, z);
    }
    record(follower, &attempt, z);
    return MASING_OK;
}

/* A travel dx in closed form that begins and ends at fractions of the leg; false: none. */
static bool add_travel(const struct follower *follower, double dx, double start, double end,
                       double *z)
{
    const struct masing_evolution *evolution = follower->law->evolution;
    struct masing_rate after;
    struct leg_effect effect;
    clear_effect(&effect);
    if (!evolution->travel(follower->parameters, follower->branch, dx, *z, &after,
                           &effect.decay)) {
        return false;
    }
    for (int p = 0; follower->change && p < follower->path->n_parameters; p++) {
        follower->change[p] =
            after.z * follower->change[p] + evolution->travel_change(follower->parameters,
                                                                     follower->path->dp[p],
                                                                     follower->branch, dx, *z);
    }
    effect.gx[1] = start == 0.0 ? -after.x : 0.0; /* an end at x = 0 does not move */
    effect.gx[2] = end == 1.0 ? after.x : 0.0;
    leg_effect_append(follower->effect, &effect, true);
    *z = after.value;
    return true;
}

/* Nothing travels, but on a straight leg the derivative of a travel is wanted. */
static void add_rest(const struct follower *follower, double x, double v, double z)
{
    struct masing_rate rate;
    struct masing_branch branch = {v < 0.0 ? -1.0 : 1.0, copysign(1.0, z), copysign(1.0, x)};
    follower->law->evolution->rate(follower->parameters, branch, x, v, z, &rate);
    follower->effect->gx[1] = -rate.value;
    follower->effect->gx[2] = rate.value;
}

/* Steps too long for Newton's iteration are halved. */
static enum masing_status take_halves(struct follower *follower, double c, double length,
                                      int halvings, double *z)
{
    double z_start = *z;
    struct leg_effect effect = *follower->effect;
    enum masing_status status = take_step(follower, c, length, z);
    if (status != MASING_NOT_FINITE || halvings == 0) {
        return status;
    }
    *z = z_start;
    *follower->effect = effect;
    status = take_halves(follower, c, 0.5 * length, halvings - 1, z);
    if (status == MASING_OK) {
        status = take_halves(follower, c + 0.5 * length, 0.5 * length, halvings - 1, z);
    }
    return status;
}

/*
 * Travel of the next step: part of the way to the kink, and as much on the way from it, within
 * a small part of the length and `longest`.
 */
static double graded_step(const struct follower *follower, double longest, double z)
{
    static const double SMALLEST = 1e-4, PART = 0.2;
    const struct masing_evolution *evolution = follower->law->evolution;
    struct masing_rate rate;
    double distance = z - evolution->kink(follower->parameters);
    struct masing_branch branch = {follower->branch.sign, copysign(1.0, distance), 1.0};
    evolution->rate(follower->parameters, branch, 0.0, 0.0, z, &rate);
    double smallest = SMALLEST * evolution->length(follower->parameters);
    return fmin(longest, fmax(smallest, PART * fabs(distance / rate.value)));
}

static enum masing_status take_graded_steps(struct follower *follower, double c, double end,
                                            double travel, double longest, double *z)
{
    enum masing_status status = MASING_OK;
    while (c < end && status == MASING_OK) {
        double step = graded_step(follower, longest, *z) / travel;
        bool is_last = !(c + step * (1.0 + 1e-9) < end);
        step = is_last ? end - c : step;
        status = take_halves(follower, c, step, MAX_RESCUES, z);
        c = is_last ? end : c + step;
    }
    return status;
}

/* From fraction c to end of a leg that travels `travel` in all, in steps of `longest`. */
static enum masing_status take_steps(struct follower *follower, double c, double end,
                                     double travel, double longest, double *z)
{
    enum masing_status status = MASING_OK;
    if (follower->law->evolution->kink) {
        return take_graded_steps(follower, c, end, travel, longest, z);
    }
    int n = (int)fmax(1.0, ceil((end - c) * travel / longest * (1.0 - 1e-9)));
    for (int i = 0; i < n && status == MASING_OK; i++) {
        status = take_halves(follower, c + (end - c) * i / n, (end - c) / n, MAX_RESCUES, z);
    }
    return status;
}

/* From fraction c to end of a leg that travels dx in all, on one half of the axis. */
static enum masing_status follow_half(struct follower *follower, double c, double end,
                                      double dx, double longest, double *z)
{
    if (follower->law->evolution->travel && !follower->leg->is_curved &&
        add_travel(follower, (end - c) * dx, c, end, z)) {
        return MASING_OK;
    }
    return take_steps(follower, c, end, fabs(dx), longest, z);
}

double leg_step(const struct masing_law *law, const void *parameters, double travel)
{
    double wanted = STEP_OF_LENGTH * law->evolution->length(parameters), step = travel;
    for (int halvings = 0; step > wanted && halvings < MAX_HALVINGS; halvings++) {
        step *= 0.5;
    }
    return step;
}

enum masing_status leg_follow(const struct masing_law *law, const void *parameters,
                              const struct leg *leg, const struct masing_path *path, double *z,
                              double longest, bool with_gradient, struct leg_effect *effect,
                              double *change)
{
    enum masing_status status = MASING_OK;
    const struct masing_evolution *evolution = law->evolution;
    double x_start = leg->x_from, x_end = leg->x_to, dx = x_end - x_start;
    struct follower follower = {law,
                                parameters,
                                leg,
                                path,
                                {copysign(1.0, dx), 1.0, copysign(1.0, x_start + x_end)},
                                with_gradient,
                                effect,
                                change};
    clear_effect(effect);
    if (dx == 0.0) {
        if (with_gradient && !leg->is_curved) {
            add_rest(&follower, x_end, leg->v_to, *z);
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
