/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single points of a balance by the continuation's corrector, lambda being the frequency. */
#ifndef MASING_ANALYSES_CURVE_BALANCE_SOLVER_H
#define MASING_ANALYSES_CURVE_BALANCE_SOLVER_H

#include "continuation/point_solver.h"
#include "harmonic/balance/balance.h"

/* Its equations. The balance is lent, and is the context; there are no solutions at frequencies
 * that are not above zero. */
struct continuation_problem balance_problem(struct balance *balance);

enum masing_status balance_solver_create(struct balance *balance, double tolerance,
                                         struct point_solver **solver,
                                         struct masing_error *error);

/* The balance that such a solver was created for. */
struct balance *balance_solver_balance(const struct point_solver *solver);

#endif
