/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event functions along the curve. Each has a sign behind the last point; a step on which it
 * changes holds a zero. Corners come first: the earliest one ends the step. Then the marks on
 * the smooth piece that is left are located, and what happens at its end is named.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/* A value this small, relative to that before, is a zero at the point itself. */
static const double ZERO_AT_POINT = 1e-10;
static const double ZERO_AT_START = 1e-9;
/* A mark's value this small, in parts of its recent values, may have the wrong sign. */
static const double DOUBTFUL = 0.05;
/* A zero so near behind another of the same function, in parts of the step, is that one. */
static const double SAME_ZERO = 1e-6;
/* How far to look ahead from a point that lies on a zero, in parts of the step. */
static const double AHEAD = 1e-3;

static int sign_of(double value)
{
    return (value > 0.0) - (value < 0.0);
}

/* Name of the event when the sign changes from the old one; NULL: none. */
static const char *name_of(const struct curve_function *f)
{
    return f->sign < 0 ? f->event.rising : f->event.falling;
}

/* Whether the function changes sign clearly between `here` and `next`. */
static bool is_crossed(const struct continuation *c, int i)
{
    const struct curve_function *f = &c->functions[i];
    double value = c->next.value[i];
    if (f->sign == 0 || f->is_hit || sign_of(value) != -f->sign) {
        return false;
    }
    return fabs(value) > ZERO_AT_POINT * fabs(c->here.value[i]);
}

/* The corner function that seems to cross first, by linear interpolation; -1: none. */
static int first_corner(const struct continuation *c)
{
    int first = -1;
    double least = INFINITY;
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        if (f->event.type != CONTINUATION_KINK || !is_crossed(c, i) || !name_of(f)) {
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
    curve_evaluate_functions(c, &c->trial);
    for (int i = 0; i < c->n_functions; i++) {
        c->functions[i].is_hit = i == function;
    }
    curve_copy_point(c, &c->next, &c->trial);
}

/* Whether the zero in `trial` is the one on which `here` lies. */
static bool is_same_zero(const struct continuation *c, const struct curve_function *f)
{
    double length = c->next.arc - c->here.arc;
    return f->was_hit && c->trial.arc - c->here.arc < SAME_ZERO * length;
}

static enum masing_status find_corners(struct continuation *c, int *corner, double *length)
{
    enum masing_status status = MASING_OK;
    *corner = c->approached;
    *length = c->next.arc - c->here.arc;
    curve_copy_point(c, &c->beyond, &c->next);
    if (c->approached >= 0) {
        c->functions[c->approached].is_hit = true;
        return MASING_OK;
    }
    for (int i; (i = first_corner(c)) >= 0;) {
        struct curve_function *f = &c->functions[i];
        TRY(curve_locate(c, i));
        if (is_same_zero(c, f)) {
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
        curve_solve_between(c, &c->here, &c->next, 1.0 + AHEAD, true, &c->trial);
    if (status != MASING_OK) {
        /* as behind a sharp corner */
        predictor_line(c->size, c->next.u, c->next.tangent_in, AHEAD * length, c->trial.u);
        memcpy(c->trial.tangent_in, c->next.tangent_in, (size_t)c->size * sizeof(double));
    }
    return sign_of(curve_function_value(c, function, c->trial.u, c->trial.tangent_in));
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

/* A value that vanishes at an ordinary `next` is an event only if the sign changes there. */
static void find_zeros_at_next(struct continuation *c, int *corner)
{
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        bool is_zero = fabs(c->next.value[i]) <= ZERO_AT_POINT * fabs(c->here.value[i]);
        if (f->sign == 0 || !is_zero || sign_ahead(c, i) != -f->sign) {
            continue;
        }
        f->is_hit = true;
        if (f->event.type == CONTINUATION_KINK && name_of(f)) {
            *corner = i;
        }
    }
}

/* Tangents of the corner at `next`, and what else changes sign within its width. */
static enum masing_status complete_corner(struct continuation *c, int corner, double length)
{
    enum masing_status status = MASING_OK;
    TRY(curve_make_corner(c, corner, length));
    c->corner_step = step_behind_corner(c, length);
    predictor_line(c->size, c->next.u, c->next.tangent, CURVE_CORNER_WIDTH * length, c->guess);
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        if (f->event.type == CONTINUATION_KINK && !f->is_hit && f->sign != 0) {
            double value = curve_function_value(c, i, c->guess, c->next.tangent);
            f->is_hit = sign_of(value) == -f->sign;
        }
    }
done:
    return status;
}

static enum masing_status find_marks(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        if (f->event.type != CONTINUATION_MARK || !is_crossed(c, i)) {
            continue;
        }
        if (name_of(f)) {
            struct curve_extra *extra = &c->extras[c->n_extras];
            TRY(curve_locate(c, i));
            curve_copy_point(c, &extra->point, &c->trial);
            extra->name = name_of(f);
            extra->event_index = i < c->settings.n_events ? i : -1;
            c->n_extras += !is_same_zero(c, f);
        }
        f->sign = -f->sign;
    }
done:
    return status;
}

/* Marks whose value jumps through zero at the corner. */
static void find_jumps(struct continuation *c)
{
    if (!c->is_corner) {
        return;
    }
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        double out = curve_function_value(c, i, c->next.u, c->next.tangent);
        if (f->event.type == CONTINUATION_MARK && !f->is_hit && f->sign != 0 &&
            sign_of(out) == -f->sign) {
            f->is_hit = true;
        }
    }
}

/* A mark's sign at `next` is in doubt where its value is small, for the tangent comes from old
 * factors: evaluate the Jacobian afresh. */
static enum masing_status settle_doubts(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    bool is_in_doubt = false;
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        double value = fabs(c->next.value[i]);
        f->scale = fmax(value, 0.5 * f->scale);
        is_in_doubt = is_in_doubt || (f->event.type == CONTINUATION_MARK && value > 0.0 &&
                                      value < DOUBTFUL * f->scale);
    }
    if (is_in_doubt) {
        TRY(curve_renew_tangent(c, &c->next));
        curve_evaluate_functions(c, &c->next);
    }
done:
    return status;
}

static void name_events(struct continuation *c, int *event_index)
{
    *event_index = -1;
    for (int i = 0; i < c->n_functions; i++) {
        const struct curve_function *f = &c->functions[i];
        if (!f->is_hit || !name_of(f)) {
            continue;
        }
        curve_name_add(c, name_of(f));
        if (*event_index < 0 && i < c->settings.n_events) {
            *event_index = i;
        }
    }
}

enum masing_status curve_find_events(struct continuation *c, int *event_index)
{
    enum masing_status status = MASING_OK;
    int corner;
    double length;
    c->is_corner = false;
    c->n_extras = 0;
    c->bordered.cost = &c->locating;
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        f->is_hit = false;
        f->sign_kept = f->sign;
    }
    curve_evaluate_functions(c, &c->next);
    TRY(settle_doubts(c));
    TRY(find_corners(c, &corner, &length));
    if (corner < 0) {
        find_zeros_at_next(c, &corner);
    }
    if (corner >= 0) {
        TRY(complete_corner(c, corner, length));
    }
    TRY(find_marks(c));
    TRY(curve_refine_corner(c));
    find_jumps(c);
    name_events(c, event_index);
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
    struct corrector_request request = {.limit = AHEAD * c->step.length,
                                        .max_iterations = c->settings.max_iterations,
                                        .is_exact = true};
    struct corrector_result result;
    if (corrector_solve(c->corrector, &request, ahead->u, &result) != MASING_OK ||
        bordered_tangent(&c->bordered, ahead->tangent) != MASING_OK) {
        return 0;
    }
    return sign_of(curve_function_value(c, function, ahead->u, ahead->tangent));
}

enum masing_status curve_start_functions(struct continuation *c, int *event_index)
{
    enum masing_status status = MASING_OK;
    int corner = -1;
    c->is_corner = false;
    c->bordered.cost = &c->locating;
    curve_evaluate_functions(c, &c->next);
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        f->was_hit = f->is_hit = false;
        f->sign = sign_of(c->next.value[i]);
        f->scale = fabs(c->next.value[i]);
        if (starts_at_zero(c, i)) {
            f->sign = -sign_at_start(c, i);
            f->is_hit = f->sign != 0;
            corner = f->is_hit && f->event.type == CONTINUATION_KINK && name_of(f) ? i : corner;
        }
    }
    if (corner >= 0) {
        c->beyond.arc = c->next.arc;
        TRY(complete_corner(c, corner, c->step.length));
    }
    name_events(c, event_index);
done:
    c->bordered.cost = &c->following;
    return status;
}

void curve_advance_functions(struct continuation *c)
{
    for (int i = 0; i < c->n_functions; i++) {
        struct curve_function *f = &c->functions[i];
        double value = c->next.value[i];
        if (c->is_corner) {
            value = curve_function_value(c, i, c->next.u, c->next.tangent);
            c->next.value[i] = value;
        }
        int sign = sign_of(value);
        bool is_clear = fabs(value) > ZERO_AT_POINT * fabs(c->here.value[i]);
        if (f->is_hit) {
            f->sign = -f->sign;
        } else if (sign != 0 && (is_clear || f->sign == 0)) {
            f->sign = sign;
        }
        f->was_hit = f->is_hit;
    }
}
