/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One solution of F(y, lambda) = 0 and no curve, by the continuation's corrector: n equations
 * and a linear one,
 *   <direction, (y, lambda) - base> = s,
 * which keeps lambda, or goes along the curve by a distance s, so that a fold between the guess
 * and the solution does no harm. Newton's method, then the same with a line search.
 */
#ifndef MASING_CONTINUATION_POINT_SOLVER_H
#define MASING_CONTINUATION_POINT_SOLVER_H

#include "continuation/bordered.h"
#include "continuation/corrector.h"

struct point_solver {
    struct arena arena;                  /* of all arrays */
    struct continuation_problem problem; /* only evaluate and weights are used */
    int n;
    double lambda_scale; /* a change of lambda that counts as much as one of weighted unknowns
                            by 1; 0: lambda itself, so that its logarithm counts */
    double *point;       /* [n + 1] y and lambda: guess, then solution */
    double *tangent;     /* [n + 1] derivative of the solution by s */
    bool is_value_only;  /* no tangent is needed: leave out the factors at the solution */
    long iterations;     /* matrices factored since the solver was created */
    bool is_factored; /* they are those at the point; false where the equations have changed */
    /* private */
    double *base, *direction; /* [n + 1] */
    double *metric, *guess;   /* [n + 1] */
    struct bordered bordered;
    struct bordered_cost cost;
    struct corrector *corrector;
};

enum masing_status point_solver_create(const struct continuation_problem *problem,
                                       double tolerance, struct point_solver **solver,
                                       struct masing_error *error);
void point_solver_destroy(struct point_solver *solver);

/* Keep the lambda that the guess in @p point has. */
void point_solver_fix_lambda(struct point_solver *solver);

/* Go from the guess along the direction in @p tangent. */
void point_solver_follow_tangent(struct point_solver *solver);

/* Solve from the guess in @p point, which is the guess again where there is no solution. */
enum masing_status point_solver_solve(struct point_solver *solver, double s);

/* Likewise from the solution found last, for another s: nothing but s may have changed. */
enum masing_status point_solver_continue(struct point_solver *solver, double s);

/* One Newton step from the guess in @p point, whatever comes of it. */
enum masing_status point_solver_step(struct point_solver *solver);

/* Take the Jacobian at the solution in @p point, lambda being held; then x [n] becomes its
 * inverse times x, as exactly as a tangent. */
enum masing_status point_solver_linearize(struct point_solver *solver);
enum masing_status point_solver_invert(struct point_solver *solver, double *x);

/* Fill the tangent at the solution. */
enum masing_status point_solver_differentiate(struct point_solver *solver);

#endif
