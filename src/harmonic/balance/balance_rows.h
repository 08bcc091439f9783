/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the balance and their Jacobian, written from evaluated joints and compliances. */
#ifndef MASING_HARMONIC_BALANCE_BALANCE_ROWS_H
#define MASING_HARMONIC_BALANCE_BALANCE_ROWS_H

#include "harmonic/balance/balance.h"

/* residual [n] and, unless NULL, its derivative by Omega, joints and loads being evaluated.
 * MASING_SINGULAR. */
enum masing_status balance_rows_fill(struct balance *balance, const double *y, double omega,
                                     double *residual, double *residual_omega);

/* rows [n]: change of the residual with a change dy of the unknowns, NULL: none, and of the
 * port forces, [n_harmonics][n_in][2]. MASING_SINGULAR. */
enum masing_status balance_rows_change(struct balance *balance, const double *dy,
                                       const double *force, double omega, double *rows);

/* The same of most of the compliance: see compliance_multiply_near. */
enum masing_status balance_rows_change_near(struct balance *balance, const double *dy,
                                            const double *force, double omega, double *rows);

/* The derivative of a joint's forces as they were evaluated last, [(n_axes n_c)^2]
 * column-major.
 */
void balance_joint_block(const struct balance *balance, enum balance_joints joints, int j,
                         double *block);

/* After balance_rows_fill with the derivative: jacobian [n*n] column-major. */
void balance_rows_differentiate(struct balance *balance, enum balance_joints joints,
                                double omega, double *jacobian);

/* Force on an uncondensed mode, sum p f of the inputs first, ..., end - 1 of a force
 * [n_harmonics][n_in][2]. */
void balance_modal_force(const struct balance *balance, const struct balance_mode *mode,
                         const double *force, int first, int end, double value[2]);

static inline size_t balance_port(const struct balance *balance, int k, int in)
{
    return (size_t)k * (size_t)balance->n_in + (size_t)in;
}

/* How far the mean of a rigid-body mode has moved from the static state. */
static inline double balance_mean_motion(const struct balance *balance, int e, const double *y)
{
    const double *still = balance->model->static_rigid;
    const struct balance_mode *mode = &balance->modes[e];
    return y[mode->position] - (still ? still[mode->mode] : 0.0);
}

/* Force of the springs that hold the means on a rigid-body mode. They are at rest in the static
 * state. */
static inline double balance_hold(const struct balance *balance, int e, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < balance->n_rigid; i++) {
        sum += balance->hold[e * balance->n_rigid + i] * balance_mean_motion(balance, i, y);
    }
    return sum;
}

static inline int balance_harmonic(const struct balance *balance, int k)
{
    return balance->basis->harmonics[k];
}

#endif
