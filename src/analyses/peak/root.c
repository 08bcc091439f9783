/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a function of the peak vanishes between two states of one branch, and where two maxima
 * are equally large. */
#include <math.h>

#include "analyses/peak/history.h"
#include "base/check.h"
#include "linalg/bracket.h"

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

static enum masing_status solve_crossing(struct peak_history *history,
                                         const struct peak_state a[2],
                                         const struct peak_state b[2], struct peak_state *at_a,
                                         struct peak_state *at_b, struct masing_error *error)
{
    struct second second = {b, at_b};
    const struct peak_function function = {&second, difference, EQUAL};
    const double values[2] = {a[0].measure - b[0].measure, a[1].measure - b[1].measure};
    if (b[0].n != b[1].n) {
        return MASING_NOT_CONVERGED;
    }
    return peak_root(history, &function, &a[0], &a[1], values, at_a, error);
}

enum masing_status peak_crossing_insert(struct peak_history *history, int at,
                                        const struct peak_state first[2], int first_number,
                                        const struct peak_state second[2], int second_number,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state a = {0}, b = {0};
    status = solve_crossing(history, first, second, &a, &b, error);
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
