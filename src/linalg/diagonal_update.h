/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Eigenvalues l and vectors (y, z) of a complex matrix that is diagonal but for few products,
 *   diag(p, conj p) - (h, conj h) (h, conj h)^T,
 * p with positive imaginary part. Each l is found as its distance from a p nearby, which keeps
 * the digits of vectors where little is added (as in the symmetric case: Gu and Eisenstat
 * 1994); all together by Aberth's method, so that none is found twice.
 */
#ifndef MASING_LINALG_DIAGONAL_UPDATE_H
#define MASING_LINALG_DIAGONAL_UPDATE_H

#include <complex.h>

#include "base/arena.h"
#include "masing/status.h"

struct diagonal_update {
    int n, rank;           /* as they are; set these and what follows */
    double complex *poles; /* [n] p */
    double complex *rows;  /* [n][rank] h */
    int *centre;           /* [n] eigenvalue: poles[centre] + shift */
    double complex *shift; /* [n] */
    bool *is_found;        /* [n] scratch: as all that follows */
    double complex *small; /* [rank][3 rank + 1] */
    int *pivots;           /* [rank] */
};

/* Room for as many. */
enum masing_status diagonal_update_create(int n, int rank, struct arena *arena,
                                          struct diagonal_update *update,
                                          struct masing_error *error);

/* The n eigenvalues with positive imaginary part. MASING_UNSUPPORTED: they are not found, as
 * when diagonal entries are equal, or some are real. */
enum masing_status diagonal_update_solve(struct diagonal_update *update);

double complex diagonal_update_value(const struct diagonal_update *update, int k);

/* y and z [n] of eigenvalue k, the sum of whose squares is returned. */
double complex diagonal_update_vector(struct diagonal_update *update, int k, double complex *y,
                                      double complex *z);

#endif
