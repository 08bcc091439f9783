/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When no step down to the least one converged: other ways to the next point, each logged. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"
#include "masing/strategy.h"

static const struct {
    enum masing_strategy strategy;
    struct curve_attempt attempt; /* but for its length */
    double first, factor;         /* lengths in parts of the last good step */
    int n_lengths;
} strategies[] = {
    {MASING_STRATEGY_LINE_SEARCH, {.is_line_search = true}, 1.0, 0.25, 5},
    {MASING_STRATEGY_STRAIGHT, {.is_line = true}, 1.0, 0.25, 5},
    {MASING_STRATEGY_STRAIGHT, {.is_line = true, .is_line_search = true}, 1.0, 0.25, 5},
    {MASING_STRATEGY_SMOOTHING, {.is_line = true, .is_smoothed = true}, 1.0, 0.25, 5},
    {MASING_STRATEGY_HOMOTOPY, {.is_line = true, .is_homotopy = true}, 0.5, 0.25, 4},
    {MASING_STRATEGY_JUMP, {.is_line = true, .is_line_search = true}, 1.5, 1.5, 6},
};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies, MOST_IN_A_ROW = 5 };
enum { N_LENGTHS_AHEAD = 5 };

/* The other direction of the tangent ahead would lead back where it is as near as this to the
 * way that the curve came (rad). */
static const double WAY_BACK = 0.05;

/* A corner without an event function: take the tangent from a little ahead, and follow it
 * one way or, if the corner is sharper than 90 degrees, the other. */
static enum masing_status go_round_corner(struct continuation *c, double length)
{
    enum masing_status status =
        curve_tangent_at_distance(c, c->here.u, c->here.tangent, length, c->ahead);
    struct curve_attempt attempt = {.length = length, .direction = c->ahead};
    if (status != MASING_OK) {
        return status;
    }
    status = curve_attempt(c, &attempt);
    if (status <= 0) {
        return status;
    }
    double cosine = metric_dot(c->size, c->metric, c->ahead, c->here.tangent);
    if (cosine > cos(WAY_BACK)) {
        return status;
    }
    curve_turn_round(c, c->ahead);
    return curve_attempt(c, &attempt);
}

static enum masing_status try_corner(struct continuation *c)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    double length = 10.0 * c->settings.step_min;
    for (int i = 0; i < N_LENGTHS_AHEAD && status > 0; i++, length *= 10.0) {
        status = go_round_corner(c, length);
        if (status == MASING_OK) {
            curve_needed(c, MASING_STRATEGY_AHEAD, c->next.u);
        }
    }
    return status;
}

static enum masing_status try_strategy(struct continuation *c, int strategy)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    struct curve_attempt attempt = strategies[strategy].attempt;
    double length = c->good_length * strategies[strategy].first;
    if (attempt.is_smoothed && !c->problem.smooth) {
        return MASING_NOT_CONVERGED;
    }
    for (int i = 0; i < strategies[strategy].n_lengths && status > 0; i++) {
        attempt.length = fmax(length, c->settings.step_min);
        status = curve_attempt(c, &attempt);
        length *= strategies[strategy].factor;
    }
    if (status == MASING_OK) {
        curve_needed(c, strategies[strategy].strategy, c->next.u);
    } else {
        curve_log(c, "at %.10g%s: %s failed", curve_shown(c, c->here.u[c->n]), curve_unit(c),
                  masing_strategy_name(strategies[strategy].strategy));
    }
    return status;
}

enum masing_status curve_rescue(struct continuation *c, enum masing_status why)
{
    double lambda = c->here.u[c->n];
    curve_log(c, "at %.10g%s: no step down to %.3g converged (%s)", curve_shown(c, lambda),
              curve_unit(c), c->settings.step_min, masing_status_name(why));
    if (++c->rescues > MOST_IN_A_ROW) {
        curve_log(c, "at %.10g%s: other strategies have led on %d times and no further",
                  curve_shown(c, lambda), curve_unit(c), MOST_IN_A_ROW);
        return why;
    }
    enum masing_status status = try_corner(c);
    for (int i = 0; i < N_STRATEGIES && status > 0; i++) {
        status = try_strategy(c, i);
    }
    c->is_rescued = status == MASING_OK;
    return status > 0 ? why : status;
}

/* ---- a point beyond all that was reached ---- */

/*
 * When nothing leads on from `here`: from a guess by other means. Nothing is known about what
 * lies between, so that it begins another piece of curve. Each one lies nearer to the end of
 * the range than the last, so that this cannot go on for ever.
 */
enum { N_LENGTHS = 3, MOST_PIECES = 20 };
static const double FACTOR = 4.0; /* from one length to the next */
/* The first behind a gap, in parts of the first of the curve. */
static const double SHORT_STEP = 0.01;

/* A point in `next` at its lambda from the guess there, with its tangent towards lambda_to. */
static enum masing_status solve_beyond(struct continuation *c)
{
    struct corrector_result result;
    struct curve_point *next = &c->next;
    NEED(curve_solve_by(c, CURVE_SMOOTHING, next->u, &result));
    next->residual = result.residual;
    next->iterations = result.iterations;
    memset(c->normal, 0, (size_t)c->size * sizeof *c->normal);
    c->normal[c->n] = c->direction * c->range;
    NEED(curve_exact_tangent(c, next->u, c->normal, next->tangent));
    memcpy(next->tangent_in, next->tangent, (size_t)c->size * sizeof *next->tangent);
    return MASING_OK;
}

static enum masing_status solve_restart(struct continuation *c, double lambda)
{
    NEED(c->problem.restart(c->problem.driver, c->here.u, c->here.u[c->n], lambda, c->next.u));
    c->next.u[c->n] = lambda;
    return solve_beyond(c);
}

/* `next` begins another piece. */
static enum masing_status begin_piece(struct continuation *c)
{
    c->outcome = (struct step_outcome){.length = c->settings.step_initial, .order = STEP_LINE};
    step_restart(&c->step, &c->settings, c->settings.step_initial);
    c->n_met = 0;
    NEED(curve_start_functions(c));
    memcpy(c->here.value, c->next.value, (size_t)c->n_functions * sizeof *c->next.value);
    c->begins_anew = true;
    c->n_pieces++;
    return MASING_OK;
}

/* Marks that lie in the gap are at its far edge. */
static void find_marks_in_gap(struct continuation *c)
{
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        if (f->event.type == CONTINUATION_MARK && !curve_is_costly(f) &&
            f->sign * f->sign_kept < 0) {
            int kind = f->sign > 0 ? f->event.rising : f->event.falling;
            if (kind) {
                curve_add_event(c, kind, i < c->settings.n_events ? i : -1);
            }
        }
    }
}

/* The same place with more harmonics, of which the curve went on without: there was no gap. */
static enum masing_status begin_with_more(struct continuation *c)
{
    curve_copy_point(c, &c->next, &c->here);
    NEED(solve_beyond(c));
    NEED(begin_piece(c));
    c->n_pieces--;
    c->outcome.length = SHORT_STEP * c->settings.step_initial;
    return MASING_OK;
}

/* A gap so near to the last one, in parts of the range, is one of many: a curve that is ragged
 * leads nowhere. */
static const double RAGGED = 1e-2;

/* The other side of a gap is the same curve. It lies beyond all that was reached: what a curve
 * that turns round at the brink leads to may be its own path. */
static enum masing_status step_over_gap(struct continuation *c)
{
    if (c->problem.has_more &&
        c->problem.has_more(c->problem.context, c->here.u, c->here.u[c->n])) {
        return begin_with_more(c);
    }
    double from = c->here.u[c->n];
    bool is_ragged = c->counts.gaps > 0 && fabs(from - c->last_gap) < RAGGED * c->range;
    if (is_ragged || c->here.tangent[c->n] * c->direction <= 0.0) {
        return MASING_NOT_CONVERGED;
    }
    NEED(curve_find_far_edge(c));
    double to = c->next.u[c->n], *widest = c->counts.widest_gap;
    if ((to - c->farthest) * c->direction <= 0.0) {
        return MASING_NOT_CONVERGED;
    }
    for (int i = 0; i < c->n_functions; i++) {
        c->functions[i].sign_kept = c->functions[i].sign;
    }
    NEED(begin_piece(c));
    c->n_pieces--;
    find_marks_in_gap(c);
    c->outcome.length = SHORT_STEP * c->settings.step_initial;
    if (c->counts.gaps++ == 0 || fabs(to - from) > fabs(widest[1] - widest[0])) {
        widest[0] = from;
        widest[1] = to;
    }
    c->last_gap = to;
    curve_needed(c, MASING_STRATEGY_JUMP, c->next.u);
    return MASING_OK;
}

/* Beyond a pole of which `next` holds the guess. */
static enum masing_status step_over(struct continuation *c, double pole)
{
    double *lambda = &c->next.u[c->n], from = c->settings.lambda_from;
    *lambda = 2.0 * pole - c->here.u[c->n];
    bool is_inside = (*lambda - from) * (*lambda - c->settings.lambda_to) < 0.0;
    enum masing_status status = is_inside ? solve_beyond(c) : MASING_NOT_CONVERGED;
    if (status > 0) {
        curve_stop(c, CONTINUATION_STEP_LIMIT, "the curve is unbounded at %.10g%s, and %s",
                   curve_shown(c, pole), curve_unit(c),
                   is_inside ? "nothing was found beyond" : "the range ends there");
        return MASING_OK;
    }
    NEED(status);
    return begin_piece(c);
}

enum masing_status curve_step_over_pole(struct continuation *c, bool *is_over)
{
    double lambda = c->here.u[c->n], pole;
    *is_over =
        c->problem.unbounded && c->problem.unbounded(c->problem.context, c->here.u, lambda,
                                                     c->here.tangent[c->n], &pole, c->next.u);
    if (!*is_over) {
        return MASING_OK;
    }
    c->counts.pole = c->counts.poles++ == 0 ? pole : c->counts.pole;
    c->is_rescued = false;
    curve_log(c, "at %.10g%s: the curve is unbounded at %.10g%s, which is stepped over",
              curve_shown(c, lambda), curve_unit(c), curve_shown(c, pole), curve_unit(c));
    return step_over(c, pole);
}

enum masing_status curve_begin_anew(struct continuation *c)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    if (!c->is_inner && c->counts.gaps < MOST_PIECES) {
        status = step_over_gap(c);
    }
    if (status <= 0 || !c->problem.restart || c->is_inner || c->is_on_side_branch ||
        c->n_pieces >= MOST_PIECES) {
        return status;
    }
    double length = fmax(c->good_length, c->settings.step_initial);
    double end = c->settings.lambda_to;
    double lambda = c->farthest;
    for (int i = 0; i < N_LENGTHS && status > 0 && lambda != end; i++, length *= FACTOR) {
        lambda = c->farthest + c->direction * length * c->range;
        lambda = (end - lambda) * c->direction > 0.0 ? lambda : end;
        status = solve_restart(c, lambda);
    }
    if (status != MASING_OK) {
        curve_log(c, "at %.10g%s: %s failed", curve_shown(c, c->here.u[c->n]), curve_unit(c),
                  masing_strategy_name(MASING_STRATEGY_RESTART));
        return status;
    }
    NEED(begin_piece(c));
    curve_needed(c, MASING_STRATEGY_RESTART, c->next.u);
    return MASING_OK;
}

const char *masing_strategy_name(enum masing_strategy strategy)
{
    static const char *const names[MASING_N_STRATEGIES] = {
        [MASING_STRATEGY_CORNER] = "approach to a corner",
        [MASING_STRATEGY_LINE_SEARCH] = "line search",
        [MASING_STRATEGY_SHORTER] = "shorter step",
        [MASING_STRATEGY_AHEAD] = "tangent from ahead",
        [MASING_STRATEGY_STRAIGHT] = "straight predictor",
        [MASING_STRATEGY_SMOOTHING] = "smoothing of the transition",
        [MASING_STRATEGY_HOMOTOPY] = "Newton homotopy",
        [MASING_STRATEGY_JUMP] = "jump over a singular point",
        [MASING_STRATEGY_RESTART] = "restart from time integration",
    };
    return names[strategy];
}
