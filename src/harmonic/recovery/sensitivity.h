/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a solution at a fixed frequency, and its outputs, change with the parameters of a
 * joint, or with a parameter of the model: dy/dp = -J^-1 dR/dp with the balance's own
 * Jacobian.
 */
#ifndef MASING_HARMONIC_RECOVERY_SENSITIVITY_H
#define MASING_HARMONIC_RECOVERY_SENSITIVITY_H

#include "base/arena.h"
#include "harmonic/balance/moving_balance.h"
#include "harmonic/recovery/recovery.h"

/* Linear systems of a balance without matrices. */
struct sensitivity_solver {
    void *context;
    /* with its Jacobian at a solution from now on */
    enum masing_status (*prepare)(void *context, const double *y, double omega);
    enum masing_status (*solve)(void *context, double *x); /* x [n] becomes J^-1 x */
};

struct sensitivity {
    struct recovery *recovery; /* lent, with its balance */
    struct sensitivity_solver solver;
    struct arena arena;                     /* of all arrays */
    double *residual, *residual_omega, *dy; /* [n_unknowns] */
    double *jacobian; /* [n_unknowns^2] its factors; NULL where there is a solver */
    int *pivots;      /* [n_unknowns] */
    size_t n_ports;   /* 2 n_harmonics n_in */
    double *d_ports;  /* [n_harmonics][n_in][2] port forces */
};

/* solver: copied; asked only where the balance has no matrices */
enum masing_status sensitivity_create(struct recovery *recovery,
                                      const struct sensitivity_solver *solver,
                                      struct sensitivity **sensitivity,
                                      struct masing_error *error);
void sensitivity_destroy(struct sensitivity *sensitivity);

/* Factor the Jacobian at a solution that the recovery was evaluated at. MASING_SINGULAR. */
enum masing_status sensitivity_factor(struct sensitivity *sensitivity, const double *y,
                                      double omega);

/*
 * slope [n_coefficients]: derivative of an output's coefficients, in its quantity, along a
 * tangent of a joint's parameters, at the solution that was factored last.
 */
enum masing_status sensitivity_output(struct sensitivity *sensitivity, int joint,
                                      const void *tangent, double omega, int output,
                                      double *slope);

/* Likewise by the parameter of a balance at moving->omega and its present value. */
enum masing_status sensitivity_moving(struct sensitivity *sensitivity,
                                      struct moving_balance *moving, int output, double *slope);

#endif
