/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/table_csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/suggest.h"
#include "data/text_file.h"
#include "data/text_lines.h"

struct reading {
    struct text_lines lines;
    const struct csv_column *columns;
    int n_declared;
    enum csv_others others;
    int n_fields;   /* of the header */
    int *column_of; /* [n_fields] of the table; -1: none */
    struct csv_table *table;
    struct masing_error *error;
};

static enum masing_status fail_column(struct reading *reading, const struct text_word *field)
{
    char name[64] = "", hint[100];
    memcpy(name, field->text, field->length < 63 ? field->length : 63);
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (int i = 0; i < reading->n_declared; i++) {
        masing_suggest_consider(&suggestion, reading->columns[i].name);
    }
    return text_lines_fail(&reading->lines, field->column, reading->error,
                           "unknown column '%s'%s", name,
                           masing_suggest_text(&suggestion, hint, sizeof hint));
}

static enum masing_status fail_missing(struct reading *reading, const char *name)
{
    const struct csv_column *columns = reading->columns;
    char list[300] = "";
    for (int i = 0; i < reading->n_declared; i++) {
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s%s", length ? ", " : "",
                 columns[i].name, columns[i].is_required ? "" : " (optional)");
    }
    return text_lines_fail(&reading->lines, 1, reading->error,
                           "column '%s' is missing; expected %s", name, list);
}

static int find_name(const struct csv_table *table, const struct text_word *field)
{
    for (int i = 0; i < table->n_columns; i++) {
        if (text_word_equals(field, table->names[i], false)) {
            return i;
        }
    }
    return -1;
}

static enum masing_status read_name(struct reading *reading, const struct text_word *field)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    int column = find_name(table, field);
    if (column >= 0 && table->is_present[column]) {
        TRY(text_lines_fail(&reading->lines, field->column, error,
                            "column '%.80s' stands here twice", table->names[column]));
    }
    if (column < 0 && reading->others == CSV_OTHERS_REFUSED) {
        TRY(fail_column(reading, field));
    }
    if (column < 0 && reading->others == CSV_OTHERS_NUMBERS) {
        if (field->length == 0) {
            TRY(text_lines_fail(&reading->lines, field->column, error,
                                "a column without a name"));
        }
        column = table->n_columns;
        table->names[column] = arena_text(&table->arena, field->text, field->length);
        TRY_ALLOCATED(table->names[column]);
        table->n_columns++;
    }
    if (column >= 0) {
        table->is_present[column] = true;
    }
    reading->column_of[reading->n_fields++] = column;
done:
    return status;
}

static int count_fields(const struct text_lines *lines)
{
    struct text_word field;
    size_t position = 0;
    int n = 0;
    while (text_lines_field(lines, &position, &field)) {
        n++;
    }
    return n;
}

static enum masing_status read_header(struct reading *reading)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    struct text_word field;
    size_t position = 0;
    if (!text_lines_next_data(&reading->lines)) {
        return text_lines_fail(&reading->lines, 1, error,
                               "a header line with the names of the columns is expected");
    }
    size_t n_fields = (size_t)count_fields(&reading->lines);
    size_t most = n_fields + (size_t)reading->n_declared;
    reading->column_of = arena_allocate(&table->arena, n_fields * sizeof(int));
    table->names = arena_allocate(&table->arena, most * sizeof *table->names);
    table->is_present = arena_allocate(&table->arena, most * sizeof *table->is_present);
    TRY_ALLOCATED(reading->column_of && table->names && table->is_present);
    for (int i = 0; i < reading->n_declared; i++) {
        table->names[table->n_columns++] = reading->columns[i].name;
    }
    while (text_lines_field(&reading->lines, &position, &field)) {
        TRY(read_name(reading, &field));
    }
    for (int i = 0; i < reading->n_declared; i++) {
        if (reading->columns[i].is_required && !table->is_present[i]) {
            TRY(fail_missing(reading, reading->columns[i].name));
        }
    }
done:
    return status;
}

static enum masing_status read_cell(struct reading *reading, const struct text_word *field,
                                    int column, size_t cell)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    bool is_declared = column < reading->n_declared;
    table->places[cell] = field->length > 0 ? field->column : 0;
    if (is_declared && reading->columns[column].is_text) {
        table->texts[cell] = arena_text(&table->arena, field->text, field->length);
        TRY_ALLOCATED(table->texts[cell]);
    } else if (!is_declared || reading->columns[column].is_required || field->length > 0) {
        TRY(text_lines_number(&reading->lines, field, table->names[column],
                              &table->values[cell], error));
    }
done:
    return status;
}

static enum masing_status read_row(struct reading *reading)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    size_t first = (size_t)table->n_rows * (size_t)table->n_columns;
    struct text_word field;
    size_t position = 0;
    int n = 0;
    for (int i = 0; i < reading->n_declared; i++) {
        table->values[first + (size_t)i] = reading->columns[i].fallback;
        if (table->texts) {
            table->texts[first + (size_t)i] = "";
        }
    }
    for (; text_lines_field(&reading->lines, &position, &field); n++) {
        if (n == reading->n_fields) {
            TRY(text_lines_fail(&reading->lines, field.column, error,
                                "more fields than the %d of the header (write decimal points, "
                                "not commas)",
                                reading->n_fields));
        }
        int column = reading->column_of[n];
        TRY(column < 0 ? MASING_OK
                       : read_cell(reading, &field, column, first + (size_t)column));
    }
    if (n < reading->n_fields) {
        TRY(text_lines_fail(&reading->lines, (int)reading->lines.length + 1, error,
                            "expected %d fields as in the header, found %d", reading->n_fields,
                            n));
    }
    table->lines[table->n_rows++] = reading->lines.number;
done:
    return status;
}

static enum masing_status make_room(struct reading *reading)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    bool has_texts = false;
    for (int i = 0; i < reading->n_declared; i++) {
        has_texts = has_texts || reading->columns[i].is_text;
    }
    size_t n_rows = (size_t)text_lines_count_data(&reading->lines);
    size_t n_cells = n_rows * (size_t)table->n_columns;
    table->values = arena_allocate(&table->arena, n_cells * sizeof *table->values);
    table->places = arena_allocate(&table->arena, n_cells * sizeof *table->places);
    table->lines = arena_allocate(&table->arena, n_rows * sizeof *table->lines);
    TRY_ALLOCATED(table->values && table->places && table->lines);
    if (has_texts) {
        table->texts = arena_allocate(&table->arena, n_cells * sizeof *table->texts);
        TRY_ALLOCATED(table->texts);
    }
done:
    return status;
}

enum masing_status csv_table_read(const char *file, const struct csv_column *columns,
                                  int n_columns, enum csv_others others,
                                  struct csv_table *table, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct reading reading = {.columns = columns,
                              .n_declared = n_columns,
                              .others = others,
                              .table = table,
                              .error = error};
    char *text = NULL;
    size_t length;
    *table = (struct csv_table){.file = file};
    TRY(text_file_read(file, TEXT_FILE_LIMIT, &text, &length, error));
    TRY(text_check(text, length, true, file, error));
    text_lines_begin(&reading.lines, file, text, length, '#');
    TRY(read_header(&reading));
    TRY(make_room(&reading));
    while (text_lines_next_data(&reading.lines)) {
        TRY(read_row(&reading));
    }
done:
    free(text);
    return status;
}

void csv_table_clear(struct csv_table *table)
{
    arena_clear(&table->arena);
    *table = (struct csv_table){0};
}

static size_t cell_of(const struct csv_table *table, int row, int column)
{
    return (size_t)row * (size_t)table->n_columns + (size_t)column;
}

double csv_table_number(const struct csv_table *table, int row, int column)
{
    return table->values[cell_of(table, row, column)];
}

const char *csv_table_text(const struct csv_table *table, int row, int column)
{
    return table->texts[cell_of(table, row, column)];
}

enum masing_status csv_table_fail(const struct csv_table *table, int row,
                                  struct masing_error *error, const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return masing_error_set(error, MASING_INVALID, "%s:%d:1: %s", table->file,
                            row < 0 ? 1 : table->lines[row], what);
}

int csv_table_find(const struct csv_table *table, const char *name)
{
    struct text_word word = {.text = name, .length = strlen(name)};
    return find_name(table, &word);
}

enum masing_status csv_table_copy(const struct csv_table *table, int begin, int end, int column,
                                  double **values, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *values = memory_array((size_t)(end - begin), sizeof **values);
    TRY_ALLOCATED(*values);
    for (int i = begin; i < end; i++) {
        (*values)[i - begin] = csv_table_number(table, i, column);
    }
done:
    return status;
}

static enum masing_status take_names(struct text_lines *lines, char **names, int *line_numbers,
                                     int *n_names, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    while (text_lines_next_data(lines)) {
        size_t begin = strspn(lines->line, " \t"), end = lines->length;
        while (strchr(" \t", lines->line[end - 1])) {
            end--;
        }
        names[*n_names] = memory_array(end - begin + 1, 1);
        TRY_ALLOCATED(names[*n_names]);
        memcpy(names[*n_names], lines->line + begin, end - begin);
        line_numbers[(*n_names)++] = lines->number;
    }
done:
    return status;
}

enum masing_status table_names_read(const char *file, char ***names, int **lines, int *n_names,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_lines text_lines;
    char *text = NULL;
    size_t length;
    *names = NULL;
    *lines = NULL;
    *n_names = 0;
    TRY(text_file_read(file, TEXT_FILE_LIMIT, &text, &length, error));
    TRY(text_check(text, length, true, file, error));
    text_lines_begin(&text_lines, file, text, length, '#');
    int count = text_lines_count_data(&text_lines);
    *names = memory_array((size_t)count, sizeof **names);
    *lines = memory_array((size_t)count, sizeof **lines);
    TRY_ALLOCATED(*names && *lines);
    TRY(take_names(&text_lines, *names, *lines, n_names, error));
done:
    free(text);
    if (status != MASING_OK) {
        memory_free_texts(*names, *n_names);
        free(*lines);
        *names = NULL;
        *lines = NULL;
        *n_names = 0;
    }
    return status;
}
