/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of a report as a tree: `curves` in groups of their own, the others beside them.
 * Nothing is copied but Fourier coefficients, when they are asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "data/result.h"
#include "data/tree/tree.h"
#include "masing/response.h"
#include "report/report.h"

static const char main_table[] = "curves";

/* Columns of a table by what becomes of them; of all, by their index. */
struct columns {
    const struct report_table *table;
    const struct masing_report_run *run;
    int n, n_plain, n_signals, orders; /* orders: the column, -1: none */
    int *plain, *signals;
};

static enum masing_status sort_columns(const struct report_table *table,
                                       const struct masing_report_run *run, struct arena *arena,
                                       struct columns *columns, struct masing_error *error)
{
    int n = masing_result_n_columns(table->rows);
    *columns = (struct columns){.table = table, .run = run, .n = n, .orders = -1};
    columns->plain = arena_array(arena, (size_t)n, sizeof(int));
    columns->signals = arena_array(arena, (size_t)n, sizeof(int));
    NEED_ALLOCATED(!arena->has_failed);
    for (int c = 0; c < n; c++) {
        enum masing_column_type type = masing_result_type(table->rows, c);
        if (type == MASING_COLUMN_COMPLEX) {
            columns->signals[columns->n_signals++] = c;
        } else if (type == MASING_COLUMN_LIST) {
            columns->orders = c;
        } else {
            columns->plain[columns->n_plain++] = c;
        }
    }
    return MASING_OK;
}

/* [points][signals][harmonics]; the rows of a curve have the same harmonics. */
static void fill_coefficients(const struct tree_array *array, void *values)
{
    const struct columns *columns = array->source;
    size_t n = 2 * array->sizes[2];
    double *to = values;
    for (size_t row = array->first; row < array->first + array->sizes[0]; row++) {
        for (size_t s = 0; s < array->sizes[1]; s++, to += n) {
            int column = columns->signals[s];
            const double *const *from = result_values(columns->table->rows, column);
            const double *counts = result_numbers(columns->table->rows, column);
            for (size_t i = 0; i < n; i++) {
                to[i] = from[row] && (size_t)counts[row] == n ? from[row][i] : NAN;
            }
        }
    }
}

static void fill_orders(const struct tree_array *array, void *values)
{
    const struct columns *columns = array->source;
    const double *from = result_values(columns->table->rows, columns->orders)[array->first];
    for (size_t k = 0; k < array->sizes[0]; k++) {
        ((int *)values)[k] = (int)from[k];
    }
}

/* A column of rows first to end - 1. */
static struct tree_array column_array(const struct columns *columns, int column, int first,
                                      int end)
{
    const struct masing_result *rows = columns->table->rows;
    bool is_text = masing_result_type(rows, column) == MASING_COLUMN_TEXT;
    struct tree_array array = {.name = masing_result_name(rows, column),
                               .type = is_text ? TREE_TEXT : TREE_REAL,
                               .rank = 1,
                               .sizes = {(size_t)(end - first)}};
    array.unit = report_unit(columns->run, array.name);
    array.values = is_text ? (const void *)(result_texts(rows, column) + first)
                           : (const void *)(result_numbers(rows, column) + first);
    return array;
}

/* The rows first to end - 1 of a table as the arrays of a group. */
static enum masing_status fill_group(const struct columns *columns, int first, int end,
                                     struct arena *arena, struct tree_group *group,
                                     struct masing_error *error)
{
    bool has_coefficients = columns->orders >= 0 && end > first;
    size_t n_harmonics =
        has_coefficients ? (size_t)result_numbers(columns->table->rows, columns->orders)[first]
                         : 0;
    group->arrays = arena_array(arena, (size_t)columns->n_plain + 2, sizeof *group->arrays);
    NEED_ALLOCATED(group->arrays);
    if (has_coefficients) { /* first of all: they keep their names */
        group->arrays[group->n_arrays++] = (struct tree_array){.name = "harmonics",
                                                               .type = TREE_INTEGER,
                                                               .rank = 1,
                                                               .sizes = {n_harmonics},
                                                               .fill = fill_orders,
                                                               .source = columns,
                                                               .first = (size_t)first};
        group->arrays[group->n_arrays++] = (struct tree_array){
            .name = "coefficients",
            .type = TREE_COMPLEX,
            .rank = 3,
            .sizes = {(size_t)(end - first), (size_t)columns->n_signals, n_harmonics},
            .fill = fill_coefficients,
            .source = columns,
            .first = (size_t)first};
    }
    for (int i = 0; i < columns->n_plain; i++) {
        group->arrays[group->n_arrays++] = column_array(columns, columns->plain[i], first, end);
    }
    return MASING_OK;
}

/* The value of what varies in a curve. */
static enum masing_status add_parameter(const struct columns *columns, int first,
                                        struct arena *arena, struct tree_group *group,
                                        struct masing_error *error)
{
    int column = report_table_find(columns->table, columns->table->given.parameter);
    if (column >= 0) {
        group->attributes = arena_array(arena, 1, sizeof *group->attributes);
        NEED_ALLOCATED(group->attributes);
        group->attributes[group->n_attributes++] =
            column_array(columns, column, first, first + 1);
        group->attributes->rank = 0;
    }
    return MASING_OK;
}

static enum masing_status fill_curves(const struct columns *columns, struct arena *arena,
                                      struct tree_group *group, struct masing_error *error)
{
    const struct report_table *table = columns->table;
    int n = masing_result_n_rows(table->rows), n_curves = 0;
    for (int row = 0; row < n; row = report_table_next_curve(table, row)) {
        n_curves++;
    }
    group->is_list = true;
    group->groups = arena_array(arena, (size_t)n_curves, sizeof *group->groups);
    NEED_ALLOCATED(group->groups);
    for (int row = 0, next; row < n; row = next) {
        struct tree_group *curve = &group->groups[group->n_groups++];
        next = report_table_next_curve(table, row);
        NEED(fill_group(columns, row, next, arena, curve, error));
        NEED(add_parameter(columns, row, arena, curve, error));
    }
    return MASING_OK;
}

/* Names along the second index of the coefficients. */
static enum masing_status add_signals(const struct columns *columns, struct arena *arena,
                                      struct tree_group *root, struct masing_error *error)
{
    size_t n = (size_t)columns->n_signals;
    const char **names = arena_array(arena, n, sizeof *names);
    NEED_ALLOCATED(names);
    for (size_t s = 0; s < n; s++) {
        names[s] = masing_result_name(columns->table->rows, columns->signals[s]) +
                   strlen(MASING_COLUMN_COEFFICIENTS);
    }
    root->arrays = arena_array(arena, 1, sizeof *root->arrays);
    NEED_ALLOCATED(root->arrays);
    root->arrays[root->n_arrays++] = (struct tree_array){
        .name = "signals", .type = TREE_TEXT, .rank = 1, .sizes = {n}, .values = names};
    return MASING_OK;
}

static enum masing_status add_text(struct arena *arena, struct tree_group *root,
                                   const char *name, const char *text,
                                   struct masing_error *error)
{
    const char **value = arena_array(arena, 1, sizeof *value);
    NEED_ALLOCATED(value);
    *value = text;
    root->attributes[root->n_attributes++] =
        (struct tree_array){.name = name, .type = TREE_TEXT, .values = value};
    return MASING_OK;
}

enum masing_status report_tree_create(const struct masing_report *report,
                                      const struct masing_report_run *run, struct arena *arena,
                                      struct tree_group *root, struct masing_error *error)
{
    enum { N_ATTRIBUTES = 4 };
    size_t n_tables = 0;
    for (const struct report_table *table = report->first; table; table = table->next) {
        n_tables++;
    }
    *root = (struct tree_group){
        .name = "/",
        .attributes = arena_array(arena, N_ATTRIBUTES, sizeof *root->attributes),
        .groups = arena_array(arena, n_tables, sizeof *root->groups),
    };
    struct columns *columns = arena_array(arena, n_tables, sizeof *columns);
    NEED_ALLOCATED(root->attributes && root->groups && columns);
    NEED(add_text(arena, root, "masing", masing_version(), error));
    NEED(add_text(arena, root, "command", run->command, error));
    NEED(add_text(arena, root, "model", run->model, error));
    NEED(add_text(arena, root, "ended", run->ending ? run->ending : "done", error));
    for (const struct report_table *table = report->first; table; table = table->next) {
        if (!table->given.name || masing_result_n_columns(table->rows) == 0) {
            continue; /* for pages alone; never opened */
        }
        struct tree_group *group = &root->groups[root->n_groups++];
        group->name = table->given.name;
        NEED(sort_columns(table, run, arena, columns, error));
        NEED(strcmp(group->name, main_table) == 0
                 ? fill_curves(columns, arena, group, error)
                 : fill_group(columns, 0, masing_result_n_rows(table->rows), arena, group,
                              error));
        NEED(columns->n_signals > 0 ? add_signals(columns, arena, root, error) : MASING_OK);
        columns++;
    }
    return MASING_OK;
}
