/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dense LU with partial pivoting, in place; matrices column-major. Nothing is allocated.
 *
 * A pivot that is exactly zero or a number that is not finite gives MASING_SINGULAR; the
 * factors are then not to be used. A matrix that is merely ill-conditioned passes.
 */
#ifndef MASING_LINALG_LU_H
#define MASING_LINALG_LU_H

#include <complex.h>

#include "masing/status.h"

/* a [n * n] becomes the factors of P a = L U; pivots [n], rows counted from 1 as in LAPACK */
enum masing_status lu_factor(int n, double *a, int *pivots);
/* Sign of the determinant: -1 or 1. */
int lu_sign(int n, const double *lu, const int *pivots);
/* b [n * n_rhs] becomes a^-1 b */
void lu_solve(int n, const double *lu, const int *pivots, double *b, int n_rhs);
/* b [n * n_rhs] becomes a^-T b */
void lu_solve_transposed(int n, const double *lu, const int *pivots, double *b, int n_rhs);

enum masing_status lu_factor_complex(int n, double complex *a, int *pivots);
void lu_solve_complex(int n, const double complex *lu, const int *pivots, double complex *b,
                      int n_rhs);

#endif
