/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extra points between `here` and `next`: marks, given values, and what a corner needs. */
#include <math.h>
#include <stddef.h>

#include "base/check.h"
#include "continuation/events/crossings.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/* Interpolation may be off by this part of the predictor's tolerance before a corner; behind
 * one and on smooth pieces it is off by less, as step control has it. */
static const double REFINED = 0.03;
/* Nearer than this part of the step, labels of arc length do not tell the order. */
static const double NEAR = 0.05;

/* A curve that bends like arc^(3/2) on one side of a corner does so on the way to it, too, and
 * no step control can know before. Halve what is left until the interpolation is good. */
enum masing_status curve_refine_corner(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    const struct curve_point *from = &c->here;
    bool is_due = c->is_corner && c->next.arc > c->here.arc;
    for (int i = 0; is_due && i < CURVE_REFINEMENTS; i++) {
        struct curve_extra *extra = &c->extras[c->n_extras];
        TRY(curve_solve_between(c, from, &c->next, 0.5, CURVE_PLAIN, &extra->point));
        if (c->correction <= REFINED * c->settings.predictor_tolerance) {
            break;
        }
        extra->met = (struct continuation_met){0};
        c->n_extras++;
        from = &extra->point;
    }
done:
    return status;
}

static bool is_before(const struct continuation *c, const struct curve_point *a,
                      const struct curve_point *b)
{
    double step = c->next.arc - c->here.arc;
    if (fabs(a->arc - b->arc) > NEAR * step) {
        return a->arc < b->arc;
    }
    double along = 0.0;
    for (int i = 0; i < c->size; i++) {
        along += c->metric[i] * b->tangent_in[i] * (a->u[i] - b->u[i]);
    }
    return along < 0.0;
}

/* The extra points up to another, or all (NULL), in order. */
static enum masing_status report_extras(struct continuation *c, const struct curve_point *until)
{
    enum masing_status status = MASING_OK;
    while (!c->has_ended && c->n_extras > 0) {
        struct curve_extra *first = &c->extras[0];
        struct curve_extra *last = &c->extras[c->n_extras - 1];
        for (struct curve_extra *extra = first + 1; extra <= last; extra++) {
            first = is_before(c, &extra->point, &first->point) ? extra : first;
        }
        if (until && !is_before(c, &first->point, until)) {
            break;
        }
        curve_measure_arc(c, &first->point);
        TRY(curve_report(c, &first->point, &first->met, first->met.kind != 0));
        struct curve_extra done = *first;
        *first = *last;
        *last = done;
        c->n_extras--;
    }
done:
    return status;
}

static enum masing_status report_value(struct continuation *c, double lambda, double arc)
{
    static const struct continuation_met value = {CONTINUATION_AT, -1};
    enum masing_status status = curve_land(c, lambda, arc, &c->trial);
    if (status > 0) {
        curve_log(c, "value %.10g%s is too near a fold to be landed on", curve_shown(c, lambda),
                  curve_unit(c));
        return MASING_OK;
    }
    TRY(status);
    TRY(report_extras(c, &c->trial));
    if (c->has_ended) {
        goto done;
    }
    curve_measure_arc(c, &c->trial);
    TRY(curve_report(c, &c->trial, &value, 1));
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
        TRY(report_value(c, lambda, arc));
    }
    TRY(report_extras(c, NULL));
done:
    c->bordered.cost = &c->following;
    return status;
}
