/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CSV files whose header names the columns as it likes: numbers, and words in one of them. */
#ifndef MASING_IO_NAMED_CSV_H
#define MASING_IO_NAMED_CSV_H

#include "masing/status.h"

struct named_csv {
    int n_columns, n_rows, capacity;
    char **names;   /* [n_columns] */
    double *values; /* [n_rows][n_columns]; NAN in the column of words */
    char **words;   /* [capacity] of the key column, or NULL */
    int *lines;     /* [n_rows] */
};

/*
 * Lines that begin with # are comments. key: name of the column of words, or NULL. wanted:
 * names of the columns that are read, NULL-terminated, the others' values being NAN; or NULL:
 * all. Clear the table also after a failure.
 */
enum masing_status named_csv_read(const char *file, const char *key, const char *const *wanted,
                                  struct named_csv *table, struct masing_error *error);
void named_csv_clear(struct named_csv *table);

/* The column of this name, or -1. */
int named_csv_find(const struct named_csv *table, const char *name);

#endif
