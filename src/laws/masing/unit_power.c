/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With w = m 2^-k, 1/2 <= m < 1:
 *   1 - w^e = (1 - 2^(-k e)) + 2^(-k e) (1 - m) P(m),  P = (1 - m^e) / (1 - m),
 * a sum of positive terms. P is analytic but for m = 0. The middle of a piece, which is 1/128
 * wide, is 129 half widths or more away from there, so that a polynomial of degree 6 through
 * Chebyshev points is off by less than 4 r^-6 / (r - 1) = 6e-17 of the largest |P| on an
 * ellipse with r = 256, and rounding is all that is left.
 */
#include "laws/masing/unit_power.h"

#include <math.h>

#include "linalg/chebyshev.h"

static double slope_to_one(double exponent, double m)
{
    return -expm1(exponent * log(m)) / (1.0 - m);
}

void unit_power_make(struct unit_power *table, double exponent)
{
    double values[UNIT_PIECES][UNIT_COEFFICIENTS];
    if (table->is_made && table->exponent == exponent) {
        return;
    }
    for (int k = 0; k < UNIT_OCTAVES; k++) {
        table->left[k] = exp2(-k * exponent);
        table->gone[k] = -expm1(-k * exponent * log(2.0));
    }
    for (int p = 0; p < UNIT_PIECES; p++) {
        for (int i = 0; i < UNIT_COEFFICIENTS; i++) {
            double t = chebyshev_point(UNIT_COEFFICIENTS, i);
            values[p][i] =
                slope_to_one(exponent, 0.5 + (p + 0.5 + 0.5 * t) / (2 * UNIT_PIECES));
        }
    }
    chebyshev_powers(UNIT_COEFFICIENTS, UNIT_PIECES, values[0], table->pieces[0]);
    table->exponent = exponent;
    table->is_made = true;
}
