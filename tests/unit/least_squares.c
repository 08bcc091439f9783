/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linear and nonlinear least squares against problems whose solutions are known. */
#include <stdlib.h>
#include <string.h>

#include "linalg/least_squares.h"
#include "law_paths.h"
#include "linalg/svd.h"
#include "tap.h"

/* Sum of twelve uniform numbers: nearly normal, bounded. */
static double noise(uint64_t *seed)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++) {
        sum += test_uniform(seed, 0.0, 1.0);
    }
    return sum;
}

/* --- nonlinear --- */

struct run {
    int n_residuals, n_unknowns;
    double lower[4], upper[4], unknowns[4];
    enum masing_status (*evaluate)(void *context, const double *q, double *r, double *jacobian);
    void *context;
};

static struct least_squares_result solve(struct run *run)
{
    struct least_squares_result result = {0};
    struct least_squares *solver;
    const struct least_squares_problem problem = {
        run->context, run->n_residuals, run->n_unknowns, run->lower, run->upper, run->evaluate};
    CHECK(least_squares_create(&problem, &solver, NULL) == MASING_OK);
    CHECK(least_squares_solve(solver, run->unknowns, &result) == MASING_OK);
    least_squares_destroy(solver);
    return result;
}

/* Rosenbrock's valley: 10 (y - x^2), 1 - x. */
static enum masing_status valley(void *context, const double *q, double *r, double *jacobian)
{
    (void)context;
    r[0] = 10 * (q[1] - q[0] * q[0]);
    r[1] = 1 - q[0];
    if (jacobian) {
        jacobian[0] = -20 * q[0];
        jacobian[1] = -1;
        jacobian[2] = 10;
        jacobian[3] = 0;
    }
    return MASING_OK;
}

static void a_curved_valley_is_followed_to_its_end(void)
{
    struct run run = {2,      2, {-INFINITY, -INFINITY}, {INFINITY, INFINITY}, {-1.2, 1.0},
                      valley, 0};
    struct least_squares_result result = solve(&run);
    CHECK(result.is_converged);
    CHECK(result.n_steps < 60);
    CHECK_RELATIVE(run.unknowns[0], 1.0, 1e-10);
    CHECK_RELATIVE(run.unknowns[1], 1.0, 1e-10);
}

/* With x <= 1/2 the minimum lies on the bound, y = 1/4 there. */
static void bounds_hold(void)
{
    struct run run = {2, 2, {-2, -2}, {0.5, 2}, {-1.2, 1.0}, valley, 0};
    struct least_squares_result result = solve(&run);
    CHECK(result.is_converged);
    CHECK(run.unknowns[0] == 0.5);
    CHECK_RELATIVE(run.unknowns[1], 0.25, 1e-8);
    CHECK_RELATIVE(result.sum, 0.25, 1e-10);
}

/* y = a e^(-b t), no such point for b < 0.5 */
static enum masing_status decay(void *context, const double *q, double *r, double *jacobian)
{
    const double *y = context;
    if (q[1] < 0.5) {
        return MASING_INVALID;
    }
    for (int i = 0; i < 20; i++) {
        double t = 0.1 * i, e = exp(-q[1] * t);
        r[i] = q[0] * e - y[i];
        if (jacobian) {
            jacobian[i] = e;
            jacobian[20 + i] = -q[0] * t * e;
        }
    }
    return MASING_OK;
}

static void steps_into_refused_points_are_shortened(void)
{
    double y[20];
    for (int i = 0; i < 20; i++) {
        y[i] = 3 * exp(-0.55 * 0.1 * i);
    }
    struct run run = {20,    2, {-INFINITY, -INFINITY}, {INFINITY, INFINITY}, {0.1, 8.0},
                      decay, y};
    CHECK(solve(&run).is_converged);
    CHECK_RELATIVE(run.unknowns[0], 3.0, 1e-9);
    CHECK_RELATIVE(run.unknowns[1], 0.55, 1e-9);
}

static void a_start_that_is_refused_is_reported(void)
{
    double y[20] = {0}, q[2] = {1, 0}, lower[2] = {-9, -9}, upper[2] = {9, 9};
    const struct least_squares_problem problem = {y, 20, 2, lower, upper, decay};
    struct least_squares *solver;
    struct least_squares_result result;
    CHECK(least_squares_create(&problem, &solver, NULL) == MASING_OK);
    CHECK(least_squares_solve(solver, q, &result) == MASING_INVALID);
    least_squares_destroy(solver);
}

/* Only the sum of the unknowns matters: r_i = (q0 + q1) t_i - 2 t_i. */
static enum masing_status ridge(void *context, const double *q, double *r, double *jacobian)
{
    (void)context;
    for (int i = 0; i < 5; i++) {
        r[i] = (q[0] + q[1] - 2) * (i + 1);
        if (jacobian) {
            jacobian[i] = jacobian[5 + i] = i + 1;
        }
    }
    return MASING_OK;
}

static void dependent_unknowns_do_no_harm(void)
{
    struct run run = {5, 2, {-9, -9}, {9, 9}, {5, 1}, ridge, 0};
    CHECK(solve(&run).is_converged);
    CHECK_RELATIVE(run.unknowns[0] + run.unknowns[1], 2.0, 1e-10);
    CHECK_RELATIVE(run.unknowns[0] - run.unknowns[1], 4.0, 1e-10); /* the shortest way */
}

/* --- linear --- */

static void fill_polynomial(struct regression *r, const double *a, double sigma, uint64_t *seed)
{
    for (int i = 0; i < r->n_rows; i++) {
        double t = -1 + 2.0 * i / (r->n_rows - 1), power = 1;
        r->values[i] = sigma * noise(seed);
        for (int k = 0; k < r->n_columns; k++, power *= t) {
            r->matrix[k * r->n_rows + i] = power;
            r->values[i] += a[k] * power;
        }
    }
}

static void a_polynomial_is_found_and_intervals_hold_the_truth(void)
{
    const double a[] = {2, -3, 0.5, 40};
    uint64_t seed = 7;
    int covered = 0, n_repeats = 500;
    for (int repeat = 0; repeat < n_repeats; repeat++) {
        struct regression r;
        CHECK(regression_create(40, 4, &r, NULL) == MASING_OK);
        fill_polynomial(&r, a, 0.3, &seed);
        CHECK(regression_solve(&r, 0.0, NULL) == MASING_OK);
        for (int k = 0; k < 4; k++) {
            covered += fabs(r.solution[k] - a[k]) <= r.intervals[k];
            CHECK_SCALED(r.solution[k], a[k], 6.0, 0.5);
        }
        regression_clear(&r);
    }
    CHECK_SCALED((double)covered / (4 * n_repeats), 0.95, 1.0, 0.015);
}

static void dependent_columns_are_refused(void)
{
    struct regression r;
    struct masing_error error = {0};
    CHECK(regression_create(10, 2, &r, NULL) == MASING_OK);
    for (int i = 0; i < 10; i++) {
        r.matrix[i] = i;
        r.matrix[10 + i] = -3.0 * i;
        r.values[i] = i;
    }
    CHECK(regression_solve(&r, 0.0, &error) == MASING_SINGULAR);
    CHECK(strstr(error.message, "told apart"));
    regression_clear(&r);
}

/* Powers on [0, 1] and noise: cross-validation comes closer to the truth. */
static double error_of_powers(double tikhonov, uint64_t seed)
{
    enum { ROWS = 60, COLUMNS = 9 };
    struct regression r;
    double sum = 0.0;
    CHECK(regression_create(ROWS, COLUMNS, &r, NULL) == MASING_OK);
    for (int i = 0; i < ROWS; i++) {
        double t = (double)i / ROWS, power = 1.0;
        r.values[i] = 0.01 * noise(&seed);
        for (int k = 0; k < COLUMNS; k++, power *= t) {
            r.matrix[k * ROWS + i] = power;
            r.values[i] += power / (k + 1);
        }
    }
    CHECK(regression_solve(&r, tikhonov, NULL) == MASING_OK);
    CHECK(isnan(tikhonov) ? r.tikhonov > 0 : r.tikhonov == tikhonov);
    for (int k = 0; k < COLUMNS; k++) {
        sum += pow(r.solution[k] - 1.0 / (k + 1), 2);
    }
    regression_clear(&r);
    return sum;
}

static void regularisation_tames_noise(void)
{
    int n_better = 0;
    for (uint64_t repeat = 0; repeat < 40; repeat++) {
        double plain = error_of_powers(0.0, 100 + repeat);
        n_better += error_of_powers(NAN, 100 + repeat) < 1e-3 * plain;
        CHECK(error_of_powers(1e-3, 100 + repeat) < 1e-3 * plain);
    }
    printf("# %d of 40\n", n_better);
    CHECK(n_better >= 34);
}

/*
 * A straight line through few points: half the 95 % intervals are Student's quantile for what
 * is left of the points times sqrt(S / (m - 2)) times 1 / sqrt(S_tt) for the slope and
 * sqrt(1 / m + mean(t)^2 / S_tt) for the intercept. Hidden unknowns, which other equations have
 * taken, leave fewer.
 */
static void few_points_have_wide_intervals(void)
{
    static const double t95[] = {12.706204736432095, 4.302652729911275, 3.182446305284263,
                                 2.776445105197793,  2.570581835636314, 2.446911848791681};
    static const double misfit[] = {0.3, -0.4, 0.1, 0.2, -0.5, 0.4, 0.05, -0.2};
    for (int m = 3; m <= 8; m++) {
        for (int hidden = 0; hidden < 2 && hidden < m - 2; hidden++) {
            struct regression r;
            double mean = 0.0, square = 0.0;
            CHECK(regression_create(m, 2, &r, NULL) == MASING_OK);
            r.n_hidden = hidden;
            for (int i = 0; i < m; i++) {
                double t = 1.0 + i * i;
                r.matrix[i] = 1.0;
                r.matrix[m + i] = t;
                r.values[i] = 2.0 + 3.0 * t + misfit[i];
                mean += t / m;
                square += t * t;
            }
            square -= m * mean * mean;
            CHECK(regression_solve(&r, 0.0, NULL) == MASING_OK);
            int n_free = m - 2 - hidden;
            double factor = t95[n_free - 1] * sqrt(r.sum / n_free);
            /* the expansion about the normal quantile is good to 0.5 % from 3 degrees on */
            double tolerance = n_free < 3 ? 1e-10 : n_free < 5 ? 5e-3 : 3e-4;
            CHECK_RELATIVE(r.intervals[1], factor / sqrt(square), tolerance);
            CHECK_RELATIVE(r.intervals[0], factor * sqrt(1.0 / m + mean * mean / square),
                           tolerance);
            regression_clear(&r);
        }
    }
}

/* As many unknowns as points: nothing is left that could tell. */
static void no_point_left_leaves_intervals_open(void)
{
    struct regression r;
    CHECK(regression_create(2, 2, &r, NULL) == MASING_OK);
    r.matrix[0] = r.matrix[1] = 1.0;
    r.matrix[2] = 1.0;
    r.matrix[3] = 2.0;
    r.values[0] = 5.0;
    r.values[1] = 7.0;
    CHECK(regression_solve(&r, 0.0, NULL) == MASING_OK);
    CHECK_RELATIVE(r.solution[1], 2.0, 1e-12);
    CHECK(isinf(r.intervals[0]) && isinf(r.intervals[1]));
    regression_clear(&r);
}

static void students_quantiles(void)
{
    static const struct {
        int n;
        double t;
    } table[] = {{1, 12.7062047}, {2, 4.3026527},  {3, 3.1824463},   {5, 2.5705818},
                 {10, 2.2281389}, {30, 2.0422725}, {1000, 1.9623391}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CHECK_RELATIVE(student_quantile(table[i].n), table[i].t, table[i].n < 5 ? 5e-3 : 3e-4);
    }
    CHECK(isinf(student_quantile(0)));
}

static void singular_values_and_damping(void)
{
    struct svd svd;
    const double a[] = {3, 0, 0, 0, 4, 0}; /* 3 by 2 */
    CHECK(svd_create(3, 2, &svd, NULL) == MASING_OK);
    memcpy(svd.matrix, a, sizeof a);
    CHECK(svd_factor(2, &svd) == MASING_OK);
    CHECK_RELATIVE(svd.values[0], 4.0, 1e-14);
    CHECK_RELATIVE(svd.values[1], 3.0, 1e-14);
    CHECK_RELATIVE(svd_condition(&svd), 4.0 / 3.0, 1e-14);
    double x[2], b[] = {6, 8, 1};
    svd_solve(&svd, b, 0.0, 0.0, x);
    CHECK_RELATIVE(x[0], 2.0, 1e-14);
    CHECK_RELATIVE(x[1], 2.0, 1e-14);
    svd_solve(&svd, b, 9.0, 0.0, x); /* 3 6 / (9 + 9), 4 8 / (16 + 9) */
    CHECK_RELATIVE(x[0], 1.0, 1e-14);
    CHECK_RELATIVE(x[1], 1.28, 1e-14);
    svd.matrix[0] = NAN;
    CHECK(svd_factor(2, &svd) == MASING_NOT_FINITE);
    svd_clear(&svd);
}

static const struct tap_test tests[] = {
    {"a curved valley is followed to its end", a_curved_valley_is_followed_to_its_end},
    {"bounds hold", bounds_hold},
    {"steps into refused points are shortened", steps_into_refused_points_are_shortened},
    {"a start that is refused is reported", a_start_that_is_refused_is_reported},
    {"dependent unknowns do no harm", dependent_unknowns_do_no_harm},
    {"a polynomial is found and intervals hold the truth",
     a_polynomial_is_found_and_intervals_hold_the_truth},
    {"dependent columns are refused", dependent_columns_are_refused},
    {"regularisation tames noise", regularisation_tames_noise},
    {"Student's quantiles", students_quantiles},
    {"singular values and damping", singular_values_and_damping},
    {"few points have wide intervals", few_points_have_wide_intervals},
    {"no point left leaves intervals open", no_point_left_leaves_intervals_open},
};

TAP_MAIN(tests)
