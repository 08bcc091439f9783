/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/cholesky.h"

#include <lapacke.h>

int cholesky_weak_row(int n, double *a, double tolerance, double *diagonal)
{
    for (int i = 0; i < n; i++) {
        diagonal[i] = a[(size_t)i * (size_t)(n + 1)];
    }
    lapack_int info = n > 0 ? LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, n) : 0;
    int n_good = info > 0 ? info - 1 : n;
    for (int i = 0; i < n_good; i++) {
        double pivot = a[(size_t)i * (size_t)(n + 1)];
        if (!(pivot * pivot > tolerance * diagonal[i])) {
            return i;
        }
    }
    return info > 0 ? n_good : -1;
}

void cholesky_solve(int n, const double *l, double *b, int n_rhs)
{
    if (n > 0 && n_rhs > 0) {
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, n_rhs, l, n, b, n);
    }
}
