/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Eigenproblems; dense, column-major, in place. */
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
 * A v = lambda B v with B positive definite, v^T B v = 1; NULL: the identity. Both are
 * overwritten; otherwise as above. MASING_SINGULAR where B is not positive definite.
 */
enum masing_status eigen_symmetric_generalised(int n, bool with_vectors, double *a, double *b,
                                               double *values);

/* Eigenvalues of a general real matrix, with a workspace that is made once. */
struct eigen_general;

/* For matrices of up to n rows. */
enum masing_status eigen_general_create(int n, bool with_vectors, struct eigen_general **eigen,
                                        struct masing_error *error);
void eigen_general_destroy(struct eigen_general *eigen);

/*
 * a [n * n], column-major, is overwritten; real, imaginary [n], conjugate pairs side by side,
 * the positive imaginary part first. vectors [n * n]: for a pair the real part in its first
 * column and the imaginary one in its second; NULL where the workspace has none.
 * MASING_NOT_FINITE, MASING_NOT_CONVERGED.
 */
enum masing_status eigen_general_solve(struct eigen_general *eigen, int n, double *a,
                                       double *real, double *imaginary, double *vectors);

#endif
