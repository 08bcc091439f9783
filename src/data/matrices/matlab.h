/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real matrices, full and sparse, in files of MATLAB of versions 5 and 7.3, by matio. */
#ifndef MASING_DATA_MATLAB_H
#define MASING_DATA_MATLAB_H

#include "data/matrices/matrix_market.h"

/*
 * As matrix_market_read and matrix_market_read_symmetric; sparse NULL: the first. @p variable
 * may be NULL where the file has one matrix. MASING_INVALID "FILE: ..." and "FILE:VARIABLE:
 * ...".
 */
enum masing_status matlab_read(const char *file, const char *variable,
                               const struct matrix_expectation *expectation,
                               struct placed_matrix *dense, struct masing_sparse *sparse,
                               struct masing_error *error);

#endif
