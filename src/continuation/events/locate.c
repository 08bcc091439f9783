/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The zero of one event function on the step, by bracketing along the curve. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"
#include "linalg/bracket.h"

enum { MAX_MISSES = 4, MOST_SECANTS = 6 };
/* relative to the larger of the function's values at the ends of the step */
static const double ZERO = 1e-10;
/* likewise: as good as it gets when values no longer shrink */
static const double EXHAUSTED = 1e-8;
/* likewise: the next trial may be the last */
static const double NEARLY_ZERO = 1e-4;
/* of the step: where a function jumps */
static const double NARROW = 1e-11;
/* likewise both: nearer to a branch point the equations lose their rank, and nearer to where
 * the determinant jumps the last digits of solutions decide on which side they lie */
static const double ZERO_BRANCHING = 1e-8;
/* likewise both: what has to be confirmed is costly, and known to few digits */
static const double ROUGH = 1e-5;
/* likewise both: marks where systems are solved by iteration. A peak that far from its place is
 * as high as it is to 1e-12 of what the step changes, or to this part where its slope jumps */
static const double ITERATED_MARK = 1e-6;

/* of the step and of values: how near the step's cubic is asked for a zero */
static const double CLOSE = 1e-3;

double curve_function_value(struct continuation *c, int function, const double *u,
                            const double *tangent)
{
    if (function == CURVE_BRANCHING) {
        return curve_branching_value(c, tangent);
    }
    if (function == c->settings.n_events) {
        return tangent[c->n] / c->range; /* folds */
    }
    const struct continuation_event *event = &c->functions[function].event;
    return event->value(event->context, u, u[c->n], tangent, tangent[c->n]);
}

void curve_evaluate_functions(struct continuation *c, bool costly, struct curve_point *point)
{
    for (int i = 0; i < c->n_functions; i++) {
        if (curve_is_costly(&c->functions[i]) == costly) {
            point->value[i] = curve_function_value(c, i, point->u, point->tangent_in);
        }
    }
}

enum masing_status curve_solve_between(struct continuation *c, const struct curve_point *from,
                                       const struct curve_point *to, double fraction,
                                       enum curve_precision precision,
                                       struct curve_point *point)
{
    double length = predictor_length(c->size, c->metric, from->u, from->tangent, to->u,
                                     to->tangent_in, NULL);
    struct predictor_segment segment = curve_segment(c, from, to, length);
    predictor_hermite(&segment, fraction * length, point->u, c->normal);
    if (!(metric_normalise(c->size, c->metric, c->normal) > 0.0)) {
        return MASING_NOT_CONVERGED;
    }
    bordered_set_plane(&c->bordered, point->u, c->normal);
    /* in a tiny segment the solutions' own uncertainty counts */
    double noise = 1e-4 * (c->next.arc - c->here.arc) + 10.0 * c->settings.tolerance;
    NEED(curve_correct(c, length + noise, precision, point));
    point->arc = from->arc + fraction * (to->arc - from->arc);
    return MASING_OK;
}

static void swap_points(struct curve_point *a, struct curve_point *b)
{
    struct curve_point keep = *a;
    *a = *b;
    *b = keep;
}

/* A value where the search begins that is zero or on the wrong side by round-off counts for its
 * sign only. */
static double value_behind(const struct continuation *c, int function, double value,
                           double other)
{
    other = fabs(other);
    int sign = c->functions[function].sign;
    bool is_clear = value * sign > 1e-6 * other;
    return is_clear ? value : sign * other;
}

/* Whether trials only stir what the solutions are uncertain by. */
static bool is_exhausted(const struct bracket *b, double zero)
{
    return b->misses >= MAX_MISSES && b->best <= EXHAUSTED / ZERO * zero;
}

/* Marks depend on the tangent. Corners need the solution itself well where it comes to the last
 * digits, for behind them it counts on which side of a small thing it lies. */
static enum curve_precision precision_for(const struct continuation *c, int function,
                                          const struct bracket *b, double zero)
{
    if (function == CURVE_BRANCHING) {
        return CURVE_EXACT;
    }
    if (c->functions[function].event.type == CONTINUATION_MARK) {
        return c->bordered.keeps_factors ? CURVE_TANGENT : CURVE_EXACT;
    }
    return b->best <= NEARLY_ZERO / ZERO * zero ? CURVE_POLISHED : CURVE_PLAIN;
}

/* Where the step's cubic has the function's zero, roughly; the normal there, and the slope of
 * the values close by. */
static double zero_on_cubic(struct continuation *c, int function, const double ends[2],
                            double *slope)
{
    struct predictor_segment segment = curve_step_segment(c);
    struct bracket bracket = bracket_of(0.0, ends[0], segment.length, ends[1]);
    double close = CLOSE * fmax(fabs(ends[0]), fabs(ends[1]));
    double x = 0.0, value = ends[0], before;
    do {
        bracket_next(&bracket, 0.0);
        before = value;
        predictor_hermite(&segment, bracket.x, c->guess, c->normal);
        value = curve_function_value(c, function, c->guess, c->normal);
        *slope = (value - before) / (bracket.x - x);
        x = bracket.x;
        bracket_set(&bracket, value);
    } while (fabs(value) > close && bracket.trials < MOST_SECANTS);
    metric_normalise(c->size, c->metric, c->normal);
    return bracket.x;
}

/* The solution in `trial` at an arc length, from the cubic and what it was off by before; by
 * planes in parallel, so that all of them share what the steps show of the matrix. */
static enum masing_status solve_beside_cubic(struct continuation *c, double arc, bool is_first,
                                             bool is_polished)
{
    struct predictor_segment segment = curve_step_segment(c);
    struct curve_point *trial = &c->trial;
    const struct corrector_request request = {.limit = segment.length,
                                              .max_iterations = c->settings.max_iterations,
                                              .is_polished = is_polished,
                                              .continues = !is_first};
    struct corrector_result result;
    predictor_hermite(&segment, arc, c->guess, c->work);
    for (int i = 0; i < c->size; i++) {
        trial->u[i] = c->guess[i] + (is_first ? 0.0 : c->ahead[i]);
    }
    bordered_set_plane(&c->bordered, c->guess, c->normal);
    NEED(corrector_solve(c->corrector, &request, trial->u, &result));
    for (int i = 0; i < c->size; i++) {
        c->ahead[i] = trial->u[i] - c->guess[i];
    }
    trial->residual = result.residual;
    trial->iterations = result.iterations;
    trial->arc = c->here.arc + arc;
    return MASING_OK;
}

/* Zero of a function on the step by factors that are kept, in `trial`: the secant's rule from
 * where the cubic has it. */
static enum masing_status locate_on_cubic(struct continuation *c, int function,
                                          const double ends[2])
{
    double zero = ZERO * fmax(fabs(ends[0]), fabs(ends[1]));
    double length = c->next.arc - c->here.arc, slope, step = 0.0, before = 0.0;
    double arc = zero_on_cubic(c, function, ends, &slope);
    bool is_polished = false;
    for (int i = 0; i < MOST_SECANTS && arc > 0.0 && arc < length; i++) {
        NEED(solve_beside_cubic(c, arc, i == 0, is_polished));
        double value = curve_function_value(c, function, c->trial.u, c->normal);
        if (fabs(value) <= (is_polished ? EXHAUSTED / ZERO * zero : zero)) {
            size_t bytes = (size_t)c->size * sizeof *c->normal;
            memcpy(c->trial.tangent_in, c->normal, bytes);
            memcpy(c->trial.tangent, c->normal, bytes);
            return MASING_OK;
        }
        slope = i > 0 && !is_polished ? (value - before) / step : slope;
        step = -value / slope;
        before = value;
        is_polished = fabs(value) <= NEARLY_ZERO / ZERO * zero;
        arc += step;
    }
    return MASING_NOT_CONVERGED;
}

enum masing_status curve_locate(struct continuation *c, int function,
                                const struct curve_point *from, const struct curve_point *to)
{
    double other = to->value[function];
    double ends[2] = {value_behind(c, function, from->value[function], other), other};
    enum masing_status status = MASING_NOT_CONVERGED;
    if (c->has_many && c->functions[function].event.type == CONTINUATION_KINK) {
        status = locate_on_cubic(c, function, ends);
    }
    return status > 0 ? curve_search(c, function, from, to, ends) : status;
}

enum masing_status curve_search(struct continuation *c, int function,
                                const struct curve_point *from, const struct curve_point *to,
                                double ends[2])
{
    enum masing_status status = MASING_OK;
    struct bracket bracket = bracket_of(from->arc, ends[0], to->arc, ends[1]);
    bool is_rough = function >= 0 && curve_is_costly(&c->functions[function]);
    bool is_mark = function >= 0 && c->functions[function].event.type == CONTINUATION_MARK;
    bool is_iterated = is_mark && c->problem.operator;
    double small = function == CURVE_BRANCHING ? ZERO_BRANCHING
                   : is_rough                  ? ROUGH
                   : is_iterated               ? ITERATED_MARK
                                               : ZERO;
    if (is_mark) {
        small = fmax(small, c->bordered.tangent_error); /* they depend on the tangent */
    }
    double zero = small * fmax(fabs(ends[0]), fabs(ends[1]));
    double part = function == CURVE_BRANCHING ? ZERO_BRANCHING
                  : is_rough                  ? ROUGH
                  : is_iterated               ? ITERATED_MARK
                                              : NARROW;
    double narrow = part * (to->arc - from->arc);
    curve_copy_point(c, &c->low, from);
    curve_copy_point(c, &c->high, to);
    while (!is_exhausted(&bracket, zero) && bracket_next(&bracket, narrow)) {
        double low = bracket.end[0].x, high = bracket.end[1].x;
        TRY(curve_solve_between(c, &c->low, &c->high, (bracket.x - low) / (high - low),
                                precision_for(c, function, &bracket, zero), &c->trial));
        double value = curve_function_value(c, function, c->trial.u, c->trial.tangent_in);
        if (fabs(value) <= zero) {
            bracket.end[0].value = bracket.end[1].value = value;
            goto done;
        }
        if (!isfinite(value)) {
            status = MASING_NOT_FINITE;
            goto done;
        }
        int side = bracket_set(&bracket, value);
        swap_points(side == 0 ? &c->low : &c->high, &c->trial);
    }
    bool is_low_nearer = fabs(bracket.end[0].value) < fabs(bracket.end[1].value);
    curve_copy_point(c, &c->trial, is_low_nearer ? &c->low : &c->high);
done:
    ends[0] = bracket.end[0].value;
    ends[1] = bracket.end[1].value;
    return status;
}
