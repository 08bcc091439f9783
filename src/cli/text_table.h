/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Aligned columns of text for people. */
#ifndef MASING_CLI_TEXT_TABLE_H
#define MASING_CLI_TEXT_TABLE_H

#include <stdio.h>

#include "cli/option.h"

/* Cells row by row, the first row being the heads. The first column is flush left, the others
 * flush right where every cell is a number, flush left elsewhere. */
struct text_table {
    struct pool *pool;
    int n_columns;
    struct text_list cells;
};

/* A cell, or several parted by tabs. */
void text_table_add(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A number with some significant digits; "-" where it is not available. */
void text_table_number(struct text_table *table, const char *format, double number);
void text_table_print(const struct text_table *table, FILE *stream);

#endif
