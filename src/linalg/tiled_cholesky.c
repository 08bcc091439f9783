/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/tiled_cholesky.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "linalg/tiles.h"

#define TILE_REAL double
#define TILE_NAME(x) x##_double
#define TILE_LAPACK(x) LAPACKE_d##x
#define TILE_BLAS(x) cblas_d##x
#include "linalg/tiled_cholesky_kind.h"

#undef TILE_REAL
#undef TILE_NAME
#undef TILE_LAPACK
#undef TILE_BLAS

#define TILE_REAL float
#define TILE_NAME(x) x##_single
#define TILE_LAPACK(x) LAPACKE_s##x
#define TILE_BLAS(x) cblas_s##x
#include "linalg/tiled_cholesky_kind.h"

static size_t number_size(const struct tiled_cholesky *matrix)
{
    return matrix->is_single ? sizeof(float) : sizeof(double);
}

static void set(const struct tiled_cholesky *matrix, size_t row, size_t column, double value)
{
    size_t at = tile_place(tile_count(matrix->n), row / TILE_ROWS, column / TILE_ROWS) +
                row % TILE_ROWS + column % TILE_ROWS * TILE_ROWS;
    if (matrix->is_single) {
        ((float *)matrix->tiles)[at] = (float)value;
    } else {
        ((double *)matrix->tiles)[at] = value;
    }
}

struct tiled_cholesky tiled_cholesky_create(size_t n, bool is_single, struct arena *arena)
{
    size_t n_tiles = tile_count(n);
    struct tiled_cholesky matrix = {.n = n, .is_single = is_single};
    size_t size = number_size(&matrix);
    matrix.tiles = arena_array(arena, n_tiles * (n_tiles + 1) / 2 * TILE_SIZE, size);
    matrix.scratch = arena_array(arena, TILE_SIZE, size);
    for (size_t i = n; matrix.tiles && i < n_tiles * TILE_ROWS; i++) {
        set(&matrix, i, i, 1.0); /* the identity reaches over the edge */
    }
    return matrix;
}

void tiled_cholesky_set_column(const struct tiled_cholesky *matrix, size_t j,
                               const double *values)
{
    for (size_t i = j; i < matrix->n; i++) {
        set(matrix, i, j, values[i - j]);
    }
}

enum masing_status tiled_cholesky_factor(const struct tiled_cholesky *matrix)
{
    size_t n_tiles = tile_count(matrix->n);
    return matrix->is_single ? factor_single(n_tiles, matrix->tiles, matrix->scratch)
                             : factor_double(n_tiles, matrix->tiles, matrix->scratch);
}

size_t tiled_cholesky_scratch(const struct tiled_cholesky *matrix)
{
    return 2 * tile_count(matrix->n) * TILE_ROWS * number_size(matrix);
}

void tiled_cholesky_solve(const struct tiled_cholesky *matrix, double *b, int n_columns,
                          void *scratch)
{
    if (matrix->is_single) {
        solve_columns_single(matrix, b, n_columns, scratch);
    } else {
        solve_columns_double(matrix, b, n_columns, scratch);
    }
}
