/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cholesky factors of K + shift M, large and sparse (CHOLMOD: Chen, Davis, Hager and
 * Rajamanickam 2008). */
#ifndef MASING_LINALG_SPARSE_FACTOR_H
#define MASING_LINALG_SPARSE_FACTOR_H

#include <stddef.h>

#include "masing/sparse.h"
#include "masing/status.h"

struct sparse_factor; /* of one thread: workspaces are inside */

/*
 * Both matrices [n], mass may be NULL. MASING_SINGULAR: the sum is not positive definite, at
 * row *weak (from 0); MASING_NO_MEMORY.
 */
enum masing_status sparse_factor_create(const struct masing_sparse *stiffness,
                                        const struct masing_sparse *mass, double shift,
                                        struct sparse_factor **factor, int *weak,
                                        struct masing_error *error);
void sparse_factor_destroy(struct sparse_factor *factor);

/* columns [n * n_columns] are overwritten by the solutions. MASING_NO_MEMORY. */
enum masing_status sparse_factor_solve(struct sparse_factor *factor, int n_columns,
                                       double *columns, struct masing_error *error);

/* Entries of the factor. */
double sparse_factor_entries(const struct sparse_factor *factor);

#endif
