/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the balance and their Jacobian, written from evaluated joints and compliances. */
#ifndef MASING_HARMONIC_BALANCE_ROWS_H
#define MASING_HARMONIC_BALANCE_ROWS_H

#include "harmonic/balance.h"

/* residual [n] and, unless NULL, its derivative by Omega, with the evaluated compliances. */
void balance_rows_fill(struct balance *balance, const double *y, double omega, double *residual,
                       double *residual_omega);

/* residual [n] without them, where compliance_can_apply. MASING_SINGULAR. */
enum masing_status balance_rows_apply(struct balance *balance, const double *y, double omega,
                                      double *residual);

/* jacobian [n*n] column-major. */
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
