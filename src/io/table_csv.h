/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of CSV files with a header line, and lists of names, a name a line. */
#ifndef MASING_IO_TABLE_CSV_H
#define MASING_IO_TABLE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "io/arena.h"
#include "masing/status.h"

enum { TABLE_MAX_COLUMNS = 32 };

struct table_column {
    const char *name;
    bool is_required;
    double fallback; /* where an optional column is absent or a field of it is empty */
};

/* A file's columns in the order in which they were asked for. */
struct csv_table {
    int n_rows, n_columns;
    bool is_present[TABLE_MAX_COLUMNS]; /* whether the file has the column */
    double *values;                     /* [n_rows][n_columns] */
    const char **texts;                 /* [n_rows][n_columns] words */
    int *lines;                         /* [n_rows] */
    int *places;                        /* [n_rows][n_columns] from 1; 0: absent or empty */
    struct arena arena;                 /* of the texts */
};

/*
 * The named columns of a CSV file, whatever their order in the file; lines that begin with #
 * are comments. The first @p n_texts of @p columns are words, an empty one is "".
 */
enum masing_status csv_table_read(const char *file, const struct table_column *columns,
                                  int n_columns, int n_texts, struct csv_table *table,
                                  struct masing_error *error);
void csv_table_clear(struct csv_table *table);

/*
 * The same where all columns are numbers: *rows [*n_rows][n_columns] and, for messages about a
 * row, *row_lines [*n_rows] are owned by the caller.
 */
enum masing_status table_csv_read(const char *file, const struct table_column *columns,
                                  int n_columns, double **rows, int **row_lines, int *n_rows,
                                  struct masing_error *error);

/* Names, one a line, blanks around them cut off; empty lines and # comments are skipped. */
enum masing_status table_names_read(const char *file, char ***names, int **lines, int *n_names,
                                    struct masing_error *error);

#endif
