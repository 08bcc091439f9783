/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response of the far modes, coupled by damping, as a power series: x = q / top,
 *   left^T Z_ff^-1(i q) right = sum_j (i x)^j left^T X_j,  X_j = top^j A_j right,
 * with right = [in_f | C_fn] and left = [out_f | C_fn].
 */
#ifndef MASING_HARMONIC_COMPLIANCE_FAR_SERIES_H
#define MASING_HARMONIC_COMPLIANCE_FAR_SERIES_H

#include <complex.h>

#include "harmonic/compliance/compliance.h"

struct far_series {
    int n_near, n_far, n_left, n_right, n_terms; /* n_left = n_out + n_near, n_right likewise */
    double top;
    int *needed;   /* [n_harmonics] terms that are not negligible at each harmonic */
    double *outer; /* [n_terms][n_left * n_right] left^T X_j, column-major, with i^j's sign */
    int n_loss;
    double *loss; /* [n_loss][n_right * n_right], see far_series_loss */
};

/* Near modes are as few as the series needs to converge; with structural damping all are, and
 * n_terms is 0. */
enum masing_status far_series_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     const double *in, const double *out,
                                     struct far_series *series, struct masing_error *error);
void far_series_clear(struct far_series *series);

/* Real and imaginary part at q, and their derivatives by q: [4][n_left * n_right]. index: of
 * the harmonic that q belongs to */
void far_series_evaluate(const struct far_series *series, int index, double q, double *parts);

/* Q_f^H C_ff Q_f of the far modes under the loads re + i im [n_right], from the modal
 * coordinates Q_f = sum_j (i x)^j X_j load, multiplied out term by term. */
double far_series_loss(const struct far_series *series, double q, const double *re,
                       const double *im);

/* modal [n_far] becomes Z_ff^-1 modal, by the same series. Allocates. */
enum masing_status far_series_apply(const struct far_series *series,
                                    const struct structure *structure, int index, double q,
                                    double complex *modal);

#endif
