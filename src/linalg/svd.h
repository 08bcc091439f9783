/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Singular values and least squares of tall dense matrices, column-major. One object serves
 * any number of factorisations; they allocate nothing.
 */
#ifndef MASING_LINALG_SVD_H
#define MASING_LINALG_SVD_H

#include <stdbool.h>

#include "masing/status.h"

struct svd {
    int n_rows, max_columns;
    int n_columns;  /* of the matrix at hand */
    double *matrix; /* [n_rows * max_columns] the matrix, afterwards U of A = U S V^T; the next
                       three follow it */
    double *values; /* [max_columns] singular values, descending */
    double *vt;     /* [n_columns * n_columns], column-major: vt[j * n_columns + i] = V(j, i) */
    double *projections; /* [max_columns] scratch */
    double *work;
    int n_work;
};

/* n_rows >= max_columns >= 1. Clear it also after a failure. */
enum masing_status svd_create(int n_rows, int max_columns, struct svd *svd,
                              struct masing_error *error);
void svd_clear(struct svd *svd);

/* Factor what was put into `matrix`. MASING_NOT_FINITE, MASING_NOT_CONVERGED. */
enum masing_status svd_factor(int n_columns, struct svd *svd);

/*
 * x [n_columns] = V diag(s / (s^2 + damping)) U^T b: the least-squares solution, with
 * Tikhonov's damping (Levenberg's) where it is above zero. Singular values at or below `cutoff`
 * times the largest do not take part.
 */
void svd_solve(const struct svd *svd, const double *b, double damping, double cutoff,
               double *x);

/* Part of an unknown in direction k, that of the singular value k: V(unknown, k). */
double svd_weight(const struct svd *svd, int unknown, int direction);

/* Whether `cutoff` leaves a direction out. */
bool svd_is_null(const struct svd *svd, double cutoff, int direction);

/* Largest over smallest singular value, INFINITY where that is zero. */
double svd_condition(const struct svd *svd);

#endif
