/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a polynomial first changes sign. */
#ifndef MASING_LINALG_FIRST_ROOT_H
#define MASING_LINALG_FIRST_ROOT_H

enum { FIRST_ROOT_MOST_DEGREE = 23 };

/*
 * The first place s in [0, 1] where sum a[k] s^k, which begins positive or at a zero, becomes
 * negative; INFINITY: nowhere. A zero at the beginning, or what round-off made negative of it,
 * is divided out. No root is overlooked, however close together two may be: Bernstein's
 * coefficients change sign at least as often as the polynomial (Farouki 2012, section 3.2).
 */
double first_root(int degree, const double *a);

#endif
