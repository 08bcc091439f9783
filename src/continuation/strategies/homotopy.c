/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ways to deform the problem into one that is solved already, and back.
 *
 * Newton homotopy F(y) - (1 - tau) F(y_0) = 0 from tau = 0, where y_0 solves it, to tau = 1.
 * By steps in tau on any last row; or, at given lambda, along the path's arc, which may turn
 * back in tau: then it is a curve like any other and this module follows it.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

enum { MAX_SOLVES = 300, MAX_POINTS = 1000 };
static const double STEP = 0.1;
static const double LEAST_STEP = 1e-6;
/* How far a path is followed that leads beyond a solution, in tau and otherwise. */
static const double FAR = 50.0;
enum { BEYOND_POINTS = 150, BEYOND_RESIDUALS = 2000 };

/* One solve at tau + step; the guess is the solution at tau. */
static enum masing_status step_in_tau(struct continuation *c,
                                      const struct corrector_request *request, double tau,
                                      double *u, struct corrector_result *result)
{
    size_t bytes = (size_t)c->size * sizeof *u;
    c->bordered.offset_factor = 1.0 - tau;
    memcpy(c->work, u, bytes);
    enum masing_status status = corrector_solve(c->corrector, request, c->work, result);
    if (status == MASING_OK) {
        memcpy(u, c->work, bytes);
    }
    return status;
}

enum masing_status curve_homotopy(struct continuation *c, double limit, double *u,
                                  struct corrector_result *result)
{
    enum masing_status status = MASING_OK;
    struct bordered *b = &c->bordered;
    struct corrector_request request = {.limit = limit,
                                        .max_iterations = c->settings.max_iterations};
    double norm;
    double correction = 0.0;
    int iterations = 0;
    double tau = 0.0;
    double step = STEP;
    TRY(bordered_evaluate(b, u, false, c->work, &norm));
    memcpy(b->offset, c->work, (size_t)c->n * sizeof *u);
    for (int i = 0; i < MAX_SOLVES && tau < 1.0 && step >= LEAST_STEP; i++) {
        double next = fmin(1.0, tau + step);
        status = step_in_tau(c, &request, next, u, result);
        if (status < 0) {
            break;
        }
        if (status == MASING_OK) {
            tau = next;
            correction += result->correction;
            iterations += result->iterations;
        }
        step *= status == MASING_OK ? 2.0 : 0.5;
    }
    result->correction = correction;
    result->iterations = iterations;
    if (status >= 0) {
        status = tau >= 1.0 ? MASING_OK : MASING_NOT_CONVERGED;
    }
done:
    b->offset_factor = 0.0;
    return status;
}

/* The homotopy as a problem of its own, with the weights of its beginning. */
struct path {
    struct continuation *outer;
    double lambda;
    double *y; /* [most][n] solutions at tau = 1 */
    int n_arrivals, most;
};

static enum masing_status evaluate_path(void *context, const double *y, double tau,
                                        double *residual, double *jacobian,
                                        double *residual_tau)
{
    const struct path *path = context;
    struct continuation *c = path->outer;
    const double *offset = c->bordered.offset;
    /* the derivative by lambda that comes along is overwritten */
    enum masing_status status = c->problem.evaluate(c->problem.context, y, path->lambda,
                                                    residual, jacobian, residual_tau);
    c->bordered.cost->residuals++;
    c->bordered.cost->jacobians += jacobian != NULL;
    for (int i = 0; status == MASING_OK && i < c->n; i++) {
        residual[i] -= (1.0 - tau) * offset[i];
        if (jacobian) {
            residual_tau[i] = offset[i];
        }
    }
    return status;
}

/* The same with an operator, whose products are those of the problem itself. */
static enum masing_status linearize_path(void *context, const double *y, double tau,
                                         double *residual, double *residual_tau)
{
    const struct path *path = context;
    struct continuation *c = path->outer;
    const double *offset = c->bordered.offset;
    c->bordered.cost->residuals++;
    c->bordered.cost->jacobians++;
    NEED(c->problem.operator->linearize(c->problem.context, y, path->lambda, residual,
                                        residual_tau));
    for (int i = 0; i < c->n; i++) {
        residual[i] -= (1.0 - tau) * offset[i];
        residual_tau[i] = offset[i];
    }
    return MASING_OK;
}

static enum masing_status apply_path(void *context, const double *x, double *product)
{
    const struct continuation *c = ((const struct path *)context)->outer;
    return c->problem.operator->apply(c->problem.context, x, product);
}

static enum masing_status precondition_path(void *context, double *x)
{
    const struct continuation *c = ((const struct path *)context)->outer;
    return c->problem.operator->precondition(c->problem.context, x);
}

static long linearisation_of_path(void *context)
{
    const struct continuation *c = ((const struct path *)context)->outer;
    const struct continuation_operator *products = c->problem.operator;
    return products->linearisation ? products->linearisation(c->problem.context) : 0;
}

static void weigh_path(void *context, const double *y, double tau, double *weight)
{
    (void)y;
    (void)tau;
    const struct path *path = context;
    const struct continuation *c = path->outer;
    memcpy(weight, c->weight, (size_t)c->n * sizeof *weight);
}

static enum masing_status watch_path(void *context, const struct continuation_point *point,
                                     struct masing_error *error)
{
    (void)error;
    struct path *path = context;
    size_t n = (size_t)path->outer->n;
    if (point->lambda == 1.0) {
        memcpy(path->y + (size_t)path->n_arrivals++ * n, point->y, n * sizeof *path->y);
    }
    return path->n_arrivals < path->most ? MASING_OK : MASING_STOPPED;
}

/* From y in `ahead` at tau = 0, in `settings`, with at most so many points and residuals. */
static enum masing_status follow_path(struct path *path, struct continuation_settings *settings,
                                      long most_residuals)
{
    enum masing_status status = MASING_OK;
    struct continuation *c = path->outer, *inner = NULL;
    const struct continuation_operator along = {.linearize = linearize_path,
                                                .apply = apply_path,
                                                .precondition = precondition_path,
                                                .linearisation = linearisation_of_path};
    struct continuation_problem problem = {.context = path,
                                           .n = c->n,
                                           .operator= c->problem.operator? &along : NULL,
                                           .krylov_tolerance = c->bordered.tangent_error,
                                           .evaluate = evaluate_path,
                                           .weights = weigh_path};
    struct continuation_observer observer = {.context = path, .point = watch_path};
    struct continuation_counts counts = {0};
    enum continuation_end end;
    double norm;
    settings->starts_inside = true;
    settings->tolerance = c->settings.tolerance;
    settings->predictor = CONTINUATION_HERMITE;
    c->ahead[c->n] = path->lambda;
    TRY(bordered_evaluate(&c->bordered, c->ahead, false, c->work, &norm));
    memcpy(c->bordered.offset, c->work, (size_t)c->n * sizeof *c->work);
    TRY(continuation_create(&problem, settings, &inner, c->error));
    inner->is_inner = true;
    inner->most_residuals =
        c->bordered.n_left < most_residuals ? c->bordered.n_left : most_residuals;
    long before = inner->most_residuals;
    status = continuation_follow(inner, c->ahead, 1, &observer, &end, &counts, NULL);
    c->bordered.n_left -= before - inner->bordered.n_left;
    c->bordered.cost->krylov_solves += counts.krylov_solves;
    c->bordered.cost->krylov_iterations += counts.krylov_iterations;
    if (status >= 0) {
        status = path->n_arrivals > 0 ? MASING_OK : MASING_NOT_CONVERGED;
    }
done:
    continuation_destroy(inner);
    return status;
}

enum masing_status curve_homotopy_path(struct continuation *c, bool is_backwards, double *u)
{
    struct path path = {.outer = c, .lambda = u[c->n], .y = u, .most = 1};
    struct continuation_settings settings = {
        .lambda_from = is_backwards ? 1.0 : -1.0,
        .lambda_to = is_backwards ? -1.0 : 1.0,
        .max_points = c->settings.max_points < MAX_POINTS ? c->settings.max_points : MAX_POINTS,
    };
    memcpy(c->ahead, u, (size_t)c->n * sizeof *u);
    return follow_path(&path, &settings, CURVE_PATH_RESIDUALS);
}

enum masing_status curve_homotopy_beyond(struct continuation *c, double lambda, int most,
                                         double *y, int *n)
{
    static const double wanted = 1.0;
    struct path path = {.outer = c, .lambda = lambda, .y = y, .most = most};
    struct continuation_settings settings = {.lambda_from = -FAR,
                                             .lambda_to = FAR,
                                             .n_values = 1,
                                             .values = &wanted,
                                             .max_points = BEYOND_POINTS};
    memset(c->ahead, 0, (size_t)c->n * sizeof *c->ahead);
    enum masing_status status = follow_path(&path, &settings, BEYOND_RESIDUALS);
    *n = path.n_arrivals;
    return status > 0 ? MASING_OK : status;
}

/* ---- smoothing ---- */

/*
 * Where the residual has kinks, Newton's method may go round and round between the pieces,
 * while the solution of a problem with the kinks rounded off is found, and moves little when
 * they are rounded off less. The last solve is of the problem itself.
 */
enum {
    FIRST_LEVELS = 4,
    MAX_SMOOTHED = 100,
    NEWTON_ITERATIONS = 10,
    LINE_SEARCH_ITERATIONS = 30
};
/* Factor on the level, at first and at best; nearer to 1 than the last it has come to rest. */
static const double REDUCTION = 0.1, SLOWEST = 0.95;
/* Below the first the problem itself is tried each time; below the last nothing else is. */
static const double TRIED_UNSMOOTHED = 1e-3, LEAST_LEVEL = 1e-8;

/* From the guess in u, which stays where there is no solution. */
static enum masing_status solve_smoothed(struct continuation *c, double level, bool is_first,
                                         double *u, struct corrector_result *result)
{
    size_t bytes = (size_t)c->size * sizeof *u;
    struct corrector_request request = {.limit = INFINITY, .max_iterations = NEWTON_ITERATIONS};
    c->problem.smooth(c->problem.context, level);
    memcpy(c->work, u, bytes);
    enum masing_status status = corrector_solve(c->corrector, &request, c->work, result);
    if (status > 0 && is_first) {
        request.is_line_search = true;
        request.max_iterations = LINE_SEARCH_ITERATIONS;
        memcpy(c->work, u, bytes);
        status = corrector_solve(c->corrector, &request, c->work, result);
    }
    if (status == MASING_OK) {
        memcpy(u, c->work, bytes);
    }
    return status;
}

/* The smoothest problem that the guess leads to a solution of. */
static enum masing_status begin(struct continuation *c, double *u, double *level,
                                struct corrector_result *result)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    *level = 1.0 / REDUCTION;
    for (int i = 0; i < FIRST_LEVELS && status > 0; i++) {
        *level *= REDUCTION;
        status = solve_smoothed(c, *level, true, u, result);
    }
    return status;
}

static enum masing_status reduce(struct continuation *c, double level, double *u,
                                 struct corrector_result *result)
{
    double factor = REDUCTION;
    for (int i = 0; i < MAX_SMOOTHED && factor < SLOWEST; i++) {
        enum masing_status status = MASING_NOT_CONVERGED;
        if (level <= TRIED_UNSMOOTHED) {
            status = solve_smoothed(c, 0.0, false, u, result);
            if (status <= 0 || level <= LEAST_LEVEL) {
                return status;
            }
        }
        status = solve_smoothed(c, factor * level, false, u, result);
        if (status < 0) {
            return status;
        }
        level *= status == MASING_OK ? factor : 1.0;
        factor = status == MASING_OK ? fmax(REDUCTION, factor * factor) : sqrt(factor);
    }
    return MASING_NOT_CONVERGED;
}

enum masing_status curve_smooth(struct continuation *c, double *u,
                                struct corrector_result *result)
{
    enum masing_status status = MASING_OK;
    double level;
    if (!c->problem.smooth) {
        return MASING_NOT_CONVERGED;
    }
    memcpy(c->ahead, u, (size_t)c->size * sizeof *u);
    TRY(begin(c, c->ahead, &level, result));
    TRY(reduce(c, level, c->ahead, result));
    result->correction = metric_distance(c->size, c->metric, c->ahead, u);
    memcpy(u, c->ahead, (size_t)c->size * sizeof *u);
done:
    c->problem.smooth(c->problem.context, 0.0);
    return status;
}
