/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two backbones of a rough interface, relative to its stiffness and to its slip force, and
 * the integrals over its summits. */
#ifndef MASING_LAWS_MASING_ROUGH_BACKBONE_H
#define MASING_LAWS_MASING_ROUGH_BACKBONE_H

/*
 * Integrals over the heights of a rough surface's summits, normally distributed and cut at n
 * standard deviations. With d = n - h the part of the heights above the separation h,
 *   I_p(h) = integral from h to n of (t - h)^p phi(t) dt = d^(p+1) J_p(d, n),
 *   J_p(d, n) = integral from 0 to 1 of s^p phi(n - d (1 - s)) ds,
 * so that J_p stays of the size of phi(n) where the contact vanishes.
 */

/* J_p and its derivatives by d and n. */
struct rough_integral {
    double value, by_d, by_n;
};

/* p = 1.5 and p = 0.5, for 0 <= d <= 2 n, n <= 6, to the last digits. */
void rough_integrals(double d, double n, struct rough_integral *three_halves,
                     struct rough_integral *half);

/*
 * The exponential backbone of a rough interface, in units of its own: w = u / x_L and
 *   f(w) = B / (K_T x_L) = [(1 - e^(-Omega w)) / Omega - w e^(-Omega)] / (1 - e^(-Omega)),
 * with f(1) = q = 1/Omega - 1/(e^Omega - 1) (Jamshidi and Koochakinejad 2021).
 */
struct rough_exponential {
    double omega;
    double decay;    /* e^(-|Omega|) */
    double complete; /* 1 - e^(-|Omega|) */
    double mean;     /* (1 - e^(-Omega)) / Omega */
};

/* Omega of a q in (0, 1). */
struct rough_exponential rough_exponential_of(double q);

/* d Omega / d q */
double rough_exponential_by_q(const struct rough_exponential *curve);

/* f and its slope for 0 <= w <= 1. */
double rough_exponential_value(const struct rough_exponential *curve, double w, double *slope);

/* df / d Omega at held w. */
double rough_exponential_by_omega(const struct rough_exponential *curve, double w);

/*
 * The backbone of a rough interface by the integral over its summits, each of which slips on
 * its own: B = Q_L [1 - I(h + d w) / I(h)], I = I_1.5, d = n - h.
 */
enum { ROUGH_EXACT_PIECES = 16, ROUGH_EXACT_COEFFICIENTS = 16 };

/* Polynomials in r = sqrt(1 - w), piece by piece. */
struct rough_exact {
    double depth, cutoff; /* d and n */
    double value[ROUGH_EXACT_PIECES][ROUGH_EXACT_COEFFICIENTS];
    double slope[ROUGH_EXACT_PIECES][ROUGH_EXACT_COEFFICIENTS];
};

void rough_exact_fill(struct rough_exact *curve, double depth, double cutoff);

/* B / Q_L and its slope by w, for 0 <= w <= 1. */
double rough_exact_value(const struct rough_exact *curve, double w, double *slope);

/* Change of B / Q_L with those of d and n, at held w. */
double rough_exact_change(const struct rough_exact *curve, double depth_change,
                          double cutoff_change, double w);

#endif
