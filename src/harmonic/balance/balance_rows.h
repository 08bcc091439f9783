/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the balance and their Jacobian, written from evaluated joints and compliances. */
#ifndef MASING_HARMONIC_BALANCE_BALANCE_ROWS_H
#define MASING_HARMONIC_BALANCE_BALANCE_ROWS_H

#include "harmonic/balance/balance.h"

/* residual [n] and, unless NULL, its derivative by Omega, joints and loads being evaluated.
 * MASING_SINGULAR; MASING_INTERNAL for the derivative without matrices. */
enum masing_status balance_rows_fill(struct balance *balance, const double *y, double omega,
                                     double *residual, double *residual_omega);

/* rows [n]: change of the residual at a fixed motion with a change of the port forces,
 * [n_harmonics][n_in][2]. MASING_SINGULAR. */
enum masing_status balance_rows_change(struct balance *balance, const double *force,
                                       double omega, double *rows);

/* After balance_rows_fill with the derivative: jacobian [n*n] column-major. */
void balance_rows_differentiate(struct balance *balance, enum balance_joints joints,
                                double omega, double *jacobian);

static inline size_t balance_port(const struct balance *balance, int k, int in)
{
    return (size_t)k * (size_t)balance->n_in + (size_t)in;
}

static inline int balance_harmonic(const struct balance *balance, int k)
{
    return balance->basis->harmonics[k];
}

#endif
