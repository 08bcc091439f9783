/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One modal ratio zeta for modes that are not there. With A = K + shift M, lambda its values
 * and u = scale / lambda, such a mode responds as (u / scale) F(u), F = 1 / (1 - w u + i e
 * g(u)),  w = (shift + q^2) / scale,  e = 2 zeta q / sqrt(scale), g = sqrt(u) sqrt(1 - shift u
 * / scale). The real part is a power series in u. The imaginary part, which begins with
 * sqrt(u), is taken as a polynomial, its Chebyshev series in sqrt(u) between zero and the last
 * mode: of one sign, so that damping takes energy out.
 */
#ifndef MASING_MODEL_FAR_RATIO_H
#define MASING_MODEL_FAR_RATIO_H

#include "base/arena.h"
#include "masing/status.h"

struct far_ratio {
    double zeta, scale, shift; /* rad^2/s^2 */
    int n_fit;                 /* powers of the imaginary part */
    const double *nodes;       /* u where it is evaluated */
    const double *fit;         /* [n_fit][nodes] its powers by its values there */
};

/* For modes from the frequency omega on, rad/s, and n terms of their series; in the arena. */
enum masing_status far_ratio_create(double zeta, double scale, double shift, double omega,
                                    int n, struct arena *arena, struct far_ratio **ratio,
                                    struct masing_error *error);

/* Factors of the moments scale^t / lambda^(t + 1) at harmonic h, q = h Omega, and their
 * derivatives by Omega, [n] each. */
void far_ratio_terms(const struct far_ratio *ratio, int n, int h, double q, double *re,
                     double *im, double *d_re, double *d_im);

#endif
