/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bordered matrix as a dense one.
 *
 * Unknowns that stand in one row of F alone are taken out before the matrix is factored: an
 * output that follows from the joints' motion costs next to nothing, and harmonics that are
 * held at zero, with nothing else in their rows, nothing.
 *
 * Where the matrix is singular and the right-hand side does not ask for what is missing, as in
 * a block of unknowns that nothing drives, the smallest solution is meant: nothing moves there.
 */
#ifndef MASING_CONTINUATION_LINEAR_DENSE_H
#define MASING_CONTINUATION_LINEAR_DENSE_H

#include "linalg/block_lu.h"
#include "linalg/svd.h"

struct linear_dense {
    double *jacobian;   /* [n][n] column-major, as last evaluated */
    int n_free, *order; /* [n] free unknowns; at the end those with rows of their own in F */
    int n_dependent, *dependent; /* [n] those with columns of their own, which free ones make */
    double *rows; /* [n_free + 1][n_dependent] of these, in columns of free ones and lambda */
    double *multiplier; /* [n_dependent] of these in the last row */
    struct block_lu lu; /* of the bordered matrix of the free ones, [n_free + 1]^2 */
    double *alone;      /* [n] the diagonal of F, by unknown */
    double *reduced;    /* [size] scratch */
    double *row;        /* [size] the last one of the matrix that was factored */
    double *null;       /* [size] what its other rows make vanish, where factors are kept */
    bool is_factored;   /* lu holds factors, if of another point and another last row */
    bool is_singular;   /* lu is not usable, and `svd` takes its place, made where first needed:
                           of the Jacobian with its columns in units of the metric */
    struct svd svd;
    double *smallest; /* [size] scratch */
};

#endif
