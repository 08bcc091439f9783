/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symmetric eigenproblems and Cholesky's factorisation; dense, column-major, in place. */
#ifndef MASING_LINALG_EIGEN_H
#define MASING_LINALG_EIGEN_H

#include <stdbool.h>

#include "masing/status.h"

/*
 * A v = lambda v. a [n * n] is overwritten, by the orthonormal eigenvectors when they are
 * asked for; values [n] ascending. MASING_NOT_FINITE, MASING_NOT_CONVERGED, MASING_NO_MEMORY.
 */
enum masing_status eigen_symmetric(int n, bool with_vectors, double *a, double *values);

/*
 * A v = lambda B v with B positive definite, v^T B v = 1. Both are overwritten; otherwise as
 * above. MASING_SINGULAR where B is not positive definite.
 */
enum masing_status eigen_symmetric_generalised(int n, bool with_vectors, double *a, double *b,
                                               double *values);

/*
 * A = L L^T; the lower triangle of a becomes L. Gives the index of the first row whose pivot is
 * not above `tolerance` times the diagonal of A there (the matrix is not positive definite, or
 * hardly), or -1 where all is well. diagonal [n] is scratch.
 */
int cholesky_weak_row(int n, double *a, double tolerance, double *diagonal);
/* b [n * n_rhs] becomes A^-1 b; l from cholesky_weak_row */
void cholesky_solve(int n, const double *l, double *b, int n_rhs);

#endif
