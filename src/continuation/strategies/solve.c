/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A solution at given lambda, from a guess: Newton, then what is slower and goes further. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

static const struct {
    const char *name;
    enum masing_strategy strategy;
} solvers[CURVE_N_SOLVERS] = {
    [CURVE_NEWTON] = {"Newton", MASING_N_STRATEGIES},
    [CURVE_LINE_SEARCH] = {"line search", MASING_STRATEGY_LINE_SEARCH},
    [CURVE_SMOOTHING] = {"smoothing of the transition", MASING_STRATEGY_SMOOTHING},
    [CURVE_HOMOTOPY] = {"Newton homotopy", MASING_STRATEGY_HOMOTOPY},
    [CURVE_PATH] = {"path of the Newton homotopy", MASING_STRATEGY_HOMOTOPY},
    [CURVE_PATH_BACKWARDS] = {"path of the Newton homotopy, backwards",
                              MASING_STRATEGY_HOMOTOPY},
    [CURVE_RESTART] = {"restart from time integration", MASING_STRATEGY_RESTART},
};

/* The path ends on the solution; a last solve makes it one like the others. */
static enum masing_status solve_by_path(struct continuation *c, bool is_backwards,
                                        struct corrector_result *result)
{
    NEED(curve_homotopy_path(c, is_backwards, c->guess));
    return corrector_solve(c->corrector, &corrector_newton, c->guess, result);
}

/*
 * The guess in `guess` makes way for another. Where forces are sampled, Newton's method may
 * fail from a motion that is the right one but for the harmonics left out: residuals that are
 * far from zero there are taken away little by little.
 */
static enum masing_status solve_restarted(struct continuation *c,
                                          struct corrector_result *result)
{
    size_t bytes = (size_t)c->n * sizeof *c->guess;
    double lambda = c->guess[c->n];
    NEED(c->problem.restart(c->problem.driver, c->guess, lambda, lambda, c->ahead));
    c->has_motion = true;
    memcpy(c->guess, c->ahead, bytes);
    enum masing_status status =
        corrector_solve(c->corrector, &corrector_newton, c->guess, result);
    if (status > 0) {
        memcpy(c->guess, c->ahead, bytes);
        status = curve_smooth(c, c->guess, result);
    }
    return status > 0 ? curve_homotopy(c, INFINITY, c->guess, result) : status;
}

static bool is_possible(const struct continuation *c, enum curve_solver solver)
{
    return c->bordered.n_left > 0 && !(c->is_inner && solver != CURVE_NEWTON) &&
           !(solver == CURVE_SMOOTHING && !c->problem.smooth) &&
           !(solver == CURVE_RESTART && (!c->problem.restart || c->has_motion));
}

static enum masing_status solve_from_guess(struct continuation *c, enum curve_solver solver,
                                           struct corrector_result *result)
{
    switch (solver) {
    case CURVE_LINE_SEARCH:
        return corrector_solve(c->corrector, &corrector_line_search, c->guess, result);
    case CURVE_SMOOTHING:
        return curve_smooth(c, c->guess, result);
    case CURVE_RESTART:
        return solve_restarted(c, result);
    case CURVE_HOMOTOPY:
        return curve_homotopy(c, INFINITY, c->guess, result);
    case CURVE_PATH:
    case CURVE_PATH_BACKWARDS:
        return solve_by_path(c, solver == CURVE_PATH_BACKWARDS, result);
    case CURVE_NEWTON:
    case CURVE_N_SOLVERS:
        break;
    }
    return corrector_solve(c->corrector, &corrector_newton, c->guess, result);
}

enum masing_status curve_solve_fixed(struct continuation *c, enum curve_solver solver,
                                     double *u, struct corrector_result *result)
{
    size_t bytes = (size_t)c->size * sizeof *u;
    if (!is_possible(c, solver)) {
        return MASING_NOT_CONVERGED;
    }
    memcpy(c->guess, u, bytes);
    bordered_fix_lambda(&c->bordered, u[c->n]);
    enum masing_status status = solve_from_guess(c, solver, result);
    if (status == MASING_OK) {
        memcpy(u, c->guess, bytes);
    }
    if (status > 0) {
        curve_log(c, "at %.10g%s, from a guess: %s failed: %s", curve_shown(c, u[c->n]),
                  curve_unit(c), solvers[solver].name, masing_status_name(status));
    } else if (status == MASING_OK && solver != CURVE_NEWTON) {
        curve_log(c, "at %.10g%s, from a guess: %s converged", curve_shown(c, u[c->n]),
                  curve_unit(c), solvers[solver].name);
        c->counts.strategies[solvers[solver].strategy]++;
        c->counts.integrated_starts += solver == CURVE_RESTART;
    }
    return status;
}

enum masing_status curve_solve_by(struct continuation *c, enum curve_solver last, double *u,
                                  struct corrector_result *result)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    for (int solver = CURVE_NEWTON; solver <= (int)last && status > 0; solver++) {
        status = curve_solve_fixed(c, (enum curve_solver)solver, u, result);
    }
    return status;
}

enum masing_status curve_solve_first(struct continuation *c, double lambda,
                                     const double *guesses, int n_guesses)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    struct corrector_result result = {0};
    double *u = c->next.u;
    c->has_motion = false;
    for (int solver = 0; solver < CURVE_N_SOLVERS && status > 0; solver++) {
        for (int i = 0; i < n_guesses && status > 0; i++) {
            memcpy(u, guesses + (size_t)i * (size_t)c->n, (size_t)c->n * sizeof *u);
            u[c->n] = lambda;
            NEED(curve_renew_metric(c, u));
            status = curve_solve_fixed(c, (enum curve_solver)solver, u, &result);
        }
    }
    c->next.residual = result.residual;
    c->next.iterations = result.iterations;
    return status;
}

enum masing_status continuation_search(struct continuation *c, double lambda,
                                       const double *guesses, int n_guesses, double *y,
                                       struct masing_error *error)
{
    long most = curve_most_residuals(c);
    c->error = error;
    c->bordered.cost = &c->following;
    c->bordered.n_left = most < CURVE_START_RESIDUALS ? most : CURVE_START_RESIDUALS;
    NEED(curve_solve_first(c, lambda, guesses, n_guesses));
    memcpy(y, c->next.u, (size_t)c->n * sizeof *y);
    return MASING_OK;
}

enum masing_status continuation_solve(struct continuation *c, double lambda, double *y,
                                      int *iterations, struct masing_error *error)
{
    struct corrector_result result = {0};
    double *u = c->next.u;
    c->error = error;
    c->bordered.cost = &c->following;
    c->bordered.n_left = curve_most_residuals(c);
    c->has_motion = false;
    memcpy(u, y, (size_t)c->n * sizeof *u);
    u[c->n] = lambda;
    NEED(curve_renew_metric(c, u));
    enum masing_status status = curve_solve_by(c, CURVE_PATH_BACKWARDS, u, &result);
    if (status != MASING_OK) {
        return masing_error_set(error, status, "no solution was found at %.10g%s: %s",
                                curve_shown(c, lambda), curve_unit(c),
                                masing_status_name(status));
    }
    memcpy(y, u, (size_t)c->n * sizeof *u);
    *iterations = result.iterations;
    return MASING_OK;
}

enum masing_status continuation_tangent(struct continuation *c, const double *y, double lambda,
                                        double *dy, double *dlambda)
{
    size_t bytes = (size_t)c->n * sizeof *dy;
    struct curve_point *next = &c->next;
    c->bordered.cost = &c->locating;
    c->bordered.n_left = curve_most_residuals(c);
    memcpy(next->u, y, bytes);
    next->u[c->n] = lambda;
    memcpy(c->normal, dy, bytes);
    c->normal[c->n] = *dlambda;
    NEED(curve_renew_metric(c, next->u));
    if (!(metric_norm(c->size, c->metric, c->normal) > 0.0)) {
        c->normal[c->n] = c->range;
    }
    NEED(curve_exact_tangent(c, next->u, c->normal, next->tangent));
    memcpy(dy, next->tangent, bytes);
    *dlambda = next->tangent[c->n];
    return MASING_OK;
}
