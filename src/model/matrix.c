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

static enum masing_status check_entry(const struct masing_spec *spec, const char *name,
                                      struct masing_place place, const double *a, int i, int j,
                                      struct masing_error *error)
{
    size_t n = (size_t)spec->structure.n_dofs, row = (size_t)i, column = (size_t)j;
    double upper = a[row + column * n], lower = a[column + row * n];
    if (!isfinite(upper) || !isfinite(lower)) {
        bool is_upper = !isfinite(upper);
        return model_refuse(
            spec, place, error, "%s: entry (%d,%d) is %g, expected a finite number", name,
            is_upper ? i + 1 : j + 1, is_upper ? j + 1 : i + 1, is_upper ? upper : lower);
    }
    if (!is_pair(upper, lower, a[row + row * n] * a[column + column * n])) {
        return model_refuse(
            spec, place, error,
            "%s: expected a symmetric matrix: entry (%d,%d) is %.10g, (%d,%d) is %.10g", name,
            i + 1, j + 1, upper, j + 1, i + 1, lower);
    }
    return MASING_OK;
}

enum masing_status matrix_symmetric_copy(const struct masing_spec *spec, const char *name,
                                         struct masing_place place, const double *a,
                                         double **copy, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)spec->structure.n_dofs;
    *copy = memory_copy(a, n * n, sizeof *a);
    TRY_ALLOCATED(*copy);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i <= j; i++) {
            TRY(check_entry(spec, name, place, a, (int)i, (int)j, error));
            double mean = 0.5 * a[i + j * n] + 0.5 * a[j + i * n];
            (*copy)[i + j * n] = (*copy)[j + i * n] = mean;
        }
    }
done:
    return status;
}
