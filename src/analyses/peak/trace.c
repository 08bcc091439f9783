/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A maximum that was not known before is followed over the points: where it is larger than
 * what was taken there, it takes its place.
 */
#include <math.h>

#include "analyses/peak/history.h"
#include "base/check.h"

struct trace {
    struct peak_history *history;
    int number;               /* of the maximum that is followed back */
    int direction;            /* of the points */
    struct peak_state new[2]; /* it, at a point and the one before */
    struct peak_state was[2]; /* what was taken there */
    int was_number[2];
    bool is_above[2], has_was; /* has_was: was[1] is known */
};

static void clear(struct trace *trace)
{
    for (int i = 0; i < 2; i++) {
        peak_state_clear(&trace->new[i]);
        peak_state_clear(&trace->was[i]);
    }
}

/* What is known at this point becomes what is known at the one before. */
static void shift(struct trace *trace)
{
    struct peak_state new = trace->new[1], was = trace->was[1];
    trace->new[1] = trace->new[0];
    trace->new[0] = new;
    trace->was[1] = trace->was[0];
    trace->was[0] = was;
    trace->is_above[1] = trace->is_above[0];
    trace->was_number[1] = trace->was_number[0];
    trace->has_was = true;
}

/* One of the two goes above the other between point k and the one before; to the place there.
 */
static enum masing_status cross(struct trace *trace, int k, struct masing_error *error)
{
    struct peak_history *history = trace->history;
    double difference = fabs(trace->new[0].measure - trace->was[0].measure);
    bool is_backwards = trace->direction < 0;
    bool is_new_first = trace->is_above[is_backwards ? 0 : 1];
    int at = is_backwards ? k + 1 : k;
    if (difference <= PEAK_LARGER * trace->was[0].measure) { /* it parts from it there */
        return MASING_OK;
    }
    if (trace->was_number[0] !=
        trace->was_number[1]) { /* what was taken crosses there itself */
        history->summary->n_jumps++;
        return MASING_OK;
    }
    return is_new_first ? peak_crossing_insert(history, at, trace->new, trace->number,
                                               trace->was, trace->was_number[0], error)
                        : peak_crossing_insert(history, at, trace->was, trace->was_number[0],
                                               trace->new, trace->number, error);
}

/* Compare at point k, whose new[0] is known. */
static enum masing_status compare(struct trace *trace, int k, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct history_point *point = &trace->history->points[k];
    TRY(peak_state_copy(&trace->was[0], &point->state, error));
    trace->was_number[0] = point->branch;
    trace->is_above[0] = trace->new[0].measure > (1.0 + PEAK_LARGER) * point->state.measure;
    if (trace->is_above[0]) {
        TRY(peak_state_copy(&point->state, &trace->new[0], error));
        point->branch = trace->number;
        point->events = 0;
    }
    if (trace->has_was && trace->was[0].p != trace->was[1].p &&
        trace->is_above[0] != trace->is_above[1]) {
        TRY(cross(trace, k, error));
    }
done:
    return status;
}

/* Where the maximum was found; what else was the largest there may be known. */
static enum masing_status begin(struct trace *trace, const struct peak_found *found,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct history_point *point = &trace->history->points[found->index];
    TRY(peak_state_copy(&trace->new[1], found->state, error));
    trace->is_above[1] = point->branch == found->number;
    trace->has_was = !trace->is_above[1];
    if (trace->has_was) {
        TRY(peak_state_copy(&trace->was[1], &point->state, error));
        trace->was_number[1] = point->branch;
    } else if (found->old && found->old->n == found->state->n) {
        TRY(peak_state_copy(&trace->was[1], found->old, error));
        trace->was_number[1] = found->old_number;
        trace->has_was = true;
    }
done:
    return status;
}

enum masing_status peak_trace(struct peak_history *history, const struct peak_found *found,
                              int direction, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_branch *branch = NULL;
    struct trace trace = {.history = history, .number = found->number, .direction = direction};
    int k = found->index + direction;
    TRY(peak_branch_create(found->state, PEAK_FIRST_STEP * history->range, found->number,
                           &branch, error));
    TRY(begin(&trace, found, error));
    while (k >= 0 && k < history->n_points && history->points[k].state.n == found->state->n) {
        double p = history->points[k].state.p;
        int n = history->n_points;
        status = peak_branch_advance(branch, history->problem, p, history->shortest, error);
        if (status != MASING_OK) {
            status = status > 0 ? MASING_OK : status;
            history->summary->n_jumps += trace.is_above[1];
            break;
        }
        TRY(peak_state_copy(&trace.new[0], &branch->past[0], error));
        TRY(compare(&trace, k, error));
        shift(&trace);
        if (p == found->until || (found->is_short && !trace.is_above[0])) {
            break;
        }
        k += direction + (direction > 0 ? history->n_points - n : 0);
    }
done:
    peak_branch_destroy(branch);
    clear(&trace);
    return status;
}
