/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matrix Market exchange format: Boisvert, Pozo, Remington (1996), NISTIR 5935.
 *
 * Dense (`array`) and sparse (`coordinate`), `real`, `integer` and `complex`, `general` and
 * `symmetric` (which holds the lower triangle only, as the format demands). Anything else is
 * refused, and so are entries above the diagonal of a symmetric file and entries given twice.
 */
#ifndef MASING_DATA_MATRIX_MARKET_H
#define MASING_DATA_MATRIX_MARKET_H

#include <stdbool.h>

#include "masing/model.h"
#include "masing/sparse.h"
#include "masing/status.h"

/* A dense matrix whose entries have places in a file. */
struct placed_matrix {
    int n_rows, n_columns;
    double *real;      /* [n_rows * n_columns] column-major */
    double *imaginary; /* likewise, or NULL */
    struct masing_place
        *places; /* likewise; line 0 where an entry does not stand in the file */
};

enum { PLACED_MATRIX_LIMIT = 25000000 }; /* entries */

/* All zero. The sizes must be positive and within the limit. */
enum masing_status placed_matrix_create(int n_rows, int n_columns, bool is_complex,
                                        struct placed_matrix *matrix,
                                        struct masing_error *error);
void placed_matrix_clear(struct placed_matrix *matrix);

/*
 * Refuse a square matrix that is not symmetric to 1e-10 of what its rows' diagonals suggest;
 * make it exactly symmetric. "FILE:LINE:COLUMN: ..."
 */
enum masing_status placed_matrix_symmetrize(struct placed_matrix *matrix, const char *file,
                                            struct masing_error *error);

struct matrix_expectation {
    int n_rows, n_columns; /* 0: any */
    bool may_be_complex;
    const char *rows_are; /* "one row for each DOF" */
};

/* A symmetric matrix: dense, or sparse where the file has its entries by coordinates and so
 * many rows; the other is empty. */
struct market_matrix {
    struct placed_matrix dense;
    struct masing_sparse sparse;
};
enum { MARKET_SPARSE_ROWS = 400 };

void market_matrix_clear(struct market_matrix *matrix);

/* Errors as below; entries that are given twice, or differ across the diagonal, too. */
enum masing_status matrix_market_read_symmetric(const char *file,
                                                const struct matrix_expectation *expectation,
                                                struct market_matrix *matrix,
                                                struct masing_error *error);

/* Errors: MASING_IO, MASING_INVALID "FILE:LINE:COLUMN: ..."; @p matrix is empty then. */
enum masing_status matrix_market_read(const char *file,
                                      const struct matrix_expectation *expectation,
                                      struct placed_matrix *matrix, struct masing_error *error);

/* As matrix_market_read from memory; text[length] must be 0. */
enum masing_status matrix_market_parse(const char *text, size_t length, const char *file,
                                       const struct matrix_expectation *expectation,
                                       struct placed_matrix *matrix,
                                       struct masing_error *error);

#endif
