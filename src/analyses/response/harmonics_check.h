/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Are the harmonics and samples enough? The peak and a sample of points, solved with more. */
#ifndef MASING_ANALYSES_RESPONSE_HARMONICS_CHECK_H
#define MASING_ANALYSES_RESPONSE_HARMONICS_CHECK_H

#include "analyses/response/curve.h"

/* Number of columns of the table of points. */
int harmonics_check_count(const struct masing_model *model, const char *parameter);

/* Columns of the table of points. The caller frees @p columns. */
enum masing_status harmonics_check_columns(const struct masing_model *model,
                                           const char *parameter,
                                           struct masing_column **columns, int *n_columns,
                                           struct masing_error *error);

/* Check a curve that was followed, if that is wanted: rows, the summary's `check`, a warning.
 */
enum masing_status harmonics_check_run(struct response_curve *curve,
                                       struct masing_error *error);

#endif
