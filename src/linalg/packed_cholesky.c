/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/packed_cholesky.h"

#include <lapacke.h>

/* The first columns of the lower triangle as they are; the triangle of the others lies
 * transposed in the corner that they leave free. */
size_t packed_place(size_t n, size_t i, size_t j)
{
    size_t half = (n + 1) / 2, rows = n % 2 ? n : n + 1, shift = 1 - n % 2;
    return j < half ? i + shift + j * rows : j - half + (i - half + 1 - shift) * rows;
}

enum masing_status packed_cholesky_factor(int n, double *a)
{
    return n > 0 && LAPACKE_dpftrf_work(LAPACK_COL_MAJOR, 'N', 'L', n, a) != 0 ? MASING_SINGULAR
                                                                               : MASING_OK;
}

void packed_cholesky_solve(int n, const double *l, double *b, int n_rhs)
{
    if (n > 0 && n_rhs > 0) {
        LAPACKE_dpftrs_work(LAPACK_COL_MAJOR, 'N', 'L', n, n_rhs, l, b, n);
    }
}
