/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/symmetric.h"

#include <stdbool.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "linalg/dense.h"

enum { TILE = SYMMETRIC_TILE, TILE_SIZE = TILE * TILE };
/* A product of fewer tiles' columns has one part. */
enum { FEW_TILES = 8 };
/* Rows and columns of a block of results that registers hold. */
enum { BLOCK_ROWS = 12, BLOCK_COLUMNS = 4, WIDE = 4, BLOCK_DOTS = 3 };

_Static_assert(TILE % BLOCK_ROWS == 0 && TILE % BLOCK_DOTS == 0, "whole blocks");

/* ---- where entries are ---- */

/* Of the tile in row I and column J <= I */
static size_t tile_place(size_t n, size_t row, size_t column)
{
    size_t n_tiles = symmetric_rows(n) / TILE;
    return (column * n_tiles - column * (column + 1) / 2 + row) * TILE_SIZE;
}

size_t symmetric_place(size_t n, size_t i, size_t j)
{
    size_t row = i > j ? i : j, column = i > j ? j : i;
    return tile_place(n, row / TILE, column / TILE) + row % TILE + column % TILE * TILE;
}

void symmetric_add_entry(size_t n, double *a, size_t i, size_t j, double value)
{
    a[symmetric_place(n, i, j)] += value;
    if (i != j && i / TILE == j / TILE) { /* the other half of a tile of the diagonal */
        size_t upper = i < j ? i : j, right = i < j ? j : i;
        a[tile_place(n, upper / TILE, right / TILE) + upper % TILE + right % TILE * TILE] +=
            value;
    }
}

void symmetric_pack(size_t n, const double *full, double *a)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            a[symmetric_place(n, i, j)] = 0.0;
            if (i / TILE == j / TILE) {
                a[tile_place(n, j / TILE, i / TILE) + j % TILE + i % TILE * TILE] = 0.0;
            }
            symmetric_add_entry(n, a, i, j, full[i + j * n]);
        }
    }
}

void symmetric_expand(size_t n, const double *a, double *full)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            full[i + j * n] = full[j + i * n] = a[symmetric_place(n, i, j)];
        }
    }
}

/* Entries of column j in the rows of a tile. */
struct piece {
    const double *values;
    size_t first, count, step; /* row, number and distance of the entries */
};

static struct piece piece_of(size_t n, const double *a, size_t j, size_t tile)
{
    size_t own = j / TILE, first = tile * TILE;
    return (struct piece){.values = tile < own ? a + tile_place(n, own, tile) + j % TILE
                                               : a + tile_place(n, tile, own) + j % TILE * TILE,
                          .first = first,
                          .count = n - first < TILE ? n - first : TILE,
                          .step = tile < own ? TILE : 1};
}

void symmetric_add_column(size_t n, const double *a, size_t j, double factor, double *column)
{
    for (size_t tile = 0; tile * TILE < n; tile++) {
        struct piece piece = piece_of(n, a, j, tile);
        for (size_t i = 0; i < piece.count; i++) {
            column[piece.first + i] += factor * piece.values[i * piece.step];
        }
    }
}

double symmetric_dot(size_t n, const double *a, size_t i, const double *x)
{
    double sum = 0.0;
    for (size_t tile = 0; tile * TILE < n; tile++) {
        struct piece piece = piece_of(n, a, i, tile);
        for (size_t j = 0; j < piece.count; j++) {
            sum += piece.values[j * piece.step] * x[piece.first + j];
        }
    }
    return sum;
}

/* ---- products ---- */

/* What a tile is multiplied with: columns of so many rows. */
struct columns {
    size_t rows;
    int n;
};

static void add_tile_plain(const double *a, struct columns columns, const double *x, double *y)
{
    int rows = (int)columns.rows;
    dense_add_parts(TILE, columns.n, TILE, a, TILE, x, rows, y, rows);
}

static void add_transposed_plain(const double *a, struct columns columns, const double *x,
                                 double *y)
{
    for (int c = 0; c < columns.n; c++) {
        const double *from = x + (size_t)c * columns.rows;
        for (int j = 0; j < TILE; j++) {
            y[(size_t)c * columns.rows + (size_t)j] += dense_dot(TILE, a + j * TILE, from);
        }
    }
}

#ifdef __x86_64__
#define WITH_REGISTERS __attribute__((target("avx2,fma")))
#define BLOCK static inline __attribute__((always_inline, target("avx2,fma")))

static bool has_registers(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* y [BLOCK_ROWS][n] += a [BLOCK_ROWS][TILE] x [TILE][n] */
BLOCK void add_block(const double *a, int n, size_t rows, const double *x, double *y)
{
    __m256d sums[BLOCK_COLUMNS][BLOCK_ROWS / WIDE];
    for (int c = 0; c < n; c++) {
        for (int r = 0; r < BLOCK_ROWS / WIDE; r++) {
            sums[c][r] = _mm256_loadu_pd(y + (size_t)c * rows + r * WIDE);
        }
    }
    for (int j = 0; j < TILE; j++) {
        __m256d column[BLOCK_ROWS / WIDE];
        for (int r = 0; r < BLOCK_ROWS / WIDE; r++) {
            column[r] = _mm256_loadu_pd(a + j * TILE + r * WIDE);
        }
        for (int c = 0; c < n; c++) {
            __m256d factor = _mm256_broadcast_sd(x + (size_t)c * rows + j);
            for (int r = 0; r < BLOCK_ROWS / WIDE; r++) {
                sums[c][r] = _mm256_fmadd_pd(column[r], factor, sums[c][r]);
            }
        }
    }
    for (int c = 0; c < n; c++) {
        for (int r = 0; r < BLOCK_ROWS / WIDE; r++) {
            _mm256_storeu_pd(y + (size_t)c * rows + r * WIDE, sums[c][r]);
        }
    }
}

BLOCK double total(__m256d parts)
{
    double values[WIDE];
    _mm256_storeu_pd(values, parts);
    return (values[0] + values[1]) + (values[2] + values[3]);
}

/* y [BLOCK_DOTS][n] += a [TILE][BLOCK_DOTS]^T x [TILE][n] */
BLOCK void add_dots(const double *a, int n, size_t rows, const double *x, double *y)
{
    __m256d sums[BLOCK_COLUMNS][BLOCK_DOTS];
    for (int c = 0; c < n; c++) {
        for (int j = 0; j < BLOCK_DOTS; j++) {
            sums[c][j] = _mm256_setzero_pd();
        }
    }
    for (int i = 0; i < TILE; i += WIDE) {
        __m256d column[BLOCK_DOTS];
        for (int j = 0; j < BLOCK_DOTS; j++) {
            column[j] = _mm256_loadu_pd(a + j * TILE + i);
        }
        for (int c = 0; c < n; c++) {
            __m256d factor = _mm256_loadu_pd(x + (size_t)c * rows + i);
            for (int j = 0; j < BLOCK_DOTS; j++) {
                sums[c][j] = _mm256_fmadd_pd(column[j], factor, sums[c][j]);
            }
        }
    }
    for (int c = 0; c < n; c++) {
        for (int j = 0; j < BLOCK_DOTS; j++) {
            y[(size_t)c * rows + (size_t)j] += total(sums[c][j]);
        }
    }
}

WITH_REGISTERS static void add_tile_wide(const double *a, struct columns columns,
                                         const double *x, double *y)
{
    size_t rows = columns.rows;
    int c = 0;
    for (; c + BLOCK_COLUMNS <= columns.n; c += BLOCK_COLUMNS) {
        for (int i = 0; i < TILE; i += BLOCK_ROWS) {
            add_block(a + i, BLOCK_COLUMNS, rows, x + (size_t)c * rows,
                      y + (size_t)c * rows + i);
        }
    }
    for (; c < columns.n; c++) {
        for (int i = 0; i < TILE; i += BLOCK_ROWS) {
            add_block(a + i, 1, rows, x + (size_t)c * rows, y + (size_t)c * rows + i);
        }
    }
}

WITH_REGISTERS static void add_transposed_wide(const double *a, struct columns columns,
                                               const double *x, double *y)
{
    size_t rows = columns.rows;
    int c = 0;
    for (; c + BLOCK_COLUMNS <= columns.n; c += BLOCK_COLUMNS) {
        for (int j = 0; j < TILE; j += BLOCK_DOTS) {
            add_dots(a + j * TILE, BLOCK_COLUMNS, rows, x + (size_t)c * rows,
                     y + (size_t)c * rows + j);
        }
    }
    for (; c < columns.n; c++) {
        for (int j = 0; j < TILE; j += BLOCK_DOTS) {
            add_dots(a + j * TILE, 1, rows, x + (size_t)c * rows, y + (size_t)c * rows + j);
        }
    }
}
#else
static bool has_registers(void)
{
    return false;
}

#define add_tile_wide add_tile_plain
#define add_transposed_wide add_transposed_plain
#endif

int symmetric_count_parts(size_t n)
{
    return symmetric_rows(n) / TILE < FEW_TILES ? 1 : SYMMETRIC_PARTS;
}

void symmetric_add_part(size_t n, const double *a, int part, int n_columns, const double *x,
                        double *y)
{
    const struct columns columns = {symmetric_rows(n), n_columns};
    size_t n_tiles = columns.rows / TILE, n_parts = (size_t)symmetric_count_parts(n);
    bool is_wide = has_registers();
    for (size_t column = (size_t)part; column < n_tiles; column += n_parts) {
        for (size_t row = column; row < n_tiles; row++) {
            const double *tile = a + tile_place(n, row, column);
            (is_wide ? add_tile_wide : add_tile_plain)(tile, columns, x + column * TILE,
                                                       y + row * TILE);
            if (row > column) {
                (is_wide ? add_transposed_wide : add_transposed_plain)(
                    tile, columns, x + row * TILE, y + column * TILE);
            }
        }
    }
}

void symmetric_add_product(size_t n, const double *a, int n_columns, const double *x, double *y)
{
    for (int part = 0; part < symmetric_count_parts(n); part++) {
        symmetric_add_part(n, a, part, n_columns, x, y);
    }
}
