/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/svd.h"

#include <math.h>
#include <stdlib.h>

#include <cblas.h>
#include <lapacke.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"

/* The workspace of the allocating interface cannot be reused: LAPACK is asked for its size. */
static lapack_int factor(struct svd *svd, int n, double *work, int n_work)
{
    double unused;
    return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'O', 'S', svd->n_rows, n, svd->matrix,
                               svd->n_rows, svd->values, &unused, 1, svd->vt, n, work, n_work);
}

enum masing_status svd_create(int n_rows, int max_columns, struct svd *svd,
                              struct masing_error *error)
{
    size_t n = (size_t)max_columns;
    double n_work = 0.0;
    *svd = (struct svd){.n_rows = n_rows, .max_columns = max_columns};
    svd->matrix = memory_array((size_t)n_rows * n + n * n + 2 * n, sizeof *svd->matrix);
    NEED_ALLOCATED(svd->matrix);
    svd->vt = svd->matrix + (size_t)n_rows * n;
    svd->values = svd->vt + n * n;
    svd->projections = svd->values + n;
    if (factor(svd, max_columns, &n_work, -1) != 0) {
        return masing_error_set(error, MASING_INTERNAL, "a matrix of %d by %d has no room",
                                n_rows, max_columns);
    }
    svd->n_work = (int)n_work;
    NEED_ALLOCATED(svd->work = memory_array((size_t)svd->n_work, sizeof *svd->work));
    return MASING_OK;
}

void svd_clear(struct svd *svd)
{
    free(svd->matrix);
    free(svd->work);
    *svd = (struct svd){0};
}

enum masing_status svd_factor(int n_columns, struct svd *svd)
{
    size_t size = (size_t)svd->n_rows * (size_t)n_columns;
    if (!dense_is_finite(size, svd->matrix)) {
        return MASING_NOT_FINITE;
    }
    svd->n_columns = n_columns;
    return factor(svd, n_columns, svd->work, svd->n_work) == 0 ? MASING_OK
                                                               : MASING_NOT_CONVERGED;
}

void svd_solve(const struct svd *svd, const double *b, double damping, double cutoff, double *x)
{
    int n = svd->n_columns;
    const double *s = svd->values;
    cblas_dgemv(CblasColMajor, CblasTrans, svd->n_rows, n, 1, svd->matrix, svd->n_rows, b, 1, 0,
                svd->projections, 1);
    for (int i = 0; i < n; i++) {
        bool is_used = s[i] > 0 && s[i] > cutoff * s[0];
        svd->projections[i] *= is_used ? s[i] / (s[i] * s[i] + damping) : 0.0;
    }
    cblas_dgemv(CblasColMajor, CblasTrans, n, n, 1, svd->vt, n, svd->projections, 1, 0, x, 1);
}

double svd_weight(const struct svd *svd, int unknown, int direction)
{
    return svd->vt[(size_t)unknown * (size_t)svd->n_columns + (size_t)direction];
}

bool svd_is_null(const struct svd *svd, double cutoff, int direction)
{
    return !(svd->values[direction] > cutoff * svd->values[0]);
}

double svd_condition(const struct svd *svd)
{
    double smallest = svd->values[svd->n_columns - 1];
    return smallest > 0 ? svd->values[0] / smallest : INFINITY;
}
