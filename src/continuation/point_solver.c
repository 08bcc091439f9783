/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/point_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "continuation/metric.h"

enum masing_status point_solver_create(const struct continuation_problem *problem,
                                       double tolerance, struct point_solver **solver,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct point_solver *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->problem = *problem;
    made->n = problem->n;
    double **rows[] = {&made->point,     &made->tangent, &made->base,
                       &made->direction, &made->metric,  &made->guess};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i] = arena_doubles(&made->arena, (size_t)made->n + 1);
    }
    TRY_ALLOCATED(!made->arena.has_failed);
    TRY(bordered_create(&made->problem, made->metric, &made->bordered, error));
    made->bordered.cost = &made->cost;
    TRY(corrector_create(&made->bordered, tolerance, &made->corrector, error));
    *solver = made;
    made = NULL;
done:
    point_solver_destroy(made);
    return status;
}

void point_solver_destroy(struct point_solver *solver)
{
    if (solver) {
        corrector_destroy(solver->corrector);
        bordered_destroy(&solver->bordered);
        arena_clear(&solver->arena);
        free(solver);
    }
}

/* The guess becomes the base, where lengths are measured. */
static void begin(struct point_solver *solver)
{
    int n = solver->n;
    double *metric = solver->metric;
    double lambda = solver->point[n];
    double scale = solver->lambda_scale > 0.0 ? solver->lambda_scale : lambda;
    solver->problem.weights(solver->problem.context, solver->point, lambda, metric);
    for (int i = 0; i < n; i++) {
        metric[i] *= metric[i];
    }
    metric[n] = 1.0 / (scale * scale);
    memcpy(solver->base, solver->point, sizeof(double) * ((size_t)n + 1));
    solver->is_factored = false;
}

void point_solver_fix_lambda(struct point_solver *solver)
{
    begin(solver);
    memset(solver->direction, 0, sizeof(double) * (size_t)solver->n);
    solver->direction[solver->n] = 1.0 / sqrt(solver->metric[solver->n]);
}

void point_solver_follow_tangent(struct point_solver *solver)
{
    begin(solver);
    memcpy(solver->direction, solver->tangent, sizeof(double) * ((size_t)solver->n + 1));
    metric_normalise(solver->n + 1, solver->metric, solver->direction);
}

/* The last row at a distance s from the base. */
static void set_distance(struct point_solver *solver, double s)
{
    for (int i = 0; i <= solver->n; i++) {
        solver->guess[i] = solver->base[i] + s * solver->direction[i];
    }
    bordered_set_plane(&solver->bordered, solver->guess, solver->direction);
}

enum masing_status point_solver_solve(struct point_solver *solver, double s)
{
    struct corrector_result result;
    set_distance(solver, s);
    enum masing_status status = corrector_solve_close_by(
        solver->corrector, !solver->is_value_only, solver->point, &result);
    solver->iterations = solver->cost.factorisations;
    solver->is_factored =
        status == MASING_OK && !solver->is_value_only && solver->bordered.has_factors;
    return status;
}

enum masing_status point_solver_continue(struct point_solver *solver, double s)
{
    size_t bytes = sizeof(double) * ((size_t)solver->n + 1);
    double away = -s;
    if (!solver->is_factored) {
        return point_solver_solve(solver, s);
    }
    for (int i = 0; i <= solver->n; i++) {
        away += solver->metric[i] * solver->direction[i] * (solver->point[i] - solver->base[i]);
    }
    memset(solver->guess, 0, bytes);
    solver->guess[solver->n] = away;
    enum masing_status status = bordered_solve(&solver->bordered, solver->guess);
    for (int i = 0; status == MASING_OK && i <= solver->n; i++) {
        solver->point[i] -= solver->guess[i];
    }
    return status ? status : point_solver_solve(solver, s);
}

/* Factors at the point; its residual goes to the guess. */
static enum masing_status factor(struct point_solver *solver)
{
    double norm;
    set_distance(solver, 0.0);
    NEED(bordered_evaluate(&solver->bordered, solver->point, true, solver->guess, &norm));
    NEED(bordered_factor(&solver->bordered));
    solver->iterations = solver->cost.factorisations;
    return MASING_OK;
}

enum masing_status point_solver_step(struct point_solver *solver)
{
    NEED(factor(solver));
    NEED(bordered_solve(&solver->bordered, solver->guess));
    for (int i = 0; i <= solver->n; i++) {
        solver->point[i] -= solver->guess[i];
    }
    solver->is_factored = false;
    return MASING_OK;
}

enum masing_status point_solver_linearize(struct point_solver *solver)
{
    point_solver_fix_lambda(solver);
    return factor(solver);
}

enum masing_status point_solver_invert(struct point_solver *solver, double *x)
{
    size_t bytes = (size_t)solver->n * sizeof *x;
    memcpy(solver->guess, x, bytes);
    solver->guess[solver->n] = 0.0;
    NEED(bordered_solve(&solver->bordered, solver->guess));
    memcpy(x, solver->guess, bytes);
    return MASING_OK;
}

enum masing_status point_solver_differentiate(struct point_solver *solver)
{
    size_t n = (size_t)solver->n;
    NEED(solver->is_factored ? MASING_OK : factor(solver));
    solver->is_factored = true;
    memset(solver->tangent, 0, sizeof(double) * n);
    solver->tangent[n] = 1.0;
    return bordered_solve(&solver->bordered, solver->tangent);
}
