/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A dense matrix whose entries know where they stand in a file. */
#ifndef MASING_DATA_PLACED_MATRIX_H
#define MASING_DATA_PLACED_MATRIX_H

#include "masing/model.h"
#include "masing/status.h"

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

#endif
