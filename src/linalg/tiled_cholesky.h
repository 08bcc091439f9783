/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cholesky's factorisation of a large symmetric positive definite matrix as the tiles of its
 * lower triangle, for many solves with a few columns each, which read each tile twice and copy
 * none; with numbers of single precision, as a preconditioner may have them, in half the memory
 * and time.
 */
#ifndef MASING_LINALG_TILED_CHOLESKY_H
#define MASING_LINALG_TILED_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "masing/status.h"

struct tiled_cholesky {
    size_t n;
    bool is_single;
    void *tiles;   /* of A, then of L, those of the diagonal inverted */
    void *scratch; /* one tile */
};

/* In the arena, whose failure tells that there is no room. */
struct tiled_cholesky tiled_cholesky_create(size_t n, bool is_single, struct arena *arena);

/* Rows j, j + 1, ... n - 1 of column j of A. */
void tiled_cholesky_set_column(const struct tiled_cholesky *matrix, size_t j,
                               const double *values);

/* A = L L^T. MASING_SINGULAR where A is not positive definite. */
enum masing_status tiled_cholesky_factor(const struct tiled_cholesky *matrix);

/* Bytes of scratch that a solve needs for each column. */
size_t tiled_cholesky_scratch(const struct tiled_cholesky *matrix);

/* b [n * n_columns] becomes A^-1 b. A column's result does not depend on the others. */
void tiled_cholesky_solve(const struct tiled_cholesky *matrix, double *b, int n_columns,
                          void *scratch);

#endif
