/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response of the ports without a matrix, mode by mode:
 *   x_out = sum_k out_k (in_k . f) / (omega_k^2 (1 + i eta) + c_k s + s^2),   s = i q.
 *
 * Costs modes times ports where the matrix costs ports squared. For damping that is diagonal in
 * the modes, and without massless DOFs.
 */
#ifndef MASING_HARMONIC_MODAL_PRODUCT_H
#define MASING_HARMONIC_MODAL_PRODUCT_H

#include <stdbool.h>

#include "harmonic/compliance.h"

struct modal_product {
    const struct structure *structure; /* lent */
    int n_in, n_out, n_harmonics;
    const int *harmonics;    /* lent, [n_harmonics] */
    const bool *is_excluded; /* lent, [n_harmonics][n_modes] */
    const double *in;        /* lent, [n_modes * n_in] */
    double *out;             /* [n_modes * n_out] */
    /* columns: real and imaginary part of each harmonic */
    double *force;  /* [n_in * 2 n_harmonics] */
    double *modal;  /* [n_modes * 2 n_harmonics] */
    double *motion; /* [n_out * 2 n_harmonics] */
};

/* is_excluded holds all exclusions, rigid-body modes at harmonic 0 too; out [n_modes * n_out]
 * is copied. */
enum masing_status modal_product_create(const struct structure *structure,
                                        const struct compliance_settings *settings,
                                        const int *harmonics, const bool *is_excluded,
                                        const double *in, const double *out,
                                        struct modal_product **result,
                                        struct masing_error *error);
void modal_product_destroy(struct modal_product *product);

/* As compliance_apply, compliance_entry and compliance_loss. */
enum masing_status modal_product_apply(struct modal_product *product, double omega,
                                       const double *force, double *motion);
enum masing_status modal_product_entry(const struct modal_product *product, double omega,
                                       int index, int in, int out, double value[2]);
double modal_product_loss(struct modal_product *product, double omega, const double *force_real,
                          const double *force_imaginary);

/* Multiplications of an application. */
double modal_product_cost(const struct modal_product *product);

#endif
