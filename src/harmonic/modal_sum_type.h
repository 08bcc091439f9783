/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a modal sum is made of; for its own two files. */
#ifndef MASING_HARMONIC_MODAL_SUM_TYPE_H
#define MASING_HARMONIC_MODAL_SUM_TYPE_H

#include <stddef.h>

#include "harmonic/modal_sum.h"

/*
 * H(q) = sum_t (re_t + i im_t)(q) M_t with constant real matrices M_t, in this order:
 *   even powers of x = q / top (real; the sign of i^j is in M_t),
 *   near modes, and with structural damping all powers of the far ones (complex),
 *   odd powers (imaginary).
 */
struct modal_sum {
    int n_in, n_out, n_harmonics, *harmonics;
    double eta, top;
    int n_even, n_near, n_structural, n_odd;
    double *matrices;               /* [n_even + n_near + n_structural + n_odd][n_in][n_out] */
    int *needed;                    /* [n_harmonics] powers of x that are not negligible */
    double *omega, *rate, *near_in; /* [n_near], [n_near], [n_near][n_in] */
    bool *is_excluded;              /* [n_harmonics][n_near] */
    double *coefficients;           /* [n_harmonics][4][n_terms]: re, im and their slopes */
    bool has_loss;                  /* see modal_sum_has_loss */
    int n_loss;                     /* powers of x^2 in the loss of the far modes */
    double *loss;                   /* [n_loss][n_in][n_in] */
    double *flexibility;            /* [n_in][n_in] of massless DOFs, or NULL */
};

static inline size_t modal_sum_n_terms(const struct modal_sum *sum)
{
    return (size_t)(sum->n_even + sum->n_near + sum->n_structural + sum->n_odd);
}

#endif
