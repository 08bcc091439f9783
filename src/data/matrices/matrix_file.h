/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of one matrix as models name them: Matrix Market, or MATLAB's as FILE.mat or
 * FILE.mat:VARIABLE. */
#ifndef MASING_DATA_MATRIX_FILE_H
#define MASING_DATA_MATRIX_FILE_H

#include "data/matrices/matrix_market.h"

/* Cuts the variable off: what stands behind the colon, NULL where there is none. */
const char *matrix_file_split(char *file);

/* As matrix_market_read and matrix_market_read_symmetric, of either format. */
enum masing_status matrix_file_read(const char *file,
                                    const struct matrix_expectation *expectation,
                                    struct placed_matrix *matrix, struct masing_error *error);
enum masing_status matrix_file_read_symmetric(const char *file,
                                              const struct matrix_expectation *expectation,
                                              struct market_matrix *matrix,
                                              struct masing_error *error);

#endif
