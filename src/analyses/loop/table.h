/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two tables of a loop analysis: points of the loops, and what was measured on each. */
#ifndef MASING_ANALYSES_LOOP_TABLE_H
#define MASING_ANALYSES_LOOP_TABLE_H

#include "masing/loop.h"

struct loop_table {
    const struct masing_sink *rows, *measures; /* lent; NULL: not wanted */
    bool are_rows_open, are_measures_open;
    bool is_of_points;
    bool has_equivalent; /* a column equivalent_bouc_wen */
    bool is_circle;      /* columns displacement_2 and force_2 */
};

struct loop_row {
    double amplitude;
    int cycle;
    double displacement, force;
    double is_steady; /* 1 or 0; NAN: not a cycle */
    double equivalent;
    double displacement_2, force_2;
};

enum masing_status loop_table_open(struct loop_table *table, struct masing_error *error);

enum masing_status loop_table_row(struct loop_table *table, const struct loop_row *row,
                                  struct masing_error *error);
enum masing_status loop_table_measures(struct loop_table *table,
                                       const struct masing_loop_measures *measures,
                                       struct masing_error *error);

/* Finish what was written, or abandon it where that is to go; the first failure of all. */
enum masing_status loop_table_close(struct loop_table *table, enum masing_status status,
                                    struct masing_error *error);

#endif
