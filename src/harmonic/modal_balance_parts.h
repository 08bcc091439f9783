/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the files of the modal balance. */
#ifndef MASING_HARMONIC_MODAL_BALANCE_PARTS_H
#define MASING_HARMONIC_MODAL_BALANCE_PARTS_H

#include "harmonic/modal_balance.h"

/* Number of coefficients of a harmonic. */
static inline int modal_balance_sides(const struct basis *basis, int harmonic_index)
{
    return basis->harmonics[harmonic_index] == 0 ? 1 : 2;
}

/* The coefficients c of all modes in an array [n_coefficients * n_modes]. */
static inline double *modal_balance_coefficient(double *values,
                                                const struct modal_balance *balance, int c)
{
    return values + (size_t)c * (size_t)balance->n_modes;
}

/* Scale of a harmonic's coefficients and its derivative by the amplitude a. */
double modal_balance_scale(const struct modal_balance *balance, int harmonic_index, double a,
                           double *slope);

/* out += factor * matrix [n * n] x, matrix symmetric */
void modal_balance_multiply(int n, const double *matrix, const double *x, double factor,
                            double *out);

/* rows [n_coefficients * n_modes] from forces, in place */
void modal_balance_scale_rows(const struct modal_balance *balance, double *rows);

/* out += derivative of the joints' modal forces along a motion (NULL: none) and omega. */
void modal_balance_add_joints_change(struct modal_balance *balance, const double *modal,
                                     double d_omega, double *out);

/* Of the last evaluation, with derivative: jacobian [n_unknowns^2], columns by the unknowns. */
void modal_balance_fill_jacobian(struct modal_balance *balance, double *jacobian);

#endif
