/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The backbone of a rough interface by the integral over its summits, each of which slips on
 * its own: B = Q_L [1 - I(h + d w) / I(h)], I = I_1.5 of rough_integrals.h, d = n - h.
 */
#ifndef MASING_LAWS_MASING_ROUGH_EXACT_H
#define MASING_LAWS_MASING_ROUGH_EXACT_H

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
