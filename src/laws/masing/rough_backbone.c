/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/masing/rough_backbone.h"

#include <math.h>

#include "linalg/chebyshev.h"

/*
 * Gauss's rule after the substitution s = r^2, which leaves no half powers: J_p = 2 integral
 * from 0 to 1 of r^(2p+1) phi(n - d (1 - r^2)) dr.
 * Gauss-Legendre with sixteen points in each of four panels.
 */
enum { PANELS = 4, HALF = 8, N_POINTS = 2 * HALF * PANELS };

/* Sixteen points on [-1, 1] (Abramowitz and Stegun, table 25.4). */
static const double nodes[HALF] = {0.09501250983763744051, 0.28160355077925891543,
                                   0.45801677765722736968, 0.61787624440264377057,
                                   0.75540440835500299865, 0.86563120238783175520,
                                   0.94457502307323260027, 0.98940093499164993851};
static const double weights[HALF] = {0.18945061045506850217, 0.18260341504492358378,
                                     0.16915651939500253587, 0.14959598881657673597,
                                     0.12462897125553387689, 0.09515851168249278569,
                                     0.06225352393864789363, 0.02715245941175409641};

struct point {
    double at, weight; /* of the rule on [0, 1]; weights sum to 1 */
};

static struct point point_of_rule(int i)
{
    int panel = i / (2 * HALF), k = i % (2 * HALF);
    double x = k < HALF ? -nodes[HALF - 1 - k] : nodes[k - HALF];
    double weight = weights[k < HALF ? HALF - 1 - k : k - HALF];
    return (struct point){(panel + 0.5 + 0.5 * x) / PANELS, 0.5 * weight / PANELS};
}

static const double NORMAL = 0.39894228040143267794; /* 1 / sqrt(2 pi) */

static void add(struct rough_integral *integral, double density, double t, double below)
{
    integral->value += density;
    integral->by_d += density * t * below; /* phi' = -t phi, dt = -(1 - s) dd */
    integral->by_n -= density * t;
}

void rough_integrals(double d, double n, struct rough_integral *three_halves,
                     struct rough_integral *half)
{
    *three_halves = *half = (struct rough_integral){0};
    for (int i = 0; i < N_POINTS; i++) {
        struct point point = point_of_rule(i);
        double s = point.at * point.at, below = 1.0 - s, t = n - d * below;
        double density = 2.0 * NORMAL * exp(-0.5 * t * t) * point.weight * s;
        add(three_halves, density * s, t, below);
        add(half, density, t, below);
    }
}

/*
 * The exponential curve. Three forms of the same function, so that no digits cancel: a series
 * where |Omega| <= 1, and exponentials with negative exponents on either side.
 */
static const double SERIES = 1.0; /* |Omega| up to which the series is used */

/* 1 / (k + 2)! */
static const double coefficients[] = {0x1p-1,
                                      1.0 / 6,
                                      1.0 / 24,
                                      1.0 / 120,
                                      1.0 / 720,
                                      1.0 / 5040,
                                      1.0 / 40320,
                                      1.0 / 362880,
                                      1.0 / 3628800,
                                      1.0 / 39916800,
                                      1.0 / 479001600,
                                      1.0 / 6227020800,
                                      1.0 / 87178291200,
                                      1.0 / 1307674368000,
                                      1.0 / 20922789888000,
                                      1.0 / 355687428096000,
                                      1.0 / 6402373705728000};

enum { N_COEFFICIENTS = sizeof coefficients / sizeof *coefficients };

/* g(z) = (z - 1 + e^(-z)) / z^2 for |z| <= 1 */
static double second_mean(double z)
{
    double sum = 0.0;
    for (int k = N_COEFFICIENTS - 1; k >= 0; k--) {
        sum = coefficients[k] - z * sum;
    }
    return sum;
}

static double second_mean_slope(double z)
{
    double sum = 0.0;
    for (int k = N_COEFFICIENTS - 1; k >= 1; k--) {
        sum = k * coefficients[k] - z * sum;
    }
    return -sum;
}

/* (1 - e^(-z)) / z for z >= 0 */
static double mean_of(double z)
{
    return z > 0.0 ? -expm1(-z) / z : 1.0;
}

/* Its slope, any z >= -1. */
static double mean_slope(double z)
{
    if (fabs(z) <= SERIES) {
        return -second_mean(z) - z * second_mean_slope(z);
    }
    return (exp(-z) * (1.0 + z) - 1.0) / (z * z);
}

static struct rough_exponential curve_of(double omega)
{
    double size = fabs(omega);
    struct rough_exponential curve = {.omega = omega, .decay = exp(-size)};
    curve.complete = omega < 0.0 ? -expm1(-size) : 1.0 - curve.decay;
    curve.mean = size <= SERIES ? 1.0 - omega * second_mean(omega) : -expm1(-omega) / omega;
    return curve;
}

/* q of an Omega >= 0, and its slope. */
static double share_of(double omega, double *slope)
{
    if (omega <= SERIES) {
        double g = second_mean(omega), mean = 1.0 - omega * g;
        *slope = -(second_mean_slope(omega) * mean - g * mean_slope(omega)) / (mean * mean);
        return 1.0 - g / mean;
    }
    double decay = exp(-omega), complete = 1.0 - decay;
    *slope = -1.0 / (omega * omega) + decay / (complete * complete);
    return 1.0 / omega - decay / complete;
}

/* q falls with Omega and is convex, so that Newton's method from the left rises to the root. */
static double solve(double q)
{
    enum { MAX_ITERATIONS = 60 };
    static const double LAST_DIGIT = 1e-16;
    static const double NO_TAIL_RATIO = 0.02; /* here e^(-1/q) is below rounding */
    if (q < NO_TAIL_RATIO) {
        return 1.0 / q;
    }
    double omega = 12.0 * (0.5 - q); /* q = 1/2 - Omega/12 + Omega^3/720 - ... */
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double slope, step = (q - share_of(omega, &slope)) / slope;
        if (!(step > LAST_DIGIT * omega)) {
            break;
        }
        omega += step;
    }
    return omega;
}

struct rough_exponential rough_exponential_of(double q)
{
    return curve_of(q > 0.5 ? -solve(1.0 - q) : solve(q));
}

double rough_exponential_by_q(const struct rough_exponential *curve)
{
    double slope;
    share_of(fabs(curve->omega), &slope); /* q(-Omega) = 1 - q(Omega) */
    return 1.0 / slope;
}

/* B = K x_L w [1 - w g(Omega w) / E(Omega)] with E the mean above */
static double value_near(const struct rough_exponential *curve, double w, double *slope)
{
    double z = curve->omega * w, g = second_mean(z);
    *slope = fmax(1.0 - w * (1.0 - z * g) / curve->mean, 0.0);
    return w * (1.0 - w * g / curve->mean);
}

static double value_steep(const struct rough_exponential *curve, double w, double *slope)
{
    static const double EXPM1_NEEDED = 0.7; /* up to where e^(-z) - 1 needs its own function */
    double z = curve->omega * w, gone, left;
    if (z < EXPM1_NEEDED) {
        gone = -expm1(-z);
        left = 1.0 - gone;
    } else {
        left = exp(-z);
        gone = 1.0 - left;
    }
    *slope = fmax(left - curve->decay, 0.0) / curve->complete;
    return w > 0.0 ? w * (gone / z - curve->decay) / curve->complete : 0.0;
}

/* q > 1/2, with P = -Omega: f = w [1 - e^(-P (1 - w)) E(P w)] / (1 - e^(-P)) */
static double value_blunt(const struct rough_exponential *curve, double w, double *slope)
{
    double size = -curve->omega, open = -expm1(-size * (1.0 - w));
    *slope = open / curve->complete;
    return w * (1.0 - (1.0 - open) * mean_of(size * w)) / curve->complete;
}

double rough_exponential_value(const struct rough_exponential *curve, double w, double *slope)
{
    if (fabs(curve->omega) <= SERIES) {
        return value_near(curve, w, slope);
    }
    return curve->omega > 0.0 ? value_steep(curve, w, slope) : value_blunt(curve, w, slope);
}

double rough_exponential_by_omega(const struct rough_exponential *curve, double w)
{
    double slope, f = rough_exponential_value(curve, w, &slope), z = curve->omega * w;
    if (fabs(curve->omega) <= SERIES) {
        double mean = curve->mean, mean_change = mean_slope(curve->omega);
        return -w * w * (w * second_mean_slope(z) - second_mean(z) * mean_change / mean) / mean;
    }
    if (curve->omega > 0.0) {
        return (w * w * mean_slope(z) + curve->decay * (w - f)) / curve->complete;
    }
    double size = -curve->omega, closed = exp(-size * (1.0 - w));
    double share = closed * mean_of(size * w);
    double share_change = w * closed * mean_slope(size * w) - (1.0 - w) * share;
    return (w * share_change + f * curve->decay) / curve->complete;
}

/*
 * The integral over the summits. With r = sqrt(1 - w) the half powers are gone and all
 * functions are entire: slope = r^3 D(r),  D = 1.5 J_0.5(d r^2) / J_1.5(d), B / Q_L = integral
 * from r to 1 of H = (1 - r) M(r),  H = 2 r^4 D, M its mean over [r, 1], where 1 - r = w / (1 +
 * r) keeps all digits of small displacements. D and M are interpolated by polynomials, so that
 * a sample costs two short sums and no integral.
 */
enum { PIECES = ROUGH_EXACT_PIECES, N = ROUGH_EXACT_COEFFICIENTS };

/* Chebyshev points of a piece. */
static double piece_node(int piece, int i)
{
    return (piece + 0.5 + 0.5 * chebyshev_point(N, i)) / PIECES;
}

static int piece_of(double r, double *x)
{
    int piece = (int)(r * PIECES);
    piece = piece < PIECES ? piece : PIECES - 1;
    *x = 2.0 * (r * PIECES - piece) - 1.0;
    return piece;
}

static double polynomial(const double powers[N], double x)
{
    double value = powers[N - 1];
    for (int k = N - 2; k >= 0; k--) {
        value = powers[k] + x * value;
    }
    return value;
}

static double summit_density(const struct rough_exact *curve, double r)
{
    double x;
    int piece = piece_of(r, &x);
    return 2.0 * r * r * r * r * polynomial(curve->slope[piece], x);
}

/* M(r) */
static double density_mean(const struct rough_exact *curve, double r)
{
    double total = 0.0;
    for (int i = 0; i < N_POINTS; i++) {
        struct point point = point_of_rule(i);
        total += point.weight * summit_density(curve, r + (1.0 - r) * point.at);
    }
    return total;
}

void rough_exact_fill(struct rough_exact *curve, double depth, double cutoff)
{
    struct rough_integral whole, part, half;
    double values[PIECES][N];
    rough_integrals(depth, cutoff, &whole, &half);
    curve->depth = depth;
    curve->cutoff = cutoff;
    for (int piece = 0; piece < PIECES; piece++) {
        for (int i = 0; i < N; i++) {
            double r = piece_node(piece, i);
            rough_integrals(depth * r * r, cutoff, &part, &half);
            values[piece][i] = 1.5 * half.value / whole.value;
        }
    }
    chebyshev_powers(N, PIECES, values[0], curve->slope[0]);
    for (int piece = 0; piece < PIECES; piece++) {
        for (int i = 0; i < N; i++) {
            values[piece][i] = density_mean(curve, piece_node(piece, i));
        }
    }
    chebyshev_powers(N, PIECES, values[0], curve->value[0]);
}

double rough_exact_value(const struct rough_exact *curve, double w, double *slope)
{
    double x, r = sqrt(1.0 - w);
    int piece = piece_of(r, &x);
    *slope = r * r * r * polynomial(curve->slope[piece], x);
    return w / (1.0 + r) * polynomial(curve->value[piece], x);
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
