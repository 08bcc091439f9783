/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/point_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/lu.h"

enum { MAX_ITERATIONS = 40, MAX_HALVINGS = 8 };
/* Parts of the residual that a step must get rid of, times its length. */
static const double DECREASE = 1e-4;

enum masing_status point_solver_create(struct balance *balance, double tolerance,
                                       struct point_solver **solver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct point_solver *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    size_t n = (size_t)balance->n_unknowns;
    made->balance = balance;
    made->tolerance = tolerance;
    made->n = balance->n_unknowns;
    double **rows[] = {&made->point,   &made->base,     &made->border,
                       &made->tangent, &made->right,    &made->trial,
                       &made->weight,  &made->residual, &made->last};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i] = memory_array(n + 1, sizeof(double));
        TRY_ALLOCATED(*rows[i]);
    }
    made->jacobian = memory_array(n * n, sizeof(double));
    made->matrix = memory_array((n + 1) * (n + 1), sizeof(double));
    made->pivots = memory_array(n + 1, sizeof(int));
    TRY_ALLOCATED(made->jacobian && made->matrix && made->pivots);
    *solver = made;
    made = NULL;
done:
    point_solver_destroy(made);
    return status;
}

void point_solver_destroy(struct point_solver *solver)
{
    if (solver) {
        void *owned[] = {solver->weight,   solver->point,   solver->base,     solver->border,
                         solver->right,    solver->tangent, solver->trial,    solver->matrix,
                         solver->jacobian, solver->pivots,  solver->residual, solver->last};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            free(owned[i]);
        }
        free(solver);
    }
}

void point_solver_hold_frequency(struct point_solver *solver)
{
    size_t n = (size_t)solver->n;
    memset(solver->border, 0, sizeof(double) * n);
    solver->border[n] = 1.0 / solver->point[n];
    memcpy(solver->base, solver->point, sizeof(double) * (n + 1));
    solver->is_evaluated = solver->is_factored = false;
}

/* Equations, Jacobian and derivative by Omega at a point. */
static enum masing_status evaluate(struct point_solver *solver, const double *point)
{
    return balance_evaluate(solver->balance, BALANCE_LAWS, point, point[solver->n],
                            solver->residual, solver->jacobian, solver->last);
}

/* The same at the point, bordered, and factorised. */
static enum masing_status factor(struct point_solver *solver)
{
    size_t n = (size_t)solver->n;
    enum masing_status status =
        solver->is_evaluated ? MASING_OK : evaluate(solver, solver->point);
    solver->is_evaluated = false;
    solver->is_factored = false;
    for (size_t c = 0; status == MASING_OK && c <= n; c++) {
        double *column = solver->matrix + c * (n + 1);
        memcpy(column, c < n ? solver->jacobian + c * n : solver->last, sizeof(double) * n);
        column[n] = solver->border[c];
    }
    solver->iterations++;
    return status ? status : lu_factor(solver->n + 1, solver->matrix, solver->pivots);
}

enum masing_status point_solver_differentiate(struct point_solver *solver)
{
    size_t n = (size_t)solver->n;
    enum masing_status status = solver->is_factored ? MASING_OK : factor(solver);
    if (status == MASING_OK) {
        memset(solver->tangent, 0, sizeof(double) * n);
        solver->tangent[n] = 1.0;
        lu_solve(solver->n + 1, solver->matrix, solver->pivots, solver->tangent, 1);
    }
    return status;
}

void point_solver_follow_tangent(struct point_solver *solver)
{
    size_t n = (size_t)solver->n;
    double square = 0.0;
    solver->is_evaluated = solver->is_factored = false;
    memcpy(solver->base, solver->point, sizeof(double) * (n + 1));
    balance_weights(solver->balance, solver->point, solver->border);
    solver->border[n] = 1.0 / solver->point[n];
    for (size_t i = 0; i <= n; i++) {
        double metric = solver->border[i] * solver->border[i];
        solver->border[i] = metric * solver->tangent[i];
        square += metric * solver->tangent[i] * solver->tangent[i];
    }
    for (size_t i = 0; i <= n; i++) {
        solver->border[i] /= sqrt(square);
    }
}

static double largest(const double *values, size_t n)
{
    double size = 0.0;
    for (size_t i = 0; i < n; i++) {
        size = isfinite(values[i]) ? fmax(size, fabs(values[i])) : (double)INFINITY;
    }
    return size;
}

/* What the linear equation lacks at a point. */
static double beyond(const struct point_solver *solver, const double *point, double s)
{
    double sum = -s;
    for (size_t i = 0; i <= (size_t)solver->n; i++) {
        sum += solver->border[i] * (point[i] - solver->base[i]);
    }
    return sum;
}

static double step_size(const struct point_solver *solver, const double *step)
{
    double sum = 0.0;
    for (size_t i = 0; i <= (size_t)solver->n; i++) {
        double part = solver->weight[i] * step[i];
        sum += part * part;
    }
    return isfinite(sum) ? sqrt(sum) : (double)INFINITY;
}

/*
 * Whether the trial point is better: the residual is smaller, or the correction that it asks
 * for is, by the Jacobian that the step was made with. The latter knows nothing of how
 * equations are scaled (Deuflhard's natural monotonicity); beside a resonance only short steps
 * pass the former.
 */
static bool is_better(struct point_solver *solver, double s, double length, double size,
                      double step)
{
    size_t n = (size_t)solver->n;
    double *residual = solver->tangent;
    bool is_whole = length == 1.0; /* mostly taken: with all that the next step needs */
    if (!(solver->trial[n] > 0.0)) {
        return false;
    }
    enum masing_status status =
        is_whole ? evaluate(solver, solver->trial)
                 : balance_evaluate(solver->balance, BALANCE_LAWS, solver->trial,
                                    solver->trial[n], residual, NULL, NULL);
    if (status != MASING_OK) {
        return false;
    }
    if (is_whole) {
        memcpy(residual, solver->residual, sizeof(double) * n);
    }
    residual[n] = beyond(solver, solver->trial, s);
    double most = fmax(solver->tolerance, (1.0 - DECREASE * length) * size);
    if (largest(residual, n + 1) <= most) {
        return true;
    }
    lu_solve(solver->n + 1, solver->matrix, solver->pivots, residual, 1);
    return step_size(solver, residual) <= (1.0 - 0.5 * length) * step;
}

/* A step in solver->right, shortened until it leads to a better point. */
static enum masing_status move(struct point_solver *solver, double s, double size)
{
    size_t n = (size_t)solver->n;
    double length = 1.0, step = step_size(solver, solver->right);
    for (int k = 0; k <= MAX_HALVINGS; k++, length *= 0.5) {
        for (size_t i = 0; i <= n; i++) {
            solver->trial[i] = solver->point[i] - length * solver->right[i];
        }
        if (is_better(solver, s, length, size, step)) {
            memcpy(solver->point, solver->trial, sizeof(double) * (n + 1));
            solver->is_evaluated = length == 1.0;
            return MASING_OK;
        }
    }
    return MASING_NOT_CONVERGED;
}

static enum masing_status iterate(struct point_solver *solver, double s)
{
    static const double ON_PLANE = 1e-12;
    size_t n = (size_t)solver->n;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        enum masing_status status = factor(solver);
        if (status != MASING_OK) {
            return status;
        }
        double size = largest(solver->residual, n), away = beyond(solver, solver->point, s);
        if (size <= solver->tolerance && fabs(away) <= ON_PLANE * fmax(1.0, fabs(s))) {
            solver->is_factored = true;
            return MASING_OK;
        }
        memcpy(solver->right, solver->residual, sizeof(double) * n);
        solver->right[n] = away;
        lu_solve(solver->n + 1, solver->matrix, solver->pivots, solver->right, 1);
        status = move(solver, s, fmax(size, fabs(away)));
        if (status != MASING_OK) {
            return status;
        }
    }
    return MASING_NOT_CONVERGED;
}

static void weigh(struct point_solver *solver)
{
    balance_weights(solver->balance, solver->point, solver->weight);
    solver->weight[solver->n] = 1.0 / solver->point[solver->n];
    solver->is_evaluated = false;
}

enum masing_status point_solver_solve(struct point_solver *solver, double s)
{
    weigh(solver);
    return iterate(solver, s);
}

enum masing_status point_solver_continue(struct point_solver *solver, double s)
{
    size_t n = (size_t)solver->n;
    double away = beyond(solver, solver->point, s);
    if (!solver->is_factored) {
        return point_solver_solve(solver, s);
    }
    weigh(solver);
    memset(solver->right, 0, sizeof(double) * n);
    solver->right[n] = away;
    lu_solve(solver->n + 1, solver->matrix, solver->pivots, solver->right, 1);
    enum masing_status status = move(solver, s, fabs(away));
    return status ? status : iterate(solver, s);
}
