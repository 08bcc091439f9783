/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linear: the columns are scaled to equal length, then the singular values solve.
 *
 * Nonlinear: a step minimises |r + J h|^2 + mu |D h|^2 with Marquardt's scaling D, the largest
 * column lengths so far (Moré 1978). With the singular values of J D^-1 a new mu costs nothing
 * but a product. mu follows the ratio of actual to predicted decrease (Nielsen 1999). Unknowns
 * that stand at a bound and would leave it are held (projected gradient), steps end at bounds.
 */
#include "linalg/least_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/bracket.h"
#include "linalg/dense.h"

/* ---- covariance ---- */

/* Singular values below this part of the largest, columns of equal length, count as zero. */
static const double RANK_TOLERANCE = 1e-9;

/* Cornish and Fisher's expansion about the normal quantile z; exact below three degrees. */
double student_quantile(int n_degrees)
{
    const double z = 1.959963984540054, first[] = {12.706204736432095, 4.302652729911275};
    double n = n_degrees, z2 = z * z;
    if (n_degrees <= 0) {
        return INFINITY;
    }
    if (n_degrees <= 2) {
        return first[n_degrees - 1];
    }
    return z *
           (1 + (z2 + 1) / (4 * n) + ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
            (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n) +
            ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / (92160 * n * n * n * n));
}

/* Divide each column by its length; a column of zeros stays. */
static void scale_columns(int m, int n, double *matrix, double *lengths)
{
    for (int i = 0; i < n; i++) {
        double *column = matrix + (size_t)i * (size_t)m;
        lengths[i] = sqrt(dense_dot(m, column, column));
        for (int j = 0; j < m && lengths[i] > 0; j++) {
            column[j] /= lengths[i];
        }
    }
}

enum masing_status covariance_create(int n_rows, int max_columns, struct covariance *c,
                                     struct masing_error *error)
{
    *c = (struct covariance){.cutoff = RANK_TOLERANCE};
    NEED_ALLOCATED(c->lengths = memory_array((size_t)max_columns, sizeof *c->lengths));
    return svd_create(n_rows, max_columns, &c->svd, error);
}

void covariance_clear(struct covariance *c)
{
    svd_clear(&c->svd);
    free(c->lengths);
    *c = (struct covariance){0};
}

enum masing_status covariance_factor(int n_columns, struct covariance *c)
{
    scale_columns(c->svd.n_rows, n_columns, c->svd.matrix, c->lengths);
    return svd_factor(n_columns, &c->svd);
}

double covariance_of(const struct covariance *c, int a, int b)
{
    const struct svd *svd = &c->svd;
    double sum = 0.0;
    for (int k = 0; k < svd->n_columns; k++) {
        double s = svd->values[k], gain = s / (s * s + c->damping);
        if (s > c->cutoff * svd->values[0]) {
            sum += svd_weight(svd, a, k) * gain * (svd_weight(svd, b, k) * gain);
        }
    }
    return sum;
}

bool covariance_is_open(const struct covariance *c, int a)
{
    static const double PART = 1e-3; /* of a unit vector that counts as a share in it */
    bool is_open = !(c->lengths[a] > 0);
    for (int k = 0; k < c->svd.n_columns && !is_open; k++) {
        is_open = svd_is_null(&c->svd, c->cutoff, k) && fabs(svd_weight(&c->svd, a, k)) > PART;
    }
    return is_open;
}

double covariance_half_width(const struct covariance *c, int a, double sum, int n_degrees)
{
    if (n_degrees <= 0 || covariance_is_open(c, a)) {
        return INFINITY;
    }
    return student_quantile(n_degrees) * sqrt(sum / n_degrees * covariance_of(c, a, a)) /
           c->lengths[a];
}

void neighbours_add(struct neighbours *neighbours, int n, const double *residuals)
{
    for (int j = 0; j < n; j++) {
        neighbours->squares += residuals[j] * residuals[j];
        neighbours->products += j > 0 ? residuals[j] * residuals[j - 1] : 0.0;
    }
}

/* Correlation from which residuals are no white noise. */
static const double LEAST_CORRELATION = 0.5;

double neighbours_correlation(const struct neighbours *neighbours)
{
    return neighbours->squares > 0 ? neighbours->products / neighbours->squares : 0.0;
}

bool neighbours_are_correlated(const struct neighbours *neighbours)
{
    return neighbours_correlation(neighbours) > LEAST_CORRELATION;
}

/* ---- linear ---- */

/* Condition number from which columns depend on each other up to round-off. */
static const double LARGEST_CONDITION = 1e13;

enum masing_status regression_create(int n_rows, int n_columns, struct regression *regression,
                                     struct masing_error *error)
{
    size_t m = (size_t)n_rows, n = (size_t)n_columns;
    *regression = (struct regression){.n_rows = n_rows, .n_columns = n_columns};
    NEED_ALLOCATED(regression->matrix = memory_array(m * n + m + 2 * n, sizeof(double)));
    regression->values = regression->matrix + m * n;
    regression->solution = regression->values + m;
    regression->intervals = regression->solution + n;
    return MASING_OK;
}

void regression_clear(struct regression *regression)
{
    free(regression->matrix);
    *regression = (struct regression){0};
}

/* The function that generalized cross-validation minimises, at a relative damping. */
struct validation {
    int n_free; /* rows less hidden unknowns */
    int n_columns;
    const double *values;      /* singular values */
    const double *projections; /* U^T b */
    double rest;               /* |b|^2 outside the columns' space */
};

static double validate(const struct validation *v, double tikhonov)
{
    double sum = v->rest, filters = 0.0;
    for (int i = 0; i < v->n_columns; i++) {
        double s = v->values[i] / v->values[0];
        double filter = s * s / (s * s + tikhonov * tikhonov);
        sum += pow((1 - filter) * v->projections[i], 2);
        filters += filter;
    }
    return sum / pow(v->n_free - filters, 2);
}

/* On a logarithmic grid from 1e-14 to 1, then between the neighbours of its best point. */
static double cross_validate(const struct validation *v)
{
    enum { N = 281 };
    const double STEP = 14.0 / (N - 1), NARROW = 1e-7;
    double best = -14.0, least = INFINITY;
    for (int i = 0; i < N; i++) {
        double exponent = -14.0 + STEP * i, value = validate(v, pow(10, exponent));
        if (value < least) {
            least = value;
            best = exponent;
        }
    }
    struct golden_section section = golden_section_of(best - STEP, best, least, best + STEP);
    while (golden_section_next(&section, NARROW)) {
        golden_section_set(&section, validate(v, pow(10, section.x)));
    }
    return pow(10, section.best);
}

static double choose(const struct regression *r, const struct svd *svd, double tikhonov)
{
    if (!isnan(tikhonov)) {
        return tikhonov;
    }
    for (int i = 0; i < r->n_columns; i++) {
        svd->projections[i] =
            dense_dot(r->n_rows, svd->matrix + (size_t)i * (size_t)r->n_rows, r->values);
    }
    const struct validation validation = {
        .n_free = r->n_rows - r->n_hidden,
        .n_columns = r->n_columns,
        .values = svd->values,
        .projections = svd->projections,
        .rest = fmax(0.0, dense_dot(r->n_rows, r->values, r->values) -
                              dense_dot(r->n_columns, svd->projections, svd->projections)),
    };
    return cross_validate(&validation);
}

enum masing_status regression_solve(struct regression *r, double tikhonov,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct covariance covariance = {0};
    int m = r->n_rows, n = r->n_columns;
    TRY(covariance_create(m, n, &covariance, error));
    scale_columns(m, n, r->matrix, covariance.lengths);
    memcpy(covariance.svd.matrix, r->matrix, (size_t)m * (size_t)n * sizeof(double));
    TRY(svd_factor(n, &covariance.svd));
    r->condition = svd_condition(&covariance.svd);
    if (tikhonov == 0.0 && !(r->condition < LARGEST_CONDITION)) {
        TRY(masing_error_set(error, MASING_SINGULAR,
                             "the unknowns cannot be told apart (condition number %.2g)",
                             r->condition));
    }
    r->tikhonov = choose(r, &covariance.svd, tikhonov);
    covariance.damping = pow(r->tikhonov * covariance.svd.values[0], 2);
    covariance.cutoff = 0.0;
    svd_solve(&covariance.svd, r->values, covariance.damping, 0.0, r->solution);
    /* of the scaled columns: residuals, intervals, then the solution itself */
    for (int i = 0; i < n; i++) {
        const double *column = r->matrix + (size_t)i * (size_t)m;
        for (int j = 0; j < m; j++) {
            r->values[j] -= column[j] * r->solution[i];
        }
    }
    r->sum = dense_dot(m, r->values, r->values);
    for (int i = 0; i < n; i++) {
        double length = covariance.lengths[i];
        r->intervals[i] = covariance_half_width(&covariance, i, r->sum, m - r->n_hidden - n);
        r->solution[i] /= length > 0 ? length : 1.0;
    }
done:
    covariance_clear(&covariance);
    return status;
}

/* ---- nonlinear ---- */

/* Accepted steps; trials of one step, the damping growing by 2, 4, 8 ... */
enum { MOST_STEPS = 200, MOST_TRIALS = 60 };

/* Ends: decrease relative to the sum; step relative to the unknowns; cosine of the angle
 * between residuals and columns. All near what round-off lets through. */
static const double SMALL_DECREASE = 1e-14, SMALL_STEP = 1e-11, SMALL_COSINE = 1e-11;

/* mu at the start, for columns of length one: nearly a step of Gauss and Newton. */
static const double FIRST_DAMPING = 1e-3;

/* Actual over predicted decrease from which a step is accepted. */
static const double LEAST_GAIN = 1e-4;

/* Singular values of the step below this part of the largest are round-off. */
static const double STEP_CUTOFF = 1e-15;

struct least_squares {
    struct least_squares_problem problem;
    struct svd svd;
    struct arena arena;                              /* of the following */
    double *residuals, *trial_residuals, *predicted; /* [n_residuals] */
    double *jacobian, *trial_jacobian;               /* [n_residuals * n_unknowns] */
    double *scales, *trial, *step, *part;            /* [n_unknowns] */
    int *free;                                       /* [n_unknowns] those that may move */
    int n_free, held; /* one that is held in spite of its gradient, or -1 */
    bool was_refused; /* a trial of the last step */
    double damping, growth;
};

enum masing_status least_squares_create(const struct least_squares_problem *problem,
                                        struct least_squares **solver,
                                        struct masing_error *error)
{
    size_t m = (size_t)problem->n_residuals, n = (size_t)problem->n_unknowns;
    struct least_squares *made = memory_array(1, sizeof *made);
    *solver = made;
    NEED_ALLOCATED(made);
    made->problem = *problem;
    made->scales = arena_doubles(&made->arena, n);
    made->trial = arena_doubles(&made->arena, n);
    made->step = arena_doubles(&made->arena, n);
    made->part = arena_doubles(&made->arena, n);
    made->residuals = arena_doubles(&made->arena, m);
    made->trial_residuals = arena_doubles(&made->arena, m);
    made->predicted = arena_doubles(&made->arena, m);
    made->jacobian = arena_doubles(&made->arena, m * n);
    made->trial_jacobian = arena_doubles(&made->arena, m * n);
    made->free = arena_array(&made->arena, n, sizeof(int));
    NEED_ALLOCATED(!made->arena.has_failed);
    return svd_create(problem->n_residuals, problem->n_unknowns, &made->svd, error);
}

void least_squares_destroy(struct least_squares *solver)
{
    if (solver) {
        arena_clear(&solver->arena);
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

/* Scales and the unknowns that may move; the largest cosine between r and a free
 * column. */
static double update_gradient(struct least_squares *solver, const double *unknowns, double sum)
{
    const struct least_squares_problem *problem = &solver->problem;
    int m = problem->n_residuals;
    double largest = 0.0;
    solver->n_free = 0;
    for (int i = 0; i < problem->n_unknowns; i++) {
        double g = dense_dot(m, column(solver, i), solver->residuals);
        double length = sqrt(dense_dot(m, column(solver, i), column(solver, i)));
        bool is_held = i == solver->held || (unknowns[i] <= problem->lower[i] && g > 0) ||
                       (unknowns[i] >= problem->upper[i] && g < 0);
        solver->scales[i] = fmax(solver->scales[i], length);
        if (!is_held && length > 0) {
            solver->free[solver->n_free++] = i;
            largest = fmax(largest, fabs(g) / (length * sqrt(sum)));
        }
    }
    return largest;
}

/* The step for the present damping, cut at the bounds; returns the predicted decrease. */
static double propose(struct least_squares *solver, const double *unknowns, double sum)
{
    int m = solver->problem.n_residuals, n = solver->problem.n_unknowns;
    svd_solve(&solver->svd, solver->residuals, solver->damping, STEP_CUTOFF, solver->part);
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

static void swap(double **a, double **b)
{
    double *first = *a;
    *a = *b;
    *b = first;
}

static void accept(struct least_squares *solver, double *unknowns, double gain)
{
    memcpy(unknowns, solver->trial, (size_t)solver->problem.n_unknowns * sizeof *unknowns);
    swap(&solver->residuals, &solver->trial_residuals);
    swap(&solver->jacobian, &solver->trial_jacobian);
    solver->damping *= fmax(1.0 / 3.0, 1.0 - pow(2.0 * gain - 1.0, 3));
    solver->growth = 2.0;
}

enum progress { ADVANCED, CONVERGED, STUCK };

/* Shorten the step until the sum decreases. */
static enum masing_status advance(struct least_squares *solver, double *unknowns,
                                  struct least_squares_result *result, enum progress *progress)
{
    *progress = STUCK;
    solver->was_refused = false;
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        double sum, predicted = propose(solver, unknowns, result->sum), step = 0.0, size = 0.0;
        for (int i = 0; i < solver->problem.n_unknowns; i++) {
            step += pow(solver->scales[i] * solver->step[i], 2);
            size += pow(solver->scales[i] * unknowns[i], 2);
        }
        if (sqrt(step) <= SMALL_STEP * sqrt(size) ||
            fabs(predicted) <= SMALL_DECREASE * result->sum) {
            *progress = CONVERGED;
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
        if (gain > LEAST_GAIN) {
            accept(solver, unknowns, gain);
            result->sum = sum;
            result->n_steps++;
            *progress = ADVANCED;
            return MASING_OK;
        }
        solver->damping *= solver->growth;
        solver->growth *= 2.0;
    }
    return MASING_OK;
}

/* One step from `unknowns`, with the unknown `held` where there is one. */
static enum masing_status step_once(struct least_squares *solver, double *unknowns,
                                    struct least_squares_result *result,
                                    enum progress *progress)
{
    *progress = CONVERGED;
    solver->was_refused = false;
    double cosine = update_gradient(solver, unknowns, result->sum);
    if (result->sum > 0 && solver->n_free > 0 && cosine > SMALL_COSINE) {
        for (int k = 0; k < solver->n_free; k++) {
            const double *from = column(solver, solver->free[k]);
            double *to = solver->svd.matrix + (size_t)k * (size_t)solver->problem.n_residuals;
            for (int j = 0; j < solver->problem.n_residuals; j++) {
                to[j] = from[j] / solver->scales[solver->free[k]];
            }
        }
        NEED(svd_factor(solver->n_free, &solver->svd));
        NEED(advance(solver, unknowns, result, progress));
    }
    return MASING_OK;
}

/*
 * Where every step leads out of the permitted region, it may be for one unknown alone: try to
 * go on with each of them held in turn.
 */
static enum masing_status step_with_one_held(struct least_squares *solver, double *unknowns,
                                             struct least_squares_result *result,
                                             enum progress *progress)
{
    enum masing_status status = MASING_OK;
    double damping = solver->damping;
    for (int i = 0; i < solver->problem.n_unknowns && *progress != ADVANCED; i++) {
        solver->held = i;
        solver->damping = FIRST_DAMPING;
        solver->growth = 2.0;
        TRY(step_once(solver, unknowns, result, progress));
    }
done:
    solver->held = -1;
    solver->damping = *progress == ADVANCED ? FIRST_DAMPING : damping;
    return status;
}

enum masing_status least_squares_solve(struct least_squares *solver, double *unknowns,
                                       struct least_squares_result *result)
{
    enum progress progress = ADVANCED;
    *result = (struct least_squares_result){.n_evaluations = 1};
    for (int i = 0; i < solver->problem.n_unknowns; i++) {
        unknowns[i] = clamp(solver, i, unknowns[i]);
        solver->scales[i] = 0.0;
    }
    solver->damping = FIRST_DAMPING;
    solver->growth = 2.0;
    solver->held = -1;
    NEED(evaluate(solver, unknowns, solver->residuals, solver->jacobian, &result->sum));
    if (!isfinite(result->sum)) {
        NEED(MASING_INVALID);
    }
    for (int i = 0; i < MOST_STEPS && progress == ADVANCED; i++) {
        NEED(step_once(solver, unknowns, result, &progress));
        if (progress != ADVANCED && solver->was_refused) {
            NEED(step_with_one_held(solver, unknowns, result, &progress));
        }
    }
    result->is_converged = progress != ADVANCED;
    return MASING_OK;
}
