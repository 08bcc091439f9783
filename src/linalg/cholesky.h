/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cholesky's factorisation of symmetric matrices; dense, column-major, in place. */
#ifndef MASING_LINALG_CHOLESKY_H
#define MASING_LINALG_CHOLESKY_H

/*
 * A = L L^T; the lower triangle of a becomes L. Gives the index of the first row whose pivot is
 * not above `tolerance` times the diagonal of A there (the matrix is not positive definite, or
 * hardly), or -1 where all is well. diagonal [n] is scratch.
 */
int cholesky_weak_row(int n, double *a, double tolerance, double *diagonal);
/* b [n * n_rhs] becomes A^-1 b; l from cholesky_weak_row */
void cholesky_solve(int n, const double *l, double *b, int n_rhs);

#endif
