/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/segment.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/bracket.h"

/*
 * One implicit Runge-Kutta step of dz/dc = slope(c) rate(branch, x(c), v(c), z) over a part of
 * a path: Radau IIA with three stages, order 5, stiffly accurate (Hairer & Wanner 1996, IV.5).
 * Deep in slip a sample step is many relaxation lengths long; explicit rules fail there.
 */
enum { RADAU_STAGES = 3 };

/* The path at the stages: displacement, velocity and travel (dx/dc times the step in c). */
struct radau_input {
    struct masing_branch_point branch; /* without x, v and z */
    double x[RADAU_STAGES], v[RADAU_STAGES], travel[RADAU_STAGES];
};

/*
 * The end state and its derivative
 *   dz = (1 - decay) dz_start + sum_k weight[k] (rate[k].value d travel[k]
 *        + travel[k] (rate[k].x dx[k] + rate[k].v dv[k] + rate_p[k] dp)).
 */
struct radau_output {
    double z, decay;
    struct masing_branch_point at[RADAU_STAGES]; /* the stages */
    double weight[RADAU_STAGES];
    struct masing_rate rate[RADAU_STAGES];
    /* with a lag: z_end - z - E travel, and d(z_end - z) / d travel - E; without digits lost */
    double shift, excess;
};

#define SQRT6 2.449489742783178098197284074705891391965947480656670128432692567250960377

/* Where in the step the stages lie, 0 .. 1; the last is the end. */
static const double radau_nodes[RADAU_STAGES] = {(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0,
                                                 1.0};

static const double A[RADAU_STAGES][RADAU_STAGES] = {
    {(88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0,
     (-2.0 + 3.0 * SQRT6) / 225.0},
    {(296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0,
     (-2.0 - 3.0 * SQRT6) / 225.0},
    {(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0},
};

/* Inverse of a 3 x 3 matrix by cofactors; its condition is of order one here. */
static void invert(double m[RADAU_STAGES][RADAU_STAGES],
                   double inverse[RADAU_STAGES][RADAU_STAGES])
{
    for (int r = 0; r < RADAU_STAGES; r++) {
        int a = (r + 1) % RADAU_STAGES, b = (r + 2) % RADAU_STAGES;
        for (int c = 0; c < RADAU_STAGES; c++) {
            int d = (c + 1) % RADAU_STAGES, e = (c + 2) % RADAU_STAGES;
            inverse[c][r] = m[a][d] * m[b][e] - m[a][e] * m[b][d];
        }
    }
    double determinant =
        m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0] + m[0][2] * inverse[2][0];
    for (int r = 0; r < RADAU_STAGES; r++) {
        for (int c = 0; c < RADAU_STAGES; c++) {
            inverse[r][c] /= determinant;
        }
    }
}

static void evaluate(const struct masing_evolution *evolution, const void *parameters,
                     struct radau_output *output)
{
    for (int k = 0; k < RADAU_STAGES; k++) {
        evolution->rate(parameters, &output->at[k], &output->rate[k]);
    }
}

/* (1 - A diag(travel rate_z))^-1 */
static void invert_newton_matrix(const struct radau_input *input,
                                 const struct radau_output *output,
                                 double inverse[RADAU_STAGES][RADAU_STAGES])
{
    double m[RADAU_STAGES][RADAU_STAGES];
    for (int r = 0; r < RADAU_STAGES; r++) {
        for (int c = 0; c < RADAU_STAGES; c++) {
            m[r][c] = (r == c ? 1.0 : 0.0) - A[r][c] * input->travel[c] * output->rate[c].z;
        }
    }
    invert(m, inverse);
}

/* One Newton iteration; returns the largest change. */
static double iterate(const struct radau_input *input, double z,
                      double inverse[RADAU_STAGES][RADAU_STAGES], struct radau_output *output)
{
    double residual[RADAU_STAGES], largest = 0.0;
    for (int j = 0; j < RADAU_STAGES; j++) {
        residual[j] = z - output->at[j].z;
        for (int k = 0; k < RADAU_STAGES; k++) {
            residual[j] += A[j][k] * input->travel[k] * output->rate[k].value;
        }
    }
    for (int j = 0; j < RADAU_STAGES; j++) {
        double change = 0.0;
        for (int k = 0; k < RADAU_STAGES; k++) {
            change += inverse[j][k] * residual[k];
        }
        output->at[j].z += change;
        largest = fabs(change) <= largest ? largest : fabs(change); /* NAN, too */
    }
    return largest;
}

/* The quadratic convergence of Newton's method has left nothing of an error of 1e-9. */
static void finish(const struct radau_input *input, double inverse[RADAU_STAGES][RADAU_STAGES],
                   struct radau_output *output)
{
    output->z = output->at[RADAU_STAGES - 1].z;
    output->decay = 0.0;
    for (int k = 0; k < RADAU_STAGES; k++) {
        output->weight[k] = 0.0;
        for (int j = 0; j < RADAU_STAGES; j++) {
            output->weight[k] += inverse[RADAU_STAGES - 1][j] * A[j][k];
        }
        output->decay -= output->weight[k] * input->travel[k] * output->rate[k].z;
    }
}

/* weight_k - A_3k = sum_j weight_j D_j A_jk with D = travel rate_z */
static void add_lag(const struct masing_evolution *evolution, const void *parameters,
                    const struct radau_input *input, struct radau_output *output)
{
    output->shift = output->excess = 0.0;
    for (int k = 0; k < RADAU_STAGES; k++) {
        double lag = evolution->lag(parameters, &output->at[k]);
        double beyond = 0.0;
        for (int j = 0; j < RADAU_STAGES; j++) {
            beyond += output->weight[j] * input->travel[j] * output->rate[j].z * A[j][k];
        }
        output->shift -= A[RADAU_STAGES - 1][k] * input->travel[k] * lag;
        output->excess += beyond * output->rate[k].value - A[RADAU_STAGES - 1][k] * lag;
    }
}

static double size_of(double z, const struct radau_output *output)
{
    double size = fabs(z);
    for (int k = 0; k < RADAU_STAGES; k++) {
        size = fmax(size, fabs(output->at[k].z));
    }
    return size;
}

static bool has_rates(const struct radau_output *output)
{
    double sum = 0.0;
    for (int k = 0; k < RADAU_STAGES; k++) {
        sum += output->rate[k].value;
    }
    return isfinite(sum);
}

/*
 * Where an iteration has left the range of states in which the law is finite, go back half the
 * way. The solution is the same, while a shorter step instead would let the force jump with its
 * length.
 */
static void back_off(const struct masing_evolution *evolution, const void *parameters,
                     const double *before, struct radau_output *output)
{
    enum { MAX_HALVINGS = 60 };
    for (int i = 0; i < MAX_HALVINGS && !has_rates(output); i++) {
        for (int k = 0; k < RADAU_STAGES; k++) {
            output->at[k].z = 0.5 * (output->at[k].z + before[k]);
        }
        evaluate(evolution, parameters, output);
    }
}

/* Rates are those at the end of the iteration with_gradient only. MASING_NOT_FINITE where
 * Newton's iteration on the stages does not converge. Not inlined: in its caller it runs out of
 * registers (generalized_valanis 1.04 times slower). */
__attribute__((noinline)) static enum masing_status
radau_step(const struct masing_evolution *evolution, const void *parameters,
           const struct radau_input *input, double z, bool with_gradient,
           struct radau_output *output)
{
    enum { MAX_ITERATIONS = 60 };
    /* the quadratic convergence of Newton's method leaves nothing of such an error */
    static const double LAST_NEWTON_CHANGE = 1e-9;
    double inverse[RADAU_STAGES][RADAU_STAGES], before[RADAU_STAGES];
    for (int k = 0; k < RADAU_STAGES; k++) {
        output->at[k] = (struct masing_branch_point){input->branch.sign, input->branch.side,
                                                     input->branch.half, input->x[k],
                                                     input->v[k],        z};
    }
    evaluate(evolution, parameters, output);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        for (int k = 0; k < RADAU_STAGES; k++) {
            before[k] = output->at[k].z;
        }
        invert_newton_matrix(input, output, inverse);
        double change = iterate(input, z, inverse, output);
        if (!isfinite(change)) {
            return MASING_NOT_FINITE;
        }
        bool is_done =
            evolution->is_linear || change <= LAST_NEWTON_CHANGE * size_of(z, output);
        if (!is_done || with_gradient) {
            evaluate(evolution, parameters, output);
        }
        if (!is_done) {
            back_off(evolution, parameters, before, output);
        }
        if (is_done) {
            finish(input, inverse, output);
            if (evolution->lag) {
                add_lag(evolution, parameters, input, output);
            }
            return MASING_OK;
        }
    }
    return MASING_NOT_FINITE;
}

/* A law's relaxation length is followed in steps of this part of it: 1e-10 in one step. The
 * samples' distance is halved so often at most; more would be waste, the rule is stiffly
 * accurate. */
static const double STEP_OF_LENGTH = 0.1;
enum { MAX_HALVINGS = 6 };

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
    bool with_gradient;
    struct segment_effect *effect;
    double *change;
};

/* Where a stage lies; on a curved segment with the weights of the stencil's samples. */
struct stage {
    double c; /* fraction of the segment */
    double weights[STENCIL], travel[STENCIL];
};

/* An implicit step from fraction c to c + length of the segment that may yet be recorded. */
struct attempt {
    double start, length; /* fractions of the segment */
    struct stage stages[RADAU_STAGES];
    struct radau_input input;
    struct radau_output output;
};

void segment_effect_append(struct segment_effect *first, const struct segment_effect *second,
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

/* Stages of a step of a curved segment from fraction c to c + length. */
static void place_curved(const struct segment *segment, double c, double length,
                         struct stage stages[RADAU_STAGES], struct radau_input *input)
{
    double span = segment->end - segment->start;
    for (int k = 0; k < RADAU_STAGES; k++) {
        struct stage *stage = &stages[k];
        stage->c = c + radau_nodes[k] * length;
        double at = segment->start + stage->c * span;
        turning_weights(at, stage->weights);
        turning_slope_weights(at, stage->travel);
        for (int m = 0; m < STENCIL; m++) {
            stage->travel[m] *= span * length;
        }
        input->x[k] = turning_interpolate(stage->weights, segment->x);
        input->v[k] = turning_interpolate(stage->weights, segment->v);
        input->travel[k] = turning_interpolate(stage->travel, segment->x);
    }
}

static void place_straight(const struct segment *segment, double c, double length,
                           struct stage stages[RADAU_STAGES], struct radau_input *input)
{
    double dx = segment->x_to - segment->x_from, dv = segment->v_to - segment->v_from;
    for (int k = 0; k < RADAU_STAGES; k++) {
        stages[k].c = c + radau_nodes[k] * length;
        input->x[k] = segment->x_from + stages[k].c * dx;
        input->v[k] = segment->v_from + stages[k].c * dv;
        input->travel[k] = length * dx;
    }
}

static void add_curved_gradient(const struct stage *stages, const struct radau_input *input,
                                const struct radau_output *output,
                                struct segment_effect *effect)
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
                                  const struct radau_output *output,
                                  struct segment_effect *effect)
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
 * A curved segment's ends move with the turning points. Stage k lies at t = start + c (end -
 * start) of the step, and its travel is length x'(t) (end - start).
 */
static void add_ends(const struct segment *segment, double length, const struct stage *stages,
                     const struct radau_input *input, const struct radau_output *output,
                     struct segment_effect *effect)
{
    double span = segment->end - segment->start;
    for (int k = 0; k < RADAU_STAGES; k++) {
        const struct masing_rate *rate = &output->rate[k];
        double c = stages[k].c, slope_weights[STENCIL], bend_weights[STENCIL];
        turning_slope_weights(segment->start + c * span, slope_weights);
        turning_bend_weights(segment->start + c * span, bend_weights);
        double slope = turning_interpolate(slope_weights, segment->x),
               bend = turning_interpolate(bend_weights, segment->x);
        double by_t =
            output->weight[k] *
            (rate->value * length * span * bend +
             input->travel[k] *
                 (rate->x * slope + rate->v * turning_interpolate(slope_weights, segment->v)));
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
    if (segment->is_curved) {
        place_curved(segment, c, length, attempt->stages, &attempt->input);
    } else {
        place_straight(segment, c, length, attempt->stages, &attempt->input);
    }
    return radau_step(follower->law->evolution, follower->parameters, &attempt->input, z,
                      follower->with_gradient, &attempt->output);
}

/* Entry by entry: at once they are a slow `rep stos`. */
static void set_empty(struct segment_effect *effect, bool with_gradient)
{
    effect->decay = effect->shift = effect->by_start = effect->by_end = 0.0;
    for (int m = 0; with_gradient && m < STENCIL; m++) {
        effect->gx[m] = effect->gv[m] = effect->slow[m] = 0.0;
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
        set_empty(effect, follower->with_gradient);
    }
    effect->decay = attempt->output.decay;
    if (follower->with_gradient && follower->segment->is_curved) {
        add_curved_gradient(attempt->stages, &attempt->input, &attempt->output, effect);
        add_ends(follower->segment, attempt->length, attempt->stages, &attempt->input,
                 &attempt->output, effect);
    } else if (follower->with_gradient) {
        add_straight_gradient(attempt->length, attempt->stages, &attempt->input,
                              &attempt->output, effect);
    }
    if (follower->law->evolution->lag) {
        effect->shift = attempt->output.shift;
        add_slow_gradient(follower, attempt->start, attempt->length, &attempt->output, effect);
    }
    if (!is_first) {
        segment_effect_append(follower->effect, effect, follower->with_gradient);
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
    if (!segment_has_map(follower->law, follower->path) ||
        !evolution->begin(follower->parameters, &leg)) {
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
    if (follower->with_gradient) { /* an end at x = 0 does not move */
        effect->gx[1] = after.kept * effect->gx[1] - (start == 0.0 ? after.rate : 0.0);
        effect->gx[2] = after.kept * effect->gx[2] + (end == 1.0 ? after.rate : 0.0);
    }
    *z = after.z;
    return true;
}

/* Nothing travels. A straight segment has the derivative by its ends all the same. */
static void add_rest(const struct follower *follower, double x, double v, double z)
{
    struct masing_rate rate;
    const struct masing_branch_point at = {
        v < 0.0 ? -1.0 : 1.0, copysign(1.0, z), copysign(1.0, x), x, v, z};
    follower->law->evolution->rate(follower->parameters, &at, &rate);
    follower->effect->gx[1] = -rate.value;
    follower->effect->gx[2] = rate.value;
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

/* From fraction c to end of a segment that travels `travel` in all, in steps of `longest`. */
static enum masing_status take_steps(struct follower *follower, double c, double end,
                                     double travel, double longest, double *z)
{
    enum masing_status status = MASING_OK;
    if (follower->law->evolution->kink) {
        return take_graded_steps(follower, c, end, travel, longest, z);
    }
    int n = (int)fmax(1.0, ceil((end - c) * travel / longest * (1.0 - ROUNDING)));
    for (int i = 0; i < n && status == MASING_OK; i++) {
        status = take_halves(follower, c + (end - c) * i / n, (end - c) / n, MAX_REFUSALS, z);
    }
    return status;
}

/* From fraction c to end of a segment that travels dx in all, on one half of the axis. */
static enum masing_status follow_half(struct follower *follower, double c, double end,
                                      double dx, double longest, double *z)
{
    if (!follower->segment->is_curved && add_travel(follower, (end - c) * dx, c, end, z)) {
        return MASING_OK;
    }
    return take_steps(follower, c, end, fabs(dx), longest, z);
}

double segment_step_length(const struct masing_law *law, const void *parameters, double travel)
{
    double fine_enough = STEP_OF_LENGTH * law->evolution->length(parameters), step = travel;
    for (int halvings = 0; step > fine_enough && halvings < MAX_HALVINGS; halvings++) {
        step *= 0.5;
    }
    return step;
}

enum masing_status segment_follow(const struct masing_law *law, const void *parameters,
                                  const struct segment *segment, const struct masing_path *path,
                                  double *z, double longest, bool with_gradient,
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
        .with_gradient = with_gradient,
        .effect = effect,
        .change = change,
    };
    set_empty(effect, with_gradient);
    if (dx == 0.0) {
        if (with_gradient && !segment->is_curved) {
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
