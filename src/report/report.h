/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report keeps, for those who write it in one format. */
#ifndef MASING_REPORT_REPORT_H
#define MASING_REPORT_REPORT_H

#include <stdio.h>

#include "base/arena.h"
#include "masing/report.h"
#include "masing/result.h"

struct report_table {
    struct report_table *next;
    struct masing_report_table given; /* with copied texts */
    struct masing_plot_settings picture;
    bool has_picture;
    struct masing_result *rows;
    int n_columns;
};

struct masing_report {
    struct arena arena; /* of the tables and their texts */
    struct report_table *first, *last;
};

/* A column of a table that holds one number or text in a cell; -1: there is none. */
int report_table_find(const struct report_table *table, const char *column);

/* Where the next curve of a table begins behind a row: where the parameter has another value;
 * its end. */
int report_table_next_curve(const struct report_table *table, int row);

const char *report_unit(const struct masing_report_run *run, const char *column);

/* report_tree.c: all named tables as a tree, whose values are those of the report; pieces of
 * the arena. */
struct tree_group;
enum masing_status report_tree_create(const struct masing_report *report,
                                      const struct masing_report_run *run, struct arena *arena,
                                      struct tree_group *root, struct masing_error *error);

/* page.c: a page for a browser, to a stream that is open. */
enum masing_status report_write_page(const struct masing_report *report,
                                     const struct masing_report_run *run, FILE *stream,
                                     struct masing_error *error);

#endif
