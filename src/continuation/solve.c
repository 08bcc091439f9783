/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A solution at given lambda, from a guess: plain Newton, then line search, then homotopy. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

enum { NEWTON_ITERATIONS = 20, LINE_SEARCH_ITERATIONS = 100, HOMOTOPY_SOLVES = 300 };
static const double HOMOTOPY_STEP = 0.1;
static const double HOMOTOPY_LEAST = 1e-6;

enum masing_status curve_homotopy(struct continuation *c, double limit, double *u,
                                  struct corrector_result *result)
{
    enum masing_status status = MASING_OK;
    struct bordered *b = &c->bordered;
    size_t bytes = (size_t)c->size * sizeof *u;
    struct corrector_request request = {.limit = limit,
                                        .max_iterations = c->settings.max_iterations};
    double norm;
    double correction = 0.0;
    int iterations = 0;
    TRY(bordered_evaluate(b, u, false, c->work, &norm));
    memcpy(b->offset, c->work, (size_t)c->n * sizeof *u);
    double tau = 0.0;
    double step = HOMOTOPY_STEP;
    for (int i = 0; i < HOMOTOPY_SOLVES && tau < 1.0; i++) {
        double next = fmin(1.0, tau + step);
        b->offset_factor = 1.0 - next;
        memcpy(c->work, u, bytes);
        status = corrector_solve(c->corrector, &request, c->work, result);
        if (status < 0) {
            break;
        }
        if (status == MASING_OK) {
            memcpy(u, c->work, bytes);
            tau = next;
            step *= 2.0;
            correction += result->correction;
            iterations += result->iterations;
        } else if ((step *= 0.5) < HOMOTOPY_LEAST) {
            break;
        }
    }
    result->correction = correction;
    result->iterations = iterations;
    if (status == MASING_OK && tau < 1.0) {
        status = MASING_NOT_CONVERGED;
    }
done:
    b->offset_factor = 0.0;
    return status;
}

enum masing_status curve_solve_fixed(struct continuation *c, enum curve_solver solver,
                                     double *u, struct corrector_result *result)
{
    static const char *const names[] = {"Newton", "line search", "Newton homotopy"};
    struct corrector_request newton = {.limit = INFINITY, .max_iterations = NEWTON_ITERATIONS};
    struct corrector_request search = {
        .limit = INFINITY, .max_iterations = LINE_SEARCH_ITERATIONS, .is_line_search = true};
    enum masing_status status;
    memcpy(c->guess, u, (size_t)c->size * sizeof *u);
    bordered_fix_lambda(&c->bordered, u[c->n]);
    if (solver == CURVE_HOMOTOPY) {
        status = curve_homotopy(c, INFINITY, c->guess, result);
    } else {
        status = corrector_solve(c->corrector, solver == CURVE_NEWTON ? &newton : &search,
                                 c->guess, result);
    }
    if (status == MASING_OK) {
        memcpy(u, c->guess, (size_t)c->size * sizeof *u);
    }
    if (status > 0 || (status == MASING_OK && solver != CURVE_NEWTON)) {
        curve_log(c, "at %.10g, from a guess: %s %s%s", u[c->n], names[solver],
                  status == MASING_OK ? "converged" : "failed: ",
                  status == MASING_OK ? "" : masing_status_name(status));
    }
    return status;
}

enum masing_status continuation_solve(struct continuation *c, double lambda, double *y,
                                      int *iterations, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct corrector_result result = {0};
    double *u = c->next.u;
    c->error = error;
    c->bordered.cost = &c->following;
    memcpy(u, y, (size_t)c->n * sizeof *u);
    u[c->n] = lambda;
    TRY(curve_renew_metric(c, u));
    status = MASING_NOT_CONVERGED;
    for (int solver = 0; solver < CURVE_N_SOLVERS && status > 0; solver++) {
        status = curve_solve_fixed(c, (enum curve_solver)solver, u, &result);
    }
    if (status != MASING_OK) {
        masing_error_set(error, status, "no solution was found at %.10g: %s", lambda,
                         masing_status_name(status));
        goto done;
    }
    memcpy(y, u, (size_t)c->n * sizeof *u);
    *iterations = result.iterations;
done:
    return status;
}

enum masing_status continuation_tangent(struct continuation *c, const double *y, double lambda,
                                        double *dy, double *dlambda)
{
    enum masing_status status = MASING_OK;
    size_t bytes = (size_t)c->n * sizeof *dy;
    struct curve_point *next = &c->next;
    double norm;
    c->bordered.cost = &c->locating;
    memcpy(next->u, y, bytes);
    next->u[c->n] = lambda;
    memcpy(next->tangent, dy, bytes);
    next->tangent[c->n] = *dlambda;
    TRY(curve_renew_metric(c, next->u));
    if (!(metric_norm(c->size, c->metric, next->tangent) > 0.0)) {
        next->tangent[c->n] = c->range;
    }
    bordered_set_plane(&c->bordered, next->u, next->tangent);
    TRY(bordered_evaluate(&c->bordered, next->u, true, c->work, &norm));
    TRY(bordered_factor(&c->bordered));
    TRY(bordered_tangent(&c->bordered, next->tangent));
    memcpy(dy, next->tangent, bytes);
    *dlambda = next->tangent[c->n];
done:
    return status;
}
