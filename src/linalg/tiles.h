/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Products of square tiles, of which large matrices are made, with a few columns, in double and
 * in single precision. A tile's columns lie one after another, and each column of a result is
 * summed up in the same order whatever columns stand beside it.
 */
#ifndef MASING_LINALG_TILES_H
#define MASING_LINALG_TILES_H

#include <stddef.h>

/* Rows of a tile; a tile and what it is multiplied with fit into the nearest cache. */
enum { TILE_ROWS = 48, TILE_SIZE = TILE_ROWS * TILE_ROWS };

/* Tiles of n rows, and the rows with zeros up to whole tiles. */
static inline size_t tile_count(size_t n)
{
    return (n + TILE_ROWS - 1) / TILE_ROWS;
}

/* Where the tile in a row and a column <= row of tiles begins in a lower triangle of them,
 * which lies column by column of tiles. */
static inline size_t tile_place(size_t n_tiles, size_t row, size_t column)
{
    return (column * n_tiles - column * (column + 1) / 2 + row) * TILE_SIZE;
}

/* Columns of vectors: so many, and so far from one to the next. */
struct tile_columns {
    size_t rows;
    int n;
};

/* y += a x, TILE_ROWS rows of the columns from x and y on; y += a^T x of tiles one below the
 * other, as many times TILE_ROWS rows from x on. */
void tile_add_double(const double *a, struct tile_columns columns, const double *x, double *y);
void tile_add_transposed_double(const double *a, size_t n_tiles, struct tile_columns columns,
                                const double *x, double *y);
void tile_add_single(const float *a, struct tile_columns columns, const float *x, float *y);
void tile_add_transposed_single(const float *a, size_t n_tiles, struct tile_columns columns,
                                const float *x, float *y);

#endif
