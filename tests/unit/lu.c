/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/lu.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { MAX_ORDER = 90 };

/* Numbers in [-1, 1), the same in every run (Knuth's 64-bit linear congruential generator) */
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1;
}

static const int orders[] = {1, 2, 7, 16, 40, 41, 64, MAX_ORDER};
enum { N_ORDERS = sizeof orders / sizeof *orders };

/* Largest |A x - b|, A [n * n] or its transpose */
static double defect(int n, const double *a, const double *x, const double *b, bool transposed)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double sum = -b[i];
        for (int j = 0; j < n; j++) {
            sum += (transposed ? a[j + i * n] : a[i + j * n]) * x[j];
        }
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

static void solutions_satisfy_the_equations(void)
{
    static double a[MAX_ORDER * MAX_ORDER], lu[MAX_ORDER * MAX_ORDER];
    static double b[3 * MAX_ORDER], x[3 * MAX_ORDER];
    int pivots[MAX_ORDER];
    uint64_t seed = 1;
    for (int o = 0; o < N_ORDERS; o++) {
        int n = orders[o];
        for (int i = 0; i < n * n; i++) {
            lu[i] = a[i] = draw(&seed);
        }
        for (int i = 0; i < 3 * n; i++) {
            x[i] = b[i] = draw(&seed);
        }
        CHECK(lu_factor(n, lu, pivots) == MASING_OK);
        lu_solve(n, lu, pivots, x, 3);
        for (int r = 0; r < 3; r++) {
            CHECK(defect(n, a, x + r * n, b + r * n, false) < 1e-11);
        }
        memcpy(x, b, sizeof x);
        lu_solve_transposed(n, lu, pivots, x, 3);
        CHECK(defect(n, a, x + 2 * n, b + 2 * n, true) < 1e-11);
    }
}

/* A permutation's, rows times signs; then unchanged by adding columns to one another. */
static void signs_are_those_of_determinants(void)
{
    static double a[64 * 64];
    int pivots[64];
    uint64_t seed = 4;
    for (int trial = 0; trial < 20; trial++) {
        int n = trial % 2 ? 64 : 6, sign = 1, row[64];
        for (int i = 0; i < n; i++) {
            row[i] = i;
        }
        for (int i = 0; i + 1 < n; i++) {
            int k = i + (int)((0.5 + 0.5 * draw(&seed)) * (n - i)), swap = row[i];
            k = k < n ? k : n - 1;
            row[i] = row[k];
            row[k] = swap;
            sign = k == i ? sign : -sign;
        }
        memset(a, 0, sizeof a);
        for (int j = 0; j < n; j++) {
            double value = draw(&seed);
            a[row[j] + j * n] = copysign(1.0, value);
            sign = value < 0.0 ? -sign : sign;
        }
        for (int j = 1; j < n; j++) {
            for (int i = 0; i < n; i++) {
                a[i + j * n] += 0.3 * a[i + (j - 1) * n];
            }
        }
        CHECK(lu_factor(n, a, pivots) == MASING_OK);
        CHECK(lu_sign(n, a, pivots) == sign);
    }
}

static void complex_solutions_satisfy_the_equations(void)
{
    enum { N = 12 };
    double complex a[N * N], lu[N * N], b[N], x[N];
    int pivots[N];
    uint64_t seed = 2;
    for (int i = 0; i < N * N; i++) {
        lu[i] = a[i] = draw(&seed) + I * draw(&seed);
    }
    for (int i = 0; i < N; i++) {
        x[i] = b[i] = draw(&seed) + I * draw(&seed);
    }
    CHECK(lu_factor_complex(N, lu, pivots) == MASING_OK);
    lu_solve_complex(N, lu, pivots, x, 1);
    for (int i = 0; i < N; i++) {
        double complex sum = -b[i];
        for (int j = 0; j < N; j++) {
            sum += a[i + j * N] * x[j];
        }
        CHECK(cabs(sum) < 1e-12);
    }
    memset(lu, 0, sizeof lu);
    CHECK(lu_factor_complex(N, lu, pivots) == MASING_SINGULAR);
}

/* A zero column, and one bad number at every place in turn */
static void unusable_matrices_are_refused(void)
{
    static double a[64 * 64];
    int pivots[64];
    for (int o = 0; o < 2; o++) {
        int n = o ? 64 : 5;
        uint64_t seed = 3;
        for (int i = 0; i < n * n; i++) {
            a[i] = i / n == n - 2 ? 0 : draw(&seed);
        }
        CHECK(lu_factor(n, a, pivots) == MASING_SINGULAR);
        for (int bad = 0; bad < n * n; bad += 1 + n / 7) {
            for (int i = 0; i < n * n; i++) {
                a[i] = draw(&seed);
            }
            a[bad] = bad % 2 ? NAN : INFINITY;
            CHECK(lu_factor(n, a, pivots) == MASING_SINGULAR);
        }
    }
}

static const struct tap_test tests[] = {
    {"solutions satisfy the equations", solutions_satisfy_the_equations},
    {"signs are those of determinants", signs_are_those_of_determinants},
    {"complex solutions satisfy the equations", complex_solutions_satisfy_the_equations},
    {"unusable matrices are refused", unusable_matrices_are_refused},
};

TAP_MAIN(tests)
