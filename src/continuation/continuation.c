/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows a curve point by point. A step leads from `here` to `next`: attempted, shortened
 * until it converges, cut where the range ends or a corner lies, then reported with what lies
 * between.
 */
#include "continuation/continuation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/* Tangents from old factors may be off by this, in rad. */
static const double LARGEST_TANGENT_ERROR = 1e-3;

enum { WATCHED_STEPS = 300 };
/* A curve that has turned round so often without leading beyond what was reached winds on: in
 * resonances with sharp contacts there may be no motion in step with the load that it leads to.
 * A turn counts where lambda goes back by this part of its way from the farthest point. */
enum { MOST_TURNS = 25 };
static const double LEAST_TURN = 1e-3;
/* The failure of this number in a row is followed by another look for corners. */
enum { LATE = 5 };
/* Steps that are as short as this can hardly be shorter, in parts of the shortest. */
static const double LAST_STEPS = 10.0;
/* A step of this part of the first one leads on, whatever it needed. */
static const double STEP_LEADS_ON = 0.25;
/* A step of this part of the first one that fails is among many corners. */
static const double CROWDED = 0.01;
/* Arc length within which a point is the first one again, and what follows from that. */
static const double SAME_POINT = 1e-5, SHORTER = 0.2;
static const double LEAST_PROGRESS = 1e-4; /* arc length */

void curve_begin_piece(struct continuation *c, double arc)
{
    c->is_corner = c->is_restarted = c->is_rescued = c->begins_anew = c->closes = false;
    c->is_held_up = false;
    c->has_before = c->meets = c->has_ended = false;
    c->rescues = c->n_steps = c->n_met = c->orientation = c->secant_votes = 0;
    c->heading = 0.0;
    c->watched_arc = c->next.arc = arc;
    c->farthest = c->settings.lambda_from;
    c->good_length = c->settings.step_initial;
    c->turns = (struct curve_turns){0};
    c->spotted.lambda = NAN;
    step_restart(&c->step, &c->settings, c->settings.step_initial);
}

/* What is not found by now is not looked for any longer. */
static bool stop_exhausted(struct continuation *c, double lambda)
{
    bool is_exhausted = c->bordered.n_left <= 0;
    if (is_exhausted) {
        curve_stop(c, CONTINUATION_FULL,
                   "the limit of %d points was reached in searches at %.10g%s (%d points, %ld "
                   "residuals)",
                   c->settings.max_points, curve_shown(c, lambda), curve_unit(c),
                   c->counts.points, curve_most_residuals(c));
    }
    return is_exhausted;
}

static void begin(struct continuation *c, const struct continuation_observer *observer,
                  struct masing_error *error)
{
    c->observer = observer;
    c->error = error;
    c->following = c->locating = (struct bordered_cost){0};
    c->counts = (struct continuation_counts){0};
    c->bordered.cost = &c->following;
    c->solution_size = 1.0;
    c->is_on_side_branch = false;
    c->n_junctions = c->n_pieces = 0;
    c->reason[0] = '\0';
    corrector_reset(c->corrector);
    c->bordered.n_left = c->is_inner ? c->most_residuals : curve_most_residuals(c);
    curve_begin_piece(c, 0.0);
}

/* ---- the first point, and the direction in which it is left ---- */

/* By a part of all residuals: of a start that was not found so far little is to be hoped. */
static enum masing_status solve_start(struct continuation *c, double lambda,
                                      const double *guesses, int n_guesses)
{
    long all = c->bordered.n_left,
         most = all < CURVE_START_RESIDUALS ? all : CURVE_START_RESIDUALS;
    c->bordered.n_left = most;
    enum masing_status status = curve_solve_first(c, lambda, guesses, n_guesses);
    c->bordered.n_left = all - most + c->bordered.n_left;
    return status;
}

enum masing_status curve_start_tangent(struct continuation *c)
{
    double *tangent = c->next.tangent;
    c->solution_size = 1.0;
    NEED(curve_renew_metric(c, c->next.u));
    memset(tangent, 0, (size_t)c->n * sizeof *tangent);
    tangent[c->n] = c->direction * c->range;
    memcpy(c->normal, tangent, (size_t)c->size * sizeof *tangent);
    enum masing_status status = curve_exact_tangent(c, c->next.u, c->normal, tangent);
    if (status > 0 || bordered_is_nearly_singular(&c->bordered)) {
        status = curve_tangent_along_lambda(c, c->next.u, tangent);
    }
    NEED(status);
    memcpy(c->next.tangent_in, tangent, (size_t)c->size * sizeof *tangent);
    return MASING_OK;
}

bool curve_is_value(const struct continuation *c, double lambda)
{
    for (int i = 0; i < c->settings.n_values; i++) {
        if (c->values[i] == lambda) {
            return true;
        }
    }
    return false;
}

static enum masing_status start(struct continuation *c, const double *guesses, int n_guesses)
{
    enum masing_status status = MASING_OK;
    double lambda =
        c->settings.starts_inside ? c->settings.lambda_start : c->settings.lambda_from;
    const char *missing = "solution";
    TRY(solve_start(c, lambda, guesses, n_guesses));
    missing = "direction of the curve";
    TRY(curve_start_tangent(c));
    missing = "corner";
    TRY(curve_start_functions(c));
    if (curve_is_value(c, lambda)) {
        curve_add_event(c, CONTINUATION_AT, -1);
    }
done:
    if (status > 0 && stop_exhausted(c, lambda)) {
        return MASING_OK;
    }
    if (status > 0) {
        curve_stop(c, CONTINUATION_NO_START, "no %s was found at %.10g%s: %s", missing,
                   curve_shown(c, lambda), curve_unit(c), masing_status_name(status));
        status = MASING_OK;
    }
    return status;
}

/* ---- steps ---- */

/* Another point like `next` behind a corner would be off by too much. */
static bool is_too_coarse(const struct continuation *c)
{
    const struct step_outcome *o = &c->outcome;
    return o->order == STEP_CORNER && o->length > 10.0 * c->settings.step_min &&
           step_is_coarse(o, &c->settings);
}

/* Cut the step to `next` where the range ends, the curve closes or a corner lies. */
static enum masing_status cut_step(struct continuation *c, enum curve_passing passing)
{
    c->closes = false;
    NEED(curve_stop_at_bounds(c));
    NEED(curve_close(c));
    NEED(curve_part_folds(c));
    NEED(curve_see_peaks(c, passing));
    return curve_find_events(c);
}

/* One step of the length that step control asks for. Positive: *factor times that may do. */
static enum masing_status try_step(struct continuation *c, double *factor)
{
    struct curve_attempt attempt = {.length = c->step.length};
    *factor = c->advised = 0.5;
    NEED(curve_attempt(c, &attempt));
    if (is_too_coarse(c)) {
        *factor = step_error_factor(&c->outcome, &c->settings);
        return MASING_NOT_CONVERGED;
    }
    bool is_last = c->step.length <= LAST_STEPS * c->settings.step_min;
    enum masing_status status = cut_step(c, is_last ? PASS_LAST : PASS_CLEAR);
    *factor = c->advised;
    return status;
}

/* A corner within reach may be what stands in the way. */
static enum masing_status approach_corner(struct continuation *c, double length)
{
    NEED(curve_approach_corner(c, length));
    NEED(cut_step(c, PASS_CLEAR));
    curve_needed(c, MASING_STRATEGY_CORNER, c->next.u);
    return MASING_OK;
}

/* Not on to the end of the range, where a fold may be what Newton's method finds hard. */
static enum masing_status search_line(struct continuation *c, double length)
{
    const struct curve_attempt attempt = {.length = length, .is_line_search = true};
    NEED(curve_attempt(c, &attempt));
    double lambda = c->next.u[c->n];
    if (lambda == c->settings.lambda_from || lambda == c->settings.lambda_to) {
        return MASING_NOT_CONVERGED;
    }
    NEED(cut_step(c, PASS_CLEAR));
    curve_needed(c, MASING_STRATEGY_LINE_SEARCH, c->next.u);
    return MASING_OK;
}

/* Where corners that nothing announces may stand in the way: straight on over all of them, or
 * to the one that turns the curve. */
static enum masing_status step_over_corners(struct continuation *c, double length, int failed)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    const struct curve_attempt attempt = {.length = length, .is_secant = true};
    if (c->has_before && c->secant_votes == 0) {
        status = curve_attempt(c, &attempt);
        status = status == MASING_OK ? cut_step(c, PASS_CLEAR) : status;
    }
    if (status > 0) {
        status = curve_find_hidden_corner(c, length);
        status = status == MASING_OK ? cut_step(c, PASS_CLEAR) : status;
    }
    if (status > 0 && failed == 1 && length < CROWDED * c->settings.step_initial) {
        status = curve_leave_crowd(c, c->settings.step_initial, 0.1);
        status = status == MASING_OK ? cut_step(c, PASS_CLEAR) : status;
    }
    return status;
}

/* Newton's method, a line search, shorter and shorter steps. */
static enum masing_status shorten_step(struct continuation *c)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    bool had_converged = true;
    for (int failed = 0; c->step.length >= c->settings.step_min;) {
        double factor;
        double length = c->step.length;
        status = try_step(c, &factor);
        if (status <= 0) {
            if (status == MASING_OK && !had_converged) {
                curve_needed(c, MASING_STRATEGY_SHORTER, c->next.u);
            }
            break;
        }
        bool has_converged = c->has_converged;
        had_converged = had_converged && has_converged;
        step_reject(&c->step, factor);
        c->counts.rejected++;
        failed++;
        enum masing_status other = MASING_NOT_CONVERGED;
        if (failed == 1 || failed == LATE) {
            other = approach_corner(c, length);
        }
        if (other > 0 && c->settings.has_hidden_corners) {
            other = step_over_corners(c, length, failed);
        }
        if (other > 0 && failed == 1 && !has_converged) {
            other = search_line(c, length);
        }
        if (other <= 0) {
            return other;
        }
    }
    return status;
}

static void stop_at_step(struct continuation *c, bool is_held_up, enum masing_status status)
{
    double lambda = curve_shown(c, c->here.u[c->n]);
    if (is_held_up) {
        curve_stop(c, CONTINUATION_STEP_LIMIT,
                   "%d steps got no further than %.3g of the range at %.10g%s", WATCHED_STEPS,
                   LEAST_PROGRESS, lambda, curve_unit(c));
    } else {
        curve_stop(c, CONTINUATION_STEP_LIMIT,
                   "no step down to %.3g of the range converged at %.10g%s (%s)",
                   c->settings.step_min, lambda, curve_unit(c), masing_status_name(status));
    }
}

/* The next point; where the curve is held up, further on. */
static enum masing_status take_step(struct continuation *c)
{
    bool is_held_up = c->is_held_up;
    c->is_rescued = c->begins_anew = c->is_held_up = false;
    enum masing_status status = is_held_up ? MASING_NOT_CONVERGED : shorten_step(c);
    if (status > 0 && !is_held_up) {
        status = curve_rescue(c, status);
        if (status == MASING_OK) {
            status = cut_step(c, PASS_RESCUED);
        }
    }
    if (status > 0 && stop_exhausted(c, c->here.u[c->n])) {
        return MASING_OK;
    }
    if (status > 0) {
        enum masing_status begun = curve_begin_anew(c);
        status = begun <= 0 ? begun : status;
    }
    if (status > 0) {
        stop_at_step(c, is_held_up, status);
        status = MASING_OK;
    }
    return status;
}

static void choose_length(struct continuation *c)
{
    const struct continuation_settings *settings = &c->settings;
    c->is_restarted = c->is_corner;
    if (c->is_corner) {
        step_restart(&c->step, settings, c->corner_step);
    } else if (c->is_rescued || c->begins_anew) {
        step_restart(&c->step, settings, (c->begins_anew ? 1.0 : 0.25) * c->outcome.length);
        c->has_before = false;
        c->rescues =
            c->outcome.length < STEP_LEADS_ON * settings->step_initial ? c->rescues : 0;
        c->good_length =
            fmax(c->good_length, fmin(2.0 * c->outcome.length, settings->step_initial));
    } else {
        step_accept(&c->step, settings, &c->outcome);
        c->good_length = c->outcome.length;
        corrector_set_chord(c->corrector, LARGEST_TANGENT_ERROR * c->outcome.length /
                                              (c->outcome.turning + 1e-3));
        c->rescues = 0;
    }
}

/*
 * The tangent comes from the factors of the corrector, which may stem from across a corner:
 * a contact that has come to rest, followed with the tangent of one that slips, is predicted to
 * slip, and so for ever. After trouble it is taken from the solution itself.
 */
static enum masing_status renew_tangent(struct continuation *c)
{
    size_t size = sizeof(double) * (size_t)c->size;
    enum masing_status status = curve_exact_tangent(c, c->next.u, c->next.tangent, c->guess);
    if (status == MASING_OK) {
        memcpy(c->next.tangent, c->guess, size);
        memcpy(c->next.tangent_in, c->guess, size);
    }
    return status < 0 ? status : MASING_OK;
}

/* The problem may have changed, and its solution with it. */
static enum masing_status accept_next(struct continuation *c, bool *is_moved)
{
    *is_moved = c->problem.accepted &&
                c->problem.accepted(c->problem.driver, c->next.u, &c->next.u[c->n]);
    if (*is_moved) {
        NEED(renew_tangent(c));
        curve_note_orientation(c);
        curve_evaluate_functions(c, false, &c->next);
        curve_evaluate_functions(c, true, &c->next);
    }
    return MASING_OK;
}

/* `next` becomes `here`. */
static enum masing_status advance(struct continuation *c)
{
    bool is_moved;
    NEED(accept_next(c, &is_moved));
    curve_advance_functions(c);
    struct curve_point oldest = c->before;
    c->before = c->here;
    c->here = c->next;
    c->next = oldest;
    metric_normalise(c->size, c->metric, c->here.tangent_in);
    if (c->has_before) {
        metric_normalise(c->size, c->metric, c->before.tangent);
        c->length_before = predictor_length(c->size, c->metric, c->before.u, c->before.tangent,
                                            c->here.u, c->here.tangent_in, NULL);
    }
    c->has_before = c->has_before && !is_moved;
    return MASING_OK;
}

enum masing_status curve_begin(struct continuation *c)
{
    NEED(curve_report(c, &c->next, c->met, c->n_met));
    curve_copy_point(c, &c->first, &c->next);
    memcpy(c->here.value, c->next.value, (size_t)c->n_functions * sizeof(double));
    c->has_before = false;
    NEED(advance(c));
    c->is_restarted = c->is_corner;
    if (c->is_corner) {
        step_restart(&c->step, &c->settings, c->corner_step);
    }
    return MASING_OK;
}

static enum masing_status follow_first(struct continuation *c, const double *guesses,
                                       int n_guesses)
{
    NEED(start(c, guesses, n_guesses));
    return c->has_ended ? MASING_OK : curve_begin(c);
}

/* Report what the step met and `next` itself. */
static enum masing_status report_step(struct continuation *c)
{
    bool is_value_too = false;
    if (!c->begins_anew) {
        NEED(curve_report_between(c, &is_value_too));
    }
    if (c->has_ended) {
        return MASING_OK;
    }
    if (is_value_too) {
        curve_add_event(c, CONTINUATION_AT, -1);
    }
    curve_measure_arc(c, &c->next);
    NEED(curve_renew_metric(c, c->next.u));
    metric_normalise(c->size, c->metric, c->next.tangent);
    return curve_report(c, &c->next, c->met, c->n_met);
}

/* Many steps that lead nowhere: contacts that flicker, or a residual that is not smooth at all.
 */
static void check_progress(struct continuation *c)
{
    if (++c->n_steps < WATCHED_STEPS) {
        return;
    }
    c->is_held_up = c->next.arc - c->watched_arc < LEAST_PROGRESS;
    c->n_steps = 0;
    c->watched_arc = c->next.arc;
}

static void count_turns(struct continuation *c)
{
    struct curve_turns *turns = &c->turns;
    double along = c->direction * c->next.u[c->n], farthest = c->direction * c->farthest;
    if (along >= farthest) {
        *turns = (struct curve_turns){.extreme = along, .lowest = along};
        return;
    }
    turns->lowest = fmin(turns->lowest, along);
    double back = turns->is_ahead ? turns->extreme - along : along - turns->extreme;
    if (back < 0.0) {
        turns->extreme = along;
    } else if (back > LEAST_TURN * (farthest - turns->lowest)) {
        turns->is_ahead = !turns->is_ahead;
        turns->extreme = along;
        turns->n++;
    }
    if (turns->n >= MOST_TURNS && !c->is_inner) {
        curve_stop(c, CONTINUATION_WINDS,
                   "the curve turned round %d times at %.10g%s and led no further than "
                   "%.10g%s",
                   turns->n, curve_shown(c, c->next.u[c->n]), curve_unit(c),
                   curve_shown(c, c->farthest), curve_unit(c));
    }
}

static void check_end(struct continuation *c)
{
    double lambda = c->next.u[c->n];
    c->farthest = c->direction * fmax(c->direction * c->farthest, c->direction * lambda);
    if (lambda == c->settings.lambda_to) {
        curve_stop(c, CONTINUATION_REACHED, "the end of the range was reached");
    } else if (lambda == c->settings.lambda_from) {
        curve_stop(c, CONTINUATION_RETURNED,
                   "the curve came back to %.10g%s, where the range began",
                   curve_shown(c, lambda), curve_unit(c));
    } else if (c->meets) {
        curve_stop(c, CONTINUATION_MET, "the branch came to another curve");
    } else if (c->closes) {
        curve_stop(c, CONTINUATION_CLOSED, "the curve is closed");
    }
    count_turns(c);
}

static enum masing_status follow_next(struct continuation *c)
{
    int n_rejected = c->counts.rejected;
    bool is_over;
    NEED(curve_step_over_pole(c, &is_over));
    NEED(c->has_ended || is_over ? MASING_OK : take_step(c));
    if (c->has_ended) {
        return MASING_OK;
    }
    if (c->counts.rejected > n_rejected && !c->is_corner) {
        NEED(renew_tangent(c));
    }
    NEED(curve_note_segment(c));
    NEED(report_step(c));
    check_end(c);
    check_progress(c);
    curve_compare_predictors(c);
    if (c->has_ended) {
        return MASING_OK;
    }
    c->has_before = true;
    NEED(advance(c));
    c->has_before = c->has_before && !c->is_corner && !c->begins_anew;
    choose_length(c);
    return MASING_OK;
}

/* Later pieces depend on more than is packed. */
static bool pauses(const struct continuation *c)
{
    return c->pause_at > 0 && c->counts.points >= c->pause_at && c->n_pieces == 0 &&
           !c->has_ended;
}

enum masing_status curve_follow_on(struct continuation *c)
{
    while (!c->has_ended && !pauses(c)) {
        NEED(follow_next(c));
    }
    return MASING_OK;
}

/* A curve through a point leads there once in each direction: one that comes back to its first
 * point has turned round somewhere and run back on its own path. */
static bool has_run_back(const struct continuation *c)
{
    return c->end == CONTINUATION_RETURNED && !c->settings.starts_inside && !c->is_inner &&
           metric_distance(c->size, c->metric, c->next.u, c->first.u) <= SAME_POINT;
}

/* A shorter step does not go astray where a longer one did. */
static enum masing_status follow_again(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    const struct continuation_settings given = c->settings;
    if (!has_run_back(c)) {
        return MASING_OK;
    }
    c->settings.step_max = fmax(c->settings.step_min, SHORTER * c->settings.step_max);
    c->settings.step_initial = fmin(c->settings.step_initial, c->settings.step_max);
    curve_log(c, "%s, on its own path: followed again with steps up to %.3g", c->reason,
              c->settings.step_max);
    curve_begin_piece(c, c->last.arc);
    c->n_pieces++;
    c->counts.retries++;
    memcpy(c->probe, c->first.u, (size_t)c->n * sizeof *c->probe);
    TRY(follow_first(c, c->probe, 1));
    TRY(curve_follow_on(c));
done:
    c->settings.step_max = given.step_max;
    c->settings.step_initial = given.step_initial;
    return status;
}

static enum masing_status begin_at_far_end(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    double *guesses = NULL;
    int n_guesses = 0;
    curve_begin_piece(c, c->last.arc);
    c->n_pieces++;
    TRY(c->problem.guess(c->problem.context, c->settings.lambda_from, &guesses, &n_guesses,
                         c->error));
    TRY(follow_first(c, guesses, n_guesses));
done:
    free(guesses);
    return status;
}

void curve_turn_range(struct continuation *c)
{
    double from = c->settings.lambda_from;
    c->settings.lambda_from = c->settings.lambda_to;
    c->settings.lambda_to = from;
    c->direction = -c->direction;
}

/* Where no piece has been between the two ends, the curve remains as incomplete as it was; but
 * no more is to be had where one winds. */
static void judge_pieces(struct continuation *c, enum continuation_end first, double came_to,
                         const char *reason)
{
    bool has_come_back = c->end == CONTINUATION_RETURNED || c->end == CONTINUATION_WINDS;
    bool overlaps = (came_to - c->farthest) * c->direction <= 0.0;
    bool winds = first == CONTINUATION_WINDS || c->end == CONTINUATION_WINDS;
    if (has_come_back && first != CONTINUATION_STEP_LIMIT && (overlaps || winds)) {
        c->end = CONTINUATION_REACHED;
        c->counts.has_gap = !overlaps;
        c->counts.gap[0] = came_to;
        c->counts.gap[1] = c->farthest;
    } else if (has_come_back || c->end == CONTINUATION_NO_START ||
               c->end == CONTINUATION_STEP_LIMIT) {
        c->end = first;
        memcpy(c->reason, reason, sizeof c->reason);
    }
}

/* A curve that came back, winds or broke off says nothing of the rest of the range. */
static enum masing_status follow_from_far_end(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    char reason[sizeof c->reason];
    double came_to = c->farthest;
    enum continuation_end first = c->end;
    bool is_open = first == CONTINUATION_RETURNED || first == CONTINUATION_WINDS ||
                   first == CONTINUATION_STEP_LIMIT;
    if (!is_open || !c->problem.guess || c->is_inner) {
        return MASING_OK;
    }
    c->counts.near_end = first;
    memcpy(reason, c->reason, sizeof reason);
    curve_log(c, "%s: followed from the other end as well", reason);
    curve_turn_range(c);
    TRY(begin_at_far_end(c));
    c->counts.has_far_end = !c->has_ended;
    TRY(curve_follow_on(c));
    judge_pieces(c, first, came_to, reason);
done:
    curve_turn_range(c);
    return status;
}

bool curve_is_over(enum continuation_end end)
{
    return end == CONTINUATION_FULL || end == CONTINUATION_ASKED ||
           end == CONTINUATION_NO_START;
}

/* The end remains that of the curve itself unless that was good and a branch's was not. */
enum masing_status curve_follow_branches(struct continuation *c)
{
    enum continuation_end end = c->end;
    char reason[sizeof c->reason];
    memcpy(reason, c->reason, sizeof reason);
    while (!curve_is_over(c->end)) {
        bool has_begun;
        c->has_ended = false;
        NEED(curve_begin_branch(c, &has_begun));
        if (!has_begun) {
            break;
        }
        NEED(curve_follow_on(c));
        bool is_bad = curve_is_over(c->end) || c->end == CONTINUATION_STEP_LIMIT ||
                      c->end == CONTINUATION_WINDS;
        if (is_bad && (end == CONTINUATION_REACHED || end == CONTINUATION_CLOSED)) {
            end = c->end;
            snprintf(reason, sizeof reason, "on branch %d: %.200s", 1 + c->n_pieces, c->reason);
        }
    }
    c->has_ended = true;
    c->end = end;
    memcpy(c->reason, reason, sizeof reason);
    return MASING_OK;
}

/* What is left of it, up to its end or a pause. */
static enum masing_status follow_rest(struct continuation *c, enum continuation_end *end,
                                      struct masing_error *error)
{
    NEED(curve_follow_on(c));
    if (!c->has_ended) {
        *end = CONTINUATION_PAUSED;
        return MASING_OK;
    }
    NEED(follow_again(c));
    NEED(follow_from_far_end(c));
    NEED(c->settings.max_branches > 0 ? curve_follow_branches(c) : MASING_OK);
    NEED(curve_search_others(c));
    *end = c->end;
    return c->end == CONTINUATION_REACHED || c->end == CONTINUATION_CLOSED
               ? MASING_OK
               : masing_error_set(error, MASING_STOPPED, "%s", c->reason);
}

static void hand_over_counts(struct continuation *c, struct continuation_counts *counts)
{
    c->counts.residuals = c->following.residuals;
    c->counts.jacobians = c->following.jacobians;
    c->counts.factorisations = c->following.factorisations;
    c->counts.event_residuals = c->locating.residuals;
    c->counts.event_jacobians = c->locating.jacobians;
    c->counts.event_factorisations = c->locating.factorisations;
    c->counts.krylov_solves = c->following.krylov_solves + c->locating.krylov_solves;
    c->counts.krylov_iterations =
        c->following.krylov_iterations + c->locating.krylov_iterations;
    *counts = c->counts;
}

enum masing_status
continuation_follow(struct continuation *c, const double *guesses, int n_guesses,
                    const struct continuation_observer *observer, enum continuation_end *end,
                    struct continuation_counts *counts, struct masing_error *error)
{
    begin(c, observer, error);
    c->pause_at = c->settings.pause_every;
    enum masing_status status = bordered_reset(&c->bordered);
    status = status ? status : follow_first(c, guesses, n_guesses);
    status = status ? status : follow_rest(c, end, error);
    hand_over_counts(c, counts);
    return status;
}

enum masing_status continuation_go_on(struct continuation *c,
                                      const struct continuation_observer *observer,
                                      enum continuation_end *end,
                                      struct continuation_counts *counts,
                                      struct masing_error *error)
{
    c->observer = observer;
    c->error = error;
    c->pause_at = c->counts.points + c->settings.pause_every;
    enum masing_status status = bordered_reset(&c->bordered);
    status = status ? status : follow_rest(c, end, error);
    hand_over_counts(c, counts);
    return status;
}
