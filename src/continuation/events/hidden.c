/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Corners that no event function announces: one contact among many begins to slip, or one
 * sample of its forces. A few of them turn the curve sharply; most come in crowds, turn it to
 * and fro, and their tangents say nothing of where it leads: there the secant does.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/* How near the curve must pass to where the two tangents meet, in parts of the reach. */
static const double LARGEST_MISS = 0.01;
/* A corner nearer than this part of the reach to one of its ends is not looked for. */
static const double LEAST_PART = 1e-3;
/* Tangents more parallel than this meet nowhere. */
static const double LARGEST_COSINE = 0.999;
enum { MOST_VOTES = 2, N_REACHES = 4 };
/* A predictor that is off by less, in parts of what is aimed at, is as good as any. */
static const double GOOD_ENOUGH = 0.05;
/* Reaches over a gap, the first in parts of the first step, and how often the one that leads
 * over it is halved. */
static const double SHORTEST_GAP = 1e-3, GAP_FACTOR = 10.0;
enum { GAP_HALVINGS = 12 };
/* A step of this part of the first one shows whether lambda rises or falls. */
static const double LEADS_ON = 0.1;
/* Cosines: of a way that leads on straight, and of one back to where the curve came from. */
static const double STRAIGHT = 0.995, WAY_BACK = -0.9;

/* Whether the last attempt met a solution, credible as a step or not. */
static enum masing_status keep_beyond(struct continuation *c, enum masing_status status)
{
    if (status > 0 && c->has_converged) {
        status = MASING_OK;
    }
    if (status == MASING_OK) {
        curve_copy_point(c, &c->beyond, &c->next);
    }
    return status;
}

/* A solution beyond the corner in `beyond`, along the tangent ahead or against it. */
static enum masing_status reach_along(struct continuation *c, double reach)
{
    const struct curve_attempt attempt = {.length = reach, .direction = c->ahead};
    NEED(curve_tangent_at_distance(c, c->here.u, c->here.tangent, reach, c->ahead));
    double cosine = metric_dot(c->size, c->metric, c->ahead, c->here.tangent);
    enum masing_status status = MASING_NOT_CONVERGED;
    for (int side = 0; side < 2 && status > 0 && fabs(cosine) < LARGEST_COSINE; side++) {
        status = keep_beyond(c, curve_attempt(c, &attempt));
        curve_turn_round(c, c->ahead);
    }
    return status;
}

/* The same at the lambda that the tangent leads to. */
static enum masing_status reach_beside(struct continuation *c, double reach)
{
    const struct curve_attempt attempt = {
        .length = reach, .is_line = true, .holds_lambda = true};
    return keep_beyond(c, curve_attempt(c, &attempt));
}

/* Where here + a t and beyond - b t' are nearest to each other; false: not between them. */
static bool meet(const struct continuation *c, double reach, double *a)
{
    const double *t = c->here.tangent, *to = c->beyond.tangent;
    double cosine = metric_dot(c->size, c->metric, t, to);
    double along = metric_along(c->size, c->metric, c->here.u, c->beyond.u, t);
    double against = metric_along(c->size, c->metric, c->here.u, c->beyond.u, to);
    if (fabs(cosine) > LARGEST_COSINE) {
        return false;
    }
    double determinant = 1.0 - cosine * cosine;
    *a = (along - cosine * against) / determinant;
    double b = (against - cosine * along) / determinant;
    return *a > LEAST_PART * reach && b > LEAST_PART * reach && *a < 2.0 * reach;
}

/* The solution in `next` at which the curve leaves the tangent of `here` for that of `beyond`.
 */
static enum masing_status solve_corner(struct continuation *c, double a, double reach)
{
    struct curve_point *next = &c->next;
    struct corrector_result result;
    struct corrector_request request = {.limit =
                                            LARGEST_MISS * reach + 10.0 * c->settings.tolerance,
                                        .max_iterations = c->settings.max_iterations};
    predictor_line(c->size, c->here.u, c->here.tangent, a, next->u);
    for (int i = 0; i < c->size; i++) {
        c->normal[i] = c->here.tangent[i] + c->beyond.tangent[i];
    }
    bordered_set_plane(&c->bordered, next->u, c->normal);
    NEED(corrector_solve(c->corrector, &request, next->u, &result));
    if (result.correction > request.limit) {
        return MASING_NOT_CONVERGED;
    }
    memcpy(next->tangent_in, c->here.tangent, (size_t)c->size * sizeof(double));
    memcpy(next->tangent, next->tangent_in, (size_t)c->size * sizeof(double));
    next->arc = c->here.arc + metric_distance(c->size, c->metric, c->here.u, next->u);
    next->residual = result.residual;
    next->iterations = result.iterations;
    c->outcome = (struct step_outcome){.length = next->arc - c->here.arc,
                                       .iterations = result.iterations,
                                       .order = STEP_CORNER};
    return MASING_OK;
}

/* Cosine of the way from `here` to `beyond` with a unit vector. */
static double cosine_beyond(const struct continuation *c, const double *vector)
{
    double along = metric_along(c->size, c->metric, c->here.u, c->beyond.u, vector);
    return along / metric_distance(c->size, c->metric, c->here.u, c->beyond.u);
}

/* The curve leads from `here` straight to `beyond`, whatever the tangent at `here` says, and
 * not back where it came from. */
static bool leads_beyond(const struct continuation *c)
{
    bool is_back = cosine_beyond(c, c->here.tangent_in) < WAY_BACK ||
                   (c->has_before && cosine_beyond(c, c->secant) < WAY_BACK);
    return !is_back && fabs(cosine_beyond(c, c->beyond.tangent)) >= STRAIGHT;
}

static void step_beyond(struct continuation *c)
{
    struct curve_point *next = &c->next;
    curve_copy_point(c, next, &c->beyond);
    double along = metric_along(c->size, c->metric, c->here.u, next->u, next->tangent);
    if (along < 0.0) {
        curve_turn_round(c, next->tangent);
        curve_turn_round(c, next->tangent_in);
    }
    next->arc = c->here.arc + fabs(along);
    c->is_hidden_corner = false;
    c->outcome = (struct step_outcome){.length = fabs(along),
                                       .error = 0.1 * fabs(along),
                                       .iterations = next->iterations,
                                       .order = STEP_LINE};
}

static enum masing_status land_on_corner(struct continuation *c, double reach)
{
    double a;
    if (leads_beyond(c)) {
        step_beyond(c);
        return MASING_OK;
    }
    if (!meet(c, reach, &a)) {
        return MASING_NOT_CONVERGED;
    }
    NEED(solve_corner(c, a, reach));
    memcpy(c->ahead, c->beyond.tangent, (size_t)c->size * sizeof *c->ahead);
    for (int i = 0; i < c->size; i++) {
        c->beyond_corner[i] = c->beyond.u[i] - c->next.u[i];
    }
    c->is_hidden_corner = true;
    c->reach = reach;
    return MASING_OK;
}

enum masing_status curve_find_hidden_corner(struct continuation *c, double reach)
{
    enum masing_status status = reach_along(c, reach);
    if (status == MASING_OK) {
        status = land_on_corner(c, reach);
    }
    if (status > 0) {
        status = reach_beside(c, reach);
        status = status == MASING_OK ? land_on_corner(c, reach) : status;
    }
    return status;
}

/* A solution at lambda in `beyond`, from another one. */
static enum masing_status solve_at(struct continuation *c, const double *from, double lambda)
{
    struct curve_point *to = &c->beyond;
    struct corrector_result result;
    memcpy(to->u, from, (size_t)c->n * sizeof *to->u);
    to->u[c->n] = lambda;
    bordered_fix_lambda(&c->bordered, lambda);
    NEED(corrector_solve_close_by(c->corrector, false, to->u, &result));
    for (int i = 0; i < c->size; i++) {
        c->normal[i] = to->u[i] - from[i];
    }
    NEED(curve_exact_tangent(c, to->u, c->normal, to->tangent));
    memcpy(to->tangent_in, to->tangent, (size_t)c->size * sizeof *to->tangent);
    to->residual = result.residual;
    to->iterations = result.iterations;
    return MASING_OK;
}

enum masing_status curve_leave_crowd(struct continuation *c, double reach, double factor)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    double low = fmin(c->settings.lambda_from, c->settings.lambda_to);
    double high = fmax(c->settings.lambda_from, c->settings.lambda_to);
    double heading = c->heading != 0.0 ? c->heading : copysign(1.0, c->here.tangent[c->n]);
    for (int i = 0; i < N_REACHES && status > 0; i++, reach *= factor) {
        double lambda = c->here.u[c->n] + heading * reach * c->range;
        if (lambda <= low || lambda >= high) {
            continue;
        }
        status = solve_at(c, c->here.u, lambda);
        if (status == MASING_OK && leads_beyond(c)) {
            step_beyond(c);
        } else if (status == MASING_OK) {
            status = MASING_NOT_CONVERGED;
        }
    }
    return status;
}

/*
 * The far edge of a gap that ends at `here`: sampled forces jump where a motion that reverses
 * for less than a sample is seen all at once. What lies beyond, on the line from `here`, is
 * followed back from the nearest point of it by halves.
 */
enum masing_status curve_find_far_edge(struct continuation *c)
{
    double near = c->here.u[c->n];
    NEED(curve_leave_crowd(c, SHORTEST_GAP * c->settings.step_initial, GAP_FACTOR));
    for (int i = 0; i < GAP_HALVINGS; i++) {
        double lambda = 0.5 * (near + c->next.u[c->n]);
        enum masing_status status = solve_at(c, c->next.u, lambda);
        NEED(status < 0 ? status : MASING_OK);
        double along = metric_dot(c->size, c->metric, c->beyond.tangent, c->next.tangent);
        if (status == MASING_OK && fabs(along) >= STRAIGHT) {
            if (along < 0.0) {
                curve_turn_round(c, c->beyond.tangent);
                curve_turn_round(c, c->beyond.tangent_in);
            }
            curve_copy_point(c, &c->next, &c->beyond);
        } else {
            near = lambda;
        }
    }
    return MASING_OK;
}

/* `ahead` is the tangent behind it. What rises or falls there shows half way to the solution
 * beyond: at the corner itself joints are in the states of either side. */
void curve_complete_hidden_corner(struct continuation *c)
{
    struct curve_point *next = &c->next;
    memcpy(next->tangent, c->ahead, (size_t)c->size * sizeof *next->tangent);
    predictor_line(c->size, next->u, c->beyond_corner, 0.5, c->guess);
    for (int i = 0; i < c->n_functions; i++) {
        c->value_out[i] = curve_is_costly(&c->functions[i])
                              ? next->value[i]
                              : curve_function_value(c, i, c->guess, next->tangent);
    }
    c->corner_step = c->reach;
    c->orientation_next = c->orientation_out = 0;
    c->is_corner = true;
}

/* Distance of `next` from where a predictor would have looked for it. */
static double miss(const struct continuation *c)
{
    return metric_distance(c->size, c->metric, c->guess, c->next.u);
}

void curve_compare_predictors(struct continuation *c)
{
    double length = metric_distance(c->size, c->metric, c->here.u, c->next.u);
    if (!c->settings.has_hidden_corners || !(length > 0.0)) {
        return;
    }
    if (c->has_before && !c->is_corner && !c->begins_anew) {
        struct predictor_segment segment =
            curve_segment(c, &c->before, &c->here, c->length_before);
        predictor_hermite(&segment, segment.length + length, c->guess, c->normal);
        double hermite = miss(c);
        predictor_line(c->size, c->here.u, c->secant, length, c->guess);
        double secant = miss(c);
        double good = GOOD_ENOUGH * step_error_aim(&c->settings, length);
        if (fmax(hermite, secant) > good) {
            c->secant_votes += secant < hermite ? 1 : -1;
            c->secant_votes = c->secant_votes > MOST_VOTES ? MOST_VOTES
                              : c->secant_votes < 0        ? 0
                                                           : c->secant_votes;
        }
    }
    if (length >= c->settings.step_initial * LEADS_ON || c->heading == 0.0) {
        c->heading = copysign(1.0, c->next.u[c->n] - c->here.u[c->n]);
    }
    for (int i = 0; i < c->size; i++) {
        c->secant[i] = (c->next.u[i] - c->here.u[i]) / length;
    }
}
