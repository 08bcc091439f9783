/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the balance and their Jacobian, written from evaluated joints and compliances. */
#ifndef MASING_HARMONIC_BALANCE_ROWS_H
#define MASING_HARMONIC_BALANCE_ROWS_H

#include "harmonic/balance.h"

/* residual [n] and, unless NULL, its derivative by Omega. */
void balance_rows_fill(const struct balance *balance, const double *y, double omega,
                       double *residual, double *residual_omega);

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
