/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points at exact lambda between `here` and `next`, and the ends of the range. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/crossings.h"
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

/* The marks up to an arc length, in order. */
static enum masing_status report_marks(struct continuation *c, double arc)
{
    enum masing_status status = MASING_OK;
    while (!c->has_ended) {
        int first = -1;
        for (int i = 0; i < c->n_functions; i++) {
            const struct curve_function *f = &c->functions[i];
            if (f->has_mark && f->mark.arc <= arc &&
                (first < 0 || f->mark.arc < c->functions[first].mark.arc)) {
                first = i;
            }
        }
        if (first < 0) {
            break;
        }
        struct curve_function *f = &c->functions[first];
        f->has_mark = false;
        curve_name_add(c, f->mark_name);
        TRY(curve_report(c, &f->mark, first < c->settings.n_events ? first : -1));
    }
done:
    return status;
}

enum masing_status curve_report_between(struct continuation *c, bool *is_next_a_value)
{
    enum masing_status status = MASING_OK;
    struct predictor_segment segment;
    struct crossings crossings;
    double arc, lambda;
    curve_segment(c, &segment);
    crossings_begin(&crossings, &segment, c->values, c->settings.n_values);
    *is_next_a_value = false;
    c->bordered.cost = &c->locating;
    while (!c->has_ended && crossings_next(&crossings, &arc, &lambda)) {
        if (arc >= segment.length && lambda == c->next.u[c->n]) {
            *is_next_a_value = true;
            continue;
        }
        TRY(report_marks(c, c->here.arc + arc));
        status = curve_land(c, lambda, arc, &c->trial);
        if (status > 0) {
            curve_log(c, "value %.10g is too near a fold to be landed on", lambda);
            status = MASING_OK;
            continue;
        }
        TRY(status);
        curve_name_add(c, "at");
        TRY(curve_report(c, &c->trial, -1));
    }
    TRY(report_marks(c, INFINITY));
done:
    c->bordered.cost = &c->following;
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

/* Two folds between `here` and `next` would leave the sign of lambda' as it was: put `next`
 * between them. */
enum masing_status curve_part_folds(struct continuation *c)
{
    struct predictor_segment segment;
    struct crossings crossings;
    if (!c->settings.mark_folds) {
        return MASING_OK;
    }
    curve_segment(c, &segment);
    crossings_begin(&crossings, &segment, NULL, 0);
    if (crossings.n_breaks < 4) {
        return MASING_OK;
    }
    double middle = 0.5 * (crossings.arc[1] + crossings.arc[2]);
    c->bordered.cost = &c->locating;
    enum masing_status status = curve_solve_between(c, &c->here, &c->next,
                                                    middle / segment.length, true, &c->trial);
    c->bordered.cost = &c->following;
    if (status == MASING_OK && c->trial.tangent[c->n] * c->here.tangent[c->n] < 0.0) {
        curve_copy_point(c, &c->next, &c->trial);
        c->outcome.length = middle;
        c->closes = false;
    }
    return status;
}
