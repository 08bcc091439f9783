/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compliance where damping couples the modes: Z(s) q = in f, x = out^T q with
 *   Z(s) = diag(omega^2 (1 + i eta)) + s C + s^2.
 *
 * Near modes n are solved for at every frequency. Far ones f are eliminated exactly: their
 * inverse is a power series in s whose terms, between ports and near modes, are summed once.
 *   Z_ff^-1 = sum_j A_j s^j,  A_0 = Omega_f^-2,  A_j = -Omega_f^-2 (C_ff A_(j-1) + A_(j-2))
 */
#ifndef MASING_HARMONIC_COUPLED_SUM_H
#define MASING_HARMONIC_COUPLED_SUM_H

#include <complex.h>

#include "harmonic/compliance.h"

struct coupled_sum;

/* in [n_modes * n_in], out [n_modes * n_out]: ports in modal coordinates; the structure is lent
 */
enum masing_status coupled_sum_create(const struct structure *structure,
                                      const struct compliance_settings *settings,
                                      const double *in, const double *out,
                                      struct coupled_sum **result, struct masing_error *error);
void coupled_sum_destroy(struct coupled_sum *sum);

/* As compliance_evaluate and compliance_loss. */
enum masing_status coupled_sum_evaluate(struct coupled_sum *sum, double omega, double *real,
                                        double *imaginary, double *d_real, double *d_imaginary);
double coupled_sum_loss(struct coupled_sum *sum, double omega, const double *force_real,
                        const double *force_imaginary);

/*
 * Coordinates of all modes at one harmonic above 0 under port forces [n_in]; modal [n_modes]
 * holds the modal forces in^T force and is overwritten. For single points.
 */
enum masing_status coupled_sum_modal(struct coupled_sum *sum, int index, double q,
                                     const double complex *force, double complex *modal);

#endif
