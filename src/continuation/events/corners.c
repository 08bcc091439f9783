/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/*
 * Corners cut the step: the earliest zero of a corner function becomes `next`. Its tangents are
 * one-sided, from Jacobians a little before and behind it, and the event functions' values
 * likewise; whatever changes sign within that width belongs to the corner.
 */

enum { MAX_WIDENINGS = 4, MAX_CUTS = 16 };
/* In parts of the step: how far beside a corner its tangents are evaluated. */
static const double WIDTH = 1e-8;
/* A corner function's value whose sign no round-off of the solution's decides, in parts of the
 * largest so far. A slider that just slips on both sides slips on one alone where the value is
 * less than its mean is off by. */
static const double CLEAR = 1e-12;
/* A value at the corner that is no zero, in parts of recent values. */
static const double JUMPED = 1e-3;
/* Of a turned tangent of a cubic: how far it leads astray, in parts of the length. */
static const double PART_OF_TURNING = 4.0 / 27.0;
/* How far to look ahead from a point that lies on a zero. */
static const double AHEAD = 1e-3;

/* The corner function that seems to cross first, by linear interpolation; -1: none. */
static int first_corner(const struct continuation *c)
{
    int first = -1;
    double least = INFINITY;
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        if (f->event.type != CONTINUATION_KINK || !sign_changes(c, i, &c->here, &c->next) ||
            !sign_event(f)) {
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

/* What was kept as smooth beyond a corner at `next` belongs to the steps behind it. */
static void drop_extras_beyond(struct continuation *c)
{
    int n = 0;
    for (int i = 0; i < c->n_extras; i++) {
        struct curve_extra extra = c->extras[i];
        struct curve_function *f = &c->functions[extra.met.event];
        if (extra.point.arc < c->next.arc) {
            c->extras[i] = c->extras[n];
            c->extras[n++] = extra;
        } else {
            f->sign = -f->sign; /* each crossing turned it */
        }
    }
    c->n_extras = n;
}

/* `next` becomes the corner in `trial`. */
static void adopt_corner(struct continuation *c, int function)
{
    curve_evaluate_functions(c, false, &c->trial);
    for (int i = 0; i < c->n_functions; i++) {
        c->functions[i].is_hit = i == function;
    }
    curve_copy_point(c, &c->next, &c->trial);
    drop_extras_beyond(c);
}

/* Whether other corners lie at the same place as that in `trial`: together they may turn the
 * curve, and they are one event. */
static bool are_several(const struct continuation *c, int function)
{
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        double largest = fmax(fabs(c->here.value[i]), fabs(c->next.value[i]));
        if (i != function && f->event.type == CONTINUATION_KINK &&
            sign_changes(c, i, &c->here, &c->next) &&
            fabs(c->trial.value[i]) <= SIGNS_SAME * largest) {
            return true;
        }
    }
    return false;
}

/* How far the step's cubic is from the solution in `trial`, across the curve, by the solution
 * itself and by its tangent, as far as one that is off by so much leads astray. */
static double distance_from_cubic(struct continuation *c)
{
    struct predictor_segment segment = curve_step_segment(c);
    predictor_hermite(&segment, c->trial.arc - c->here.arc, c->guess, c->normal);
    metric_normalise(c->size, c->metric, c->normal);
    double along = metric_along(c->size, c->metric, c->guess, c->trial.u, c->normal);
    predictor_line(c->size, c->guess, c->normal, along, c->guess);
    double aside = metric_distance(c->size, c->metric, c->guess, c->trial.u);
    double turned = metric_distance(c->size, c->metric, c->normal, c->trial.tangent);
    return fmax(aside, PART_OF_TURNING * turned * segment.length);
}

/*
 * The corner in `trial` need not cut the step where the step's cubic passes it as near as
 * interpolation may be off before a corner: one joint among many that begins to slip turns the
 * curve by nothing, and bends it by little.
 */
static enum masing_status keep_smooth_corner(struct continuation *c, int function,
                                             bool *is_kept)
{
    *is_kept = false;
    if (!c->has_many || step_is_coarse(&c->outcome, &c->settings)) {
        return MASING_OK;
    }
    if (c->n_extras >= c->most_extras) {
        return MASING_NOT_CONVERGED; /* functions that are crossed again and again */
    }
    curve_evaluate_functions(c, false, &c->trial);
    if (are_several(c, function)) {
        return MASING_OK;
    }
    bordered_set_plane(&c->bordered, c->trial.u, c->trial.tangent_in);
    NEED(corrector_tangent(c->corrector, c->trial.u, c->trial.tangent));
    if (distance_from_cubic(c) > CURVE_REFINED * c->settings.predictor_tolerance) {
        return MASING_OK;
    }
    memcpy(c->trial.tangent_in, c->trial.tangent, (size_t)c->size * sizeof(double));
    curve_evaluate_functions(c, false, &c->trial); /* of which marks depend on the tangent */
    curve_keep_extra(c, function);
    *is_kept = true;
    return MASING_OK;
}

/* Whether a corner function that has the same sign at both ends has the other one at a corner
 * that was passed in between. */
static bool passes_corners_twice(const struct continuation *c)
{
    for (int k = 0; k < c->n_extras; k++) {
        const struct curve_point *point = &c->extras[k].point;
        for (int i = 0; i < c->n_functions; i++) {
            const struct curve_function *f = &c->functions[i];
            bool is_same = f->event.type == CONTINUATION_KINK && f->sign == f->sign_kept &&
                           c->here.value[i] * f->sign > 0.0;
            if (is_same && point->value[i] * f->sign < -SIGNS_ZERO * f->scale) {
                return true;
            }
        }
    }
    return false;
}

static enum masing_status cut_at_corners(struct continuation *c, int *corner)
{
    int n_cuts = 0;
    for (int i; (i = first_corner(c)) >= 0;) {
        if (++n_cuts > MAX_CUTS + 2 * c->n_functions) {
            /* values that do not belong to one curve cross again and again */
            return MASING_NOT_CONVERGED;
        }
        struct curve_function *f = &c->functions[i];
        NEED(curve_locate(c, i, &c->here, &c->next));
        if (sign_zero_is_old(c, f)) {
            f->sign = -f->sign; /* touched, not crossed */
            continue;
        }
        bool is_kept;
        NEED(keep_smooth_corner(c, i, &is_kept));
        if (!is_kept) {
            adopt_corner(c, i);
            *corner = i;
        }
    }
    return passes_corners_twice(c) ? MASING_NOT_CONVERGED : MASING_OK;
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

/* A value that vanishes at an ordinary `next` is an event only if the sign changes there. One
 * that is costly vanishes as long as it is not known: the step that leaves this range finds the
 * event, and no other solution has to be looked at in every point. */
static void find_zeros_at_next(struct continuation *c, int *corner)
{
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        bool is_zero = fabs(c->next.value[i]) <= SIGNS_ZERO * fabs(c->here.value[i]);
        if (f->sign == 0 || !is_zero || curve_is_costly(f) || sign_ahead(c, i) != -f->sign) {
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
 * sign of that side clear of round-off; none where it jumped there. */
static double distance_aside(struct continuation *c, int function, const double *direction,
                             double arc, int sign)
{
    double scale = c->functions[function].scale, clear = CLEAR * c->functions[function].largest;
    double value = curve_function_value(c, function, c->next.u, direction);
    if (value * sign > JUMPED * scale) {
        return 0.0;
    }
    for (int i = 0; i < MAX_WIDENINGS; i++, arc *= 10.0) {
        predictor_line(c->size, c->next.u, direction, arc, c->guess);
        if (curve_function_value(c, function, c->guess, direction) * sign > clear) {
            break;
        }
    }
    return arc;
}

/* Tangents of the corner, and all values a little before it and behind it. */
static enum masing_status make_corner(struct continuation *c, int function, double length)
{
    struct curve_point *next = &c->next;
    int sign = c->functions[function].sign;
    memcpy(c->normal, next->tangent_in, (size_t)c->size * sizeof *c->normal);
    double arc = distance_aside(c, function, c->normal, -WIDTH * length, sign);
    NEED(curve_tangent_at_distance(c, next->u, c->normal, arc, next->tangent_in));
    curve_note_orientation(c);
    int orientation = c->orientation_next;
    for (int i = 0; i < c->n_functions; i++) {
        if (!curve_is_costly(&c->functions[i])) {
            next->value[i] = curve_function_value(c, i, c->guess, next->tangent_in);
        }
    }
    arc = distance_aside(c, function, next->tangent_in, WIDTH * length, -sign);
    NEED(curve_tangent_at_distance(c, next->u, next->tangent_in, arc, next->tangent));
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
    return MASING_OK;
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
    NEED(make_corner(c, corner, length));
    c->corner_step = step_behind_corner(c, length);
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        if (f->event.type == CONTINUATION_KINK && !f->is_hit && f->sign != 0) {
            f->is_hit = sign_of(c->value_out[i]) == -f->sign;
        }
    }
    return MASING_OK;
}

enum masing_status curve_find_corners(struct continuation *c)
{
    double length = c->next.arc - c->here.arc;
    int corner = c->approached;
    curve_copy_point(c, &c->beyond, &c->next);
    if (corner >= 0) {
        c->functions[corner].is_hit = true;
        length = c->reach; /* it may lie at `here` itself */
    } else {
        NEED(cut_at_corners(c, &corner));
    }
    c->is_hidden_corner = c->is_hidden_corner && corner < 0;
    curve_evaluate_functions(c, true, &c->next);
    if (c->is_hidden_corner) {
        curve_complete_hidden_corner(c);
    } else if (corner < 0) {
        find_zeros_at_next(c, &corner);
    }
    if (corner >= 0) {
        NEED(curve_complete_corner(c, corner, length));
    }
    return MASING_OK;
}

/* ---- corners that no step crosses ---- */

/*
 * A corner that turns the curve too sharply for any step across it is approached from the near
 * side only: Newton's method on the corner's function along the curve, always a little short.
 */

enum { MAX_APPROACHES = 40, N_DIFFERENCES = 3 };
/* relative to the function's value where the approach began */
static const double APPROACH_ZERO = 1e-10;
/* the same where round-off hides what is less, which must not hide the way over the corner */
static const double APPROACH_ROUGH = 1e-7;
/* of the reach: where a function jumps */
static const double JUMP_WIDTH = 1e-11;
/* relative to recent values: `here` does not lie on the function's zero */
static const double OFF_ZERO = 1e-9;
/* part of the predicted distance that is left */
static const double PART_LEFT = 1e-3;
/* part of the way to the crossing, as a step too far has shown it */
static const double PART_OF_CROSSING = 0.97;
/* part of the reach over which a function's slope is taken, and parts of that */
static const double SLOPE_PART = 1e-3;

/* Distance along the tangent at which a function would vanish by its slope over a piece of the
 * way; negative: behind, or not within reach. */
static double distance_by_slope(struct continuation *c, int function,
                                const struct curve_point *point, double value,
                                double difference, double reach)
{
    predictor_line(c->size, point->u, point->tangent, difference, c->guess);
    double ahead = curve_function_value(c, function, c->guess, point->tangent);
    double distance = difference * value / (value - ahead);
    return distance > 0.0 && distance <= reach ? distance : -1.0;
}

/* The same over shorter and shorter pieces, for a function may be bent right ahead. */
static double distance_to_zero(struct continuation *c, int function,
                               const struct curve_point *point, double value, double reach)
{
    double distance = -1.0, difference = SLOPE_PART * reach;
    for (int i = 0; i < N_DIFFERENCES && distance < 0.0; i++, difference *= SLOPE_PART) {
        distance = distance_by_slope(c, function, point, value, difference, reach);
    }
    return distance;
}

/* The corner that seems to come first within reach; -1: none. All functions are asked for at
 * one place after the other, where values of joints share what is costly. */
static int nearest_corner(struct continuation *c, double reach)
{
    int nearest = -1;
    double least = reach, difference = SLOPE_PART * reach;
    double *distance = c->value_out;
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        double value = c->here.value[i];
        bool is_at_zero = f->was_hit && fabs(value) <= OFF_ZERO * f->scale;
        bool is_ahead =
            f->event.type == CONTINUATION_KINK && !is_at_zero && value * f->sign > 0.0;
        distance[i] = is_ahead ? -1.0 : INFINITY;
    }
    for (int k = 0; k < N_DIFFERENCES; k++, difference *= SLOPE_PART) {
        for (int i = 0; i < c->n_functions; i++) {
            if (distance[i] < 0.0) {
                distance[i] =
                    distance_by_slope(c, i, &c->here, c->here.value[i], difference, reach);
            }
            if (distance[i] > 0.0 && distance[i] < least) {
                least = distance[i];
                nearest = i;
            }
        }
    }
    return nearest;
}

/* From `low` to a solution in `trial` at a distance along the tangent. */
static enum masing_status step_towards(struct continuation *c, double distance)
{
    struct curve_point *from = &c->low;
    struct curve_point *to = &c->trial;
    predictor_line(c->size, from->u, from->tangent, distance, to->u);
    bordered_set_plane(&c->bordered, to->u, from->tangent);
    NEED(curve_correct(c, distance + 10.0 * c->settings.tolerance, CURVE_TANGENT, to));
    to->arc = from->arc + predictor_length(c->size, c->metric, from->u, from->tangent, to->u,
                                           to->tangent, NULL);
    return MASING_OK;
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
        a->part = 1.0 - PART_LEFT;
        *is_there = fabs(value) <= a->zero;
        return MASING_OK;
    }
    /* the corner is nearer than it seemed */
    *is_there = status == MASING_OK && a->part * distance <= JUMP_WIDTH * a->reach;
    if (*is_there) {
        curve_copy_point(c, &c->low, &c->trial);
    }
    double crossing = a->value / (a->value - value);
    a->part *= status == MASING_OK ? fmax(0.1, PART_OF_CROSSING * crossing) : 0.5;
    return MASING_OK;
}

static enum masing_status approach(struct continuation *c, int corner, double reach)
{
    bool is_there = false;
    double start = c->here.value[corner];
    struct approach a = {
        .corner = corner,
        .start = start,
        .value = start,
        .zero = fmax(APPROACH_ZERO * fabs(start),
                     fmin(APPROACH_ROUGH * fabs(start), CLEAR * c->functions[corner].largest)),
        .reach = reach,
        .part = 1.0 - PART_LEFT};
    curve_copy_point(c, &c->low, &c->here);
    for (int i = 0; i < MAX_APPROACHES && !is_there; i++) {
        NEED(approach_once(c, &a, &is_there));
    }
    return is_there ? MASING_OK : MASING_NOT_CONVERGED;
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
