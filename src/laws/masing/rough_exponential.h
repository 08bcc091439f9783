/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exponential backbone of a rough interface, in units of its own: w = u / x_L and
 *   f(w) = B / (K_T x_L) = [(1 - e^(-Omega w)) / Omega - w e^(-Omega)] / (1 - e^(-Omega)),
 * with f(1) = q = 1/Omega - 1/(e^Omega - 1) (Jamshidi and Koochakinejad 2021).
 */
#ifndef MASING_LAWS_MASING_ROUGH_EXPONENTIAL_H
#define MASING_LAWS_MASING_ROUGH_EXPONENTIAL_H

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

#endif
