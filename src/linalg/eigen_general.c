/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/eigen_general.h"

#include <math.h>
#include <stdlib.h>

#include <lapacke.h>

#include "base/check.h"
#include "base/memory.h"

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
    made->work = memory_array((size_t)made->n_work, sizeof *made->work);
    TRY_ALLOCATED(made->work);
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
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
        if (!isfinite(a[i])) {
            return MASING_NOT_FINITE;
        }
    }
    lapack_int info =
        LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', eigen->with_vectors ? 'V' : 'N', n, a, n,
                           real, imaginary, &unused, 1, eigen->with_vectors ? vectors : &unused,
                           eigen->with_vectors ? n : 1, eigen->work, eigen->n_work);
    return info == 0 ? MASING_OK : info > 0 ? MASING_NOT_CONVERGED : MASING_INTERNAL;
}
