/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LU of a matrix with a full last row and column in which many other columns reach few rows:
 *
 *     A_1         W_1        A narrow column has entries in the rows of its block and in the
 *          A_2    W_2        last row alone; wide ones, of which the last is one, anywhere.
 *     z_1  z_2    w
 *
 * as where joints that stick couple no harmonics of the motion. Each block's own columns are
 * factored with pivots from its rows; what is left over of all blocks and the last row is a
 * full matrix in the wide columns. The blocks are found in the zeros of the matrix. Where there
 * are none to speak of, or one is singular by itself, the matrix is factored as a full one.
 */
#ifndef MASING_LINALG_BLOCK_LU_H
#define MASING_LINALG_BLOCK_LU_H

#include "base/arena.h"
#include "masing/status.h"

/* From so many rows on blocks are looked for. */
enum { BLOCK_LU_MANY = 128 };

struct block_lu_part {
    int row, n_rows;       /* in `rows` */
    int column, n_columns; /* in `columns` */
    double *own;           /* [n_rows * n_columns] */
    double *wide;          /* [n_rows * n_wide] */
};

struct block_lu {
    int n; /* order of the matrix at hand */
    double
        *matrix; /* [n * n] column-major, to be filled; then the factors, or of the wide part */
    int *pivots; /* [n] of these */
    int n_parts; /* 0: factored as a full matrix */
    int n_wide;
    struct block_lu_part *parts; /* [n_parts] */
    int *rows, *columns;         /* [n] by part; the last row and the wide columns at the end */
    /* private */
    int *row_part, *column_part; /* [n] -1: a wide column */
    int *part_pivots;            /* [n] by place in `rows` */
    double *packed;              /* [n * n] of all parts; NULL: small matrices */
    double *border;              /* [n] last row times the inverse of the upper factors */
    double *diagonal;            /* [n] pivots by column */
    double *scratch, *rest;      /* [n] */
    int *matched;                /* [n] scratch */
    int sign;                    /* of the determinant */
};

/* max_order: of the largest matrix. The arrays belong to the arena, which knows whether there
 * was memory for them. */
void block_lu_create(int max_order, struct arena *arena, struct block_lu *lu);

/* Factor the n rows that were filled into `matrix`. MASING_SINGULAR as lu_factor. */
enum masing_status block_lu_factor(struct block_lu *lu, int n);

/* x [n] becomes matrix^-1 x */
void block_lu_solve(const struct block_lu *lu, double *x);

/* The pivot in a column, and the sign of the determinant. */
double block_lu_pivot(const struct block_lu *lu, int column);
int block_lu_sign(const struct block_lu *lu);

#endif
