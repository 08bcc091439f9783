/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Newton's method for one point of a balance from a solution close by: the n equations and a
 * linear one,
 *   border . ((y, Omega) - base) = s,
 * which keeps the frequency, or goes along the curve by a distance s, so that a fold between
 * the guess and the solution does no harm.
 */
#ifndef MASING_ANALYSES_CURVE_POINT_SOLVER_H
#define MASING_ANALYSES_CURVE_POINT_SOLVER_H

#include "harmonic/balance.h"

struct point_solver {
    struct balance *balance; /* lent */
    double tolerance;        /* of the residual, relative to the load */
    int n;                   /* unknowns without the frequency */
    double *point;           /* [n + 1] y and Omega: guess, then solution */
    double *base, *border;   /* [n + 1] */
    double *tangent;         /* [n + 1] derivative of the solution by s */
    double *jacobian;        /* [n^2] */
    double *matrix;          /* [(n + 1)^2] */
    double *right, *trial;   /* [n + 1] */
    double *residual, *last; /* [n + 1] equations, and by Omega, where the Jacobian is */
    double *weight;          /* [n + 1] inverse sizes of what steps change */
    int *pivots;             /* [n + 1] */
    bool is_evaluated;       /* residual, jacobian and last are those of the point */
    bool is_factored;        /* and so is the matrix */
    int iterations;          /* matrices factorised since the solver was created */
};

enum masing_status point_solver_create(struct balance *balance, double tolerance,
                                       struct point_solver **solver,
                                       struct masing_error *error);
void point_solver_destroy(struct point_solver *solver);

/* Keep the frequency that the guess in @p point has. */
void point_solver_hold_frequency(struct point_solver *solver);

/* Go from the guess along the direction in @p tangent; the sizes of the joints' motions and the
 * logarithm of the frequency count alike. */
void point_solver_follow_tangent(struct point_solver *solver);

/* Solve from the guess in @p point. */
enum masing_status point_solver_solve(struct point_solver *solver, double s);

/* Likewise from the solution found last, for another s: nothing but s may have changed. */
enum masing_status point_solver_continue(struct point_solver *solver, double s);

/* Fill the tangent at the solution. */
enum masing_status point_solver_differentiate(struct point_solver *solver);

#endif
