/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest peak over the values of a parameter: the list of its points, and the steps from
 * one end of the range to the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/driver.h"
#include "analyses/peak/history.h"
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"

/* Where none are given all are wanted. */
static bool is_wanted(const struct masing_peak_request *request, double p)
{
    bool is_given = request->n_values == 0;
    for (int i = 0; i < request->n_values && !is_given; i++) {
        is_given = request->values[i] == p;
    }
    return is_given;
}

enum masing_status peak_history_insert(struct peak_history *history, int at,
                                       const struct peak_state *state, int branch,
                                       unsigned events, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct history_point made = {
        .branch = branch, .events = events, .is_wanted = is_wanted(history->request, state->p)};
    TRY_ALLOCATED(memory_grow((void **)&history->points, (size_t)history->n_points + 1,
                              &history->capacity, sizeof *history->points));
    TRY(peak_state_copy(&made.state, state, error));
    struct history_point *place = history->points + at;
    memmove(place + 1, place, sizeof *place * (size_t)(history->n_points - at));
    *place = made;
    history->n_points++;
    return MASING_OK;
done:
    peak_state_clear(&made.state);
    return status;
}

/* Steps that the range is divided into at least and at most, and the shortest step by which a
 * branch is followed before it counts as ended, in parts of the range. */
static const double FEWEST_STEPS = 40.0, MOST_STEPS = 400.0, SHORTEST = 1e-5;
/* Both ends of a range of logarithmic steps are apart by this factor. */
static const double LOGARITHMIC_RATIO = 4.0;
/* Whole responses between the ends of the range, and one more. */
enum { GUARDS = 3 };
/* The response at an end of the range is small below this part of the peak, and then followed
 * once in so many points. */
static const double LOW_END_RATIO = 0.4;
enum { SELDOM = 5 };
/* Points from one place where a long history may go on to the next, see checkpoint.c. */
enum { PAUSE_EVERY = 5 };
/*
 * Steps in between the given values, where the search for the lowest peak needs points that
 * are close together, however far apart those values are. Where only some numbers are values,
 * e.g. whole ones, there is nothing in between.
 */
static enum masing_status choose_steps(struct peak_history *history, struct masing_error *error)
{
    static const double INSIDE = 0.38196601125010515; /* no part of a few whole numbers */
    const struct masing_peak_request *request = history->request;
    struct masing_error inner = {0};
    struct masing_model *model = NULL;
    enum masing_status status = MASING_OK;
    bool is_given = request->n_values > 0;
    double end = is_given ? request->values[1] : request->to;
    double p = request->from + INSIDE * (end - request->from);
    history->is_stepped = !is_given || request->is_minimized;
    if (history->is_stepped && !history->problem->moving) {
        status = peak_problem_model(history->problem, p, &model, &inner);
        masing_model_destroy(model);
    }
    if (status == MASING_INVALID && is_given) {
        history->is_stepped = false;
        return MASING_OK;
    }
    return status == MASING_INVALID
               ? masing_error_set(error, status,
                                  "--vary %s=%g:%g: numbers in between, like %g, are refused: "
                                  "expected the values to compute, %s=V1,V2,...",
                                  request->parameter, request->from, request->to, p,
                                  request->parameter)
           : status ? masing_error_set(error, status, "%s", inner.message)
                    : MASING_OK;
}

static enum masing_status create_problem(struct peak_history *history,
                                         struct masing_error *error)
{
    const struct masing_peak_request *request = history->request;
    const struct moving_model_request moving = {request->document,
                                                request->overrides,
                                                request->n_overrides,
                                                request->parameter,
                                                request->from,
                                                request->to,
                                                "--vary"};
    double low = fmin(request->from, request->to), high = fmax(request->from, request->to);
    NEED(peak_problem_create(&moving, request->measure, history->options->progress,
                             &history->problem, error));
    history->problem->is_log =
        !request->is_linear && low > 0.0 && high >= LOGARITHMIC_RATIO * low;
    return MASING_OK;
}

enum masing_status peak_history_renew(struct peak_history *history, struct masing_error *error)
{
    peak_problem_destroy(history->problem);
    history->problem = NULL;
    return create_problem(history, error);
}

enum masing_status peak_history_create(const struct masing_peak_request *request,
                                       const struct masing_response_options *options,
                                       int number, struct masing_peak_summary *summary,
                                       struct peak_history **history,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_history *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->request = request;
    made->options = options;
    made->summary = summary;
    made->number = number;
    made->warnings = (struct warning_list){&summary->warnings, &summary->n_warnings, NULL};
    made->main = -1;
    TRY(create_problem(made, error));
    double low = fmin(request->from, request->to), high = fmax(request->from, request->to);
    made->range = peak_problem_coordinate(made->problem, high) -
                  peak_problem_coordinate(made->problem, low);
    made->shortest = SHORTEST * made->range;
    made->is_swept = made->problem->model->spec.start == MASING_START_PREVIOUS;
    TRY(choose_steps(made, error));
    *history = made;
    made = NULL;
done:
    peak_history_destroy(made);
    return status;
}

void peak_history_destroy(struct peak_history *history)
{
    if (!history) {
        return;
    }
    for (int i = 0; i < history->n_branches; i++) {
        peak_branch_destroy(history->branches[i]);
    }
    for (int i = 0; i < history->n_points; i++) {
        peak_state_clear(&history->points[i].state);
    }
    free(history->points);
    peak_problem_destroy(history->problem);
    free(history);
}

/* Which maximum is the largest from now on, and how it came to be. */
static enum masing_status change_main(struct peak_history *history, double p, unsigned *events,
                                      struct masing_error *error)
{
    int largest = peak_largest(history, p);
    struct peak_branch *old = history->main < 0 ? NULL : history->branches[history->main];
    struct peak_branch *new = history->branches[largest];
    history->main = largest;
    if (history->n_points == 0 || history->branches[largest]->is_new) {
        return MASING_OK;
    }
    const struct history_point *last = &history->points[history->n_points - 1];
    if (new->number == last->branch || new->past[0].n != last->state.n) {
        return MASING_OK;
    }
    if (new->has_before && old && old->is_alive && old->has_before) {
        const struct peak_state was[2] = {old->before, old->past[0]};
        const struct peak_state is[2] = {new->before, new->past[0]};
        return peak_crossing_insert(history, history->n_points, was, old->number, is,
                                    new->number, error);
    }
    history->summary->n_jumps++;
    *events = MASING_EVENT_BIT(MASING_EVENT_JUMP);
    return MASING_OK;
}

/* The largest peak ended on the way: its last state joins the history where nothing is
 * larger. */
static enum masing_status note_end(struct peak_history *history,
                                   const struct peak_branch *ended, double p,
                                   struct masing_error *error)
{
    const struct history_point *last = &history->points[history->n_points - 1];
    const struct peak_state *state = &ended->past[0];
    bool is_there = true;
    int largest = peak_largest(history, p);
    if (largest >= 0 && history->branches[largest]->past[0].n != state->n) {
        return MASING_OK; /* other unknowns, perhaps the same peak */
    }
    for (int i = 0; i < history->n_branches; i++) {
        const struct peak_branch *other = history->branches[i];
        if (other->is_alive && other != ended &&
            fmax(other->past[0].measure, other->before.measure) >= state->measure) {
            return MASING_OK;
        }
    }
    history->summary->n_folds++;
    if (history->number == 0) {
        NEED(peak_verify_back(history, error));
        last = &history->points[history->n_points - 1];
    }
    if (state->p != last->state.p && last->branch == ended->number) {
        NEED(history->number == 0 ? peak_is_swept(history, state, &is_there, error)
                                  : MASING_OK);
        NEED(is_there ? peak_history_insert(history, history->n_points, state, ended->number,
                                            MASING_EVENT_BIT(MASING_EVENT_FOLD), error)
                      : MASING_OK);
    }
    return warning_add(
        &history->warnings, error,
        "the peak at %.6g Hz turns back at %s = %.7g or leaves the response: from "
        "there on the largest one that is left is followed",
        state->point[state->n] / TWO_PI, history->request->parameter, state->p);
}

static enum masing_status advance_all(struct peak_history *history, double p, bool *has_failed,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *has_failed = false;
    for (int i = 0; i < history->n_branches; i++) {
        struct peak_branch *branch = history->branches[i];
        /* the response at an end of the range, while it is small */
        bool can_wait = branch->past[0].is_end && history->main >= 0 &&
                        branch->past[0].measure <
                            LOW_END_RATIO * history->branches[history->main]->past[0].measure &&
                        history->n_points % SELDOM != 0;
        if (!branch->is_alive || can_wait) {
            continue;
        }
        status = peak_branch_advance(branch, history->problem, p, history->shortest, error);
        if (status < 0) {
            return status;
        }
        if (status > 0) {
            branch->is_alive = false;
            *has_failed = *has_failed || i == history->main;
        }
    }
    return MASING_OK;
}

static enum masing_status record(struct peak_history *history, unsigned events,
                                 struct masing_error *error)
{
    struct peak_branch *main = history->branches[history->main];
    NEED(peak_history_insert(history, history->n_points, &main->past[0], main->number, events,
                             error));
    for (int i = 0; i < history->n_branches; i++) {
        struct peak_branch *branch = history->branches[i];
        branch->has_before = branch->is_alive && branch->past[0].p == main->past[0].p;
        if (branch->has_before) {
            NEED(peak_state_copy(&branch->before, &branch->past[0], error));
        }
    }
    return MASING_OK;
}

/* A whole response, at the beginning and wherever the largest peak is lost before the point
 * is recorded. */
static enum masing_status find_again(struct peak_history *history, double p,
                                     struct masing_error *error)
{
    struct masing_error inner = {0};
    enum masing_status status = peak_guard(history, p, &inner);
    bool is_followed = history->main >= 0 && history->branches[history->main]->is_alive &&
                       history->branches[history->main]->past[0].p == p;
    bool is_missing = false;
    TRY(is_followed ? peak_guard_missing(history, p, status, &inner, &is_missing, error)
        : status    ? masing_error_set(error, status, "%s", inner.message)
                    : MASING_OK);
    if (is_missing) {
        goto done;
    }
    if (history->main >= 0 && !history->branches[history->main]->is_alive &&
        !history->is_swept) {
        TRY(note_end(history, history->branches[history->main], p, error));
    }
    if (peak_largest(history, p) < 0) {
        TRY(masing_error_set(error, MASING_STOPPED, "the peak is not found at %s = %.10g",
                             history->request->parameter, p));
    }
done:
    return status;
}

/* What a whole response has shown that was not followed. */
static enum masing_status trace_new(struct peak_history *history, const struct peak_branch *old,
                                    double p, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < history->n_branches && !history->is_swept && history->number == 0;
         i++) {
        const struct peak_branch *branch = history->branches[i];
        bool has_old = old && old->is_alive && old->past[0].p == p;
        const struct peak_found found = {.state = &branch->past[0],
                                         .number = branch->number,
                                         .index = history->n_points - 1,
                                         .old = has_old ? &old->past[0] : NULL,
                                         .old_number = has_old ? old->number : 0,
                                         .until = history->guarded_at};
        TRY(branch->is_new ? peak_trace(history, &found, -1, error) : MASING_OK);
    }
    history->guarded_at = p;
done:
    for (int i = 0; i < history->n_branches; i++) {
        history->branches[i]->is_new = false;
    }
    return status;
}

/* One more point. */
static enum masing_status step_to(struct peak_history *history, double p, bool is_guarded,
                                  struct masing_error *error)
{
    bool has_failed = false;
    unsigned events = 0;
    if (history->is_swept) { /* nothing is followed: each response says what there is */
        for (int i = 0; i < history->n_branches; i++) {
            history->branches[i]->is_alive = false;
        }
    } else {
        NEED(advance_all(history, p, &has_failed, error));
    }
    int largest = peak_largest(history, p);
    bool is_doubtful = largest >= 0 && history->branches[largest]->past[0].is_end &&
                       !history->branches[largest]->past[0].is_at_limit;
    is_guarded = is_guarded || has_failed || is_doubtful;
    if (is_guarded || history->is_swept) {
        NEED(find_again(history, p, error));
    }
    const struct peak_branch *old = history->main < 0 ? NULL : history->branches[history->main];
    NEED(change_main(history, p, &events, error));
    NEED(record(history, events, error));
    if (is_guarded) {
        NEED(trace_new(history, old, p, error));
    }
    return MASING_OK;
}

/* The value of the next point, at most the mark-th given one. */
static double next_value(const struct peak_history *history, int mark)
{
    const struct masing_peak_request *request = history->request;
    double end = request->n_values > 0 ? request->values[mark] : request->to;
    if (!history->is_stepped) {
        return end;
    }
    const struct peak_state *last = &history->points[history->n_points - 1].state;
    double u = peak_problem_coordinate(history->problem, last->p);
    double left = peak_problem_coordinate(history->problem, end) - u;
    double step = history->range / FEWEST_STEPS;
    step = fmin(step, history->branches[history->main]->step);
    step = fmax(step, history->range / MOST_STEPS);
    double count = ceil(fabs(left) / step * (1.0 - 1e-9));
    return count <= 1.0 ? end : peak_problem_value(history->problem, u + left / count);
}

enum masing_status peak_history_start(struct peak_history *history, struct masing_error *error)
{
    history->at = history->request->from;
    history->mark = 1;
    return step_to(history, history->at, true, error);
}

/* The way from one value to another, in parts of the range. */
static double part_of_range(const struct peak_history *history, double from, double to)
{
    return fabs(peak_problem_coordinate(history->problem, to) -
                peak_problem_coordinate(history->problem, from)) /
           history->range;
}

enum masing_status peak_history_follow(struct peak_history *history, struct masing_error *error)
{
    const struct masing_peak_request *request = history->request;
    int n_guards = request->n_guards > 0 ? request->n_guards : GUARDS;
    while (history->at != request->to) {
        double done = part_of_range(history, request->from, history->at);
        NEED(progress_report(history->options->progress, done, history->n_points, error));
        NEED(history->n_points % PAUSE_EVERY == 0 ? peak_checkpoint_pause(history, error)
                                                  : MASING_OK);
        double p = next_value(history, history->mark);
        history->mark += request->n_values > 0 && p == request->values[history->mark];
        double since = part_of_range(history, history->guarded_at, p);
        bool is_due = p == request->to || since * n_guards >= 1.0 - 1e-9;
        NEED(step_to(history, p, is_due && history->number == 0, error));
        history->at = p;
    }
    return MASING_OK;
}

/* ---- maxima that were not known before ----
 *
 * Such a maximum is followed over the points: where it is larger than what was taken there, it
 * takes its place. */

struct trace {
    struct peak_history *history;
    int number;               /* of the maximum that is followed back */
    int direction;            /* of the points */
    struct peak_state new[2]; /* it, at a point and the one before */
    struct peak_state was[2]; /* what was taken there */
    int was_number[2];
    bool is_above[2], has_was; /* has_was: was[1] is known */
};

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
    struct history_point *point = &trace->history->points[k];
    NEED(peak_state_copy(&trace->was[0], &point->state, error));
    trace->was_number[0] = point->branch;
    const struct peak_state *new = &trace->new[0], *was = &point->state;
    trace->is_above[0] =
        new->measure > (1.0 + PEAK_LARGER) * was->measure &&
        !is_one_maximum(new->point[new->n], new->measure, was->point[was->n], was->measure);
    if (trace->is_above[0]) {
        NEED(peak_state_copy(&point->state, &trace->new[0], error));
        point->branch = trace->number;
        point->events = 0;
    }
    if (trace->has_was && trace->was[0].p != trace->was[1].p &&
        trace->is_above[0] != trace->is_above[1]) {
        NEED(cross(trace, k, error));
    }
    return MASING_OK;
}

/* Where the maximum was found; what else was the largest there may be known. */
static enum masing_status begin(struct trace *trace, const struct peak_found *found,
                                struct masing_error *error)
{
    const struct history_point *point = &trace->history->points[found->index];
    NEED(peak_state_copy(&trace->new[1], found->state, error));
    trace->is_above[1] = point->branch == found->number;
    trace->has_was = !trace->is_above[1];
    if (trace->has_was) {
        NEED(peak_state_copy(&trace->was[1], &point->state, error));
        trace->was_number[1] = point->branch;
    } else if (found->old && found->old->n == found->state->n) {
        NEED(peak_state_copy(&trace->was[1], found->old, error));
        trace->was_number[1] = found->old_number;
        trace->has_was = true;
    }
    return MASING_OK;
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
    for (int i = 0; i < 2; i++) {
        peak_state_clear(&trace.new[i]);
        peak_state_clear(&trace.was[i]);
    }
    return status;
}
