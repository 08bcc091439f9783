/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns and rows of a table by one and the same walk, which names each column once, with its
 * type and its value:
 *
 *     static void walk(struct row_table *table, const void *context)
 *     {
 *         const struct point *point = context;
 *         ROW_REAL(table, point->hertz, "frequency_hz");
 *     }
 *
 * It runs once or twice to declare the columns, and once for each row. Values are looked at in
 * rows alone, so that there need not be a point yet while columns are declared.
 */
#ifndef MASING_ANALYSES_CURVE_ROW_TABLE_H
#define MASING_ANALYSES_CURVE_ROW_TABLE_H

#include <stdbool.h>

#include "masing/table.h"

struct row_table {
    int n_columns;
    struct masing_column *columns; /* [n_columns]; NULL: nobody asks for their names */
    struct masing_cell *cells;     /* [n_columns] of the row filled last */
    bool is_filling;               /* the walk under way fills a row */
    int next;                      /* its next column */
};

typedef void row_walk(struct row_table *table, const void *context);

/* A table that is written to a sink row by row; zeroed, it can be ended. */
struct row_sink {
    const struct masing_sink *sink; /* lent; NULL: none */
    bool is_open;
    struct row_table table;
    row_walk *walk;
};

/* Declare the columns and open the sink, which may be NULL; they have names for a sink that is
 * opened. End it also after a failure. */
enum masing_status row_sink_begin(struct row_sink *rows, const struct masing_sink *sink,
                                  row_walk *walk, const void *context,
                                  struct masing_error *error);
/* Nothing, and no walk, without a sink. */
enum masing_status row_sink_write(struct row_sink *rows, const void *context,
                                  struct masing_error *error);

/* Finish the sink, or abandon it where `status` says that the analysis failed, and clear the
 * table; the first failure. Nothing where the sink was not opened, or was ended before. */
enum masing_status row_sink_end(struct row_sink *rows, enum masing_status status,
                                struct masing_error *error);

/* A phase (rad) in degrees of (-180, 180]; NAN where the amplitude is zero. */
double row_phase(double amplitude, double phase);

/* For the macros: declare the next column by its name, or fill its cell. */
void row_table_column(struct row_table *table, enum masing_column_type type, const char *format,
                      ...) MASING_PRINTF(3, 4);
static inline void row_table_put(struct row_table *table, struct masing_cell cell)
{
    table->cells[table->next++] = cell;
}

#define ROW_CELL(table, type, cell, ...)                                                       \
    do {                                                                                       \
        if ((table)->is_filling) {                                                             \
            row_table_put(table, cell);                                                        \
        } else {                                                                               \
            row_table_column(table, type, __VA_ARGS__);                                        \
        }                                                                                      \
    } while (0)
#define ROW_REAL(table, value, ...)                                                            \
    ROW_CELL(table, MASING_COLUMN_REAL, (struct masing_cell){.number = (value)}, __VA_ARGS__)
#define ROW_INTEGER(table, value, ...)                                                         \
    ROW_CELL(table, MASING_COLUMN_INTEGER, (struct masing_cell){.number = (value)}, __VA_ARGS__)
#define ROW_TEXT(table, value, ...)                                                            \
    ROW_CELL(table, MASING_COLUMN_TEXT, (struct masing_cell){.text = (value)}, __VA_ARGS__)
/* So many numbers in the cell, which are there until the row was written. */
#define ROW_VALUES(table, type, array, n, ...)                                                 \
    ROW_CELL(table, type, ((struct masing_cell){.number = (double)(n), .values = (array)}),    \
             __VA_ARGS__)

#endif
