/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two variables make y(tau) analytic where it has a branch point and where it approaches its
 * limit:
 *   q <= 1/2:  x = +-tau^n = q S(q)^n,  S(q) = tau / y = sum_k q^k / (k n + 1);
 *   q >= 1/2:  eps = exp(-n (tau - tau_half)) = 2 e exp(C(e) - C(1/2)),  e = 1 - q,
 *              C(e) = sum_k c_k e^k / k,  c_k = prod_j (1 - 1 / (j n)),
 * the integrals of dy / (1 - q) over powers of q and of e. In x the nearest singularity is
 * where the flow without limit escapes, x = -(pi / n / sin(pi / n))^n < -1; in eps it is where
 * a state beyond the limit comes from, eps < -1, and y = 0, eps > 2. Polynomials of degree 13
 * on pieces whose middles lie five half widths or more from there are good to 1e-14 for any n.
 */
#include "laws/evolution/power_map.h"

#include <math.h>

#include "linalg/chebyshev.h"

enum { BELOW = 6, ABOVE = 3, FAR = POWER_PIECES - BELOW - ABOVE };

static const double LOWEST_EPS = -1.0 / 16.0; /* beyond POWER_HIGHEST */

static const double LAST_TERM = 1e-18;

/* S(q) - 1 */
static double series(double n, double q)
{
    double sum = 0.0, power = q, term = 1.0;
    if (q < -0.5) { /* in powers of q / (q - 1), with the factor (1 - q)^(-1/n) */
        double s = q / (q - 1.0);
        power = 1.0;
        for (int k = 1; term > LAST_TERM; k++) {
            power *= s * (k - 1.0 + 1.0 / n) / k;
            term = power / (k * n + 1.0);
            sum += term;
        }
        return pow(1.0 - q, -1.0 / n) * (1.0 + sum) - 1.0;
    }
    for (int k = 1; fabs(term) > LAST_TERM * fabs(q); k++) {
        term = power / (k * n + 1.0);
        sum += term;
        power *= q;
    }
    return sum;
}

/* C(e) */
static double limit_series(double n, double e)
{
    double sum = 0.0, power = 1.0;
    for (int k = 1; fabs(power) > LAST_TERM; k++) {
        power *= e * (1.0 - 1.0 / (k * n));
        sum += power / k;
        if (power == 0.0) {
            break;
        }
    }
    return sum;
}

/* (1 / S - 1) / x and (S^-n - 1) / x, for y / tau and q / x, by Newton's method for log(q). */
static void near_numbers(const struct power_map *map, double x, double numbers[2])
{
    enum { MAX_ITERATIONS = 50 };
    double n = map->n, q = x / (1.0 + fabs(x)), sum = series(n, q);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double change = (log(x / q) - n * log1p(sum)) * (1.0 + sum) * (1.0 - q);
        q = fmin(q * exp(change), 0.75);
        sum = series(n, q);
        if (fabs(change) < 1e-15) {
            break;
        }
    }
    numbers[0] = -sum / (1.0 + sum) / x;
    numbers[1] = expm1(-n * log1p(sum)) / x;
}

/* (y - 1) / e and e / eps at eps */
static void far_numbers(const struct power_map *map, double eps, double numbers[2])
{
    enum { MAX_ITERATIONS = 50 };
    double n = map->n, e = 0.0, growth = 2.0 * exp(-map->c_half);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double change = (eps - e * growth) / (growth * pow(1.0 - e, 1.0 / n - 1.0));
        e = fmin(e + change, 0.75);
        growth = 2.0 * exp(limit_series(n, e) - map->c_half);
        if (fabs(change) < 1e-16) {
            break;
        }
    }
    numbers[0] = e != 0.0 ? expm1(log1p(-e) / n) / e : -1.0 / n;
    numbers[1] = 1.0 / growth;
}

/* Pieces `first` on, `count` of equal width from `start` to `end`. */
static void make_pieces(struct power_map *map, int first, int count, double start, double end,
                        void (*numbers_at)(const struct power_map *, double, double[2]))
{
    enum { N = POWER_COEFFICIENTS };
    double width = (end - start) / count, values[2][N], powers[2][N], both[2];
    for (int p = 0; p < count; p++) {
        for (int i = 0; i < N; i++) {
            numbers_at(map, start + width * (p + 0.5 + 0.5 * chebyshev_point(N, i)), both);
            values[0][i] = both[0];
            values[1][i] = both[1];
        }
        chebyshev_powers(N, 2, values[0], powers[0]);
        for (int k = 0; k < N; k++) {
            map->pieces[first + p][k][0] = powers[0][k];
            map->pieces[first + p][k][1] = powers[1][k];
        }
    }
}

void power_map_make(struct power_map *map, double n)
{
    if (map->n == n) {
        return;
    }
    double s_half = 1.0 + series(n, 0.5);
    double lowest = POWER_LOWEST * pow(1.0 + series(n, POWER_LOWEST), n),
           highest = 0.5 * pow(s_half, n);
    map->n = n;
    map->tau_half = pow(0.5, 1.0 / n) * s_half;
    map->c_half = limit_series(n, 0.5);
    map->scale_below = BELOW / lowest;
    map->scale_above = ABOVE / highest;
    make_pieces(map, 0, BELOW, 0.0, lowest, near_numbers);
    make_pieces(map, BELOW, ABOVE, 0.0, highest, near_numbers);
    make_pieces(map, BELOW + ABOVE, FAR, LOWEST_EPS, 1.0, far_numbers);
}

/* Both numbers `at` pieces after the first of `count`. */
static void evaluate(const struct power_map *map, int first, int count, double at,
                     double numbers[2])
{
    int index = (int)at;
    index = index < count ? index : count - 1;
    const double(*c)[2] = map->pieces[first + index];
    double t = 2.0 * (at - index) - 1.0, square = t * t;
    double even[2] = {0.0, 0.0}, odd[2] = {0.0, 0.0};
    for (int k = POWER_COEFFICIENTS - 2; k >= 0; k -= 2) {
        for (int j = 0; j < 2; j++) {
            even[j] = even[j] * square + c[k][j];
            odd[j] = odd[j] * square + c[k + 1][j];
        }
    }
    numbers[0] = even[0] + t * odd[0];
    numbers[1] = even[1] + t * odd[1];
}

static double power(double tau, double n)
{
    return n == 1.0 ? tau : n == 2.0 ? tau * tau : pow(tau, n);
}

void power_map_place(const struct power_map *map, double tau, int side,
                     struct power_place *place)
{
    double numbers[2];
    if (side == 0 || tau < map->tau_half) {
        double x = side == 0 ? -power(tau, map->n) : power(tau, map->n);
        if (side == 0) {
            evaluate(map, 0, BELOW, x * map->scale_below, numbers);
        } else {
            evaluate(map, BELOW, ABOVE, x * map->scale_above, numbers);
        }
        place->y = tau + tau * x * numbers[0];
        place->q = x + x * x * numbers[1];
        place->e = 1.0 - place->q;
        return;
    }
    double eps = side * exp(-map->n * (tau - map->tau_half));
    evaluate(map, BELOW + ABOVE, FAR, (eps - LOWEST_EPS) * (FAR / (1.0 - LOWEST_EPS)), numbers);
    place->e = eps * numbers[1];
    place->y = 1.0 + place->e * numbers[0];
    place->q = 1.0 - place->e;
}

double power_map_tau(const struct power_map *map, double y, bool has_limit,
                     struct power_place *place)
{
    double n = map->n, q = power(y, n);
    place->y = y;
    place->q = has_limit ? q : -q;
    place->e = 1.0 - place->q;
    if (!(place->q >= POWER_LOWEST && place->q <= POWER_HIGHEST)) {
        return NAN; /* the series would not end */
    }
    if (place->q <= 0.5) {
        return y * (1.0 + series(n, place->q));
    }
    place->e = -expm1(n * log(y));
    double eps = 2.0 * fabs(place->e) * exp(limit_series(n, place->e) - map->c_half);
    return map->tau_half - log(eps) / n;
}

double power_map_lag(const struct power_map *map, double tau, const struct power_place *place)
{
    return place->q <= 0.5 ? place->y * series(map->n, place->q) : tau - place->y;
}
