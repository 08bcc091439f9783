/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of CSV files with a header line, and lists of names, a name a line. */
#ifndef MASING_DATA_TABLE_CSV_H
#define MASING_DATA_TABLE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "data/laboratory.h"
#include "masing/status.h"

struct csv_column {
    const char *name;
    bool is_required;
    double fallback; /* where an optional column is absent or a field of it is empty */
    bool is_text;    /* words, "" for none, not numbers */
    /* Of measured tables: other names, NULL-terminated, in any case; or NULL. */
    const char *const *synonyms;
    enum laboratory_kind kind; /* which units it may have */
};

/* What becomes of columns beside those that are declared. */
enum csv_others {
    CSV_OTHERS_REFUSED,
    CSV_OTHERS_IGNORED,
    CSV_OTHERS_NUMBERS /* read, behind the declared ones and in the file's order */
};

/* A file's columns: those that were declared, in that order, and others. */
struct csv_table {
    const char *file; /* as it was named; the caller's */
    int n_rows, n_columns;
    const char **names; /* [n_columns] */
    bool *is_present;   /* [n_columns] whether the file has the column */
    double *values;     /* [n_rows][n_columns] */
    const char **texts; /* [n_rows][n_columns]; NULL where no column is of words */
    int *lines;         /* [n_rows] */
    int *places;        /* [n_rows][n_columns] from 1; 0: absent or empty */
    struct arena arena; /* of all these */
};

/*
 * The columns of a CSV file, whatever their order in the file; lines that begin with # are
 * comments. Clear the table also after a failure.
 */
enum masing_status csv_table_read(const char *file, const struct csv_column *columns,
                                  int n_columns, enum csv_others others,
                                  struct csv_table *table, struct masing_error *error);

/* "x=2,f=force": which columns hold what; text NULL: nobody says. */
struct csv_choice {
    const char *text;
};

/*
 * Likewise as laboratories write it (see laboratory.h): any separator, decimal commas, units in
 * the header or in a row below it, synonyms in place of names; numbers become SI units.
 * A choice says by names or synonyms what columns hold, which it names by their number from 1
 * or by the header; then others are ignored, and a header is not needed. NULL: there is no such
 * choice, and messages do not offer it.
 */
enum masing_status csv_table_read_measured(const char *file, const struct csv_column *columns,
                                           int n_columns, enum csv_others others,
                                           const struct csv_choice *choice,
                                           struct csv_table *table, struct masing_error *error);

/* Names, one a line, as the texts of one column; blanks around them are cut off, empty lines
 * and # comments skipped. */
enum masing_status csv_table_read_names(const char *file, struct csv_table *table,
                                        struct masing_error *error);
void csv_table_clear(struct csv_table *table);

double csv_table_number(const struct csv_table *table, int row, int column);
const char *csv_table_text(const struct csv_table *table, int row, int column);

/* "FILE:LINE:COLUMN" of a cell, of its row's beginning where it is absent, empty or -1. */
void csv_table_place(const struct csv_table *table, int row, int column, char *text,
                     size_t size);

/* MASING_INVALID "FILE:LINE:1: ..."; row -1: line 1. */
enum masing_status csv_table_fail(const struct csv_table *table, int row,
                                  struct masing_error *error, const char *format, ...)
    MASING_PRINTF(4, 5);

/* The column of this name, or -1. */
int csv_table_find(const struct csv_table *table, const char *name);

/* One column of rows begin .. end - 1; *values [end - begin] is owned by the caller. */
enum masing_status csv_table_copy(const struct csv_table *table, int begin, int end, int column,
                                  double **values, struct masing_error *error);

#endif
