/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With r = sqrt(1 - w) the half powers are gone and all functions are entire:
 *   slope = r^3 D(r),  D = 1.5 J_0.5(d r^2) / J_1.5(d),
 *   B / Q_L = integral from r to 1 of H = (1 - r) M(r),  H = 2 r^4 D, M its mean over [r, 1],
 * where 1 - r = w / (1 + r) keeps all digits of small displacements. D and M are interpolated
 * by polynomials, so that a sample costs two short sums and no integral.
 */
#include "laws/masing/rough_exact.h"

#include <math.h>

#include "base/pi.h"
#include "laws/masing/gauss_rule.h"
#include "laws/masing/rough_integrals.h"

enum { PIECES = ROUGH_EXACT_PIECES, N = ROUGH_EXACT_COEFFICIENTS };

/* Chebyshev points of a piece. */
static double node(int piece, int i)
{
    return (piece + 0.5 + 0.5 * cos(PI * (i + 0.5) / N)) / PIECES;
}

/* From values at a piece's nodes to powers of its own variable in [-1, 1]. */
static void interpolate(const double values[N], double powers[N])
{
    double before[N] = {0.0}, now[N] = {1.0}; /* Chebyshev polynomials as powers */
    for (int k = 0; k < N; k++) {
        powers[k] = 0.0;
    }
    for (int k = 0; k < N; k++) {
        double coefficient = 0.0, next[N] = {0.0};
        for (int i = 0; i < N; i++) {
            coefficient += (k ? 2.0 : 1.0) / N * values[i] * cos(PI * k * (i + 0.5) / N);
        }
        for (int j = 0; j < N; j++) {
            powers[j] += coefficient * now[j];
            next[j] = (j > 0 ? (k ? 2.0 : 1.0) * now[j - 1] : 0.0) - (k ? before[j] : 0.0);
        }
        for (int j = 0; j < N; j++) {
            before[j] = now[j];
            now[j] = next[j];
        }
    }
}

static int piece_of(double r, double *x)
{
    int piece = (int)(r * PIECES);
    piece = piece < PIECES ? piece : PIECES - 1;
    *x = 2.0 * (r * PIECES - piece) - 1.0;
    return piece;
}

static double sum(const double powers[N], double x)
{
    double value = powers[N - 1];
    for (int k = N - 2; k >= 0; k--) {
        value = powers[k] + x * value;
    }
    return value;
}

static double density(const struct rough_exact *curve, double r)
{
    double x;
    int piece = piece_of(r, &x);
    return 2.0 * r * r * r * r * sum(curve->slope[piece], x);
}

/* M(r) */
static double mean(const struct rough_exact *curve, double r)
{
    double total = 0.0;
    for (int i = 0; i < GAUSS_POINTS; i++) {
        struct gauss_point point = gauss_rule(i);
        total += point.weight * density(curve, r + (1.0 - r) * point.at);
    }
    return total;
}

void rough_exact_fill(struct rough_exact *curve, double depth, double cutoff)
{
    struct rough_integral whole, part, half;
    double values[N];
    rough_integrals(depth, cutoff, &whole, &half);
    curve->depth = depth;
    curve->cutoff = cutoff;
    for (int piece = 0; piece < PIECES; piece++) {
        for (int i = 0; i < N; i++) {
            double r = node(piece, i);
            rough_integrals(depth * r * r, cutoff, &part, &half);
            values[i] = 1.5 * half.value / whole.value;
        }
        interpolate(values, curve->slope[piece]);
    }
    for (int piece = 0; piece < PIECES; piece++) {
        for (int i = 0; i < N; i++) {
            values[i] = mean(curve, node(piece, i));
        }
        interpolate(values, curve->value[piece]);
    }
}

double rough_exact_value(const struct rough_exact *curve, double w, double *slope)
{
    double x, r = sqrt(1.0 - w);
    int piece = piece_of(r, &x);
    *slope = r * r * r * sum(curve->slope[piece], x);
    return w / (1.0 + r) * sum(curve->value[piece], x);
}

/* By the integrals themselves: B / Q_L = 1 - r^5 J_1.5(d r^2) / J_1.5(d) */
double rough_exact_change(const struct rough_exact *curve, double depth_change,
                          double cutoff_change, double w)
{
    struct rough_integral whole, part, unused;
    double d = curve->depth, y = 1.0 - w;
    rough_integrals(d, curve->cutoff, &whole, &unused);
    rough_integrals(d * y, curve->cutoff, &part, &unused);
    double part_change = part.by_d * y * depth_change + part.by_n * cutoff_change;
    double whole_change = whole.by_d * depth_change + whole.by_n * cutoff_change;
    double ratio = part.value / whole.value;
    return -y * y * sqrt(y) * (part_change - ratio * whole_change) / whole.value;
}
