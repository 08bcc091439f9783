/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The zero of one event function on the step, by bracketing along the curve. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

enum { MAX_TRIALS = 100, MAX_MISSES = 4 };
/* relative to the larger of the function's values at the ends of the step */
static const double ZERO = 1e-10;
/* likewise: as good as it gets when values no longer shrink */
static const double EXHAUSTED = 1e-8;
/* likewise: the next trial may be the last */
static const double NEARLY_ZERO = 1e-4;
/* of the step: where a function jumps */
static const double NARROW = 1e-11;
/* likewise relative to values: nearer to a branch point the equations lose their rank */
static const double ZERO_BRANCHING = 1e-8;
/* likewise both: what has to be confirmed is costly, and known to few digits */
static const double ROUGH = 1e-5;

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
    enum masing_status status = MASING_OK;
    struct predictor_segment segment = {.size = c->size,
                                        .from = from->u,
                                        .from_tangent = from->tangent,
                                        .to = to->u,
                                        .to_tangent = to->tangent_in};
    segment.length = predictor_length(c->size, c->metric, from->u, from->tangent, to->u,
                                      to->tangent_in, NULL);
    predictor_hermite(&segment, fraction * segment.length, point->u, c->normal);
    double norm = metric_norm(c->size, c->metric, c->normal);
    if (!(norm > 0.0)) {
        return MASING_NOT_CONVERGED;
    }
    for (int i = 0; i < c->size; i++) {
        c->normal[i] /= norm;
    }
    bordered_set_plane(&c->bordered, point->u, c->normal);
    /* in a tiny segment the solutions' own uncertainty counts */
    double noise = 1e-4 * (c->next.arc - c->here.arc) + 10.0 * c->settings.tolerance;
    struct corrector_request request = {.limit = segment.length + noise,
                                        .max_iterations = c->settings.max_iterations,
                                        .is_polished = precision == CURVE_POLISHED,
                                        .is_exact = precision == CURVE_EXACT};
    struct corrector_result result;
    TRY(corrector_solve(c->corrector, &request, point->u, &result));
    TRY(bordered_tangent(&c->bordered, point->tangent_in));
    memcpy(point->tangent, point->tangent_in, (size_t)c->size * sizeof *point->tangent);
    point->arc = from->arc + fraction * (to->arc - from->arc);
    point->residual = result.residual;
    point->iterations = result.iterations;
    c->correction = result.correction;
done:
    return status;
}

/* One end of a bracket, and the point that was this end before. */
struct bracket_end {
    double arc, value;
    double older_arc, older_value;
    bool has_older;
};

struct bracket {
    struct bracket_end low, high; /* values of opposite sign */
    const struct bracket_end *last;
    double best; /* smallest absolute value so far */
    int misses;  /* trials in a row that were not half as large as the best before */
};

/*
 * Where to try next, as a fraction of the bracket. A function may be bent at its zero, for the
 * curve is: so the secant is taken through two points on one side. Where values do not shrink,
 * as those of a function that jumps, bisect.
 */
static double bracket_guess(const struct bracket *b)
{
    double length = b->high.arc - b->low.arc;
    const struct bracket_end *last = b->last;
    if (!last) {
        return b->low.value / (b->low.value - b->high.value);
    }
    if (b->misses > 0) {
        return 0.5;
    }
    const struct bracket_end *other = last == &b->low ? &b->high : &b->low;
    double from_arc = last->has_older ? last->older_arc : other->arc;
    double from_value = last->has_older ? last->older_value : other->value;
    double slope = (last->value - from_value) / (last->arc - from_arc);
    double fraction = (last->arc - last->value / slope - b->low.arc) / length;
    if (fraction > 0.0 && fraction < 1.0) {
        return fraction;
    }
    return b->low.value / (b->low.value - b->high.value);
}

static void swap_points(struct curve_point *a, struct curve_point *b)
{
    struct curve_point keep = *a;
    *a = *b;
    *b = keep;
}

/* The trial point replaces the end with its sign. */
static void bracket_shrink(struct continuation *c, struct bracket *b, double value)
{
    bool is_low = value * b->low.value > 0.0;
    struct bracket_end *end = is_low ? &b->low : &b->high;
    b->misses = fabs(value) > 0.5 * b->best ? b->misses + 1 : 0;
    b->best = fmin(b->best, fabs(value));
    *end = (struct bracket_end){.arc = c->trial.arc,
                                .value = value,
                                .older_arc = end->arc,
                                .older_value = end->value,
                                .has_older = true};
    b->last = end;
    swap_points(is_low ? &c->low : &c->high, &c->trial);
}

/* A value at `here` that is zero or on the wrong side by round-off counts for its sign only. */
static double value_behind(const struct continuation *c, int function)
{
    double value = c->here.value[function];
    double other = fabs(c->next.value[function]);
    int sign = c->functions[function].sign;
    bool is_clear = value * sign > 1e-6 * other;
    return is_clear ? value : sign * other;
}

/* Whether trials only stir what the solutions are uncertain by. */
static bool is_exhausted(const struct bracket *b, double zero)
{
    return b->misses >= MAX_MISSES && b->best <= EXHAUSTED / ZERO * zero;
}

/* Marks look at the tangent. Corners need the solution itself well where it comes to the last
 * digits, for behind them it counts on which side of a small thing it lies. */
static enum curve_precision precision_for(const struct continuation *c, int function,
                                          const struct bracket *b, double zero)
{
    if (function == CURVE_BRANCHING || c->functions[function].event.type == CONTINUATION_MARK) {
        return CURVE_EXACT;
    }
    return b->best <= NEARLY_ZERO / ZERO * zero ? CURVE_POLISHED : CURVE_PLAIN;
}

enum masing_status curve_locate(struct continuation *c, int function)
{
    double ends[2] = {value_behind(c, function), c->next.value[function]};
    return curve_search(c, function, ends);
}

enum masing_status curve_search(struct continuation *c, int function, double ends[2])
{
    enum masing_status status = MASING_OK;
    struct bracket bracket = {.low = {.arc = c->here.arc, .value = ends[0]},
                              .high = {.arc = c->next.arc, .value = ends[1]},
                              .best = INFINITY};
    bool is_rough = function >= 0 && curve_is_costly(&c->functions[function]);
    double small = function == CURVE_BRANCHING ? ZERO_BRANCHING : is_rough ? ROUGH : ZERO;
    double zero = small * fmax(fabs(bracket.low.value), fabs(bracket.high.value));
    double narrow = (is_rough ? ROUGH : NARROW) * (c->next.arc - c->here.arc);
    curve_copy_point(c, &c->low, &c->here);
    curve_copy_point(c, &c->high, &c->next);
    for (int trial = 0; trial < MAX_TRIALS; trial++) {
        if (c->high.arc - c->low.arc <= narrow || is_exhausted(&bracket, zero)) {
            break;
        }
        TRY(curve_solve_between(c, &c->low, &c->high, bracket_guess(&bracket),
                                precision_for(c, function, &bracket, zero), &c->trial));
        double value = curve_function_value(c, function, c->trial.u, c->trial.tangent_in);
        if (fabs(value) <= zero) {
            bracket.low.value = bracket.high.value = value;
            goto done;
        }
        if (!isfinite(value)) {
            status = MASING_NOT_FINITE;
            goto done;
        }
        bracket_shrink(c, &bracket, value);
    }
    bool is_low_nearer = fabs(bracket.low.value) < fabs(bracket.high.value);
    curve_copy_point(c, &c->trial, is_low_nearer ? &c->low : &c->high);
done:
    ends[0] = bracket.low.value;
    ends[1] = bracket.high.value;
    return status;
}
