/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step of a given length: predictor, bounds of lambda, corrector, tangent, verdict; and
 * tangents from a Jacobian that is evaluated for them, at a point or a little ahead of it. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"
#include "linalg/bracket.h"

enum { LINE_SEARCH_ITERATIONS = 50 };
/* Iterates further from the guess than this part of the step are not waited for. */
static const double FARTHEST_ITERATE = 1.0;
/* The same at a given lambda, where a curve that turns lies further aside. */
static const double FARTHEST_BESIDE = 5.0;
/* A predicted direction that turns by more than 60 degrees is an artefact of the cubic. */
static const double LEAST_COSINE = 0.5;

/* ---- from known points and tangents to a guess further on ---- */

double predictor_length(int size, const double *metric, const double *from,
                        const double *from_tangent, const double *to, const double *to_tangent,
                        double *turning)
{
    double chord = metric_distance(size, metric, from, to);
    double cosine = metric_dot(size, metric, from_tangent, to_tangent);
    double angle = acos(fmax(-1.0, fmin(1.0, cosine)));
    if (turning) {
        *turning = angle;
    }
    /* a circular arc is longer than its chord by angle^2 / 24, to fourth order */
    return chord * (1.0 + fmin(angle * angle, 1.0) / 24.0);
}

/* Hermite basis at x in units of the length; derivative weights for the same four terms. */
struct basis {
    double from_tangent, to_tangent, difference;
};

static struct basis values(double x, double length)
{
    return (struct basis){.from_tangent = x * (1.0 - x) * (1.0 - x) * length,
                          .to_tangent = x * x * (x - 1.0) * length,
                          .difference = x * x * (3.0 - 2.0 * x)};
}

static struct basis slopes(double x, double length)
{
    return (struct basis){.from_tangent = (1.0 - x) * (1.0 - 3.0 * x),
                          .to_tangent = x * (3.0 * x - 2.0),
                          .difference = 6.0 * x * (1.0 - x) / length};
}

void predictor_hermite(const struct predictor_segment *segment, double arc, double *u,
                       double *derivative)
{
    double x = arc / segment->length;
    struct basis value = values(x, segment->length);
    struct basis slope = slopes(x, segment->length);
    for (int i = 0; i < segment->size; i++) {
        double difference = segment->to[i] - segment->from[i];
        u[i] = segment->from[i] + value.difference * difference +
               value.from_tangent * segment->from_tangent[i] +
               value.to_tangent * segment->to_tangent[i];
        derivative[i] = slope.difference * difference +
                        slope.from_tangent * segment->from_tangent[i] +
                        slope.to_tangent * segment->to_tangent[i];
    }
}

double predictor_hermite_component(const struct predictor_segment *segment, int component,
                                   double arc)
{
    struct basis value = values(arc / segment->length, segment->length);
    int i = component;
    return segment->from[i] + value.difference * (segment->to[i] - segment->from[i]) +
           value.from_tangent * segment->from_tangent[i] +
           value.to_tangent * segment->to_tangent[i];
}

void predictor_line(int size, const double *from, const double *tangent, double arc, double *u)
{
    for (int i = 0; i < size; i++) {
        u[i] = from[i] + arc * tangent[i];
    }
}

static void predict_line(struct continuation *c, const double *direction, double length)
{
    predictor_line(c->size, c->here.u, direction, length, c->guess);
    memcpy(c->normal, direction, (size_t)c->size * sizeof *c->normal);
}

/* Guess and unit normal of the hyperplane at an arc length from `here`. */
static enum step_order predict(struct continuation *c, const struct curve_attempt *attempt,
                               double length)
{
    if (attempt->direction) {
        predict_line(c, attempt->direction, length);
        return STEP_CORNER;
    }
    if (c->has_before && (attempt->is_secant || (c->secant_votes > 0 && !attempt->is_line))) {
        predict_line(c, c->secant, length);
        return STEP_SECANT;
    }
    if (!attempt->is_line && c->has_before && c->settings.predictor == CONTINUATION_HERMITE) {
        struct predictor_segment segment =
            curve_segment(c, &c->before, &c->here, c->length_before);
        predictor_hermite(&segment, segment.length + length, c->guess, c->normal);
        double norm = metric_norm(c->size, c->metric, c->normal);
        double cosine = metric_dot(c->size, c->metric, c->normal, c->here.tangent);
        if (cosine > LEAST_COSINE * norm) {
            for (int i = 0; i < c->size; i++) {
                c->normal[i] /= norm;
            }
            return STEP_HERMITE;
        }
    }
    predict_line(c, c->here.tangent, length);
    return c->is_restarted ? STEP_CORNER : STEP_LINE;
}

/* Shorten the step to where the predictor meets lambda = bound; false where it does not. */
static bool meet_bound(struct continuation *c, const struct curve_attempt *attempt,
                       double bound, double *length)
{
    double side = c->here.u[c->n] - bound;
    if (side == 0.0) {
        return false;
    }
    struct bracket bracket = bracket_of(0.0, side, *length, c->guess[c->n] - bound);
    while (fabs(c->guess[c->n] - bound) > 1e-9 * fabs(side) && bracket_next(&bracket, 0.0)) {
        predict(c, attempt, bracket.x);
        bracket_set(&bracket, c->guess[c->n] - bound);
    }
    *length = bracket_root(&bracket);
    predict(c, attempt, *length);
    c->guess[c->n] = bound;
    return true;
}

/* Last row: the hyperplane, or the bound of lambda where the predictor leaves the range. */
static enum masing_status set_last_row(struct continuation *c,
                                       const struct curve_attempt *attempt, double *length,
                                       enum step_order *order)
{
    *order = predict(c, attempt, *length);
    double lambda = c->guess[c->n];
    double low = fmin(c->settings.lambda_from, c->settings.lambda_to);
    double high = fmax(c->settings.lambda_from, c->settings.lambda_to);
    if (lambda >= low && lambda <= high) {
        if (attempt->holds_lambda) {
            bordered_fix_lambda(&c->bordered, lambda);
        } else {
            bordered_set_plane(&c->bordered, c->guess, c->normal);
        }
        return MASING_OK;
    }
    double bound = lambda < low ? low : high;
    if (!meet_bound(c, attempt, bound, length)) {
        return MASING_NOT_CONVERGED;
    }
    bordered_fix_lambda(&c->bordered, bound);
    return MASING_OK;
}

/* ---- tangents from a Jacobian that is evaluated for them ---- */

void curve_turn_round(const struct continuation *c, double *tangent)
{
    for (int i = 0; i < c->size; i++) {
        tangent[i] = -tangent[i];
    }
}

static enum masing_status factored_tangent(struct continuation *c, double *tangent)
{
    enum masing_status status = bordered_factor(&c->bordered);
    return status == MASING_OK ? bordered_tangent(&c->bordered, tangent) : status;
}

/* A last row that no tangent is orthogonal to but by chance. */
static void set_slanted_plane(struct continuation *c, const double *u)
{
    for (int i = 0; i < c->size; i++) {
        c->ahead[i] = (1.0 + (double)i / c->size) / sqrt(c->metric[i]);
    }
    bordered_set_plane(&c->bordered, u, c->ahead);
}

enum masing_status curve_exact_tangent(struct continuation *c, const double *u,
                                       const double *along, double *tangent)
{
    double norm;
    bordered_set_plane(&c->bordered, u, along);
    NEED(bordered_evaluate(&c->bordered, u, true, c->work, &norm));
    enum masing_status status = factored_tangent(c, tangent);
    if (status > 0) {
        /* the curve turns by 90 degrees exactly */
        set_slanted_plane(c, u);
        status = factored_tangent(c, tangent);
    }
    NEED(status);
    if (metric_dot(c->size, c->metric, tangent, along) < 0.0) {
        curve_turn_round(c, tangent);
    }
    return MASING_OK;
}

enum masing_status curve_tangent_along_lambda(struct continuation *c, const double *u,
                                              double *tangent)
{
    double norm;
    bordered_fix_lambda(&c->bordered, u[c->n]);
    NEED(bordered_evaluate(&c->bordered, u, true, c->work, &norm));
    NEED(factored_tangent(c, tangent));
    if (c->direction < 0.0) {
        curve_turn_round(c, tangent);
    }
    return MASING_OK;
}

enum masing_status curve_tangent_at_distance(struct continuation *c, const double *u,
                                             const double *direction, double arc,
                                             double *tangent)
{
    predictor_line(c->size, u, direction, arc, c->guess);
    return curve_exact_tangent(c, c->guess, direction, tangent);
}

/* ---- the step ---- */

/* Tangent, turning and arc length of the point that was reached. */
static enum masing_status complete(struct continuation *c, const double *direction)
{
    struct curve_point *next = &c->next;
    NEED(bordered_direction(&c->bordered, next->tangent_in));
    if (metric_dot(c->size, c->metric, next->tangent_in, c->normal) < 0.0) {
        curve_turn_round(c, next->tangent_in);
    }
    memcpy(next->tangent, next->tangent_in, (size_t)c->size * sizeof *next->tangent);
    next->arc = c->here.arc + predictor_length(c->size, c->metric, c->here.u, c->here.tangent,
                                               next->u, next->tangent, &c->outcome.turning);
    if (direction) {
        /* round a corner: what counts is the turning behind it */
        double cosine = metric_dot(c->size, c->metric, direction, next->tangent);
        c->outcome.turning = acos(fmax(-1.0, fmin(1.0, cosine)));
    }
    return MASING_OK;
}

enum masing_status curve_correct(struct continuation *c, double limit,
                                 enum curve_precision precision, struct curve_point *point)
{
    const struct corrector_request request = {.limit = limit,
                                              .max_iterations = c->settings.max_iterations,
                                              .is_polished = precision == CURVE_POLISHED,
                                              .is_exact = precision == CURVE_EXACT};
    struct corrector_result result;
    NEED(corrector_solve(c->corrector, &request, point->u, &result));
    point->residual = result.residual;
    point->iterations = result.iterations;
    c->correction = result.correction;
    /* factors that are kept say little of the tangent, so that the precise one or none is had
     */
    if (c->bordered.keeps_factors && precision == CURVE_TANGENT) {
        NEED(corrector_tangent(c->corrector, point->u, point->tangent_in));
    } else if (c->has_many && (precision == CURVE_PLAIN || precision == CURVE_POLISHED)) {
        memcpy(point->tangent_in, c->normal, (size_t)c->size * sizeof *point->tangent_in);
    } else {
        NEED(bordered_tangent(&c->bordered, point->tangent_in));
    }
    memcpy(point->tangent, point->tangent_in, (size_t)c->size * sizeof *point->tangent);
    return MASING_OK;
}

enum masing_status curve_attempt(struct continuation *c, const struct curve_attempt *attempt)
{
    double length = attempt->length;
    c->approached = -1;
    c->is_hidden_corner = false;
    c->has_converged = false;
    struct step_outcome *outcome = &c->outcome;
    NEED(set_last_row(c, attempt, &length, &outcome->order));
    memcpy(c->next.u, c->guess, (size_t)c->size * sizeof *c->guess);
    struct corrector_request request = {
        .limit = (attempt->holds_lambda ? FARTHEST_BESIDE : FARTHEST_ITERATE) * length +
                 10.0 * c->settings.tolerance,
        .max_iterations = c->settings.max_iterations,
        .is_line_search = attempt->is_line_search,
        .is_exact = c->bordered.keeps_factors,
    };
    if (attempt->is_line_search) {
        request.max_iterations = LINE_SEARCH_ITERATIONS;
        request.steps_to_halve = CORRECTOR_STEPS_TO_HALVE;
    }
    struct corrector_result result;
    if (attempt->is_smoothed) {
        NEED(curve_smooth(c, c->next.u, &result));
    } else if (attempt->is_homotopy) {
        NEED(curve_homotopy(c, request.limit, c->next.u, &result));
    } else {
        NEED(corrector_solve(c->corrector, &request, c->next.u, &result));
    }
    c->has_converged = true;
    outcome->length = length;
    outcome->length_before = c->length_before;
    outcome->error = result.correction;
    outcome->iterations = result.effort;
    c->next.residual = result.residual;
    c->next.iterations = result.iterations;
    NEED(complete(c, attempt->direction));
    return step_is_credible(outcome, &c->settings) ? MASING_OK : MASING_NOT_CONVERGED;
}
