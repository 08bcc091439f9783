/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Least squares: linear ones by singular values, nonlinear ones within bounds by Levenberg's
 * and Marquardt's method, and how well either determine their unknowns.
 *
 * (MINPACK's licence and GSL's do not go together with this program's; LAPACK does the
 * algebra.)
 */
#ifndef MASING_LINALG_LEAST_SQUARES_H
#define MASING_LINALG_LEAST_SQUARES_H

#include <stdbool.h>

#include "linalg/svd.h"
#include "masing/status.h"

/* ---- covariance ---- */

/*
 * Covariance of the unknowns, the residuals' variance times (J^T J)^-1, from the columns of the
 * matrix or Jacobian J, each divided by its length. An unknown in whose direction J has no
 * length is open: other values fit as well.
 */
struct covariance {
    struct svd svd;  /* of the scaled columns */
    double *lengths; /* [max_columns] of the columns before; 0: only zeros */
    double damping;  /* Tikhonov's, of the scaled columns; 0: none */
    double cutoff;   /* singular values up to this part of the largest count as zero */
};

/* n_rows >= max_columns >= 1. Clear it also after a failure. */
enum masing_status covariance_create(int n_rows, int max_columns, struct covariance *covariance,
                                     struct masing_error *error);
void covariance_clear(struct covariance *covariance);

/* Scale and factor the columns that were put into svd.matrix. Errors: as svd_factor. */
enum masing_status covariance_factor(int n_columns, struct covariance *covariance);

/* Of the scaled unknowns a and b, in units of the residuals' variance. */
double covariance_of(const struct covariance *covariance, int a, int b);

/* Whether an unknown has a part of more than a thousandth in directions that the cutoff leaves
 * out. */
bool covariance_is_open(const struct covariance *covariance, int a);

/*
 * Half the width of unknown a's 95 % confidence interval. sum: of the squared residuals;
 * n_degrees: of freedom, data less unknowns. INFINITY where a is open or no degree is left.
 */
double covariance_half_width(const struct covariance *covariance, int a, double sum,
                             int n_degrees);

/* Of Student's distribution, two-sided 95 %. */
double student_quantile(int n_degrees);

/* Correlation of neighbouring residuals, 0 for white noise. */
struct neighbours {
    double squares, products;
};

/* Add a sequence; between two sequences there are no neighbours. */
void neighbours_add(struct neighbours *neighbours, int n, const double *residuals);
double neighbours_correlation(const struct neighbours *neighbours);

/* Whether the residuals are no white noise. */
bool neighbours_are_correlated(const struct neighbours *neighbours);

/* ---- linear ---- */

struct regression {
    int n_rows, n_columns;
    int n_hidden;     /* unknowns projected out before: they cost degrees of freedom */
    double *matrix;   /* [n_rows * n_columns] column-major; overwritten; the others follow it */
    double *values;   /* [n_rows] right-hand side; becomes values - matrix x */
    double *solution; /* [n_columns] */
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

/* ---- nonlinear ---- */

struct least_squares_problem {
    void *context;
    int n_residuals, n_unknowns; /* n_residuals >= n_unknowns >= 1 */
    const double *lower, *upper; /* [n_unknowns], infinite where there is no bound */
    /*
     * residuals [n_residuals]; jacobian [n_residuals * n_unknowns], column-major, or NULL. A
     * status other than MASING_OK and MASING_NO_MEMORY: there is no such point.
     */
    enum masing_status (*evaluate)(void *context, const double *unknowns, double *residuals,
                                   double *jacobian);
};

struct least_squares_result {
    double sum;        /* of the squared residuals */
    int n_steps;       /* accepted ones */
    int n_evaluations; /* of the residuals */
    bool is_converged;
};

struct least_squares;

enum masing_status least_squares_create(const struct least_squares_problem *problem,
                                        struct least_squares **solver,
                                        struct masing_error *error);
void least_squares_destroy(struct least_squares *solver);

/*
 * From the point `unknowns`, which is moved between the bounds first, to the nearest minimum.
 * MASING_OK also where the steps ran out (see is_converged); MASING_INVALID where the
 * residuals cannot be computed at the start.
 */
enum masing_status least_squares_solve(struct least_squares *solver, double *unknowns,
                                       struct least_squares_result *result);

#endif
