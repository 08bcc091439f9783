/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/matrix.h"

#include <math.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/message.h"

/* Numbers printed with 9 digits differ by this; noise beside large diagonals by the second. */
static const double RELATIVE_DIFFERENCE = 1e-8;
static const double DIAGONAL_DIFFERENCE = 1e-12;

static bool is_pair(double upper, double lower, double diagonals)
{
    double allowed = RELATIVE_DIFFERENCE * fmax(fabs(upper), fabs(lower)) +
                     DIAGONAL_DIFFERENCE * sqrt(fabs(diagonals));
    return fabs(upper - lower) <= allowed;
}

static enum masing_status check_finite(const struct masing_spec *spec, const char *name,
                                       struct masing_place place, const double *a,
                                       struct masing_error *error)
{
    size_t n = (size_t)spec->structure.n_dofs;
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(a[i])) {
            return model_refuse(spec, place, error,
                                "%s: entry (%d,%d) is %g, expected a finite number", name,
                                (int)(i % n) + 1, (int)(i / n) + 1, a[i]);
        }
    }
    return MASING_OK;
}

static enum masing_status check_pair(const struct masing_spec *spec, const char *name,
                                     struct masing_place place, const double *a, size_t i,
                                     size_t j, struct masing_error *error)
{
    size_t n = (size_t)spec->structure.n_dofs;
    double upper = a[i + j * n], lower = a[j + i * n];
    if (is_pair(upper, lower, a[i + i * n] * a[j + j * n])) {
        return MASING_OK;
    }
    return model_refuse(
        spec, place, error,
        "%s: expected a symmetric matrix: entry (%d,%d) is %.10g, (%d,%d) is %.10g", name,
        (int)i + 1, (int)j + 1, upper, (int)j + 1, (int)i + 1, lower);
}

enum masing_status matrix_symmetric_copy(const struct masing_spec *spec, const char *name,
                                         struct masing_place place, const double *a,
                                         double **copy, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)spec->structure.n_dofs;
    *copy = memory_copy(a, n * n, sizeof *a);
    TRY_ALLOCATED(*copy);
    TRY(check_finite(spec, name, place, a, error));
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i <= j; i++) {
            TRY(check_pair(spec, name, place, a, i, j, error));
            double mean = 0.5 * a[i + j * n] + 0.5 * a[j + i * n];
            (*copy)[i + j * n] = (*copy)[j + i * n] = mean;
        }
    }
done:
    return status;
}
