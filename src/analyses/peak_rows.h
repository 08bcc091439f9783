/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of followed peaks. */
#ifndef MASING_ANALYSES_PEAK_ROWS_H
#define MASING_ANALYSES_PEAK_ROWS_H

#include "analyses/peak_course.h"

/* The columns; `other`: a second parameter, or NULL. Owned by the caller (free). */
enum masing_status peak_rows_columns(const struct masing_model *model, const char *parameter,
                                     const char *other, struct masing_column **columns,
                                     int *n_columns, struct masing_error *error);

/* All stations of a course; *point counts on, other_value is that of a second parameter. */
enum masing_status peak_rows_write(const struct peak_course *course, bool has_other,
                                   double other_value, int *point,
                                   const struct masing_sink *rows, struct masing_error *error);

#endif
