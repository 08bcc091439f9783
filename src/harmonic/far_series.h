/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response of the far modes, coupled by damping, as a power series: x = q / top,
 *   left^T Z_ff^-1(i q) right = sum_j (i x)^j left^T X_j,  X_j = top^j A_j right,
 * with right = [in_f | C_fn] and left = [out_f | C_fn].
 */
#ifndef MASING_HARMONIC_FAR_SERIES_H
#define MASING_HARMONIC_FAR_SERIES_H

#include <complex.h>

#include "harmonic/compliance.h"

struct far_series {
    int n_near, n_far, n_left, n_right, n_terms; /* n_left = n_out + n_near, n_right likewise */
    double top;
    double *inner; /* [n_terms][n_far * n_right] X_j, column-major */
    double *outer; /* [n_terms][n_left * n_right] left^T X_j */
};

/* Near modes are as few as the series needs to converge; with structural damping all are. */
enum masing_status far_series_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     const double *in, const double *out,
                                     struct far_series *series, struct masing_error *error);
void far_series_clear(struct far_series *series);

/* value [n_left * n_right] at q, and its derivative by q */
void far_series_evaluate(const struct far_series *series, double q, double complex *value,
                         double complex *derivative);

/* modal [n_far] = Z_ff^-1 right load, load [n_right] */
void far_series_modal(const struct far_series *series, double q, const double complex *load,
                      double complex *modal);

#endif
