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

enum { MAX_STEPS = 40 };
/* relative to the function's value where the approach began */
static const double ZERO = 1e-10;
static const double ROUND_OFF = 1e-13; /* relative to recent values */
/* relative to recent values: `here` does not lie on the function's zero */
static const double CLEAR = 1e-9;
/* part of the predicted distance that is left */
static const double SHORT = 1e-3;
/* part of the reach over which a function's slope is taken */
static const double DIFFERENCE = 1e-3;

/* Distance along the tangent at which a function would vanish; negative: behind. */
static double distance_to_zero(struct continuation *c, int function,
                               const struct curve_point *point, double value, double reach)
{
    double difference = DIFFERENCE * reach;
    predictor_line(c->size, point->u, point->tangent, difference, c->guess);
    double ahead = curve_function_value(c, function, c->guess, point->tangent);
    return difference * value / (value - ahead);
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

static enum masing_status approach(struct continuation *c, int corner, double reach)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    double start = c->here.value[corner];
    double value = start;
    double zero = ZERO * fmax(fabs(start), ROUND_OFF / ZERO * c->functions[corner].scale);
    double part = 1.0 - SHORT;
    curve_copy_point(c, &c->low, &c->here);
    for (int i = 0; i < MAX_STEPS; i++) {
        double distance = distance_to_zero(c, corner, &c->low, value, reach);
        if (!(distance > 0.0 && distance <= reach)) {
            return MASING_NOT_CONVERGED;
        }
        status = step_towards(c, part * distance);
        if (status < 0) {
            break;
        }
        double next = status == MASING_OK
                          ? curve_function_value(c, corner, c->trial.u, c->trial.tangent)
                          : -start;
        if (!(next * start >= 0.0)) {
            part *= 0.5; /* the corner is nearer than it seemed */
            status = MASING_NOT_CONVERGED;
            continue;
        }
        curve_copy_point(c, &c->low, &c->trial);
        value = next;
        part = 1.0 - SHORT;
        if (fabs(value) <= zero) {
            break;
        }
    }
    if (status == MASING_OK && fabs(value) > zero) {
        status = MASING_NOT_CONVERGED;
    }
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
    if (status != MASING_OK || !(c->low.arc > c->here.arc)) {
        return status < 0 ? status : MASING_NOT_CONVERGED;
    }
    curve_copy_point(c, &c->next, &c->low);
    c->outcome.length = c->next.arc - c->here.arc;
    c->outcome.error = 0.0;
    c->outcome.turning = 0.0;
    c->outcome.iterations = c->next.iterations;
    c->approached = corner;
    return MASING_OK;
}
