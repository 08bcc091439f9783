/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When no step down to the least one converged: other ways to the next point, each logged. */
#include <math.h>

#include "continuation/curve.h"
#include "continuation/metric.h"
#include "masing/strategy.h"

static const struct {
    enum masing_strategy strategy;
    bool is_line, is_line_search, is_smoothed, is_homotopy;
    double first, factor; /* lengths in parts of the last good step */
    int n_lengths;
} strategies[] = {
    {MASING_STRATEGY_LINE_SEARCH, false, true, false, false, 1.0, 0.25, 5},
    {MASING_STRATEGY_STRAIGHT, true, false, false, false, 1.0, 0.25, 5},
    {MASING_STRATEGY_STRAIGHT, true, true, false, false, 1.0, 0.25, 5},
    {MASING_STRATEGY_SMOOTHING, true, false, true, false, 1.0, 0.25, 5},
    {MASING_STRATEGY_HOMOTOPY, true, false, false, true, 0.5, 0.25, 4},
    {MASING_STRATEGY_JUMP, true, true, false, false, 1.5, 1.5, 6},
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
    struct curve_attempt attempt = {.is_line = strategies[strategy].is_line,
                                    .is_line_search = strategies[strategy].is_line_search,
                                    .is_smoothed = strategies[strategy].is_smoothed,
                                    .is_homotopy = strategies[strategy].is_homotopy};
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
