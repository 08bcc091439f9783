/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/linear_solver.h"

#include <nvector/nvector_serial.h>
#include <string.h>

#include "base/check.h"

static SUNLinearSolver_Type type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID id(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_CUSTOM;
}

static int initialize(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLS_SUCCESS;
}

static int setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    (void)solver;
    (void)matrix;
    return SUNLS_SUCCESS;
}

/* b is KINSOL's own and stays as it is: a line search looks at it afterwards. */
static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                 realtype tolerance)
{
    (void)matrix;
    (void)tolerance;
    struct linear_solver *linear = solver->content;
    const struct bordered *bordered = linear->bordered;
    memcpy(NV_DATA_S(x), NV_DATA_S(b), (size_t)bordered->size * sizeof(double));
    linear->status = bordered_solve(bordered, NV_DATA_S(x));
    return linear->status == MASING_OK ? SUNLS_SUCCESS : SUNLS_PACKAGE_FAIL_UNREC;
}

static SUNMatrix_ID matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

/* Every Jacobian is complete: there is nothing to clear before. */
static int zero(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMAT_SUCCESS;
}

enum masing_status linear_solver_create(struct bordered *bordered, SUNContext sundials,
                                        struct linear_solver *linear,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *linear = (struct linear_solver){.bordered = bordered};
    TRY_ALLOCATED(linear->matrix = SUNMatNewEmpty(sundials));
    linear->matrix->ops->getid = matrix_id;
    linear->matrix->ops->zero = zero;
    TRY_ALLOCATED(linear->solver = SUNLinSolNewEmpty(sundials));
    linear->solver->content = linear;
    linear->solver->ops->gettype = type;
    linear->solver->ops->getid = id;
    linear->solver->ops->initialize = initialize;
    linear->solver->ops->setup = setup;
    linear->solver->ops->solve = solve;
done:
    return status;
}

void linear_solver_destroy(struct linear_solver *linear)
{
    if (linear->solver) {
        SUNLinSolFreeEmpty(linear->solver);
    }
    if (linear->matrix) {
        SUNMatFreeEmpty(linear->matrix);
    }
    *linear = (struct linear_solver){0};
}
