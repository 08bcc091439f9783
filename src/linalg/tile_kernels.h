/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The products of tiles.h for one kind of numbers: a part of tiles.c, which includes it once
 * for each, with TILE_REAL      double or float TILE_NAME(x)   x with something of that kind
 * behind it TILE_VECTOR, TILE_LOAD, TILE_STORE, TILE_BROADCAST, TILE_ZERO, TILE_MULTIPLY_ADD
 *                  its vectors of 32 bytes, on x86-64
 * Each column of a result is summed up in the same order, whatever columns stand beside it.
 */
/* y += a x */
static void TILE_NAME(add_plain)(const TILE_REAL *a, struct tile_columns columns,
                                 const TILE_REAL *x, TILE_REAL *y)
{
    for (int c = 0; c < columns.n; c++, x += columns.rows, y += columns.rows) {
        for (size_t j = 0; j < TILE_ROWS; j++) {
            for (size_t i = 0; i < TILE_ROWS; i++) {
                y[i] += a[j * TILE_ROWS + i] * x[j];
            }
        }
    }
}

/* y += a^T x, of tiles one below the other */
static void TILE_NAME(add_transposed_plain)(const TILE_REAL *a, size_t n_tiles,
                                            struct tile_columns columns, const TILE_REAL *x,
                                            TILE_REAL *y)
{
    for (int c = 0; c < columns.n; c++, x += columns.rows, y += columns.rows) {
        for (size_t j = 0; j < TILE_ROWS; j++) {
            TILE_REAL sum = 0;
            for (size_t t = 0; t < n_tiles; t++) {
                for (size_t i = 0; i < TILE_ROWS; i++) {
                    sum += a[t * TILE_SIZE + j * TILE_ROWS + i] * x[t * TILE_ROWS + i];
                }
            }
            y[j] += sum;
        }
    }
}

#ifdef __x86_64__

enum {
    TILE_NAME(WIDE) = 32 / sizeof(TILE_REAL),
    /* rows of a block of results that registers hold */
    TILE_NAME(BLOCK_ROWS) = 3 * TILE_NAME(WIDE)
};

_Static_assert(TILE_ROWS % TILE_NAME(BLOCK_ROWS) == 0, "whole blocks");

/* y [BLOCK_ROWS][n] += a [BLOCK_ROWS][TILE_ROWS] x [TILE_ROWS][n] */
TILE_BLOCK void TILE_NAME(add_block)(const TILE_REAL *a, int n, size_t rows, const TILE_REAL *x,
                                     TILE_REAL *y)
{
    TILE_VECTOR sums[TILE_COLUMNS][3];
    for (int c = 0; c < n; c++) {
        for (int r = 0; r < 3; r++) {
            sums[c][r] = TILE_LOAD(y + (size_t)c * rows + r * TILE_NAME(WIDE));
        }
    }
    for (size_t j = 0; j < TILE_ROWS; j++) {
        TILE_VECTOR column[3];
        for (int r = 0; r < 3; r++) {
            column[r] = TILE_LOAD(a + j * TILE_ROWS + r * TILE_NAME(WIDE));
        }
        for (int c = 0; c < n; c++) {
            TILE_VECTOR factor = TILE_BROADCAST(x + (size_t)c * rows + j);
            for (int r = 0; r < 3; r++) {
                sums[c][r] = TILE_MULTIPLY_ADD(column[r], factor, sums[c][r]);
            }
        }
    }
    for (int c = 0; c < n; c++) {
        for (int r = 0; r < 3; r++) {
            TILE_STORE(y + (size_t)c * rows + r * TILE_NAME(WIDE), sums[c][r]);
        }
    }
}

/* Of a vector, pair by pair */
TILE_BLOCK TILE_REAL TILE_NAME(total)(TILE_VECTOR parts)
{
    TILE_REAL values[TILE_NAME(WIDE)];
    TILE_STORE(values, parts);
    for (int half = 1; half < TILE_NAME(WIDE); half *= 2) {
        for (int i = 0; i < TILE_NAME(WIDE); i += 2 * half) {
            values[i] += values[i + half];
        }
    }
    return values[0];
}

/* y [TILE_DOTS][n] += a [TILE_ROWS][TILE_DOTS]^T x [TILE_ROWS][n] of tiles one below the other:
 * vectors are summed up once for all of them, which takes as long as several tiles. */
TILE_BLOCK void TILE_NAME(add_dots)(const TILE_REAL *a, size_t n_tiles, int n, size_t rows,
                                    const TILE_REAL *x, TILE_REAL *y)
{
    TILE_VECTOR sums[TILE_COLUMNS][TILE_DOTS];
    for (int c = 0; c < n; c++) {
        for (int j = 0; j < TILE_DOTS; j++) {
            sums[c][j] = TILE_ZERO();
        }
    }
    for (size_t t = 0; t < n_tiles; t++, a += TILE_SIZE, x += TILE_ROWS) {
        for (int i = 0; i < TILE_ROWS; i += TILE_NAME(WIDE)) {
            TILE_VECTOR column[TILE_DOTS];
            for (int j = 0; j < TILE_DOTS; j++) {
                column[j] = TILE_LOAD(a + j * TILE_ROWS + i);
            }
            for (int c = 0; c < n; c++) {
                TILE_VECTOR factor = TILE_LOAD(x + (size_t)c * rows + i);
                for (int j = 0; j < TILE_DOTS; j++) {
                    sums[c][j] = TILE_MULTIPLY_ADD(column[j], factor, sums[c][j]);
                }
            }
        }
    }
    for (int c = 0; c < n; c++) {
        for (int j = 0; j < TILE_DOTS; j++) {
            y[(size_t)c * rows + (size_t)j] += TILE_NAME(total)(sums[c][j]);
        }
    }
}

/* Some columns, of which the compiler knows how many. */
TILE_BLOCK void TILE_NAME(add_few)(const TILE_REAL *a, size_t n_tiles, int n, size_t rows,
                                   const TILE_REAL *x, TILE_REAL *y)
{
    (void)n_tiles; /* one */
    for (int i = 0; i < TILE_ROWS; i += TILE_NAME(BLOCK_ROWS)) {
        TILE_NAME(add_block)(a + i, n, rows, x, y + i);
    }
}

TILE_BLOCK void TILE_NAME(add_few_transposed)(const TILE_REAL *a, size_t n_tiles, int n,
                                              size_t rows, const TILE_REAL *x, TILE_REAL *y)
{
    for (int j = 0; j < TILE_ROWS; j += TILE_DOTS) {
        TILE_NAME(add_dots)(a + j * TILE_ROWS, n_tiles, n, rows, x, y + j);
    }
}

#define TILE_BY_COLUMNS(few)                                                                   \
    size_t rows = columns.rows, step = TILE_COLUMNS * rows;                                    \
    int n = columns.n;                                                                         \
    for (; n >= TILE_COLUMNS; n -= TILE_COLUMNS, x += step, y += step) {                       \
        few(a, n_tiles, TILE_COLUMNS, rows, x, y);                                             \
    }                                                                                          \
    switch (n) {                                                                               \
    case 3:                                                                                    \
        few(a, n_tiles, 3, rows, x, y);                                                        \
        break;                                                                                 \
    case 2:                                                                                    \
        few(a, n_tiles, 2, rows, x, y);                                                        \
        break;                                                                                 \
    case 1:                                                                                    \
        few(a, n_tiles, 1, rows, x, y);                                                        \
        break;                                                                                 \
    default:                                                                                   \
        break;                                                                                 \
    }

TILE_REGISTERS static void TILE_NAME(add_wide)(const TILE_REAL *a, struct tile_columns columns,
                                               const TILE_REAL *x, TILE_REAL *y)
{
    size_t n_tiles = 1;
    TILE_BY_COLUMNS(TILE_NAME(add_few));
}

TILE_REGISTERS
static void TILE_NAME(add_transposed_wide)(const TILE_REAL *a, size_t n_tiles,
                                           struct tile_columns columns, const TILE_REAL *x,
                                           TILE_REAL *y)
{
    TILE_BY_COLUMNS(TILE_NAME(add_few_transposed));
}

#undef TILE_BY_COLUMNS
#endif

void TILE_NAME(tile_add)(const TILE_REAL *a, struct tile_columns columns, const TILE_REAL *x,
                         TILE_REAL *y)
{
#ifdef __x86_64__
    if (has_registers()) {
        TILE_NAME(add_wide)(a, columns, x, y);
        return;
    }
#endif
    TILE_NAME(add_plain)(a, columns, x, y);
}

void TILE_NAME(tile_add_transposed)(const TILE_REAL *a, size_t n_tiles,
                                    struct tile_columns columns, const TILE_REAL *x,
                                    TILE_REAL *y)
{
#ifdef __x86_64__
    if (has_registers()) {
        TILE_NAME(add_transposed_wide)(a, n_tiles, columns, x, y);
        return;
    }
#endif
    TILE_NAME(add_transposed_plain)(a, n_tiles, columns, x, y);
}
