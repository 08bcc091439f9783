/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/eigen.h"

#include <stddef.h>

#include <lapacke.h>

#include "linalg/one_thread.h"

/* LAPACKE's codes; an argument that is refused is one that is not a number. */
static enum masing_status status_of(lapack_int info, int n)
{
    if (info == 0) {
        return MASING_OK;
    }
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR) {
        return MASING_NO_MEMORY;
    }
    if (info < 0) {
        return MASING_NOT_FINITE;
    }
    return info > n ? MASING_SINGULAR : MASING_NOT_CONVERGED;
}

enum masing_status eigen_symmetric(int n, bool with_vectors, double *a, double *values)
{
    if (n == 0) {
        return MASING_OK;
    }
    hold_blas_to_one_thread();
    char job = with_vectors ? 'V' : 'N';
    return status_of(LAPACKE_dsyevd(LAPACK_COL_MAJOR, job, 'L', n, a, n, values), n);
}

enum masing_status eigen_symmetric_generalised(int n, bool with_vectors, double *a, double *b,
                                               double *values)
{
    if (n == 0) {
        return MASING_OK;
    }
    hold_blas_to_one_thread();
    char job = with_vectors ? 'V' : 'N';
    return status_of(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, job, 'L', n, a, n, b, n, values), n);
}

int cholesky_weak_row(int n, double *a, double tolerance, double *diagonal)
{
    for (int i = 0; i < n; i++) {
        diagonal[i] = a[(size_t)i * (size_t)(n + 1)];
    }
    hold_blas_to_one_thread();
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
