/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of followed peaks. */
#ifndef MASING_ANALYSES_PEAK_ROWS_H
#define MASING_ANALYSES_PEAK_ROWS_H

#include "analyses/peak/course.h"
#include "analyses/curve/row_table.h"

/* Of what varies. */
struct peak_rows_names {
    const char *parameter;
    const char *other; /* a second parameter; NULL: none */
};

/* Declare the columns; clear the table afterwards. */
enum masing_status peak_rows_create(const struct peak_course *course,
                                    const struct peak_rows_names *names,
                                    struct row_table *table, struct masing_error *error);

/* All stations of a course; *point counts on, `other` is the value of a second parameter. */
enum masing_status peak_rows_write(const struct peak_course *course,
                                   const struct peak_rows_names *names, double other,
                                   int *point, struct row_table *table,
                                   const struct masing_sink *rows, struct masing_error *error);

#endif
