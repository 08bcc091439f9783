/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Eigenvalues of a general real matrix, with a workspace that is made once. */
#ifndef MASING_LINALG_EIGEN_GENERAL_H
#define MASING_LINALG_EIGEN_GENERAL_H

#include <stdbool.h>

#include "masing/status.h"

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
