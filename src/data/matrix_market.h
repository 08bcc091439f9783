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

#include "data/placed_matrix.h"

struct matrix_expectation {
    int n_rows, n_columns; /* 0: any */
    bool may_be_complex;
    const char *rows_are; /* "one row for each DOF" */
};

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
