/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The corrector with factors that are kept from another point: how far they serve, and what is
 * done where they do not. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "continuation/bordered.h"
#include "continuation/corrector.h"
#include "continuation/linear/dense.h"
#include "tap.h"

enum { MOST = 3 };

/* One solver for a problem of n equations in the plain metric. */
struct bench {
    struct continuation_problem problem;
    double metric[MOST + 1];
    struct bordered_cost cost;
    struct bordered bordered;
    struct corrector *corrector;
    struct corrector_result result;
};

static void set_up(struct bench *bench, int n,
                   enum masing_status (*evaluate)(void *, const double *, double, double *,
                                                  double *, double *))
{
    *bench = (struct bench){.problem = {.n = n, .evaluate = evaluate}};
    for (int i = 0; i <= n; i++) {
        bench->metric[i] = 1.0;
    }
    CHECK(bordered_create(&bench->problem, bench->metric, &bench->bordered, NULL) == MASING_OK);
    bench->bordered.cost = &bench->cost;
    bench->bordered.keeps_factors = true;
    CHECK(corrector_create(&bench->bordered, 1e-10, &bench->corrector, NULL) == MASING_OK);
}

static void tear_down(struct bench *bench)
{
    corrector_destroy(bench->corrector);
    bordered_destroy(&bench->bordered);
}

/* At the lambda of u; leaves the factors of the solution if exact. */
static enum masing_status solve(struct bench *bench, bool is_exact, double *u)
{
    struct corrector_request request = corrector_newton;
    request.is_exact = is_exact;
    bench->cost = (struct bordered_cost){0};
    bordered_fix_lambda(&bench->bordered, u[bench->problem.n]);
    return corrector_solve(bench->corrector, &request, u, &bench->result);
}

/* y = tan(lambda) */
static enum masing_status arc_tangent(void *context, const double *y, double lambda, double *f,
                                      double *jacobian, double *f_lambda)
{
    (void)context;
    f[0] = atan(y[0]) - lambda;
    if (jacobian) {
        jacobian[0] = 1.0 / (1.0 + y[0] * y[0]);
        f_lambda[0] = -1.0;
    }
    return MASING_OK;
}

/* y = asinh(lambda) */
static enum masing_status sine(void *context, const double *y, double lambda, double *f,
                               double *jacobian, double *f_lambda)
{
    (void)context;
    f[0] = sinh(y[0]) - lambda;
    if (jacobian) {
        jacobian[0] = cosh(y[0]);
        f_lambda[0] = -1.0;
    }
    return MASING_OK;
}

/* From 1 to the solution 0 with the factors of that at y = 3 and its lambda. */
static void solve_with_factors_of_3(struct bench *bench,
                                    enum masing_status (*evaluate)(void *, const double *,
                                                                   double, double *, double *,
                                                                   double *),
                                    double lambda)
{
    double u[2] = {3.0, lambda};
    set_up(bench, 1, evaluate);
    CHECK(solve(bench, true, u) == MASING_OK);
    u[0] = 1.0;
    u[1] = 0.0;
    CHECK(solve(bench, false, u) == MASING_OK);
    CHECK(fabs(u[0]) <= 1e-9);
    CHECK(bench->cost.factorisations >= 1);
}

/* The slope at 3 is a tenth of that at 0: the step from 1 leads to -7, and the residual grows.
 */
static void factors_that_lead_away_are_replaced_at_the_guess(void)
{
    struct bench bench;
    solve_with_factors_of_3(&bench, arc_tangent, atan(3.0));
    CHECK(bench.result.effort == bench.result.iterations);
    tear_down(&bench);
}

/* The slope at 3 is ten times that at 0: the residual falls by little, and what was gained is
 * not given up with the factors. */
static void slow_factors_are_replaced_on_the_way(void)
{
    struct bench bench;
    solve_with_factors_of_3(&bench, sine, sinh(3.0));
    CHECK(bench.result.effort < bench.result.iterations);
    tear_down(&bench);
}

/* y_i + 0.3 y_(i+1)^2 = sin(lambda + i) */
static enum masing_status ring(void *context, const double *y, double lambda, double *f,
                               double *jacobian, double *f_lambda)
{
    (void)context;
    for (int i = 0; i < MOST; i++) {
        int after = (i + 1) % MOST;
        f[i] = y[i] + 0.3 * y[after] * y[after] - sin(lambda + i);
        if (jacobian) {
            for (int j = 0; j < MOST; j++) {
                jacobian[j * MOST + i] = j == i ? 1.0 : j == after ? 0.6 * y[after] : 0.0;
            }
            f_lambda[i] = -cos(lambda + i);
        }
    }
    return MASING_OK;
}

static void tangents_come_without_new_factors(void)
{
    struct bench bench;
    const double along[MOST + 1] = {0.0, 0.0, 0.0, 1.0};
    double u[MOST + 1] = {0.0, 0.0, 0.0, 0.5}, f[MOST + 1], tangent[MOST + 1];
    double by_factors[MOST + 1], norm;
    set_up(&bench, MOST, ring);
    CHECK(solve(&bench, true, u) == MASING_OK);
    u[MOST] = 0.9;
    CHECK(solve(&bench, false, u) == MASING_OK);
    CHECK(bench.cost.factorisations == 0);
    bordered_set_plane(&bench.bordered, u, along);
    CHECK(corrector_tangent(bench.corrector, u, tangent) == MASING_OK);
    CHECK(bench.cost.factorisations == 0);
    CHECK(bordered_evaluate(&bench.bordered, u, true, f, &norm) == MASING_OK);
    CHECK(bordered_factor(&bench.bordered) == MASING_OK);
    CHECK(bordered_tangent(&bench.bordered, by_factors) == MASING_OK);
    for (int i = 0; i <= MOST; i++) {
        CHECK_SCALED(tangent[i], by_factors[i], 1.0, 1e-8);
    }
    tear_down(&bench);
}

/* Residuals of a solve at the next of two planes in parallel. */
static long residuals_at_second_plane(bool continues)
{
    struct bench bench;
    const double along[MOST + 1] = {0.6, 0.0, 0.0, 0.8};
    double u[MOST + 1] = {0.0, 0.0, 0.0, 0.5}, anchor[MOST + 1];
    struct corrector_request request = corrector_newton;
    set_up(&bench, MOST, ring);
    CHECK(solve(&bench, true, u) == MASING_OK);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i <= MOST; i++) {
            anchor[i] = u[i] + (k == 0 ? 0.4 : 0.01) * along[i];
        }
        memcpy(u, anchor, sizeof u);
        bench.cost = (struct bordered_cost){0};
        bordered_set_plane(&bench.bordered, anchor, along);
        request.continues = continues && k == 1;
        CHECK(corrector_solve(bench.corrector, &request, u, &bench.result) == MASING_OK);
        CHECK(bench.cost.factorisations == 0);
    }
    long residuals = bench.cost.residuals;
    tear_down(&bench);
    return residuals;
}

static void planes_in_parallel_share_what_steps_show(void)
{
    long with = residuals_at_second_plane(true), without = residuals_at_second_plane(false);
    printf("# %ld residuals, %ld from the factors alone\n", with, without);
    CHECK(with < without);
}

/* y_1 follows from the others, y_2 from nothing. */
static enum masing_status follower(void *context, const double *y, double lambda, double *f,
                                   double *jacobian, double *f_lambda)
{
    (void)context;
    f[0] = 2.0 * y[0] + lambda;
    f[1] = 0.5 * y[1] - 3.0 * y[0] + 7.0 * lambda;
    f[2] = 4.0 * y[2];
    if (jacobian) {
        memcpy(jacobian, (double[]){2.0, -3.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 4.0},
               MOST * MOST * sizeof *jacobian);
        memcpy(f_lambda, (double[]){1.0, 7.0, 0.0}, MOST * sizeof *f_lambda);
    }
    return MASING_OK;
}

/* Whatever the last row has of them. */
static void unknowns_that_follow_are_taken_out(void)
{
    struct bench bench;
    const double along[MOST + 1] = {1.0, 2.0, -1.0, 3.0}, x[MOST + 1] = {1.0, -2.0, 5.0, 0.7};
    double u[MOST + 1] = {0.0}, f[MOST + 1], y[MOST + 1], tangent[MOST + 1], norm;
    set_up(&bench, MOST, follower);
    struct bordered *bordered = &bench.bordered;
    bordered->keeps_factors = false;
    bordered_set_plane(bordered, u, along);
    CHECK(bordered_evaluate(bordered, u, true, f, &norm) == MASING_OK);
    CHECK(bordered_factor(bordered) == MASING_OK);
    CHECK(((const struct linear_dense *)bordered->own)->lu.n == 2);
    CHECK(bordered_multiply(bordered, x, y) == MASING_OK);
    CHECK(bordered_solve(bordered, y) == MASING_OK);
    for (int i = 0; i <= MOST; i++) {
        CHECK_SCALED(y[i], x[i], 1.0, 1e-13);
    }
    CHECK(bordered_tangent(bordered, tangent) == MASING_OK);
    double product[MOST + 1];
    CHECK(bordered_multiply(bordered, tangent, product) == MASING_OK);
    for (int i = 0; i < MOST; i++) {
        CHECK_SCALED(product[i], 0.0, 1.0, 1e-13);
    }
    CHECK(bordered_orientation(bordered, tangent) != 0);
    tear_down(&bench);
}

static const struct tap_test tests[] = {
    {"factors that lead away are replaced at the guess",
     factors_that_lead_away_are_replaced_at_the_guess},
    {"slow factors are replaced on the way", slow_factors_are_replaced_on_the_way},
    {"tangents come without new factors", tangents_come_without_new_factors},
    {"unknowns that follow are taken out", unknowns_that_follow_are_taken_out},
    {"planes in parallel share what steps show", planes_in_parallel_share_what_steps_show},
};

TAP_MAIN(tests)
