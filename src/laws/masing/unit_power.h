/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 1 - w^e for 0 <= w <= 1 and one exponent e >= 0, without loss of digits on either end. */
#ifndef MASING_LAWS_MASING_UNIT_POWER_H
#define MASING_LAWS_MASING_UNIT_POWER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { UNIT_OCTAVES = 40, UNIT_PIECES = 64, UNIT_COEFFICIENTS = 7 };

struct unit_power {
    double exponent;
    bool is_made;
    double left[UNIT_OCTAVES], gone[UNIT_OCTAVES]; /* 2^(-k e) and 1 - 2^(-k e) */
    double pieces[UNIT_PIECES][UNIT_COEFFICIENTS]; /* polynomials in -1 .. 1 over a piece */
};

/* Make the table unless it is there: 4 kB, some 20 us. */
void unit_power_make(struct unit_power *table, double exponent);

/* IEEE 754: sign, 11 bits of exponent, 52 of the fraction, of which the first tell the piece */
enum { UNIT_FRACTION_BITS = 52, UNIT_HALF_EXPONENT = 1022, UNIT_PIECE_BITS = 6 };

/* (1 - m^e) / (1 - m) for 1/2 <= m < 1 */
static inline double unit_power_slope(const struct unit_power *table, int piece, double m)
{
    const double *c = table->pieces[piece];
    double t = (m - 0.5) * (4 * UNIT_PIECES) - (2 * piece + 1), square = t * t;
    double even = c[0] + square * (c[2] + square * (c[4] + square * c[6]));
    double odd = c[1] + square * (c[3] + square * c[5]);
    return even + t * odd;
}

/* @param w in 0 .. 1, or beyond by rounding. Inline: one is called for every sample. */
static inline double unit_power_complement(const struct unit_power *table, double w)
{
    uint64_t bits;
    double m;
    memcpy(&bits, &w, sizeof bits);
    int k = UNIT_HALF_EXPONENT - (int)(bits >> UNIT_FRACTION_BITS);
    if (k < 0 || k >= UNIT_OCTAVES) { /* 1, or as good as zero */
        return w < 1.0 ? -expm1(table->exponent * log(w)) : 0.0;
    }
    int piece = (int)(bits >> (UNIT_FRACTION_BITS - UNIT_PIECE_BITS)) & (UNIT_PIECES - 1);
    bits += (uint64_t)k << UNIT_FRACTION_BITS;
    memcpy(&m, &bits, sizeof m);
    return table->gone[k] + table->left[k] * ((1.0 - m) * unit_power_slope(table, piece, m));
}

#endif
