/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the recovery. */
#ifndef MASING_HARMONIC_RECOVERY_PARTS_H
#define MASING_HARMONIC_RECOVERY_PARTS_H

#include "harmonic/recovery.h"

static inline size_t recovery_input(const struct balance *balance, int k, int in)
{
    return (size_t)k * (size_t)balance->n_in + (size_t)in;
}

/* out += coefficients of a row's displacement (or its change) under complex port forces. */
void recovery_add_row(const struct recovery *recovery, const double *real,
                      const double *imaginary, const double *force, int row, double *out);

/* out += part of the uncondensed modes in a pattern [n_dofs]; y or a tangent of it. */
void recovery_add_modes(const struct recovery *recovery, const double *y, const double *pattern,
                        double *out);

/* Displacement to velocity or acceleration: each time derivative is omega d/dtheta. */
void recovery_to_quantity(const struct basis *basis, enum masing_quantity quantity,
                          double omega, double *coefficients);

/* Position of a_1, or -1 where harmonic 1 is not in the list. */
int recovery_first_harmonic(const struct basis *basis);

/* Compliance from the balance's inputs to other rows: out [n_dofs * n_out]. */
enum masing_status recovery_create_ports(const struct balance *balance, const double *out,
                                         int n_out, struct compliance **ports,
                                         struct masing_error *error);

#endif
