/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/leg.h"

#include <math.h>
#include <string.h>

#include "laws/evolution/leg_step.h"
#include "linalg/bracket.h"

/* A law's relaxation length is followed in steps of this part of it: 1e-10 in one step. */
static const double STEP_OF_LENGTH = 0.1;

/* More would be waste: the rule is stiffly accurate. */
enum { MAX_HALVINGS = 6, MAX_RESCUES = 20 };

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

/* Part of the step at which the state reaches the kink. The rate is continuous there, so that
 * the place does not enter the derivative. */
static double find_kink(const struct follower *follower, double c, double length, double z,
                        double z_end, double kink)
{
    struct attempt attempt;
    double below = z - kink, above = z_end - kink;
    double tolerance = 1e-12 * (fabs(below) + fabs(above));
    struct bracket bracket = bracket_of(0.0, below, 1.0, above);
    while (!(bracket.best <= tolerance) && bracket_next(&bracket, 0.0) &&
           leg_step_try(follower, c, bracket.x * length, z, &attempt) == MASING_OK) {
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
    enum masing_status status = leg_step_try(follower, c, part * length, *z, &before);
    if (status == MASING_OK) {
        follower->branch.side = -follower->branch.side;
        status = leg_step_try(follower, c + part * length, (1.0 - part) * length,
                              before.output.z, &after);
    }
    if (status == MASING_OK) {
        leg_step_record(follower, &before, z);
        leg_step_record(follower, &after, z);
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
    enum masing_status status = leg_step_try(follower, c, length, *z, &attempt);
    if (status != MASING_OK) {
        return status;
    }
    if (evolution->kink && follower->branch.side * (attempt.output.z - kink) < 0.0) {
        double part = find_kink(follower, c, length, *z, attempt.output.z, kink);
        return take_across(follower, c, length, part, z);
    }
    leg_step_record(follower, &attempt, z);
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
