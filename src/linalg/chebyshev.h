/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Polynomials through Chebyshev points, for tables that are made once and evaluated often. */
#ifndef MASING_LINALG_CHEBYSHEV_H
#define MASING_LINALG_CHEBYSHEV_H

enum { CHEBYSHEV_MOST = 16 }; /* coefficients */

/* Point i of n in (-1, 1). */
double chebyshev_point(int n, int i);

/* Powers of t [count][n] from the values [count][n] at the points; n <= CHEBYSHEV_MOST. */
void chebyshev_powers(int n, int count, const double *values, double *powers);

#endif
