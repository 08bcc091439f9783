/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The balance at a fixed frequency as a residual of a parameter of the model: the same
 * equations, with the exact derivative by that parameter.
 */
#ifndef MASING_HARMONIC_BALANCE_MOVING_BALANCE_H
#define MASING_HARMONIC_BALANCE_MOVING_BALANCE_H

#include "harmonic/balance/balance.h"
#include "model/moving.h"

struct moving_balance {
    struct arena arena;
    struct balance *balance; /* lent; of moving->model */
    struct moving *moving;   /* lent */
    double omega;
    double *change;  /* [largest n_axes][n_c] */
    double *d_ports; /* [n_harmonics][n_in][2] port forces by p */
    double *unused;  /* [n_unknowns] */
};

enum masing_status moving_balance_create(struct balance *balance, struct moving *moving,
                                         double omega, struct moving_balance **result,
                                         struct masing_error *error);
void moving_balance_destroy(struct moving_balance *moving);

/* As balance_evaluate, the last derivative by p. */
enum masing_status moving_balance_evaluate(struct moving_balance *moving, const double *y,
                                           double p, double *residual, double *jacobian,
                                           double *residual_p);

/* As balance_linearize, the last derivative by p. */
enum masing_status moving_balance_linearize(struct moving_balance *moving, const double *y,
                                            double p, double *residual, double *residual_p);

/* What p adds to the port forces at the motion evaluated last: fills d_ports. */
enum masing_status moving_balance_forces(struct moving_balance *moving);

/* Set the model to p, for evaluations of the balance itself. */
enum masing_status moving_balance_set(struct moving_balance *moving, double p);

#endif
