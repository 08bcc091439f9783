/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work of tiled_cholesky.c, which includes this once for each kind of numbers, with
 *   TILE_REAL      double or float
 *   TILE_NAME(x)   x with something of that kind behind it
 *   TILE_LAPACK(x), TILE_BLAS(x)   names of routines
 */

/* In column J of tiles: A_IJ - sum_K L_IK L_JK^T for all I >= J; scratch: -L_JK^T */
static void TILE_NAME(subtract_columns)(size_t n_tiles, size_t column, TILE_REAL *a,
                                        TILE_REAL *scratch)
{
    const struct tile_columns whole = {TILE_ROWS, TILE_ROWS};
    for (size_t k = 0; k < column; k++) {
        const TILE_REAL *across = a + tile_place(n_tiles, column, k);
        for (size_t i = 0; i < TILE_ROWS; i++) {
            for (size_t j = 0; j < TILE_ROWS; j++) {
                scratch[i * TILE_ROWS + j] = -across[j * TILE_ROWS + i];
            }
        }
        for (size_t row = column; row < n_tiles; row++) {
            TILE_NAME(tile_add)
            (a + tile_place(n_tiles, row, k), whole, scratch,
             a + tile_place(n_tiles, row, column));
        }
    }
}

static enum masing_status TILE_NAME(factor)(size_t n_tiles, TILE_REAL *a, TILE_REAL *scratch)
{
    for (size_t column = 0; column < n_tiles; column++) {
        TILE_REAL *own = a + tile_place(n_tiles, column, column);
        TILE_NAME(subtract_columns)(n_tiles, column, a, scratch);
        if (TILE_LAPACK(potrf_work)(LAPACK_COL_MAJOR, 'L', TILE_ROWS, own, TILE_ROWS) != 0) {
            return MASING_SINGULAR;
        }
        for (size_t row = column + 1; row < n_tiles; row++) {
            TILE_BLAS(trsm)
            (CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, TILE_ROWS,
             TILE_ROWS, 1, own, TILE_ROWS, a + tile_place(n_tiles, row, column), TILE_ROWS);
        }
        TILE_LAPACK(trtri_work)(LAPACK_COL_MAJOR, 'L', 'N', TILE_ROWS, own, TILE_ROWS);
        for (size_t j = 1; j < TILE_ROWS; j++) { /* products take the whole tile */
            memset(own + j * TILE_ROWS, 0, j * sizeof *own);
        }
    }
    return MASING_OK;
}

/* A tile's rows of x become those of y, which become their negatives. */
static void TILE_NAME(exchange)(struct tile_columns columns, TILE_REAL *x, TILE_REAL *y)
{
    for (size_t c = 0; c < (size_t)columns.n; c++) {
        for (size_t i = 0; i < TILE_ROWS; i++) {
            x[c * columns.rows + i] = y[c * columns.rows + i];
            y[c * columns.rows + i] = -y[c * columns.rows + i];
        }
    }
}

/* x becomes A^-1 x; minus, zero before, becomes -A^-1 x. */
static void TILE_NAME(solve)(size_t n_tiles, const TILE_REAL *a, struct tile_columns columns,
                             TILE_REAL *x, TILE_REAL *minus)
{
    for (size_t column = 0; column < n_tiles; column++) {
        TILE_REAL *own = x + column * TILE_ROWS, *negative = minus + column * TILE_ROWS;
        TILE_NAME(tile_add)(a + tile_place(n_tiles, column, column), columns, own, negative);
        TILE_NAME(exchange)(columns, own, negative);
        for (size_t row = column + 1; row < n_tiles; row++) {
            TILE_NAME(tile_add)
            (a + tile_place(n_tiles, row, column), columns, negative, x + row * TILE_ROWS);
        }
    }
    for (size_t column = n_tiles; column-- > 0;) {
        TILE_REAL *own = x + column * TILE_ROWS, *negative = minus + column * TILE_ROWS;
        TILE_NAME(tile_add_transposed)
        (a + tile_place(n_tiles, column + 1, column), n_tiles - column - 1, columns,
         negative + TILE_ROWS, own);
        for (size_t c = 0; c < (size_t)columns.n; c++) {
            memset(negative + c * columns.rows, 0, TILE_ROWS * sizeof *negative);
        }
        TILE_NAME(tile_add_transposed)
        (a + tile_place(n_tiles, column, column), 1, columns, own, negative);
        TILE_NAME(exchange)(columns, own, negative);
    }
}

static void TILE_NAME(solve_columns)(const struct tiled_cholesky *matrix, double *b,
                                     int n_columns, TILE_REAL *x)
{
    size_t n = matrix->n, n_tiles = tile_count(n), rows = n_tiles * TILE_ROWS;
    struct tile_columns columns = {rows, n_columns};
    TILE_REAL *minus = x + rows * (size_t)n_columns;
    memset(x, 0, 2 * rows * (size_t)n_columns * sizeof *x);
    for (size_t c = 0; c < (size_t)n_columns; c++) {
        for (size_t i = 0; i < n; i++) {
            x[c * rows + i] = (TILE_REAL)b[c * n + i];
        }
    }
    TILE_NAME(solve)(n_tiles, matrix->tiles, columns, x, minus);
    for (size_t c = 0; c < (size_t)n_columns; c++) {
        for (size_t i = 0; i < n; i++) {
            b[c * n + i] = (double)x[c * rows + i];
        }
    }
}
