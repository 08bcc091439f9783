/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact lambda between `here` and `next`: landings, the ends of the range, pairs of folds. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/events/crossings.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/* A landing is on this piece of curve, not somewhere else at the same lambda. */
static const double FARTHEST_LANDING = 0.35;

enum masing_status curve_land(struct continuation *c, double lambda, double arc,
                              struct curve_point *point)
{
    enum masing_status status = MASING_OK;
    struct predictor_segment segment;
    curve_segment(c, &segment);
    predictor_hermite(&segment, arc, point->u, c->normal);
    point->u[c->n] = lambda;
    bordered_fix_lambda(&c->bordered, lambda);
    struct corrector_request request = {.limit = FARTHEST_LANDING * segment.length +
                                                 10.0 * c->settings.tolerance,
                                        .max_iterations = c->settings.max_iterations};
    struct corrector_result result;
    TRY(corrector_solve(c->corrector, &request, point->u, &result));
    TRY(bordered_tangent(&c->bordered, point->tangent));
    if (metric_dot(c->size, c->metric, point->tangent, c->normal) < 0.0) {
        for (int i = 0; i < c->size; i++) {
            point->tangent[i] = -point->tangent[i];
        }
    }
    memcpy(point->tangent_in, point->tangent, (size_t)c->size * sizeof *point->tangent);
    point->arc = c->here.arc + arc;
    point->residual = result.residual;
    point->iterations = result.iterations;
done:
    return status;
}

/* Where the curve leaves the range between `here` and `next`, put `next` on the end. */
enum masing_status curve_stop_at_bounds(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    double bounds[2] = {fmin(c->settings.lambda_from, c->settings.lambda_to),
                        fmax(c->settings.lambda_from, c->settings.lambda_to)};
    double lambda = c->next.u[c->n];
    double arc, bound;
    struct predictor_segment segment;
    struct crossings crossings;
    curve_segment(c, &segment);
    crossings_begin(&crossings, &segment, bounds, 2);
    if (!crossings_next(&crossings, &arc, &bound)) {
        bool is_inside = lambda >= bounds[0] && lambda <= bounds[1];
        return is_inside ? MASING_OK : MASING_NOT_CONVERGED;
    }
    if (arc >= segment.length && bound == lambda) {
        return MASING_OK;
    }
    TRY(curve_land(c, bound, arc, &c->trial));
    curve_copy_point(c, &c->next, &c->trial);
    c->outcome.length = arc;
done:
    return status;
}

/*
 * Lambda' has the same sign at both points, but their cubic turns round twice in between.
 * Either there are two folds, which would be missed: `next` is put between them. Or, if lambda
 * went against its own slope, `next` lies on another piece of the curve, as where the end of a
 * sharp resonance all but meets its beginning.
 */
enum masing_status curve_part_folds(struct continuation *c)
{
    struct predictor_segment segment;
    struct crossings crossings;
    curve_segment(c, &segment);
    crossings_begin(&crossings, &segment, NULL, 0);
    if (crossings.n_breaks < 4) {
        return MASING_OK;
    }
    double slope = c->here.tangent[c->n];
    double middle = 0.5 * (crossings.arc[1] + crossings.arc[2]);
    c->bordered.cost = &c->locating;
    enum masing_status status = curve_solve_between(
        c, &c->here, &c->next, middle / segment.length, CURVE_EXACT, &c->trial);
    c->bordered.cost = &c->following;
    if (status != MASING_OK) {
        return status;
    }
    if (c->trial.tangent[c->n] * slope < 0.0) {
        curve_copy_point(c, &c->next, &c->trial);
        c->outcome.length = middle;
        c->closes = false;
        return MASING_OK;
    }
    bool is_elsewhere = (c->next.u[c->n] - c->here.u[c->n]) * slope < 0.0;
    return is_elsewhere ? MASING_NOT_CONVERGED : MASING_OK;
}
