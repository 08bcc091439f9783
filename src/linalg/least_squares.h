/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nonlinear least squares within bounds, by Levenberg's and Marquardt's method.
 *
 * (MINPACK's licence and GSL's do not go together with this program's; LAPACK does the
 * algebra.)
 */
#ifndef MASING_LINALG_LEAST_SQUARES_H
#define MASING_LINALG_LEAST_SQUARES_H

#include <stdbool.h>

#include "masing/status.h"

struct least_squares_problem {
    void *context;
    int n_residuals, n_unknowns; /* n_residuals >= n_unknowns >= 1 */
    const double *lower, *upper; /* [n_unknowns], infinite where there is no bound */
    /*
     * residuals [n_residuals]; jacobian [n_residuals * n_unknowns], column-major, or NULL. A
     * status other than MASING_OK and MASING_NO_MEMORY: there is no such point.
     */
    enum masing_status (*evaluate)(void *context, const double *unknowns, double *residuals,
                                   double *jacobian);
};

struct least_squares_result {
    double sum;        /* of the squared residuals */
    int n_steps;       /* accepted ones */
    int n_evaluations; /* of the residuals */
    bool is_converged;
};

struct least_squares;

enum masing_status least_squares_create(const struct least_squares_problem *problem,
                                        struct least_squares **solver,
                                        struct masing_error *error);
void least_squares_destroy(struct least_squares *solver);

/*
 * From the point `unknowns`, which is moved between the bounds first, to the nearest minimum.
 * MASING_OK also where the steps ran out (is_converged tells); MASING_INVALID where the
 * residuals cannot be computed at the start.
 */
enum masing_status least_squares_solve(struct least_squares *solver, double *unknowns,
                                       struct least_squares_result *result);

/* Of the last solution. */
const double *least_squares_residuals(const struct least_squares *solver);
const double *least_squares_jacobian(const struct least_squares *solver);

#endif
