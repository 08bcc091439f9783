/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/leg_step.h"

#include <string.h>

static double weigh(const double weights[STENCIL], const double samples[STENCIL])
{
    return weights[0] * samples[0] + weights[1] * samples[1] + weights[2] * samples[2] +
           weights[3] * samples[3];
}

/* Stages of a step from fraction c of a curved leg on that is `length` of the leg long. */
static void place_curved(const struct leg *leg, double c, double length,
                         struct stage stages[RADAU_STAGES], struct radau_input *input)
{
    double span = leg->end - leg->start;
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

enum masing_status leg_step_try(const struct follower *follower, double c, double length,
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

void leg_step_record(const struct follower *follower, const struct attempt *attempt, double *z)
{
    struct leg_effect effect;
    memset(&effect, 0, sizeof effect);
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
