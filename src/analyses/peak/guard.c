/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following maxima sees neither those that appear on the way nor that a curve was left. Whole
 * responses do, now and then and wherever following fails.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/peak/history.h"
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/memory.h"
#include "masing/response.h"

/* A response that comes to the same maximum more often goes round in circles on its own path.
 */
enum { MOST_VISITS = 5 };
/* The same one within this, relative: maxima are located to rounding. */
static const double SAME_VISIT = 1e-9;

struct sweep_visit {
    double omega, measure;
    int count;
};

/* All maxima of one whole frequency response. */
struct peak_sweep {
    const struct peak_problem *problem;
    double p;
    int n;
    size_t capacity;            /* of maxima */
    struct peak_state ends[2];  /* of the range; n = 0 where there is none */
    double from;                /* rad/s, the end that is the first */
    struct sweep_visit *visits; /* [n_visits] maxima, each with how often it was met */
    size_t n_visits, visit_capacity;
    bool is_circling;          /* one was met too often */
    struct peak_state *maxima; /* in the order of their frequencies */
};

/* Of maxima that are one the larger stays. */
static bool is_known(struct peak_sweep *sweep, double omega, double measure)
{
    for (int i = sweep->n - 1; i >= 0; i--) {
        struct peak_state *other = &sweep->maxima[i];
        if (is_one_maximum(omega, measure, other->point[other->n], other->measure)) {
            if (other->measure >= measure) {
                return true;
            }
            peak_state_clear(other);
            memmove(other, other + 1, sizeof *other * (size_t)(sweep->n - 1 - i));
            sweep->n--;
        }
    }
    return false;
}

static enum masing_status fill(const struct peak_sweep *sweep,
                               const struct response_curve *curve,
                               const struct continuation_point *point, struct peak_state *state,
                               struct masing_error *error)
{
    int n = curve->balance->n_unknowns;
    NEED(peak_state_create(n, peak_problem_n_cells(curve->recovery), state, error));
    memcpy(state->point, point->y, sizeof(double) * (size_t)n);
    memcpy(state->tangent, point->dy, sizeof(double) * (size_t)n);
    state->point[n] = point->lambda;
    state->tangent[n] = point->dlambda;
    peak_problem_cells(curve->recovery, state->cells);
    state->p = sweep->p;
    state->measure = recovery_peak_measure(curve->recovery);
    state->is_swept = true;
    state->iterations = point->iterations;
    return MASING_OK;
}

static enum masing_status add(struct peak_sweep *sweep, const struct response_curve *curve,
                              const struct continuation_point *point, bool is_at_limit,
                              struct masing_error *error)
{
    double measure = recovery_peak_measure(curve->recovery);
    int n = curve->balance->n_unknowns, at;
    if (is_known(sweep, point->lambda, measure)) {
        return MASING_OK;
    }
    NEED_ALLOCATED(memory_grow((void **)&sweep->maxima, (size_t)sweep->n + 1, &sweep->capacity,
                               sizeof *sweep->maxima));
    for (at = sweep->n; at > 0 && sweep->maxima[at - 1].point[n] > point->lambda; at--) {
        sweep->maxima[at] = sweep->maxima[at - 1];
    }
    struct peak_state *state = &sweep->maxima[at];
    *state = (struct peak_state){0}; /* the room is new, or has moved on */
    sweep->n++;
    NEED(fill(sweep, curve, point, state, error));
    state->is_at_limit = is_at_limit;
    return MASING_OK;
}

/* Does the measure fall inwards from this end of the range? The recovery is the curve's own:
 * what it says about the point stays. */
static bool is_highest_end(const struct response_curve *curve,
                           const struct continuation_point *point)
{
    const struct masing_spec *spec = &curve->model->spec;
    bool is_start = point->index == 0;
    const double *dy = is_start ? point->dy : point->dy_in;
    double dlambda = is_start ? point->dlambda : point->dlambda_in, slope = NAN;
    if (!is_start && point->lambda != spec->omega_to) {
        return false;
    }
    enum masing_status status =
        recovery_slope(curve->recovery, point->y, point->lambda, dy, dlambda, &slope);
    return status == MASING_OK && (is_start ? slope < 0.0 : slope > 0.0);
}

static enum masing_status note_visit(struct peak_sweep *sweep, double omega, double measure,
                                     struct masing_error *error)
{
    for (size_t i = 0; i < sweep->n_visits; i++) {
        struct sweep_visit *visit = &sweep->visits[i];
        if (fabs(visit->omega - omega) <= SAME_VISIT * omega &&
            fabs(visit->measure - measure) <= SAME_VISIT * measure) {
            sweep->is_circling = ++visit->count > MOST_VISITS;
            return sweep->is_circling ? MASING_STOPPED : MASING_OK;
        }
    }
    NEED_ALLOCATED(memory_grow((void **)&sweep->visits, sweep->n_visits + 1,
                               &sweep->visit_capacity, sizeof *sweep->visits));
    sweep->visits[sweep->n_visits++] = (struct sweep_visit){omega, measure, 1};
    return MASING_OK;
}

static enum masing_status observe(void *context, const struct response_curve *curve,
                                  const struct continuation_point *point,
                                  struct masing_error *error)
{
    struct peak_sweep *sweep = context;
    bool is_first = point->index == 0;
    bool is_peak = masing_events_have(point->events.kinds, MASING_EVENT_PEAK);
    bool is_end = !is_peak && is_highest_end(curve, point);
    if (is_first || point->lambda == curve->model->spec.omega_to) {
        struct peak_state *end = &sweep->ends[point->lambda == sweep->from ? 0 : 1];
        peak_state_clear(end);
        NEED(fill(sweep, curve, point, end, error));
        end->is_end = true;
        end->is_at_limit = is_end;
    }
    NEED(is_peak || is_end ? add(sweep, curve, point, is_end, error) : MASING_OK);
    return is_peak
               ? note_visit(sweep, point->lambda, recovery_peak_measure(curve->recovery), error)
               : MASING_OK;
}

static void clear_sweep(struct peak_sweep *sweep)
{
    for (int i = 0; i < sweep->n; i++) {
        peak_state_clear(&sweep->maxima[i]);
    }
    free(sweep->maxima);
    free(sweep->visits);
    peak_state_clear(&sweep->ends[0]);
    peak_state_clear(&sweep->ends[1]);
    *sweep = (struct peak_sweep){0};
}

/* Index of the largest maximum; -1: none. */
static int largest_maximum(const struct peak_sweep *sweep)
{
    int largest = -1;
    for (int i = 0; i < sweep->n; i++) {
        if (largest < 0 || sweep->maxima[i].measure > sweep->maxima[largest].measure) {
            largest = i;
        }
    }
    return largest;
}

/* A maximum of the response is that of a branch within these parts of its frequency and size.
 */
static const double SAME_FREQUENCY = 2e-3, SAME_SIZE = 2e-3;
/* A branch that lost its way is found again within these. */
static const double NEAR_FREQUENCY = 0.02, NEAR_SIZE = 0.2;
/* Smaller maxima than this part of the largest need no watching until the next guard. */
static const double WATCHED = 0.4;
/* What polishing may lose, relative. */
static const double LOSS = 1e-5;

static bool is_within(const struct peak_state *a, const struct peak_state *b, double frequency,
                      double size)
{
    double omega = a->point[a->n];
    return fabs(b->point[b->n] - omega) <= frequency * omega &&
           fabs(b->measure - a->measure) <= size * a->measure;
}

int peak_largest(const struct peak_history *history, double p)
{
    int largest = history->main; /* stays, unless another one is larger by more than rounding */
    if (largest >= 0 && !history->branches[largest]->is_alive) {
        largest = -1;
    }
    for (int i = 0; i < history->n_branches; i++) {
        const struct peak_branch *branch = history->branches[i];
        double least = largest < 0
                           ? 0.0
                           : (1.0 + PEAK_LARGER) * history->branches[largest]->past[0].measure;
        if (branch->is_alive && branch->past[0].p == p && branch->past[0].measure > least) {
            largest = i;
        }
    }
    return largest;
}

/* The extremum condition solved from the point of the response; as it is where that fails. */
static enum masing_status polish(struct peak_history *history, struct peak_state *state,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state trial = {0};
    TRY(peak_state_copy(&trial, state, error));
    if (!history->is_swept && peak_problem_solve(history->problem, &trial) == MASING_OK &&
        trial.measure >= (1.0 - LOSS) * state->measure &&
        is_within(state, &trial, SAME_FREQUENCY, SAME_SIZE)) {
        TRY(peak_state_copy(state, &trial, error));
    }
done:
    peak_state_clear(&trial);
    return status;
}

static int find_branch(const struct peak_history *history, const struct peak_state *state,
                       const bool *is_seen, double frequency, double size, bool is_alive)
{
    for (int i = 0; i < history->n_branches; i++) {
        const struct peak_branch *branch = history->branches[i];
        bool is_free = !is_seen[i] || (branch->past[0].is_end && state->is_at_limit);
        if (is_free && branch->is_alive == is_alive && branch->past[0].n == state->n &&
            is_within(state, &branch->past[0], frequency, size)) {
            return i;
        }
    }
    return -1;
}

/* Behind the others, or in the place of one that ended, if there is any. */
static enum masing_status add_branch(struct peak_history *history,
                                     const struct peak_state *state, bool *is_seen,
                                     struct masing_error *error)
{
    struct peak_branch *made = NULL;
    int lost = find_branch(history, state, is_seen, NEAR_FREQUENCY, NEAR_SIZE, false);
    int slot = lost >= 0 ? lost : history->n_branches;
    if (slot == PEAK_BRANCHES) {
        slot = 0;
        while (slot < PEAK_BRANCHES &&
               (history->branches[slot]->is_alive || slot == history->main)) {
            slot++;
        }
    }
    if (slot == PEAK_BRANCHES) {
        return MASING_OK;
    }
    int number = lost >= 0 ? history->branches[lost]->number : history->n_numbers + 1;
    NEED(peak_branch_create(state, PEAK_FIRST_STEP * history->range, number, &made, error));
    made->is_new = lost < 0;
    peak_branch_destroy(history->branches[slot]);
    history->branches[slot] = made;
    history->n_branches += slot == history->n_branches;
    history->n_numbers += lost < 0;
    is_seen[slot] = true;
    return MASING_OK;
}

static enum masing_status take_over(struct peak_history *history,
                                    const struct peak_sweep *sweep, bool *is_seen,
                                    struct masing_error *error)
{
    int largest = largest_maximum(sweep);
    for (int i = 0; i < sweep->n; i++) {
        const struct peak_state *state = &sweep->maxima[i];
        int known = find_branch(history, state, is_seen, SAME_FREQUENCY, SAME_SIZE, true);
        bool is_watched = state->measure >= WATCHED * sweep->maxima[largest].measure;
        if (known >= 0) {
            is_seen[known] = true;
        } else if (is_watched &&
                   (history->number == 0 || find_branch(history, state, is_seen, NEAR_FREQUENCY,
                                                        NEAR_SIZE, false) >= 0)) {
            NEED(add_branch(history, state, is_seen, error));
        }
    }
    return MASING_OK;
}

/* The ends of the range are watched as well, whether they are maxima or not. */
static enum masing_status watch_ends(struct peak_history *history,
                                     const struct peak_sweep *sweep, bool *is_seen,
                                     struct masing_error *error)
{
    for (int e = 0; e < 2 && !history->is_swept && history->number == 0; e++) {
        const struct peak_state *end = &sweep->ends[e];
        bool is_there = end->point == NULL;
        for (int i = 0; i < history->n_branches && !is_there; i++) {
            const struct peak_branch *branch = history->branches[i];
            /* one that waits has a size of an earlier value */
            double size = branch->past[0].p == sweep->p ? SAME_SIZE : (double)INFINITY;
            is_there = branch->past[0].is_end && branch->is_alive &&
                       is_within(end, &branch->past[0], SAME_FREQUENCY, size);
            is_seen[i] = is_seen[i] || is_there;
        }
        if (!is_there) {
            NEED(add_branch(history, end, is_seen, error));
        }
    }
    return MASING_OK;
}

/* Branches that are nowhere on the response have left it. */
static void drop_lost(struct peak_history *history, const struct peak_sweep *sweep,
                      const bool *is_seen)
{
    for (int i = 0; i < history->n_branches; i++) {
        struct peak_branch *branch = history->branches[i];
        bool is_there = is_seen[i];
        for (int k = 0; k < sweep->n && !is_there; k++) {
            is_there =
                branch->past[0].n == sweep->maxima[k].n &&
                is_within(&sweep->maxima[k], &branch->past[0], SAME_FREQUENCY, SAME_SIZE);
        }
        branch->is_alive = branch->is_alive && is_there;
    }
}

/* As without a load: nothing but round-off makes a maximum of such a response. */
static bool is_constant(const struct peak_sweep *sweep)
{
    static const double ROUND_OFF = 1e-12;
    double largest = sweep->maxima[largest_maximum(sweep)].measure;
    bool is_there = sweep->ends[0].point && sweep->ends[1].point;
    return is_there && largest - sweep->ends[0].measure <= ROUND_OFF * largest &&
           largest - sweep->ends[1].measure <= ROUND_OFF * largest;
}

/* One way along a response, which the summary counts. */
static enum masing_status follow(const struct peak_history *history,
                                 const struct masing_model *model, struct peak_sweep *sweep,
                                 struct masing_response_summary *summary,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_curve *curve = NULL;
    const struct masing_progress quiet = progress_quiet(history->options->progress);
    const struct masing_response_options options = {.progress = &quiet};
    const struct response_curve_settings settings = {.model = model,
                                                     .options = &options,
                                                     .is_for_peaks = true,
                                                     .point_context = sweep,
                                                     .point = observe};
    masing_response_summary_clear(summary);
    sweep->is_circling = false;
    sweep->n_visits = 0;
    TRY(response_curve_create(&settings, summary, &curve, error));
    status = response_curve_follow(curve, error);
done:
    response_curve_destroy(curve);
    return status;
}

/* From end to end; where it goes round in circles, the rest of it from the other end, until it
 * comes there, too. */
static enum masing_status follow_both_ways(const struct peak_history *history,
                                           struct masing_model *model, struct peak_sweep *sweep,
                                           struct masing_response_summary *summary,
                                           struct masing_error *error)
{
    sweep->from = model->spec.omega_from;
    enum masing_status status = follow(history, model, sweep, summary, error);
    if (sweep->is_circling) {
        masing_error_clear(error);
        model->spec.omega_from = model->spec.omega_to;
        model->spec.omega_to = sweep->from;
        status = follow(history, model, sweep, summary, error);
    }
    if (sweep->is_circling) {
        masing_error_clear(error);
        status = MASING_OK;
    }
    return status;
}

/* The model at a value, of its own. */
static enum masing_status make_model(struct peak_history *history, double p,
                                     struct masing_model **model, struct masing_error *error)
{
    struct masing_error refusal = {0};
    const struct peak_problem *problem = history->problem;
    enum masing_status status = peak_problem_model(problem, p, model, &refusal);
    history->has_none = status == MASING_INVALID;
    return status == MASING_OK
               ? status
               : masing_error_set(error, status == MASING_INVALID ? MASING_STOPPED : status,
                                  "%s = %.10g: %s", problem->request.parameter, p,
                                  refusal.message);
}

/*
 * Follow the response at a value of the problem's number. MASING_STOPPED where it ended early,
 * the maxima being worth nothing then. Clear it also after a failure.
 */
static enum masing_status run(struct peak_history *history, double p, struct peak_sweep *sweep,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_peak_summary *all = history->summary;
    struct masing_response_summary summary = {0};
    struct masing_model *model = NULL;
    *sweep = (struct peak_sweep){.problem = history->problem, .p = p};
    all->n_sweeps++;
    TRY(make_model(history, p, &model, error));
    TRY(follow_both_ways(history, model, sweep, &summary, error));
    history->has_none = summary.is_complete && (sweep->n == 0 || is_constant(sweep));
    if ((!summary.is_complete && !sweep->is_circling) || sweep->n == 0 || history->has_none) {
        TRY(masing_error_set(error, MASING_STOPPED, "%s = %.10g: %s",
                             history->request->parameter, p,
                             summary.is_complete ? "the response has no largest value"
                                                 : "the response ended early"));
    }
    all->energy_mismatch = fmax(all->energy_mismatch, summary.energy_mismatch);
    all->residual = fmax(all->residual, summary.residual);
    TRY(peak_problem_set(history->problem, p, error));
    for (int i = 0; i < sweep->n; i++) {
        TRY(polish(history, &sweep->maxima[i], error));
    }
done:
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
    return status;
}

enum masing_status peak_guard_largest(struct peak_history *history, double p,
                                      struct peak_state *state, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_sweep sweep;
    TRY(run(history, p, &sweep, error));
    const struct peak_state *largest = &sweep.maxima[largest_maximum(&sweep)];
    TRY(peak_state_copy(state, largest, error));
done:
    clear_sweep(&sweep);
    return status;
}

enum masing_status peak_guard(struct peak_history *history, double p,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool is_seen[PEAK_BRANCHES] = {false};
    struct peak_sweep sweep;
    TRY(run(history, p, &sweep, error));
    TRY(watch_ends(history, &sweep, is_seen, error));
    if (history->number == 0 || history->n_branches > 0) {
        TRY(take_over(history, &sweep, is_seen, error));
    } else if (history->number <= sweep.n) { /* at the beginning: that peak alone */
        TRY(add_branch(history, &sweep.maxima[history->number - 1], is_seen, error));
    } else {
        TRY(masing_error_set(error, MASING_INVALID,
                             "--number %d: at %s = %.10g the response has %d peak%s within the "
                             "frequency range",
                             history->number, history->request->parameter, p, sweep.n,
                             sweep.n == 1 ? "" : "s"));
    }
    drop_lost(history, &sweep, is_seen);
done:
    clear_sweep(&sweep);
    return status;
}

enum masing_status peak_guard_missing(struct peak_history *history, double p,
                                      enum masing_status guarded,
                                      const struct masing_error *reason, bool *is_missing,
                                      struct masing_error *error)
{
    *is_missing =
        guarded > 0 && !history->has_none && !progress_is_cancelled(history->options->progress);
    if (guarded != MASING_OK && !*is_missing) {
        return masing_error_set(error, guarded, "%s", reason->message);
    }
    return *is_missing ? warning_add(&history->warnings, error,
                                     "the whole response at %s = %.6g ended early: the peak "
                                     "that was followed is not compared with it",
                                     history->request->parameter, p)
                       : MASING_OK;
}

/*
 * A maximum may lie on a part of the response that has come off: it is followed there, and no
 * sweep of the frequency leads to it. Where the largest peak is lost, the last point with it
 * that a whole response confirms is enclosed by growing steps back and bisection; behind it the
 * largest maxima of responses are followed instead.
 */

/* Equal within this part, samples' ripples included. */
static const double EQUAL = 1e-4;

/* Is it the largest one of a response at its value? */
static bool is_largest(const struct peak_state *state, const struct peak_state *largest)
{
    return is_within(largest, state, SAME_FREQUENCY, EQUAL);
}

enum masing_status peak_is_swept(struct peak_history *history, const struct peak_state *state,
                                 bool *is_there, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state largest = {0};
    TRY(peak_guard_largest(history, state->p, &largest, error));
    *is_there = is_largest(state, &largest);
done:
    peak_state_clear(&largest);
    return status;
}

static void replace(struct history_point *point, struct peak_state *state, int branch)
{
    peak_state_clear(&point->state);
    point->state = *state;
    *state = (struct peak_state){0};
    point->branch = branch;
    point->events = 0;
}

/* The maximum of point k + 1 at the value of point k, whose place it takes; where it is not
 * found there, or where a whole response had another one, that of the response does. */
static enum masing_status follow_back(struct peak_history *history, int k, bool is_known,
                                      struct masing_error *error)
{
    struct history_point *point = &history->points[k], *after = point + 1;
    struct peak_branch *branch = NULL;
    struct peak_state largest = {0};
    double p = point->state.p;
    enum masing_status status = peak_branch_create(
        &after->state, PEAK_FIRST_STEP * history->range, after->branch, &branch, error);
    status = status
                 ? status
                 : peak_branch_advance(branch, history->problem, p, history->shortest, error);
    if (status == MASING_OK && (!is_known || is_largest(&branch->past[0], &point->state))) {
        replace(point, &branch->past[0], after->branch);
    } else if (status >= 0 && !is_known) {
        TRY(peak_guard_largest(history, p, &largest, error));
        replace(point, &largest, ++history->n_numbers);
    }
    status = status < 0 ? status : MASING_OK;
done:
    peak_branch_destroy(branch);
    peak_state_clear(&largest);
    return status;
}

enum masing_status peak_verify_back(struct peak_history *history, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct history_point *points = history->points;
    struct peak_state largest = {0};
    int last = history->n_points - 1, low = last, high = last + 1, known = history->n_numbers;
    while (low >= 0 && points[low].state.p != history->guarded_at) {
        low--;
    }
    int stride = 1; /* doubled as long as none agrees, since the last one is often near */
    bool is_enclosed = false;
    for (int k = last; k > low;) {
        TRY(peak_guard_largest(history, points[k].state.p, &largest, error));
        if (is_largest(&points[k].state, &largest)) {
            low = k;
            is_enclosed = true;
        } else {
            replace(&points[k], &largest, ++history->n_numbers);
            high = k;
        }
        k = is_enclosed || high - stride <= low ? (low + high) / 2 : high - stride;
        stride *= 2;
    }
    for (int k = last - 1; k >= high; k--) {
        TRY(follow_back(history, k, points[k].branch > known, error));
    }
done:
    peak_state_clear(&largest);
    return status;
}
