/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A corner that turns the curve too sharply for any step across it is approached from the near
 * side only: Newton's method on the corner's function along the curve, always a little short.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

enum { MAX_STEPS = 40, N_DIFFERENCES = 3 };
/* relative to the function's value where the approach began */
static const double ZERO = 1e-10;
static const double ROUND_OFF = 1e-13; /* relative to recent values */
/* of the reach: where a function jumps */
static const double NARROW = 1e-11;
/* relative to recent values: `here` does not lie on the function's zero */
static const double CLEAR = 1e-9;
/* part of the predicted distance that is left */
static const double SHORT = 1e-3;
/* part of the way to the crossing, as a step too far has shown it */
static const double BEFORE = 0.97;
/* part of the reach over which a function's slope is taken, and parts of that */
static const double DIFFERENCE = 1e-3;

/* Distance along the tangent at which a function would vanish; negative: behind, or nowhere.
 * Its slope is taken over shorter and shorter pieces, for it may be bent right ahead. */
static double distance_to_zero(struct continuation *c, int function,
                               const struct curve_point *point, double value, double reach)
{
    double difference = reach;
    for (int i = 0; i < N_DIFFERENCES; i++) {
        difference *= DIFFERENCE;
        predictor_line(c->size, point->u, point->tangent, difference, c->guess);
        double ahead = curve_function_value(c, function, c->guess, point->tangent);
        double distance = difference * value / (value - ahead);
        if (distance > 0.0 && distance <= reach) {
            return distance;
        }
    }
    return -1.0;
}

/* The corner that seems to come first within reach; -1: none. */
static int nearest_corner(struct continuation *c, double reach)
{
    int nearest = -1;
    double least = reach;
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        double value = c->here.value[i];
        bool is_at_zero = f->was_hit && fabs(value) <= CLEAR * f->scale;
        if (f->event.type != CONTINUATION_KINK || is_at_zero || !(value * f->sign > 0.0)) {
            continue;
        }
        double distance = distance_to_zero(c, i, &c->here, value, reach);
        if (distance > 0.0 && distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

/* From `low` to a solution in `trial` at a distance along the tangent. */
static enum masing_status step_towards(struct continuation *c, double distance)
{
    enum masing_status status = MASING_OK;
    struct curve_point *from = &c->low;
    struct curve_point *to = &c->trial;
    predictor_line(c->size, from->u, from->tangent, distance, to->u);
    bordered_set_plane(&c->bordered, to->u, from->tangent);
    struct corrector_request request = {.limit = distance + 10.0 * c->settings.tolerance,
                                        .max_iterations = c->settings.max_iterations};
    struct corrector_result result;
    TRY(corrector_solve(c->corrector, &request, to->u, &result));
    TRY(bordered_tangent(&c->bordered, to->tangent));
    memcpy(to->tangent_in, to->tangent, (size_t)c->size * sizeof *to->tangent);
    to->arc = from->arc + predictor_length(c->size, c->metric, from->u, from->tangent, to->u,
                                           to->tangent, NULL);
    to->residual = result.residual;
    to->iterations = result.iterations;
done:
    return status;
}

struct approach {
    int corner;
    double start, value, zero; /* of the function: where it began, now, as good as nothing */
    double reach;
    double part; /* of the predicted distance to go next */
};

/* One step nearer; whether the corner, or the place where its function jumps, is in `low`. */
static enum masing_status approach_once(struct continuation *c, struct approach *a,
                                        bool *is_there)
{
    double distance = distance_to_zero(c, a->corner, &c->low, a->value, a->reach);
    if (distance < 0.0) {
        return MASING_NOT_CONVERGED;
    }
    enum masing_status status = step_towards(c, a->part * distance);
    if (status < 0) {
        return status;
    }
    double value = -a->start;
    if (status == MASING_OK) {
        value = curve_function_value(c, a->corner, c->trial.u, c->trial.tangent);
    }
    if (value * a->start >= 0.0) {
        curve_copy_point(c, &c->low, &c->trial);
        a->value = value;
        a->part = 1.0 - SHORT;
        *is_there = fabs(value) <= a->zero;
        return MASING_OK;
    }
    /* the corner is nearer than it seemed */
    *is_there = status == MASING_OK && a->part * distance <= NARROW * a->reach;
    if (*is_there) {
        curve_copy_point(c, &c->low, &c->trial);
    }
    double crossing = a->value / (a->value - value);
    a->part *= status == MASING_OK ? fmax(0.1, BEFORE * crossing) : 0.5;
    return MASING_OK;
}

static enum masing_status approach(struct continuation *c, int corner, double reach)
{
    enum masing_status status = MASING_OK;
    bool is_there = false;
    double start = c->here.value[corner];
    double scale = c->functions[corner].scale;
    struct approach a = {.corner = corner,
                         .start = start,
                         .value = start,
                         .zero = fmax(ZERO * fabs(start), ROUND_OFF * scale),
                         .reach = reach,
                         .part = 1.0 - SHORT};
    curve_copy_point(c, &c->low, &c->here);
    for (int i = 0; i < MAX_STEPS && !is_there; i++) {
        TRY(approach_once(c, &a, &is_there));
    }
    status = is_there ? MASING_OK : MASING_NOT_CONVERGED;
done:
    return status;
}

enum masing_status curve_approach_corner(struct continuation *c, double reach)
{
    int corner = nearest_corner(c, reach);
    if (corner < 0) {
        return MASING_NOT_CONVERGED;
    }
    c->bordered.cost = &c->locating;
    enum masing_status status = approach(c, corner, reach);
    c->bordered.cost = &c->following;
    if (status != MASING_OK) {
        return status;
    }
    curve_copy_point(c, &c->next, &c->low);
    c->outcome.length = c->next.arc - c->here.arc;
    c->outcome.error = 0.0;
    c->outcome.turning = 0.0;
    c->outcome.iterations = c->next.iterations;
    c->approached = corner;
    c->reach = reach;
    return MASING_OK;
}
