/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A solution at given lambda, from a guess: Newton, then what is slower and goes further. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

enum { NEWTON_ITERATIONS = 20, LINE_SEARCH_ITERATIONS = 100 };

static const char *const names[CURVE_N_SOLVERS] = {
    [CURVE_NEWTON] = "Newton",
    [CURVE_LINE_SEARCH] = "line search",
    [CURVE_HOMOTOPY] = "Newton homotopy",
    [CURVE_PATH] = "path of the Newton homotopy",
    [CURVE_PATH_BACKWARDS] = "path of the Newton homotopy, backwards",
};

/* The path ends on the solution; a last solve makes it one like the others. */
static enum masing_status solve_by_path(struct continuation *c, bool is_backwards,
                                        const struct corrector_request *newton,
                                        struct corrector_result *result)
{
    enum masing_status status = MASING_OK;
    TRY(curve_homotopy_path(c, is_backwards, c->guess));
    TRY(corrector_solve(c->corrector, newton, c->guess, result));
done:
    return status;
}

static enum masing_status solve_from_guess(struct continuation *c, enum curve_solver solver,
                                           struct corrector_result *result)
{
    struct corrector_request request = {.limit = INFINITY, .max_iterations = NEWTON_ITERATIONS};
    switch (solver) {
    case CURVE_LINE_SEARCH:
        request.is_line_search = true;
        request.max_iterations = LINE_SEARCH_ITERATIONS;
        break;
    case CURVE_HOMOTOPY:
        return curve_homotopy(c, INFINITY, c->guess, result);
    case CURVE_PATH:
    case CURVE_PATH_BACKWARDS:
        return solve_by_path(c, solver == CURVE_PATH_BACKWARDS, &request, result);
    case CURVE_NEWTON:
    case CURVE_N_SOLVERS:
        break;
    }
    return corrector_solve(c->corrector, &request, c->guess, result);
}

enum masing_status curve_solve_fixed(struct continuation *c, enum curve_solver solver,
                                     double *u, struct corrector_result *result)
{
    size_t bytes = (size_t)c->size * sizeof *u;
    if (c->is_inner && solver != CURVE_NEWTON) {
        return MASING_NOT_CONVERGED;
    }
    memcpy(c->guess, u, bytes);
    bordered_fix_lambda(&c->bordered, u[c->n]);
    enum masing_status status = solve_from_guess(c, solver, result);
    if (status == MASING_OK) {
        memcpy(u, c->guess, bytes);
    }
    if (status > 0 || (status == MASING_OK && solver != CURVE_NEWTON)) {
        curve_log(c, "at %.10g%s, from a guess: %s %s%s", curve_shown(c, u[c->n]),
                  curve_unit(c), names[solver], status == MASING_OK ? "converged" : "failed: ",
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
        masing_error_set(error, status, "no solution was found at %.10g%s: %s",
                         curve_shown(c, lambda), curve_unit(c), masing_status_name(status));
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
