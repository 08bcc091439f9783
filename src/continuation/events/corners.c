/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Corners cut the step: the earliest zero of a corner function becomes `next`. Its tangents are
 * one-sided, from Jacobians a little before and behind it, and the event functions' values
 * likewise; whatever changes sign within that width belongs to the corner.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"
#include "continuation/events/signs.h"

enum { MAX_WIDENINGS = 4, MAX_CUTS = 16 };
/* In parts of the step: how far beside a corner its tangents are evaluated. */
static const double WIDTH = 1e-8;
/* A value at the corner that is no zero, in parts of recent values. */
static const double JUMPED = 1e-3;
/* How far to look ahead from a point that lies on a zero. */
static const double AHEAD = 1e-3;

/* The corner function that seems to cross first, by linear interpolation; -1: none. */
static int first_corner(const struct continuation *c)
{
    int first = -1;
    double least = INFINITY;
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        if (f->event.type != CONTINUATION_KINK || !sign_changes(c, i) || !sign_event(f)) {
            continue;
        }
        double here = fabs(c->here.value[i]);
        double fraction = here / (here + fabs(c->next.value[i]));
        if (fraction < least) {
            least = fraction;
            first = i;
        }
    }
    return first;
}

/* `next` becomes the corner in `trial`. */
static void adopt_corner(struct continuation *c, int function)
{
    curve_evaluate_functions(c, false, &c->trial);
    for (int i = 0; i < c->n_functions; i++) {
        c->functions[i].is_hit = i == function;
    }
    curve_copy_point(c, &c->next, &c->trial);
}

static enum masing_status cut_at_corners(struct continuation *c, int *corner)
{
    enum masing_status status = MASING_OK;
    int n_cuts = 0;
    for (int i; (i = first_corner(c)) >= 0;) {
        if (++n_cuts > MAX_CUTS + 2 * c->n_functions) {
            /* values that do not belong to one curve cross again and again */
            return MASING_NOT_CONVERGED;
        }
        struct curve_function *f = &c->functions[i];
        TRY(curve_locate(c, i));
        if (sign_zero_is_old(c, f)) {
            f->sign = -f->sign; /* touched, not crossed */
            continue;
        }
        adopt_corner(c, i);
        *corner = i;
    }
done:
    return status;
}

/* Sign just beyond `next`, which lies on a zero: from a solution there. */
static int sign_ahead(struct continuation *c, int function)
{
    double length = c->next.arc - c->here.arc;
    enum masing_status status =
        curve_solve_between(c, &c->here, &c->next, 1.0 + AHEAD, CURVE_EXACT, &c->trial);
    if (status != MASING_OK) {
        /* as behind a sharp corner */
        predictor_line(c->size, c->next.u, c->next.tangent_in, AHEAD * length, c->trial.u);
        memcpy(c->trial.tangent_in, c->next.tangent_in, (size_t)c->size * sizeof(double));
    }
    return sign_of(curve_function_value(c, function, c->trial.u, c->trial.tangent_in));
}

/* A value that vanishes at an ordinary `next` is an event only if the sign changes there. */
static void find_zeros_at_next(struct continuation *c, int *corner)
{
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        bool is_zero = fabs(c->next.value[i]) <= SIGNS_ZERO * fabs(c->here.value[i]);
        if (f->sign == 0 || !is_zero || sign_ahead(c, i) != -f->sign) {
            continue;
        }
        f->is_hit = true;
        if (f->event.type == CONTINUATION_KINK && sign_event(f)) {
            *corner = i;
        }
    }
}

/* Going out means to the side where the function's sign is new. */
static void orient_outwards(struct continuation *c, int function, double arc)
{
    double *tangent = c->next.tangent;
    predictor_line(c->size, c->next.u, tangent, arc, c->guess);
    double ahead = curve_function_value(c, function, c->guess, tangent);
    predictor_line(c->size, c->next.u, tangent, -arc, c->guess);
    double behind = curve_function_value(c, function, c->guess, tangent);
    int sign = c->functions[function].sign;
    if (ahead * sign > 0.0 && behind * sign < 0.0) {
        curve_turn_round(c, tangent);
    }
}

/* Far enough from `next`, which is on the zero but for round-off, for the function to have the
 * sign of that side; none where it jumped there. */
static double distance_aside(struct continuation *c, int function, const double *direction,
                             double arc, int sign)
{
    double scale = c->functions[function].scale;
    double value = curve_function_value(c, function, c->next.u, direction);
    if (value * sign > JUMPED * scale) {
        return 0.0;
    }
    for (int i = 0; i < MAX_WIDENINGS; i++, arc *= 10.0) {
        predictor_line(c->size, c->next.u, direction, arc, c->guess);
        if (curve_function_value(c, function, c->guess, direction) * sign > 0.0) {
            break;
        }
    }
    return arc;
}

/* Tangents of the corner, and all values a little before it and behind it. */
static enum masing_status make_corner(struct continuation *c, int function, double length)
{
    enum masing_status status = MASING_OK;
    struct curve_point *next = &c->next;
    int sign = c->functions[function].sign;
    memcpy(c->normal, next->tangent_in, (size_t)c->size * sizeof *c->normal);
    double arc = distance_aside(c, function, c->normal, -WIDTH * length, sign);
    TRY(curve_tangent_aside(c, next->u, c->normal, arc, next->tangent_in));
    curve_note_orientation(c);
    int orientation = c->orientation_next;
    for (int i = 0; i < c->n_functions; i++) {
        if (!curve_is_costly(&c->functions[i])) {
            next->value[i] = curve_function_value(c, i, c->guess, next->tangent_in);
        }
    }
    arc = distance_aside(c, function, next->tangent_in, WIDTH * length, -sign);
    TRY(curve_tangent_aside(c, next->u, next->tangent_in, arc, next->tangent));
    orient_outwards(c, function, arc);
    if (c->settings.mark_branches) {
        c->orientation_next = orientation;
        c->orientation_out = bordered_orientation(&c->bordered, next->tangent);
    }
    predictor_line(c->size, next->u, next->tangent, arc, c->guess);
    for (int i = 0; i < c->n_functions; i++) {
        c->value_out[i] = curve_is_costly(&c->functions[i])
                              ? next->value[i]
                              : curve_function_value(c, i, c->guess, next->tangent);
    }
    c->is_corner = true;
done:
    return status;
}

/* Behind a corner the curve leaves its tangent like arc^(3/2): from how far the point beyond
 * the corner is off, the step that keeps the error aimed at. */
static double step_behind_corner(struct continuation *c, double length)
{
    double arc = c->beyond.arc - c->next.arc;
    if (arc <= 0.0) {
        return 0.25 * c->good_length;
    }
    predictor_line(c->size, c->next.u, c->next.tangent, arc, c->guess);
    double error = metric_distance(c->size, c->metric, c->guess, c->beyond.u);
    double aim = step_error_aim(&c->settings, arc);
    double factor = cbrt(aim / error * (aim / error));
    return fmin(arc * fmin(factor, 2.0), length);
}

enum masing_status curve_complete_corner(struct continuation *c, int corner, double length)
{
    enum masing_status status = MASING_OK;
    TRY(make_corner(c, corner, length));
    c->corner_step = step_behind_corner(c, length);
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        if (f->event.type == CONTINUATION_KINK && !f->is_hit && f->sign != 0) {
            f->is_hit = sign_of(c->value_out[i]) == -f->sign;
        }
    }
done:
    return status;
}

enum masing_status curve_find_corners(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    double length = c->next.arc - c->here.arc;
    int corner = c->approached;
    curve_copy_point(c, &c->beyond, &c->next);
    if (corner >= 0) {
        c->functions[corner].is_hit = true;
        length = c->reach; /* it may lie at `here` itself */
    } else {
        TRY(cut_at_corners(c, &corner));
    }
    curve_evaluate_functions(c, true, &c->next);
    if (corner < 0) {
        find_zeros_at_next(c, &corner);
    }
    if (corner >= 0) {
        TRY(curve_complete_corner(c, corner, length));
    }
done:
    return status;
}
