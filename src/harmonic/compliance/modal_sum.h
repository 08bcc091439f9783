/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compliance where damping is diagonal in the modes:
 *   H(s) = R + sum_k in_k out_k^T / (omega_k^2 (1 + i eta) + c_k s + s^2),   s = i q.
 *
 * Modes near the range are taken one by one. Far ones are expanded in powers of s, and their
 * coefficients are summed once; how many modes are near is chosen so that the cost is least.
 */
#ifndef MASING_HARMONIC_COMPLIANCE_MODAL_SUM_H
#define MASING_HARMONIC_COMPLIANCE_MODAL_SUM_H

#include "harmonic/compliance/modal_ports.h"

struct modal_sum;

/* The ports outlive the sum. */
enum masing_status modal_sum_create(const struct modal_ports *ports,
                                    const struct compliance_settings *settings,
                                    struct arena *arena, struct modal_sum **result,
                                    struct masing_error *error);

/* H, [n_harmonics][n_in][n_out], and its derivative by Omega or NULL, NULL. MASING_SINGULAR. */
enum masing_status modal_sum_evaluate(struct modal_sum *sum, double omega, double *real,
                                      double *imaginary, double *d_real, double *d_imaginary);

/* As compliance_loss, where modal_sum_has_loss. */
double modal_sum_loss(struct modal_sum *sum, double omega, const double *force_real,
                      const double *force_imaginary);

/* False where there are so many ports that a sum over the modes costs less; never with massless
 * DOFs. */
bool modal_sum_has_loss(const struct modal_sum *sum);

/* Multiplications of an evaluation without derivatives, and of its product with forces. */
double modal_sum_cost(const struct modal_sum *sum);

#endif
