/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/exponential.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

/* Of Pade's approximant: exact to rounding up to a norm of 1/2 (Moler and Van Loan 2003). */
enum { ORDER = 8 };

/* Largest column sum; not finite where any number is not. */
static double norm(size_t n, const double *a)
{
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            sum += fabs(a[i + j * n]);
        }
        largest = sum <= largest ? largest : sum;
        if (!isfinite(sum)) {
            return sum;
        }
    }
    return largest;
}

static void add(size_t count, double factor, const double *x, double *y)
{
    for (size_t i = 0; i < count; i++) {
        y[i] += factor * x[i];
    }
}

enum masing_status matrix_exponential(int n, double *a, double *scratch, int *pivots)
{
    size_t rows = (size_t)n, count = rows * rows;
    double *power = scratch, *next = power + count, *even = next + count, *odd = even + count;
    double size = norm(rows, a), factor = 1.0;
    if (!isfinite(size)) {
        return MASING_NOT_FINITE;
    }
    int n_squarings; /* halvings after which the norm is at most a half */
    frexp(size, &n_squarings);
    n_squarings = n_squarings + 1 > 0 ? n_squarings + 1 : 0;
    memset(even, 0, 2 * count * sizeof(double));
    memset(power, 0, count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        a[i] = ldexp(a[i], -n_squarings);
    }
    for (size_t i = 0; i < rows; i++) {
        power[i * (rows + 1)] = 1.0;
    }
    add(count, 1.0, power, even);
    for (int k = 1; k <= ORDER; k++) {
        double *swap = next;
        dense_multiply(n, n, n, a, power, next);
        next = power;
        power = swap;
        factor *= (double)(ORDER - k + 1) / (double)(k * (2 * ORDER - k + 1));
        add(count, factor, power, k % 2 == 0 ? even : odd);
    }
    for (size_t i = 0; i < count; i++) { /* numerator and denominator */
        power[i] = even[i] + odd[i];
        next[i] = even[i] - odd[i];
    }
    NEED(lu_factor(n, next, pivots));
    lu_solve(n, next, pivots, power, n);
    for (int k = 0; k < n_squarings; k++) {
        double *swap = next;
        dense_multiply(n, n, n, power, power, next);
        next = power;
        power = swap;
    }
    memcpy(a, power, count * sizeof(double));
    return MASING_OK;
}
