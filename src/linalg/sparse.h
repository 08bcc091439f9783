/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symmetric sparse matrices: made from entries, multiplied, looked at. */
#ifndef MASING_LINALG_SPARSE_H
#define MASING_LINALG_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/sparse.h"
#include "masing/status.h"

/* An entry of either triangle, from 0. */
struct sparse_entry {
    int row, column;
    double value;
};

/* Entries at one place, in either triangle, add up in the order given. MASING_NO_MEMORY; the
 * matrix is empty then. */
enum masing_status sparse_create(int n, size_t n_entries, const struct sparse_entry *entries,
                                 struct masing_sparse *sparse, struct masing_error *error);
/* Of a symmetric matrix a [n * n], without its zeros. MASING_NO_MEMORY. */
enum masing_status sparse_from_dense(int n, const double *a, struct masing_sparse *sparse,
                                     struct masing_error *error);
/* A shared matrix lets go of its arrays. */
void sparse_clear(struct masing_sparse *sparse);
/* other becomes the same matrix, whose arrays the two share from then on and only read, in any
 * threads; false: there is no memory. */
bool sparse_share(struct masing_sparse *sparse, struct masing_sparse *other);

/* Index of the entry at a place of either triangle; -1 where there is none. */
int64_t sparse_find(const struct masing_sparse *sparse, int row, int column);

/* y [n * n_columns] = A x, column-major */
void sparse_multiply(const struct masing_sparse *sparse, int n_columns, const double *x,
                     double *y);

/* The same for many columns at a time; scratch [16 n] */
void sparse_multiply_many(const struct masing_sparse *sparse, int n_columns, const double *x,
                          double *y, double *scratch);

/* sum |x_i A_ij x_j|: what x^T A x is the difference of */
double sparse_gross(const struct masing_sparse *sparse, const double *x);

/* The size of what one rounding of each A_ij, at random, leaves in x^T A x, in units of the
 * roundings: the root of the sum of (x_i A_ij x_j)^2 */
double sparse_spread(const struct masing_sparse *sparse, const double *x);

/* forms [n_columns * n_columns] = X^T A X, from sums of more digits than doubles have: what is
 * left where their terms cancel. MASING_NO_MEMORY. */
enum masing_status sparse_forms(const struct masing_sparse *sparse, int n_columns,
                                const double *x, double *forms, struct masing_error *error);

/* a [n * n], column-major, both triangles */
void sparse_expand(const struct masing_sparse *sparse, double *a);

#endif
