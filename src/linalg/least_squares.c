/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A step minimises |r + J h|^2 + mu |D h|^2 with Marquardt's scaling D, the largest column
 * lengths so far (Moré 1978). With the singular values of J D^-1 a new mu costs nothing but a
 * product. mu follows the ratio of actual to predicted decrease (Nielsen 1999). Unknowns that
 * stand at a bound and would leave it are held (projected gradient), steps end at bounds.
 */
#include "linalg/least_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/svd.h"

enum { MOST_STEPS = 200, MOST_TRIALS = 60 };

/* Ends: decrease relative to the sum; step relative to the unknowns; cosine of the angle
 * between residuals and columns. All near what round-off lets through. */
static const double small_decrease = 1e-14, small_step = 1e-11, small_cosine = 1e-11;

struct least_squares {
    struct least_squares_problem problem;
    struct svd svd;
    double *residuals, *trial_residuals, *predicted; /* [n_residuals] */
    double *jacobian, *trial_jacobian;               /* [n_residuals * n_unknowns] */
    double *scales, *gradient, *trial, *step, *part; /* [n_unknowns] */
    int *free;                                       /* [n_unknowns] those that may move */
    int n_free, blocked;                             /* unknown that is held for once, or -1 */
    bool was_refused;                                /* a trial of the last step */
    double damping, growth;
};

enum masing_status least_squares_create(const struct least_squares_problem *problem,
                                        struct least_squares **solver,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t m = (size_t)problem->n_residuals, n = (size_t)problem->n_unknowns;
    struct least_squares *made = memory_array(1, sizeof *made);
    *solver = made;
    TRY_ALLOCATED(made);
    made->problem = *problem;
    double **vectors[] = {&made->scales, &made->gradient, &made->trial, &made->step,
                          &made->part};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = memory_array(n, sizeof(double));
        TRY_ALLOCATED(*vectors[i]);
    }
    made->residuals = memory_array(m, sizeof(double));
    made->trial_residuals = memory_array(m, sizeof(double));
    made->predicted = memory_array(m, sizeof(double));
    made->jacobian = memory_array(m * n, sizeof(double));
    made->trial_jacobian = memory_array(m * n, sizeof(double));
    made->free = memory_array(n, sizeof(int));
    TRY_ALLOCATED(made->residuals && made->trial_residuals && made->predicted &&
                  made->jacobian && made->trial_jacobian && made->free);
    TRY(svd_create(problem->n_residuals, problem->n_unknowns, &made->svd, error));
done:
    return status;
}

void least_squares_destroy(struct least_squares *solver)
{
    if (solver) {
        double *arrays[] = {
            solver->scales,   solver->gradient,      solver->trial,     solver->step,
            solver->part,     solver->residuals,     solver->predicted, solver->trial_residuals,
            solver->jacobian, solver->trial_jacobian};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
            free(arrays[i]);
        }
        free(solver->free);
        svd_clear(&solver->svd);
        free(solver);
    }
}

static double clamp(const struct least_squares *solver, int i, double value)
{
    return fmin(fmax(value, solver->problem.lower[i]), solver->problem.upper[i]);
}

/* Sum of squares at a point, INFINITY where there is none; only memory is a reason to end. */
static enum masing_status evaluate(struct least_squares *solver, const double *unknowns,
                                   double *residuals, double *jacobian, double *sum)
{
    const struct least_squares_problem *problem = &solver->problem;
    enum masing_status status =
        problem->evaluate(problem->context, unknowns, residuals, jacobian);
    double squares =
        status == MASING_OK ? dense_dot(problem->n_residuals, residuals, residuals) : INFINITY;
    *sum = isfinite(squares) ? squares : INFINITY;
    return status == MASING_NO_MEMORY ? status : MASING_OK;
}

static const double *column(const struct least_squares *solver, int i)
{
    return solver->jacobian + (size_t)i * (size_t)solver->problem.n_residuals;
}

/* Gradient, scales and who may move; gives the largest cosine between r and a free column. */
static double look_around(struct least_squares *solver, const double *unknowns, double sum)
{
    const struct least_squares_problem *problem = &solver->problem;
    int m = problem->n_residuals;
    double largest = 0.0;
    solver->n_free = 0;
    for (int i = 0; i < problem->n_unknowns; i++) {
        double g = dense_dot(m, column(solver, i), solver->residuals);
        double length = sqrt(dense_dot(m, column(solver, i), column(solver, i)));
        bool is_held = i == solver->blocked || (unknowns[i] <= problem->lower[i] && g > 0) ||
                       (unknowns[i] >= problem->upper[i] && g < 0);
        solver->gradient[i] = g;
        solver->scales[i] = fmax(solver->scales[i], length);
        if (!is_held && length > 0) {
            solver->free[solver->n_free++] = i;
            largest = fmax(largest, fabs(g) / (length * sqrt(sum)));
        }
    }
    return largest;
}

static enum masing_status factor(struct least_squares *solver)
{
    int m = solver->problem.n_residuals;
    for (int k = 0; k < solver->n_free; k++) {
        const double *from = column(solver, solver->free[k]);
        double *to = solver->svd.matrix + (size_t)k * (size_t)m;
        for (int j = 0; j < m; j++) {
            to[j] = from[j] / solver->scales[solver->free[k]];
        }
    }
    return svd_factor(solver->n_free, &solver->svd);
}

/* The step for the present damping, cut at the bounds; gives the predicted decrease. */
static double propose(struct least_squares *solver, const double *unknowns, double sum)
{
    int m = solver->problem.n_residuals, n = solver->problem.n_unknowns;
    svd_solve(&solver->svd, solver->residuals, solver->damping, 1e-15, solver->part);
    memset(solver->step, 0, (size_t)n * sizeof *solver->step);
    for (int k = 0; k < solver->n_free; k++) {
        int i = solver->free[k];
        solver->step[i] = -solver->part[k] / solver->scales[i];
    }
    for (int i = 0; i < n; i++) {
        solver->trial[i] = clamp(solver, i, unknowns[i] + solver->step[i]);
        solver->step[i] = solver->trial[i] - unknowns[i];
    }
    dense_multiply(m, 1, n, solver->jacobian, solver->step, solver->predicted);
    for (int j = 0; j < m; j++) {
        solver->predicted[j] += solver->residuals[j];
    }
    return sum - dense_dot(m, solver->predicted, solver->predicted);
}

static bool is_small(const struct least_squares *solver, const double *unknowns)
{
    double step = 0.0, size = 0.0;
    for (int i = 0; i < solver->problem.n_unknowns; i++) {
        step += pow(solver->scales[i] * solver->step[i], 2);
        size += pow(solver->scales[i] * unknowns[i], 2);
    }
    return sqrt(step) <= small_step * sqrt(size);
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

static void take(struct least_squares *solver, double *unknowns, double gain)
{
    memcpy(unknowns, solver->trial, (size_t)solver->problem.n_unknowns * sizeof *unknowns);
    swap(&solver->residuals, &solver->trial_residuals);
    swap(&solver->jacobian, &solver->trial_jacobian);
    solver->damping *= fmax(1.0 / 3.0, 1.0 - pow(2.0 * gain - 1.0, 3));
    solver->growth = 2.0;
}

enum progress { WENT_ON, ARRIVED, STUCK };

/* Shorten the step until the sum decreases. */
static enum masing_status advance(struct least_squares *solver, double *unknowns,
                                  struct least_squares_result *result, enum progress *progress)
{
    *progress = STUCK;
    solver->was_refused = false;
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        double sum, predicted = propose(solver, unknowns, result->sum);
        if (is_small(solver, unknowns) || fabs(predicted) <= small_decrease * result->sum) {
            *progress = ARRIVED;
            return MASING_OK;
        }
        enum masing_status status = evaluate(solver, solver->trial, solver->trial_residuals,
                                             solver->trial_jacobian, &sum);
        result->n_evaluations++;
        if (status != MASING_OK) {
            return status;
        }
        solver->was_refused = solver->was_refused || isinf(sum);
        double gain = predicted > 0 ? (result->sum - sum) / predicted : -1.0;
        if (gain > 1e-4) {
            take(solver, unknowns, gain);
            result->sum = sum;
            result->n_steps++;
            *progress = WENT_ON;
            return MASING_OK;
        }
        solver->damping *= solver->growth;
        solver->growth *= 2.0;
    }
    return MASING_OK;
}

/* One step from here; `blocked` may hold one unknown. */
static enum masing_status go_on(struct least_squares *solver, double *unknowns,
                                struct least_squares_result *result, enum progress *progress)
{
    enum masing_status status = MASING_OK;
    *progress = ARRIVED;
    solver->was_refused = false;
    double cosine = look_around(solver, unknowns, result->sum);
    if (result->sum > 0 && solver->n_free > 0 && cosine > small_cosine) {
        TRY(factor(solver));
        TRY(advance(solver, unknowns, result, progress));
    }
done:
    return status;
}

/*
 * Where every step leads out of the permitted region, it may be for one unknown alone: try to
 * go on with each of them held in turn.
 */
static enum masing_status go_along(struct least_squares *solver, double *unknowns,
                                   struct least_squares_result *result, enum progress *progress)
{
    enum masing_status status = MASING_OK;
    double damping = solver->damping;
    for (int i = 0; i < solver->problem.n_unknowns && *progress != WENT_ON; i++) {
        solver->blocked = i;
        solver->damping = 1e-3;
        solver->growth = 2.0;
        TRY(go_on(solver, unknowns, result, progress));
    }
done:
    solver->blocked = -1;
    solver->damping = *progress == WENT_ON ? 1e-3 : damping;
    return status;
}

static void begin(struct least_squares *solver, double *unknowns)
{
    int n = solver->problem.n_unknowns;
    for (int i = 0; i < n; i++) {
        unknowns[i] = clamp(solver, i, unknowns[i]);
        solver->scales[i] = 0.0;
    }
    solver->damping = 1e-3;
    solver->growth = 2.0;
    solver->blocked = -1;
}

enum masing_status least_squares_solve(struct least_squares *solver, double *unknowns,
                                       struct least_squares_result *result)
{
    enum masing_status status = MASING_OK;
    enum progress progress = WENT_ON;
    *result = (struct least_squares_result){.n_evaluations = 1};
    begin(solver, unknowns);
    TRY(evaluate(solver, unknowns, solver->residuals, solver->jacobian, &result->sum));
    if (!isfinite(result->sum)) {
        TRY(MASING_INVALID);
    }
    for (int i = 0; i < MOST_STEPS && progress == WENT_ON; i++) {
        TRY(go_on(solver, unknowns, result, &progress));
        if (progress != WENT_ON && solver->was_refused) {
            TRY(go_along(solver, unknowns, result, &progress));
        }
    }
    result->is_converged = progress != WENT_ON;
done:
    return status;
}

const double *least_squares_residuals(const struct least_squares *solver)
{
    return solver->residuals;
}

const double *least_squares_jacobian(const struct least_squares *solver)
{
    return solver->jacobian;
}
