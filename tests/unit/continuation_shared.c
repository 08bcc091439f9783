/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two solvers of one problem whose Jacobian is an operator, with one linearisation at a time:
 * y_i + y_i^3 = lambda. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "continuation/point_solver.h"
#include "tap.h"

enum { N = 5 };

struct cubic {
    double slope[N];
    long count;
};

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *by_lambda)
{
    (void)context;
    CHECK(!jacobian && !by_lambda);
    for (int i = 0; i < N; i++) {
        residual[i] = y[i] + y[i] * y[i] * y[i] - lambda;
    }
    return MASING_OK;
}

static enum masing_status linearize(void *context, const double *y, double lambda,
                                    double *residual, double *by_lambda)
{
    struct cubic *cubic = context;
    cubic->count++;
    for (int i = 0; i < N; i++) {
        cubic->slope[i] = 1.0 + 3.0 * y[i] * y[i];
        by_lambda[i] = -1.0;
    }
    return evaluate(context, y, lambda, residual, NULL, NULL);
}

static enum masing_status apply(void *context, const double *x, double *product)
{
    const struct cubic *cubic = context;
    for (int i = 0; i < N; i++) {
        product[i] = cubic->slope[i] * x[i];
    }
    return MASING_OK;
}

static enum masing_status precondition(void *context, double *x)
{
    (void)context;
    (void)x;
    return MASING_OK;
}

static long linearisation(void *context)
{
    return ((const struct cubic *)context)->count;
}

static void weigh(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    (void)lambda;
    for (int i = 0; i < N; i++) {
        weight[i] = 1.0;
    }
}

/* dy/dlambda, by either solver's tangent */
static double slope_of(const struct point_solver *solver)
{
    return solver->tangent[N / 2] / solver->tangent[N];
}

static double right_slope(const struct point_solver *solver)
{
    double y = solver->point[N / 2];
    return 1.0 / (1.0 + 3.0 * y * y);
}

static void each_solves_with_its_own_linearisation(void)
{
    static const struct continuation_operator products = {.linearize = linearize,
                                                          .apply = apply,
                                                          .precondition = precondition,
                                                          .linearisation = linearisation};
    struct cubic cubic = {.count = 0};
    const struct continuation_problem problem = {.context = &cubic,
                                                 .n = N,
                                                 .operator= & products,
                                                 .evaluate = evaluate,
                                                 .weights = weigh};
    struct point_solver *solvers[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        CHECK(point_solver_create(&problem, 1e-11, &solvers[i], NULL) == MASING_OK);
        solvers[i]->point[N] = i == 0 ? 1.0 : 30.0;
        point_solver_fix_lambda(solvers[i]);
        CHECK(point_solver_solve(solvers[i], 0.0) == MASING_OK);
        CHECK(point_solver_differentiate(solvers[i]) == MASING_OK);
        CHECK_RELATIVE(slope_of(solvers[i]), right_slope(solvers[i]), 1e-5);
    }
    double other = slope_of(solvers[1]);
    CHECK(solvers[0]->is_factored);
    CHECK(point_solver_differentiate(solvers[0]) == MASING_OK);
    CHECK_RELATIVE(slope_of(solvers[0]), right_slope(solvers[0]), 1e-5);
    CHECK(slope_of(solvers[0]) > 5.0 * other);
    point_solver_destroy(solvers[0]);
    point_solver_destroy(solvers[1]);
}

static void a_solver_inverts_the_jacobian(void)
{
    static const struct continuation_operator products = {.linearize = linearize,
                                                          .apply = apply,
                                                          .precondition = precondition,
                                                          .linearisation = linearisation};
    struct cubic cubic = {.count = 0};
    const struct continuation_problem problem = {.context = &cubic,
                                                 .n = N,
                                                 .operator= & products,
                                                 .evaluate = evaluate,
                                                 .weights = weigh};
    struct point_solver *solver = NULL;
    double x[N];
    CHECK(point_solver_create(&problem, 1e-11, &solver, NULL) == MASING_OK);
    for (int i = 0; i < N; i++) {
        solver->point[i] = 0.3 * i;
        x[i] = 1.0;
    }
    solver->point[N] = 1.0;
    CHECK(point_solver_linearize(solver) == MASING_OK);
    CHECK(point_solver_invert(solver, x) == MASING_OK);
    for (int i = 0; i < N; i++) {
        CHECK_RELATIVE(x[i], 1.0 / (1.0 + 0.27 * i * i), 1e-5);
    }
    point_solver_destroy(solver);
}

static const struct tap_test tests[] = {
    {"each solves with its own linearisation", each_solves_with_its_own_linearisation},
    {"a solver inverts the Jacobian", a_solver_inverts_the_jacobian},
};

TAP_MAIN(tests)
