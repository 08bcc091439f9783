/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/placed_matrix.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

enum masing_status placed_matrix_create(int n_rows, int n_columns, bool is_complex,
                                        struct placed_matrix *matrix,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)n_rows * (size_t)n_columns;
    struct placed_matrix empty = {n_rows, n_columns, NULL, NULL, NULL};
    *matrix = empty;
    matrix->real = memory_array(n, sizeof(double));
    TRY_ALLOCATED(matrix->real);
    matrix->places = memory_array(n, sizeof *matrix->places);
    TRY_ALLOCATED(matrix->places);
    if (is_complex) {
        matrix->imaginary = memory_array(n, sizeof(double));
        TRY_ALLOCATED(matrix->imaginary);
    }
done:
    if (status != MASING_OK) {
        placed_matrix_clear(matrix);
    }
    return status;
}

void placed_matrix_clear(struct placed_matrix *matrix)
{
    struct placed_matrix empty = {0};
    free(matrix->real);
    free(matrix->imaginary);
    free(matrix->places);
    *matrix = empty;
}

static bool is_half_empty(const struct placed_matrix *matrix)
{
    bool has_lower = false, has_upper = false;
    for (int j = 0; j < matrix->n_columns; j++) {
        for (int i = 0; i < matrix->n_rows; i++) {
            bool is_there = matrix->real[(size_t)i + (size_t)j * (size_t)matrix->n_rows] != 0.0;
            has_lower = has_lower || (is_there && i > j);
            has_upper = has_upper || (is_there && i < j);
        }
    }
    return has_lower != has_upper;
}

static enum masing_status fail(const struct placed_matrix *matrix, int i, int j,
                               const char *file, struct masing_error *error)
{
    size_t n = (size_t)matrix->n_rows;
    size_t lower = (size_t)i + (size_t)j * n, upper = (size_t)j + (size_t)i * n;
    struct masing_place place = matrix->places[matrix->places[lower].line ? lower : upper];
    return masing_error_set(
        error, MASING_INVALID,
        "%.400s:%d:%d: the matrix is not symmetric: entry (%d, %d) is %g but entry (%d, %d) is "
        "%g%s",
        file, place.line, place.column, i + 1, j + 1, matrix->real[lower], j + 1, i + 1,
        matrix->real[upper],
        is_half_empty(matrix) ? "; a file that holds one triangle must be declared symmetric"
                              : "");
}

enum masing_status placed_matrix_symmetrize(struct placed_matrix *matrix, const char *file,
                                            struct masing_error *error)
{
    const double tolerance = 1e-10;
    size_t n = (size_t)matrix->n_rows;
    double *a = matrix->real;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++) {
            double lower = a[i + j * n], upper = a[j + i * n];
            double scale = sqrt(fabs(a[i + i * n])) * sqrt(fabs(a[j + j * n]));
            scale = fmax(scale, fmax(fabs(lower), fabs(upper)));
            if (fabs(lower - upper) > tolerance * scale) {
                return fail(matrix, (int)i, (int)j, file, error);
            }
            a[i + j * n] = a[j + i * n] = lower == upper ? lower : 0.5 * lower + 0.5 * upper;
        }
    }
    return MASING_OK;
}
