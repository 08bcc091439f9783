/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/eigen.h"

#include <stdlib.h>

#include <lapacke.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"

static enum masing_status status_of(lapack_int info, int n)
{
    return info == 0  ? MASING_OK
           : info < 0 ? MASING_INTERNAL
           : info > n ? MASING_SINGULAR
                      : MASING_NOT_CONVERGED;
}

/* A v = lambda v, or A v = lambda B v where there is a B. */
static lapack_int call(int n, char job, double *a, double *b, double *values, double *real,
                       lapack_int n_real, lapack_int *integer, lapack_int n_integer)
{
    return b ? LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, job, 'L', n, a, n, b, n, values, real,
                                   n_real, integer, n_integer)
             : LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'L', n, a, n, values, real, n_real,
                                   integer, n_integer);
}

/*
 * LAPACKE's own allocating interfaces print when memory runs out, and a library does not print:
 * the workspace is allocated here, after LAPACK was asked for its size (-1).
 */
enum masing_status eigen_symmetric_generalised(int n, bool with_vectors, double *a, double *b,
                                               double *values)
{
    enum masing_status status = MASING_NO_MEMORY;
    size_t count = (size_t)n * (size_t)n;
    double n_real = 0;
    lapack_int n_integer = 0;
    char job = with_vectors ? 'V' : 'N';
    if (n == 0) {
        return MASING_OK;
    }
    if (!dense_is_finite(count, a) || (b && !dense_is_finite(count, b))) {
        return MASING_NOT_FINITE;
    }
    call(n, job, a, b, values, &n_real, -1, &n_integer, -1);
    double *real = memory_array((size_t)n_real, sizeof *real);
    lapack_int *integer = memory_array((size_t)n_integer, sizeof *integer);
    if (real && integer) {
        status = status_of(
            call(n, job, a, b, values, real, (lapack_int)n_real, integer, n_integer), n);
    }
    free(real);
    free(integer);
    return status;
}

enum masing_status eigen_symmetric(int n, bool with_vectors, double *a, double *values)
{
    return eigen_symmetric_generalised(n, with_vectors, a, NULL, values);
}

struct eigen_general {
    bool with_vectors;
    lapack_int n_work;
    double *work;
};

enum masing_status eigen_general_create(int n, bool with_vectors, struct eigen_general **eigen,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct eigen_general *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    double size = 0.0, unused = 0.0;
    lapack_int rows = n > 0 ? n : 1;
    made->with_vectors = with_vectors;
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', with_vectors ? 'V' : 'N', rows, &unused, rows,
                           &unused, &unused, &unused, 1, &unused, rows, &size, -1) != 0) {
        size = 4.0 * rows;
    }
    made->n_work = (lapack_int)size;
    TRY_ALLOCATED(made->work = memory_array((size_t)made->n_work, sizeof *made->work));
    *eigen = made;
    made = NULL;
done:
    eigen_general_destroy(made);
    return status;
}

void eigen_general_destroy(struct eigen_general *eigen)
{
    if (eigen) {
        free(eigen->work);
        free(eigen);
    }
}

enum masing_status eigen_general_solve(struct eigen_general *eigen, int n, double *a,
                                       double *real, double *imaginary, double *vectors)
{
    double unused = 0.0;
    if (n == 0) {
        return MASING_OK;
    }
    if (!dense_is_finite((size_t)n * (size_t)n, a)) {
        return MASING_NOT_FINITE;
    }
    lapack_int info =
        LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', eigen->with_vectors ? 'V' : 'N', n, a, n,
                           real, imaginary, &unused, 1, eigen->with_vectors ? vectors : &unused,
                           eigen->with_vectors ? n : 1, eigen->work, eigen->n_work);
    return status_of(info, n);
}
