/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/result_file.h"
#include "base/row_buffer.h"
#include "data/libraries/hdf5_library.h"
#include "data/libraries/matio_library.h"
#include "data/tree/tree.h"
#include "plot/picture.h"

/* ---- tables ---- */

int report_table_find(const struct report_table *table, const char *column)
{
    const char *name;
    for (int c = 0; column && (name = masing_result_name(table->rows, c)) != NULL; c++) {
        enum masing_column_type type = masing_result_type(table->rows, c);
        if (type != MASING_COLUMN_LIST && type != MASING_COLUMN_COMPLEX &&
            strcmp(name, column) == 0) {
            return c;
        }
    }
    return -1;
}

int report_table_next_curve(const struct report_table *table, int row)
{
    int n = masing_result_n_rows(table->rows), next = row + 1;
    const char *name = table->given.parameter;
    const double *numbers = name ? masing_result_column(table->rows, name) : NULL;
    const char *const *texts = name ? masing_result_texts(table->rows, name) : NULL;
    if (!numbers) {
        return n;
    }
    while (next < n &&
           (texts ? texts[next] && texts[row] && strcmp(texts[next], texts[row]) == 0
                  : memcmp(&numbers[next], &numbers[row], sizeof *numbers) == 0)) {
        next++;
    }
    return next;
}

const char *report_unit(const struct masing_report_run *run, const char *column)
{
    return run->unit ? run->unit(run->context, column) : NULL;
}

static enum masing_status open_table(void *context, const struct masing_column *columns,
                                     int n_columns, struct masing_error *error)
{
    struct report_table *table = context;
    const struct masing_sink *rows = masing_result_sink(table->rows);
    table->n_columns = n_columns;
    return rows->open(rows->context, columns, n_columns, error);
}

static enum masing_status take_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    const struct report_table *table = context;
    const struct masing_sink *rows = masing_result_sink(table->rows);
    return rows->row(rows->context, cells, error);
}

static enum masing_status finish_table(void *context, struct masing_error *error)
{
    (void)context;
    (void)error;
    return MASING_OK; /* files are written when all tables are there */
}

static enum masing_status fork_table(void *context, struct masing_sink *part,
                                     struct masing_error *error)
{
    const struct report_table *table = context;
    return row_buffer_create(table->n_columns, part, error);
}

static enum masing_status join_table(void *context, const struct masing_sink *part,
                                     struct masing_error *error)
{
    const struct report_table *table = context;
    return row_buffer_replay(part, masing_result_sink(table->rows), error);
}

/* NULL for NULL; notes in the arena where there is no memory. */
static const char *keep(struct arena *arena, const char *text)
{
    return text ? arena_text(arena, text, strlen(text)) : NULL;
}

static enum masing_status fill_table(struct masing_report *report,
                                     const struct masing_report_table *given,
                                     struct report_table *table, struct masing_error *error)
{
    struct masing_plot_settings picture;
    struct arena *arena = &report->arena;
    table->given = (struct masing_report_table){.name = keep(arena, given->name),
                                                .parameter = keep(arena, given->parameter)};
    for (int i = 0; i < MASING_REPORT_FILTERS; i++) {
        table->given.filter_columns[i] = keep(arena, given->filter_columns[i]);
        table->given.filter_texts[i] = keep(arena, given->filter_texts[i]);
    }
    NEED_ALLOCATED(!arena->has_failed);
    table->has_picture = given->picture != NULL;
    if (table->has_picture) {
        NEED(entry_read(given->picture, "table.picture", &picture, sizeof picture, error));
        NEED(picture_copy_settings(&picture, arena, &table->picture, error));
    }
    return masing_result_create(&table->rows, error);
}

enum masing_status masing_report_add(struct masing_report *report,
                                     const struct masing_report_table *table,
                                     struct masing_sink *sink, struct masing_error *error)
{
    struct masing_error own;
    struct masing_report_table given;
    error = entry_begin(error, &own);
    NEED(entry_need(report, "report", error));
    NEED(entry_need(table, "table", error));
    NEED(entry_need(sink, "sink", error));
    NEED(entry_read(table, "table", &given, sizeof given, error));
    struct report_table *made = arena_allocate(&report->arena, sizeof *made);
    NEED_ALLOCATED(made);
    NEED(fill_table(report, &given, made, error));
    *(report->last ? &report->last->next : &report->first) = made;
    report->last = made;
    *sink = (struct masing_sink){.context = made,
                                 .open = open_table,
                                 .row = take_row,
                                 .finish = finish_table,
                                 .fork = fork_table,
                                 .join = join_table};
    return MASING_OK;
}

enum masing_status masing_report_create(struct masing_report **report,
                                        struct masing_error *error)
{
    masing_error_clear(error);
    NEED(entry_need(report, "report", error));
    NEED_ALLOCATED(*report = memory_array(1, sizeof **report));
    return MASING_OK;
}

void masing_report_destroy(struct masing_report *report)
{
    if (report) {
        for (struct report_table *table = report->first; table; table = table->next) {
            masing_result_destroy(table->rows);
        }
        arena_clear(&report->arena);
        free(report);
    }
}

/* ---- files ---- */

enum report_format { REPORT_HDF5, REPORT_MATLAB, REPORT_PAGE, N_REPORT_FORMATS };

static enum masing_status find_format(const char *file, enum report_format *format,
                                      struct masing_error *error)
{
    static const char *const endings[N_REPORT_FORMATS] = {".h5", ".mat", ".html"};
    size_t length = strlen(file);
    for (int i = 0; i < N_REPORT_FORMATS; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(file + length - ending, endings[i]) == 0) {
            *format = (enum report_format)i;
            return MASING_OK;
        }
    }
    return masing_error_set(error, MASING_INVALID, "%s: expected .h5, .mat or .html", file);
}

/* matio opens the file by its name. */
static enum masing_status open_file(const char *file, enum report_format format,
                                    struct result_file *result, struct masing_error *error)
{
    NEED(result_file_open(file, result, error));
    return result->temporary || format != REPORT_MATLAB
               ? MASING_OK
               : masing_error_set(error, MASING_IO,
                                  "%s: cannot write: it needs a regular file in a folder that "
                                  "takes new ones",
                                  file);
}

enum masing_status masing_report_check(const char *file, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct result_file result = {0};
    enum report_format format = REPORT_PAGE;
    error = entry_begin(error, &own);
    TRY(entry_need(file, "file", error));
    TRY(find_format(file, &format, error));
    TRY(format == REPORT_HDF5     ? hdf5_library_check(error)
        : format == REPORT_MATLAB ? matio_library_check(error)
                                  : MASING_OK);
    status = open_file(file, format, &result, error);
done:
    result_file_drop(&result);
    return status;
}

static enum masing_status write_tree(const struct masing_report *report,
                                     const struct masing_report_run *run,
                                     enum report_format format, struct result_file *result,
                                     const char *file, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    struct tree_group root;
    TRY(report_tree_create(report, run, &arena, &root, error));
    status = format == REPORT_HDF5
                 ? tree_write_hdf5(&root, result->stream, file, error)
                 : tree_write_matlab(&root, result->temporary, file, 0.0, error);
done:
    arena_clear(&arena);
    return status;
}

enum masing_status masing_report_write(const struct masing_report *report, const char *file,
                                       const struct masing_report_run *run,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct result_file result = {0};
    struct masing_report_run given;
    enum report_format format = REPORT_PAGE;
    error = entry_begin(error, &own);
    TRY(entry_need(report, "report", error));
    TRY(entry_need(file, "file", error));
    TRY(entry_read(run, "run", &given, sizeof given, error));
    TRY(entry_need_array(given.n_warnings, given.warnings, "run.warnings", error));
    TRY(find_format(file, &format, error));
    TRY(open_file(file, format, &result, error));
    if (format == REPORT_PAGE) {
        struct masing_error reason = {0};
        status = report_write_page(report, &given, result.stream, &reason);
        TRY(status ? masing_error_set(error, status, "%s: %s", file, reason.message)
                   : MASING_OK);
        TRY(fflush(result.stream) == 0 && !ferror(result.stream)
                ? MASING_OK
                : result_file_fail(file, error));
    } else {
        TRY(write_tree(report, &given, format, &result, file, error));
    }
    TRY(result_file_keep(file, &result, error));
done:
    result_file_drop(&result);
    return status;
}
