/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a coupled sum is made of; for its own two files. */
#ifndef MASING_HARMONIC_COUPLED_SUM_TYPE_H
#define MASING_HARMONIC_COUPLED_SUM_TYPE_H

#include <complex.h>

#include "harmonic/coupled_sum.h"
#include "harmonic/far_series.h"

struct coupled_sum {
    const struct structure *structure;
    struct far_series far;
    int n, n_in, n_out, n_harmonics, *harmonics; /* n near modes */
    double *in, *out;                            /* [n * n_in], [n * n_out] of the near modes */
    double *static_sum;      /* [n_in][n_out] near modes at harmonic 0, exclusions left out */
    double *residual;        /* [n_in][n_out] flexibility of massless DOFs, or NULL */
    double *residual_in;     /* [n_in][n_in] likewise */
    double *far_parts;       /* [4][far.n_left * far.n_right], see far_series_evaluate */
    double complex *z, *dz;  /* [n * n] */
    double complex *x, *dx;  /* [n * (n_in + n_out)] right-hand sides, then solutions */
    double complex *sides;   /* [n * (n_in + n_out)] the right-hand sides themselves */
    double complex *product; /* [n * n_in] */
    double *load;            /* [2][far.n_right] */
    double complex *modal;   /* [n] */
    int *pivots;             /* [n] */
};

#endif
