/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/symmetric.h"

#include "linalg/tiles.h"

enum { TILE = TILE_ROWS };
/* A product of fewer tiles' columns has one part. */
enum { FEW_TILES = 8 };

/* ---- where entries are ---- */

size_t symmetric_place(size_t n, size_t i, size_t j)
{
    size_t row = i > j ? i : j, column = i > j ? j : i;
    return tile_place(tile_count(n), row / TILE, column / TILE) + row % TILE +
           column % TILE * TILE;
}

void symmetric_add_entry(size_t n, double *a, size_t i, size_t j, double value)
{
    a[symmetric_place(n, i, j)] += value;
    if (i != j && i / TILE == j / TILE) { /* the other half of a tile of the diagonal */
        size_t upper = i < j ? i : j, right = i < j ? j : i;
        a[tile_place(tile_count(n), upper / TILE, right / TILE) + upper % TILE +
          right % TILE * TILE] += value;
    }
}

void symmetric_pack(size_t n, const double *full, double *a)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            a[symmetric_place(n, i, j)] = 0.0;
            if (i / TILE == j / TILE) {
                a[tile_place(tile_count(n), j / TILE, i / TILE) + j % TILE + i % TILE * TILE] =
                    0.0;
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
    return (struct piece){
        .values = tile < own ? a + tile_place(tile_count(n), own, tile) + j % TILE
                             : a + tile_place(tile_count(n), tile, own) + j % TILE * TILE,
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

int symmetric_count_parts(size_t n)
{
    return tile_count(n) < FEW_TILES ? 1 : SYMMETRIC_PARTS;
}

/* y += a's part times x, in one precision */
#define SYMMETRIC_ADD_PART(name, real, add, add_transposed)                                    \
    void name(size_t n, const real *a, int part, int n_columns, const real *x, real *y)        \
    {                                                                                          \
        const struct tile_columns columns = {symmetric_rows(n), n_columns};                    \
        size_t n_tiles = tile_count(n), n_parts = (size_t)symmetric_count_parts(n);            \
        for (size_t column = (size_t)part; column < n_tiles; column += n_parts) {              \
            const real *below = a + tile_place(n_tiles, column + 1, column);                   \
            for (size_t row = column; row < n_tiles; row++) {                                  \
                add(a + tile_place(n_tiles, row, column), columns, x + column * TILE,          \
                    y + row * TILE);                                                           \
            }                                                                                  \
            add_transposed(below, n_tiles - column - 1, columns, x + (column + 1) * TILE,      \
                           y + column * TILE);                                                 \
        }                                                                                      \
    }

SYMMETRIC_ADD_PART(symmetric_add_part, double, tile_add_double, tile_add_transposed_double)
SYMMETRIC_ADD_PART(symmetric_add_part_single, float, tile_add_single,
                   tile_add_transposed_single)

void symmetric_add_product(size_t n, const double *a, int n_columns, const double *x, double *y)
{
    for (int part = 0; part < symmetric_count_parts(n); part++) {
        symmetric_add_part(n, a, part, n_columns, x, y);
    }
}
