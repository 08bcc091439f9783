/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event functions along the curve. Each has a sign behind the last point; a step on which it
 * changes holds a zero. Corners come first and cut the step. Then the marks on the smooth piece
 * that is left are located, and what happens at its end is collected.
 */
#include <math.h>

#include "base/check.h"
#include "continuation/curve.h"

static const double ZERO_AT_START = 1e-9;
/* A mark's value this small, in parts of its recent values or of what the step's turning did to
 * it, may have the wrong sign. */
static const double DOUBTFUL = 0.05;
/* Where it may be that small: in parts of what the turning does by the last look at it. */
static const double NEAR_DOUBT = 1.0;
/* What is left of a look at each further point. With 0.5 a flat peak of four masses and stops
 * was a step off, with 0.8 it was not; 1 costs a tenth of a response. */
static const double FORGOTTEN = 0.9;
/* How far to look ahead from a first point that lies on a zero, in parts of the first step. */
static const double AHEAD = 1e-3;

/*
 * What the step's turning does to a mark's value at `next`; 0 where the value is far larger. A
 * look costs as much as the value, so that it is taken where the last one does not rule it out.
 */
static double effect_of_turning(struct continuation *c, int function, double value)
{
    struct curve_function *f = &c->functions[function];
    double turning = c->outcome.turning;
    bool is_known = f->steepness > 0.0;
    f->steepness = fmax(fabs(value), FORGOTTEN * f->steepness);
    if (is_known && fabs(value) > NEAR_DOUBT * f->steepness * turning) {
        return 0.0;
    }
    double effect = fabs(curve_function_value(c, function, c->next.u, c->here.tangent) - value);
    f->steepness = turning > 0.0 ? fmax(f->steepness, effect / turning) : f->steepness;
    return effect;
}

/* The tangent comes from old factors, so that a mark's sign at `next` is in doubt where its
 * value is small, and is not taken for a change without a look at the Jacobian there. Where a
 * quantity is flat, all its values are small beside an error of the tangent, which goes with
 * how far that has turned. */
static bool is_doubtful(struct continuation *c, int function)
{
    struct curve_function *f = &c->functions[function];
    double value = c->next.value[function];
    if (curve_is_costly(f)) {
        return false;
    }
    f->scale = fmax(fabs(value), 0.5 * f->scale);
    f->largest = fmax(fabs(value), f->largest);
    if (f->event.type != CONTINUATION_MARK || value == 0.0) {
        return false;
    }
    return sign_of(value) == -f->sign || fabs(value) < DOUBTFUL * f->scale ||
           fabs(value) < DOUBTFUL * effect_of_turning(c, function, value);
}

/* Values with the exact tangent; the point itself stays as it is without events. */
static enum masing_status settle_doubts(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    bool is_in_doubt = false;
    for (int i = 0; i < c->n_functions; i++) {
        is_in_doubt = is_doubtful(c, i) || is_in_doubt;
    }
    if (!is_in_doubt) {
        return MASING_OK;
    }
    TRY(curve_exact_tangent(c, c->next.u, c->next.tangent_in, c->trial.tangent));
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        if (f->event.type == CONTINUATION_MARK && !curve_is_costly(f)) {
            c->next.value[i] = curve_function_value(c, i, c->next.u, c->trial.tangent);
        }
    }
done:
    return status;
}

/* The last function is the fold's, which the caller does not give. */
static int event_of(const struct continuation *c, int function)
{
    return function < c->settings.n_events ? function : -1;
}

void curve_keep_extra(struct continuation *c, int function)
{
    struct curve_function *f = &c->functions[function];
    struct curve_extra *extra = &c->extras[c->n_extras++];
    curve_copy_point(c, &extra->point, &c->trial);
    extra->met = (struct continuation_met){sign_event(f), event_of(c, function)};
    f->sign = -f->sign;
}

/* A mark in `trial` becomes an extra point, or part of the corner next to it. */
static void keep_mark(struct continuation *c, int function)
{
    struct curve_function *f = &c->functions[function];
    double length = c->next.arc - c->here.arc;
    if (c->is_corner && c->next.arc - c->trial.arc < SIGNS_SAME * length) {
        f->is_hit = true;
    } else if (sign_zero_is_old(c, f)) {
        f->sign = -f->sign;
    } else {
        curve_keep_extra(c, function);
    }
}

static bool is_confirmed(const struct continuation *c, const struct curve_function *f,
                         const struct curve_point *point, enum masing_status located)
{
    return !curve_is_costly(f) ||
           (located == MASING_OK &&
            f->event.confirm(f->event.context, point->u, point->u[c->n]));
}

/* A mark between two points. */
static enum masing_status find_mark(struct continuation *c, int i,
                                    const struct curve_point *from,
                                    const struct curve_point *to)
{
    struct curve_function *f = &c->functions[i];
    if (!sign_changes(c, i, from, to)) {
        return MASING_OK;
    }
    if (!sign_event(f)) {
        f->sign = -f->sign;
        return MASING_OK;
    }
    if (c->n_extras >= c->most_extras) {
        return MASING_NOT_CONVERGED; /* no room for so many: in a shorter step */
    }
    enum masing_status status = curve_locate(c, i, from, to);
    if (curve_is_costly(f) && status >= 0 && !is_confirmed(c, f, &c->trial, status)) {
        f->sign = -f->sign;
        return MASING_OK;
    }
    NEED(status);
    keep_mark(c, i);
    return MASING_OK;
}

/* In the order of the curve: the corners that did not cut the step. */
static void sort_extras(struct continuation *c)
{
    for (int i = 1; i < c->n_extras; i++) {
        struct curve_extra extra = c->extras[i];
        int k = i;
        for (; k > 0 && c->extras[k - 1].point.arc > extra.point.arc; k--) {
            c->extras[k] = c->extras[k - 1];
        }
        c->extras[k] = extra;
    }
}

/* Between the points that are known of the step, where values are. */
static enum masing_status find_marks(struct continuation *c)
{
    int n_corners = c->n_extras;
    sort_extras(c);
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        const struct curve_point *from = &c->here;
        for (int k = 0; f->event.type == CONTINUATION_MARK && k <= n_corners; k++) {
            bool is_last = k == n_corners;
            const struct curve_point *to = is_last ? &c->next : &c->extras[k].point;
            if (is_last || !curve_is_costly(f)) {
                NEED(find_mark(c, i, from, to));
                from = to;
            }
        }
    }
    return MASING_OK;
}

/* Marks whose value jumps through zero at the corner. */
static void find_jumps(struct continuation *c)
{
    for (int i = 0; c->is_corner && i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        if (f->event.type == CONTINUATION_MARK && f->sign != 0) {
            f->is_hit = sign_of(c->value_out[i]) == -f->sign;
        }
    }
}

static void collect_events(struct continuation *c)
{
    if (c->meets) {
        curve_add_event(c, CONTINUATION_BRANCH_POINT, -1);
    }
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        if (f->is_hit && sign_event(f) && is_confirmed(c, f, &c->next, MASING_OK)) {
            curve_add_event(c, sign_event(f), event_of(c, i));
        }
    }
}

enum masing_status curve_find_events(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    c->is_corner = false;
    c->n_extras = c->n_met = 0;
    c->bordered.cost = &c->locating;
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        f->is_hit = false;
        f->sign_kept = f->sign;
    }
    curve_note_orientation(c);
    curve_evaluate_functions(c, false, &c->next);
    TRY(curve_part_corners(c));
    TRY(settle_doubts(c));
    TRY(curve_find_corners(c));
    TRY(find_marks(c));
    TRY(curve_refine_corner(c));
    find_jumps(c);
    TRY(curve_find_branch_point(c));
    collect_events(c);
done:
    c->bordered.cost = &c->following;
    for (int i = 0; status != MASING_OK && i < c->n_functions; i++) {
        c->functions[i].sign = c->functions[i].sign_kept;
    }
    return status;
}

/* The first point lies on a zero when a small step changes the value by much more. */
static bool starts_at_zero(struct continuation *c, int function)
{
    predictor_line(c->size, c->next.u, c->next.tangent, c->step.length, c->guess);
    double ahead = curve_function_value(c, function, c->guess, c->next.tangent);
    return fabs(c->next.value[function]) <=
           ZERO_AT_START * fabs(ahead - c->next.value[function]);
}

static int sign_at_start(struct continuation *c, int function)
{
    struct curve_point *ahead = &c->low;
    curve_copy_point(c, ahead, &c->next);
    predictor_line(c->size, c->next.u, c->next.tangent, AHEAD * c->step.length, ahead->u);
    bordered_set_plane(&c->bordered, ahead->u, c->next.tangent);
    if (curve_correct(c, AHEAD * c->step.length, CURVE_EXACT, ahead) != MASING_OK) {
        return 0;
    }
    return sign_of(curve_function_value(c, function, ahead->u, ahead->tangent));
}

enum masing_status curve_start_functions(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    int corner = -1;
    c->is_corner = false;
    c->bordered.cost = &c->locating;
    curve_note_orientation(c);
    curve_evaluate_functions(c, false, &c->next);
    curve_evaluate_functions(c, true, &c->next);
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        f->was_hit = f->is_hit = false;
        f->sign = sign_of(c->next.value[i]);
        f->scale = f->largest = fabs(c->next.value[i]);
        if (starts_at_zero(c, i)) {
            f->sign = -sign_at_start(c, i);
            f->is_hit = f->sign != 0;
            bool is_corner = f->event.type == CONTINUATION_KINK && sign_event(f);
            corner = f->is_hit && is_corner ? i : corner;
        }
    }
    if (corner >= 0) {
        c->beyond.arc = c->next.arc;
        TRY(curve_complete_corner(c, corner, c->step.length));
    }
    collect_events(c);
done:
    c->bordered.cost = &c->following;
    return status;
}

void curve_advance_functions(struct continuation *c)
{
    c->orientation = c->orientation_out != 0 ? c->orientation_out : c->orientation;
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        double value = c->is_corner ? c->value_out[i] : c->next.value[i];
        bool is_clear = fabs(value) > SIGNS_ZERO * fabs(c->here.value[i]);
        if (f->is_hit) {
            f->sign = -f->sign;
        } else if (sign_of(value) != 0 && (is_clear || f->sign == 0)) {
            f->sign = sign_of(value);
        }
        f->was_hit = f->is_hit;
        c->next.value[i] = value;
    }
}
