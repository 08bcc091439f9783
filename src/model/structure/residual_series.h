/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What modes that are not computed add to receptances between a few ports of a large
 * structure, as a power series about a shift: with A = K + shift M and x the part of A^-1 b
 * that the computed modes leave, moments B^T (scale A^-1 M)^t A^-1 B (MacNeal 1971, Rubin
 * 1975); the polynomial in Omega^2 + shift is then written in powers of Omega^2.
 */
#ifndef MASING_MODEL_RESIDUAL_SERIES_H
#define MASING_MODEL_RESIDUAL_SERIES_H

#include "linalg/sparse_factor.h"
#include "linalg/sparse_modes.h"
#include "masing/model.h"

struct residual_series {
    const struct masing_sparse *mass; /* n_dofs rows */
    struct sparse_factor *factor;     /* of A */
    const struct sparse_modes *modes; /* those that are computed */
    double scale, shift;              /* rad^2/s^2, of A = K + shift M */
    int n_ports, n_terms;
    const struct masing_combination *ports; /* [n_ports] columns of B */
};

/* Weighted sum of a vector over the DOFs. */
double residual_series_port(const struct masing_combination *port, const double *x);

/* moments [n_terms][symmetric_size(n_ports)] of zeros become the coefficients of
 * (Omega^2 / scale)^t. MASING_NO_MEMORY, and what a factor's solution fails with. */
enum masing_status residual_series_fill(const struct residual_series *series, double *moments,
                                        struct masing_error *error);

#endif
