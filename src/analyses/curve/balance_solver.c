/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/balance_solver.h"

static enum masing_status evaluate(void *context, const double *y, double omega,
                                   double *residual, double *jacobian, double *residual_omega)
{
    return omega > 0.0 ? balance_evaluate(context, BALANCE_LAWS, y, omega, residual, jacobian,
                                          residual_omega)
                       : MASING_NOT_FINITE;
}

static void weigh(void *context, const double *y, double omega, double *weight)
{
    (void)omega;
    balance_weights(context, y, weight);
}

struct continuation_problem balance_problem(struct balance *balance)
{
    return (struct continuation_problem){
        .context = balance, .n = balance->n_unknowns, .evaluate = evaluate, .weights = weigh};
}

enum masing_status balance_solver_create(struct balance *balance, double tolerance,
                                         struct point_solver **solver,
                                         struct masing_error *error)
{
    const struct continuation_problem problem = balance_problem(balance);
    return point_solver_create(&problem, tolerance, solver, error);
}

struct balance *balance_solver_balance(const struct point_solver *solver)
{
    return solver->problem.context;
}
