/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of a table in memory by their index: there may be one for each DOF of a large
 * structure. */
#ifndef MASING_DATA_RESULT_H
#define MASING_DATA_RESULT_H

#include "masing/result.h"

/* [n_rows], NULL where there is no row */
const double *result_numbers(const struct masing_result *result, int column);
/* NULL also in a column of another type */
const char *const *result_texts(const struct masing_result *result, int column);
/* [n_rows] likewise; each has as many numbers as result_numbers says */
const double *const *result_values(const struct masing_result *result, int column);

#endif
