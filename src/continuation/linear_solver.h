/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bordered matrix as SUNDIALS sees it: an empty SUNMatrix, and a SUNLinearSolver that solves
 * with the factors at hand. They are made where KINSOL asks for the Jacobian.
 */
#ifndef MASING_CONTINUATION_LINEAR_SOLVER_H
#define MASING_CONTINUATION_LINEAR_SOLVER_H

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "continuation/bordered.h"

struct linear_solver {
    struct bordered *bordered;
    enum masing_status status; /* of the last failure */
    SUNMatrix matrix;
    SUNLinearSolver solver;
};

enum masing_status linear_solver_create(struct bordered *bordered, SUNContext sundials,
                                        struct linear_solver *linear,
                                        struct masing_error *error);
void linear_solver_destroy(struct linear_solver *linear);

#endif
