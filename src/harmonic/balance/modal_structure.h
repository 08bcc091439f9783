/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The linear structure of a nonlinear mode: its equations at each harmonic, the modes that are
 * not kept eliminated. */
#ifndef MASING_HARMONIC_BALANCE_MODAL_STRUCTURE_H
#define MASING_HARMONIC_BALANCE_MODAL_STRUCTURE_H

#include "harmonic/balance/modal_balance.h"

/* At the balance's omega, zeta, z and joints' forces: matrices and constant of all harmonics,
 * motion and p; with_derivative by_omega and by_zeta, too. MASING_SINGULAR. */
enum masing_status modal_structure_evaluate(struct modal_balance *balance,
                                            bool with_derivative);

/* Loss per cycle in the structure's damping over pi h, J, under cosine or sine coefficients p
 * [n_modes] of harmonic h at the balance's omega. */
double modal_structure_loss(const struct modal_balance *balance, int h, const double *p);

/* The pattern [n_modes] of an axis, or of the target mode: n_axes. */
static inline const double *modal_port(const struct modal_balance *balance, int port)
{
    return balance->ports + (size_t)port * (size_t)balance->n_modes;
}

#endif
