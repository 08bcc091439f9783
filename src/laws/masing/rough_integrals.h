/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Integrals over the heights of a rough surface's summits, normally distributed and cut at n
 * standard deviations. With d = n - h the part of the heights above the separation h,
 *   I_p(h) = integral from h to n of (t - h)^p phi(t) dt = d^(p+1) J_p(d, n),
 *   J_p(d, n) = integral from 0 to 1 of s^p phi(n - d (1 - s)) ds,
 * so that J_p stays of the size of phi(n) where the contact vanishes.
 */
#ifndef MASING_LAWS_MASING_ROUGH_INTEGRALS_H
#define MASING_LAWS_MASING_ROUGH_INTEGRALS_H

/* A rule of quadrature on [0, 1]: Gauss-Legendre with sixteen points in each of four panels. */
enum { ROUGH_INTEGRALS_POINTS = 64 };

struct rough_point {
    double at, weight; /* weights sum to 1 */
};

struct rough_point rough_integrals_point(int i);

/* J_p and its derivatives by d and n. */
struct rough_integral {
    double value, by_d, by_n;
};

/* p = 1.5 and p = 0.5, for 0 <= d <= 2 n, n <= 6, to the last digits. */
void rough_integrals(double d, double n, struct rough_integral *three_halves,
                     struct rough_integral *half);

#endif
