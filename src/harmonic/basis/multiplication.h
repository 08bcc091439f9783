/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Multiplication by a periodic function as a matrix on Fourier coefficients: the Galerkin
 * projection of x -> t x, with t given by its spectrum. Toeplitz plus Hankel in each block.
 */
#ifndef MASING_HARMONIC_BASIS_MULTIPLICATION_H
#define MASING_HARMONIC_BASIS_MULTIPLICATION_H

#include "harmonic/basis/basis.h"

/* matrix [n_c * n_c] column-major += multiplication by t; cosine, sine [n_spectrum] are the
 * means of t cos m theta, t sin m theta. */
void multiplication_add(const struct basis *basis, const double *cosine, const double *sine,
                        double *matrix);

/* out [n_c] += coefficients of t x for x given by its coefficients. */
void multiplication_apply(const struct basis *basis, const double *cosine, const double *sine,
                          const double *x, double *out);

#endif
