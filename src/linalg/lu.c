/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/lu.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <lapacke.h>

#include "linalg/dense.h"

/*
 * Largest order for which the plain loops below are faster than LAPACK. Measured with OpenBLAS
 * 0.3.21 on one thread, gcc 12 -O3 without wider vectors, us per factorisation (plain, LAPACK):
 *   n = 8: 0.12, 0.32   16: 0.53, 1.3   31: 3.5, 5.5   40: 6.3, 7.1   48: 10, 10   80: 35, 22
 * and per solution of one right-hand side:
 *   n = 8: 0.10, 0.18   16: 0.21, 0.36  31: 0.53, 0.83 40: 0.63, 0.93
 */
enum { N_PLAIN = 40 };

static void swap_rows(int n, double *a, int i, int j)
{
    for (int k = 0; k < n; k++, a += n) {
        double old = a[i];
        a[i] = a[j];
        a[j] = old;
    }
}

static int pivot_row(int n, const double *column, int first)
{
    int row = first;
    double largest = fabs(column[first]);
    for (int i = first + 1; i < n; i++) {
        double size = fabs(column[i]);
        row = size > largest ? i : row;
        largest = size > largest ? size : largest;
    }
    return row;
}

/* b becomes L^-1 b for the first `n_columns` columns of L, four at a time, so that b is loaded
 * and stored less often. */
static inline void eliminate_columns(int n, int n_columns, const double *l, double *restrict b)
{
    int k = 0;
    for (; k + 4 <= n_columns; k += 4, l += 4 * (size_t)n) {
        const double *restrict l0 = l, *restrict l1 = l0 + n;
        const double *restrict l2 = l1 + n, *restrict l3 = l2 + n;
        double b0 = b[k], b1 = b[k + 1] - b0 * l0[k + 1];
        double b2 = b[k + 2] - b0 * l0[k + 2] - b1 * l1[k + 2];
        double b3 = b[k + 3] - b0 * l0[k + 3] - b1 * l1[k + 3] - b2 * l2[k + 3];
        b[k + 1] = b1;
        b[k + 2] = b2;
        b[k + 3] = b3;
        for (int i = k + 4; i < n; i++) {
            b[i] = b[i] - b0 * l0[i] - b1 * l1[i] - b2 * l2[i] - b3 * l3[i];
        }
    }
    for (; k < n_columns; k++, l += n) {
        double factor = b[k];
        for (int i = k + 1; i < n; i++) {
            b[i] -= factor * l[i];
        }
    }
}

/*
 * The same with registers of four numbers, where there are some, which leaves every bit as it
 * is: no sum is taken in another order, and none is contracted with its product.
 */
#ifdef __x86_64__
__attribute__((target("avx"))) static void eliminate_wide(int n, int n_columns, const double *l,
                                                          double *restrict b)
{
    eliminate_columns(n, n_columns, l, b);
}

static bool has_wide(void)
{
    return __builtin_cpu_supports("avx");
}
#else
static void eliminate_wide(int n, int n_columns, const double *l, double *restrict b)
{
    eliminate_columns(n, n_columns, l, b);
}

static bool has_wide(void)
{
    return false;
}
#endif

static void eliminate(int n, int n_columns, const double *l, double *restrict b)
{
    if (has_wide()) {
        eliminate_wide(n, n_columns, l, b);
    } else {
        eliminate_columns(n, n_columns, l, b);
    }
}

/* Left-looking: a column is changed by all that stand before it at once. */
static bool factor_plain(int n, double *a, int *pivots)
{
    for (int k = 0; k < n; k++) {
        double *column = a + (size_t)k * (size_t)n;
        if (k > 0) {
            eliminate(n, k, a, column);
        }
        int row = pivot_row(n, column, k);
        pivots[k] = row + 1;
        if (column[row] == 0) {
            return false;
        }
        if (row != k) {
            swap_rows(n, a, k, row);
        }
        double pivot = column[k];
        for (int i = k + 1; i < n; i++) {
            column[i] /= pivot;
        }
    }
    return true;
}

static void solve_plain(int n, const double *lu, const int *pivots, double *restrict b)
{
    for (int k = 0; k < n; k++) {
        int row = pivots[k] - 1;
        double old = b[row];
        b[row] = b[k];
        b[k] = old;
    }
    eliminate(n, n, lu, b);
    for (int k = n - 1; k >= 0; k--) {
        const double *column = lu + (size_t)k * (size_t)n;
        double factor = b[k] /= column[k];
        for (int i = 0; i < k; i++) {
            b[i] -= factor * column[i];
        }
    }
}

enum masing_status lu_factor(int n, double *a, int *pivots)
{
    bool is_regular = false;
    if (n <= N_PLAIN) {
        is_regular = factor_plain(n, a, pivots);
    } else {
        is_regular = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivots) == 0;
    }
    return is_regular && dense_is_finite((size_t)n * (size_t)n, a) ? MASING_OK
                                                                   : MASING_SINGULAR;
}

int lu_sign(int n, const double *lu, const int *pivots)
{
    bool is_negative = false;
    for (int k = 0; k < n; k++) {
        bool is_exchanged = pivots[k] != k + 1;
        is_negative ^= is_exchanged ^ (lu[(size_t)k * (size_t)(n + 1)] < 0.0);
    }
    return is_negative ? -1 : 1;
}

void lu_solve(int n, const double *lu, const int *pivots, double *b, int n_rhs)
{
    if (n > N_PLAIN) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, n_rhs, lu, n, pivots, b, n);
        return;
    }
    for (int j = 0; j < n_rhs; j++) {
        solve_plain(n, lu, pivots, b + (size_t)j * (size_t)n);
    }
}

void lu_solve_transposed(int n, const double *lu, const int *pivots, double *b, int n_rhs)
{
    if (n > 0) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, n_rhs, lu, n, pivots, b, n);
    }
}

enum masing_status lu_factor_complex(int n, double complex *a, int *pivots)
{
    lapack_int info = n > 0 ? LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivots) : 0;
    return info == 0 && dense_is_finite(2 * (size_t)n * (size_t)n, (const double *)a)
               ? MASING_OK
               : MASING_SINGULAR;
}

void lu_solve_complex(int n, const double complex *lu, const int *pivots, double complex *b,
                      int n_rhs)
{
    if (n > 0 && n_rhs > 0) {
        LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'N', n, n_rhs, lu, n, pivots, b, n);
    }
}
