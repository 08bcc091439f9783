/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A symmetric matrix as the square tiles of its lower triangle: half the memory, and each tile
 * is read once for a product, for which it serves twice. Tiles lie column by column of them,
 * each with its own columns one after another; those of the diagonal are full, and what
 * reaches over the edge is zero.
 */
#ifndef MASING_LINALG_SYMMETRIC_H
#define MASING_LINALG_SYMMETRIC_H

#include <stddef.h>

#include "linalg/tiles.h"

/* Most parts of a product, summed up apart. */
enum { SYMMETRIC_PARTS = 4 };

/* Rows of the vectors of a product: n, and zeros up to whole tiles. */
static inline size_t symmetric_rows(size_t n)
{
    return tile_count(n) * TILE_ROWS;
}

/* Numbers of a matrix of n rows. */
static inline size_t symmetric_size(size_t n)
{
    size_t n_tiles = tile_count(n);
    return n_tiles * (n_tiles + 1) / 2 * TILE_SIZE;
}

/* Where the entry of row i and column j is, or that of row j and column i. */
size_t symmetric_place(size_t n, size_t i, size_t j);
/* Adds to the entries of row i and column j and of row j and column i. */
void symmetric_add_entry(size_t n, double *a, size_t i, size_t j, double value);
/* full [n * n], of which the lower triangle counts; and back */
void symmetric_pack(size_t n, const double *full, double *a);
void symmetric_expand(size_t n, const double *a, double *full);

/* column [n] += factor times column j */
void symmetric_add_column(size_t n, const double *a, size_t j, double factor, double *column);
/* Row i times x [n] */
double symmetric_dot(size_t n, const double *a, size_t i, const double *x);

/* Parts of a product: the same for any number of threads. */
int symmetric_count_parts(size_t n);
/* y += a's part times x, columns of symmetric_rows(n) */
void symmetric_add_part(size_t n, const double *a, int part, int n_columns, const double *x,
                        double *y);
void symmetric_add_part_single(size_t n, const float *a, int part, int n_columns,
                               const float *x, float *y);
/* y += a x, of all parts */
void symmetric_add_product(size_t n, const double *a, int n_columns, const double *x,
                           double *y);

#endif
