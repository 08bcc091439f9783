/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers from CSV files with a header line, and lists of names, a name a line. */
#ifndef MASING_IO_TABLE_CSV_H
#define MASING_IO_TABLE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/status.h"

struct table_column {
    const char *name;
    bool is_required;
    double fallback; /* where an optional column is absent or a field of it is empty */
};

/*
 * The named columns of a CSV file in the order of @p columns, whatever their order in the
 * file; lines that begin with # are comments. *rows [*n_rows][n_columns] and, for messages
 * about a row, *row_lines [*n_rows] are owned by the caller.
 */
enum masing_status table_csv_read(const char *file, const struct table_column *columns,
                                  int n_columns, double **rows, int **row_lines, int *n_rows,
                                  struct masing_error *error);

/* Names, one a line, blanks around them cut off; empty lines and # comments are skipped. */
enum masing_status table_names_read(const char *file, char ***names, int **lines, int *n_names,
                                    struct masing_error *error);

#endif
