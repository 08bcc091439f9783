/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/bracket.h"

/* Distance of prediction and solution, relative: steps grow below the first and are refused
 * above the second. */
static const double CLOSE = 0.03, FAR = 0.1;
/* A maximum that becomes a corner, or ceases to be one, is another one unless it is as near. */
static const double SAME_CORNER = 2e-3;
/* Changes of the frequency count more than those of the motion. */
static const double FREQUENCY_WEIGHT = 5.0;
static const double GROWTH = 2.0, SHRINKAGE = 0.3;
/* Shortest step of one that is followed between two states, in parts of the way. */
static const double SHORTEST_PART = 1e-4;

enum masing_status peak_branch_create(const struct peak_state *start, double step, int number,
                                      struct peak_branch **branch, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_branch *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->step = step;
    made->number = number;
    TRY_ALLOCATED(made->guess = memory_array((size_t)start->n + 1, sizeof(double)));
    TRY(peak_state_copy(&made->past[0], start, error));
    made->n_past = made->n_states = 1;
    made->is_alive = true;
    *branch = made;
    made = NULL;
done:
    peak_branch_destroy(made);
    return status;
}

void peak_branch_destroy(struct peak_branch *branch)
{
    if (branch) {
        for (int i = 0; i < PEAK_PAST; i++) {
            peak_state_clear(&branch->past[i]);
        }
        peak_state_clear(&branch->trial);
        peak_state_clear(&branch->before);
        free(branch->guess);
        free(branch);
    }
}

/* Lagrange's polynomial through the latest states, at the problem's value: the point to
 * @p guess, and the measure. */
static double extrapolate(const struct peak_branch *branch, const struct peak_problem *problem,
                          int n_states, double *guess)
{
    const struct peak_state *past = branch->past;
    double at[PEAK_PAST], measure = 0.0, u = peak_problem_coordinate(problem, problem->p);
    int n = past[0].n;
    memset(guess, 0, sizeof *guess * ((size_t)n + 1));
    for (int i = 0; i < n_states; i++) {
        at[i] = peak_problem_coordinate(problem, past[i].p);
    }
    for (int i = 0; i < n_states; i++) {
        double weight = 1.0;
        for (int k = 0; k < n_states; k++) {
            weight *= k == i ? 1.0 : (u - at[k]) / (at[i] - at[k]);
        }
        measure += weight * past[i].measure;
        for (int c = 0; c <= n; c++) {
            guess[c] += weight * past[i].point[c];
        }
    }
    if (past[0].is_at_limit || past[0].is_end) { /* stays there, or leaves it */
        guess[n] = past[0].point[n];
    }
    return measure;
}

/* How far a prediction, kept in @p guess, was off. */
static double distance(const double *guess, double measure, const struct peak_state *state)
{
    double square = 0.0, size = 0.0;
    int n = state->n;
    for (int c = 0; c < n; c++) {
        square += (guess[c] - state->point[c]) * (guess[c] - state->point[c]);
        size += state->point[c] * state->point[c];
    }
    double motion = size > 0.0 ? sqrt(square / size) : 0.0;
    double frequency = fabs(guess[n] / state->point[n] - 1.0);
    double off = fmax(motion, FREQUENCY_WEIGHT * frequency);
    return fmax(off, fabs(measure / state->measure - 1.0));
}

static void push(struct peak_branch *branch)
{
    struct peak_state oldest = branch->past[PEAK_PAST - 1];
    memmove(branch->past + 1, branch->past, sizeof oldest * (PEAK_PAST - 1));
    branch->past[0] = branch->trial;
    branch->trial = oldest;
    branch->n_past = branch->n_past < PEAK_PAST ? branch->n_past + 1 : PEAK_PAST;
}

/* As many states for the next prediction as would have done best for the last one, which the
 * trial has solved; one more where that were all. */
static void choose_states(struct peak_branch *branch, const struct peak_problem *problem)
{
    double least = INFINITY;
    int best = 0;
    for (int k = 1; k <= branch->n_past; k++) {
        double measure = extrapolate(branch, problem, k, branch->guess);
        double off = distance(branch->guess, measure, &branch->trial);
        best = off < least ? k : best;
        least = fmin(off, least);
    }
    branch->n_states = best == branch->n_past && best < PEAK_PAST ? best + 1 : best;
}

/* One step to p; its prediction's error to *off. */
static enum masing_status attempt(struct peak_branch *branch, struct peak_problem *problem,
                                  double p, double *off, struct masing_error *error)
{
    struct peak_state *trial = &branch->trial;
    NEED(peak_problem_set(problem, p, error));
    NEED(peak_state_copy(trial, &branch->past[0], error));
    double measure = extrapolate(branch, problem, branch->n_states, branch->guess);
    memcpy(trial->point, branch->guess, sizeof(double) * ((size_t)trial->n + 1));
    trial->measure = measure;
    NEED(peak_problem_solve(problem, trial));
    *off = distance(branch->guess, measure, trial);
    return MASING_OK;
}

enum masing_status peak_branch_advance(struct peak_branch *branch, struct peak_problem *problem,
                                       double p, double shortest, struct masing_error *error)
{
    double to = peak_problem_coordinate(problem, p);
    while (branch->past[0].p != p) {
        double from = peak_problem_coordinate(problem, branch->past[0].p), off = 0.0;
        bool is_last = fabs(to - from) <= branch->step * (1.0 + 1e-9);
        double u = from + copysign(branch->step, to - from);
        double next = is_last ? p : peak_problem_value(problem, u);
        double length = is_last ? fabs(to - from) : branch->step;
        enum masing_status status = attempt(branch, problem, next, &off, error);
        if (status < 0) {
            return status;
        }
        bool is_alike = branch->trial.is_corner == branch->past[0].is_corner;
        if (status == MASING_OK && off <= (is_alike ? FAR : SAME_CORNER)) {
            choose_states(branch, problem);
            push(branch);
            branch->step = off < CLOSE ? fmax(branch->step, GROWTH * length) : branch->step;
        } else {
            branch->step = SHRINKAGE * length;
            if (branch->step < shortest) {
                return MASING_NOT_CONVERGED;
            }
        }
    }
    return MASING_OK;
}

enum masing_status peak_between(struct peak_problem *problem, const struct peak_state *a,
                                const struct peak_state *b, double p, struct peak_state *state,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double u = peak_problem_coordinate(problem, p);
    double to_a = fabs(u - peak_problem_coordinate(problem, a->p));
    double to_b = fabs(u - peak_problem_coordinate(problem, b->p));
    double nearer = fmin(to_a, to_b);
    struct peak_branch *branch = NULL;
    TRY(peak_branch_create(to_a < to_b ? b : a, nearer, 0, &branch, error));
    TRY(peak_state_copy(&branch->trial, to_a < to_b ? a : b, error));
    push(branch);
    branch->n_states = branch->n_past;
    TRY(peak_branch_advance(branch, problem, p, SHORTEST_PART * nearer, error));
    TRY(peak_state_copy(state, &branch->past[0], error));
done:
    peak_branch_destroy(branch);
    return status;
}

/* ---- roots ---- */

/* Parts of the range of u that the number is known to where the function jumps. */
static const double PRECISION = 1e-12;

enum masing_status peak_root(struct peak_history *history, const struct peak_function *function,
                             const struct peak_state *a, const struct peak_state *b,
                             const double values[2], struct peak_state *state,
                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_state *given[2] = {a, b};
    struct peak_state ends[2] = {{0}};
    if (a->n != b->n || !(values[0] * values[1] < 0.0)) {
        return MASING_NOT_CONVERGED;
    }
    for (int k = 0; k < 2; k++) {
        TRY(peak_state_copy(&ends[k], given[k], error));
    }
    struct bracket bracket =
        bracket_of(peak_problem_coordinate(history->problem, a->p), values[0],
                   peak_problem_coordinate(history->problem, b->p), values[1]);
    while (bracket_next(&bracket, 0.0)) {
        double value = 0.0, width = fabs(bracket.end[1].x - bracket.end[0].x);
        TRY(peak_between(history->problem, &ends[0], &ends[1],
                         peak_problem_value(history->problem, bracket.x), state, error));
        TRY(function->value(function->context, history, state, &value, error));
        if (fabs(value) <= function->tolerance * state->measure ||
            width <= PRECISION * history->range) {
            goto done;
        }
        TRY(peak_state_copy(&ends[bracket_set(&bracket, value)], state, error));
    }
    status = MASING_NOT_CONVERGED;
done:
    peak_state_clear(&ends[0]);
    peak_state_clear(&ends[1]);
    return status;
}

/* Two maxima that are equally large. */

/* Difference of the two, in parts of either, that is none. */
static const double EQUAL = 1e-11;

struct second {
    const struct peak_state *ends; /* [2] */
    struct peak_state *state;
};

static enum masing_status difference(void *context, struct peak_history *history,
                                     struct peak_state *state, double *value,
                                     struct masing_error *error)
{
    const struct second *second = context;
    enum masing_status status = peak_between(history->problem, &second->ends[0],
                                             &second->ends[1], state->p, second->state, error);
    *value = state->measure - second->state->measure;
    return status;
}

enum masing_status peak_crossing_insert(struct peak_history *history, int at,
                                        const struct peak_state first[2], int first_number,
                                        const struct peak_state second[2], int second_number,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state a = {0}, b = {0};
    struct second other = {second, &b};
    const struct peak_function function = {&other, difference, EQUAL};
    const double values[2] = {first[0].measure - second[0].measure,
                              first[1].measure - second[1].measure};
    status = second[0].n != second[1].n
                 ? MASING_NOT_CONVERGED
                 : peak_root(history, &function, &first[0], &first[1], values, &a, error);
    bool is_of_maxima = (!a.is_end || a.is_at_limit) && (!b.is_end || b.is_at_limit);
    if (status == MASING_OK && is_of_maxima) {
        TRY(peak_history_insert(history, at, &b, second_number,
                                MASING_EVENT_BIT(MASING_EVENT_CROSSING), error));
        TRY(peak_history_insert(history, at, &a, first_number,
                                MASING_EVENT_BIT(MASING_EVENT_CROSSING), error));
        history->summary->n_crossings++;
    } else if (status >= 0) { /* the curve merely jumps between two points */
        history->summary->n_jumps++;
        status = MASING_OK;
    }
done:
    peak_state_clear(&a);
    peak_state_clear(&b);
    return status;
}
