/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linear least squares with columns of equal length, Tikhonov's regularisation and intervals.
 */
#ifndef MASING_LINALG_REGRESSION_H
#define MASING_LINALG_REGRESSION_H

#include "masing/status.h"

struct regression {
    int n_rows, n_columns;
    int n_hidden;      /* unknowns projected out before: they cost degrees of freedom */
    double *matrix;    /* [n_rows * n_columns] column-major; overwritten */
    double *values;    /* [n_rows] right-hand side; becomes values - matrix x */
    double *solution;  /* [n_columns] */
    double *intervals; /* [n_columns] half the width of the 95 % confidence intervals */
    double condition;
    double tikhonov; /* what was used, relative to the largest singular value */
    double sum;      /* of the squared residuals */
};

/* Clear it also after a failure. */
enum masing_status regression_create(int n_rows, int n_columns, struct regression *regression,
                                     struct masing_error *error);
void regression_clear(struct regression *regression);

/*
 * tikhonov: relative to the largest singular value, 0: none, NAN: the minimum of generalized
 * cross-validation (Golub, Heath & Wahba 1979). MASING_SINGULAR where the columns depend on
 * each other and nothing is regularised.
 */
enum masing_status regression_solve(struct regression *regression, double tikhonov,
                                    struct masing_error *error);

/* Condition number of the matrix as it stands. */
enum masing_status regression_condition(const struct regression *regression, double *condition,
                                        struct masing_error *error);

/* Of Student's distribution, two-sided 95 %. */
double student_quantile(int degrees_of_freedom);

#endif
