/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compliance where damping is diagonal in the modes:
 *   H(s) = R + sum_k in_k out_k^T / (omega_k^2 (1 + i eta) + c_k s + s^2),   s = i q.
 *
 * Modes near the range are taken one by one. Far ones are expanded in powers of s, and their
 * coefficients are summed once; how many modes are near is chosen so that the cost is least.
 */
#ifndef MASING_HARMONIC_MODAL_SUM_H
#define MASING_HARMONIC_MODAL_SUM_H

#include "harmonic/compliance.h"

struct modal_sum;

/* in [n_modes * n_in], out [n_modes * n_out]: ports in modal coordinates; copied as needed */
enum masing_status modal_sum_create(const struct structure *structure,
                                    const struct compliance_settings *settings,
                                    const double *in, const double *out,
                                    struct modal_sum **result, struct masing_error *error);
void modal_sum_destroy(struct modal_sum *sum);

/* As compliance_evaluate and compliance_loss. */
enum masing_status modal_sum_evaluate(struct modal_sum *sum, double omega, double *real,
                                      double *imaginary, double *d_real, double *d_imaginary);
double modal_sum_loss(struct modal_sum *sum, double omega, const double *force_real,
                      const double *force_imaginary);

/* False where there are so many ports that the modes themselves tell the loss at less cost;
 * never with massless DOFs. */
bool modal_sum_has_loss(const struct modal_sum *sum);

/* Multiplications of an evaluation without derivatives, and of its product with forces. */
double modal_sum_cost(const struct modal_sum *sum);

#endif
