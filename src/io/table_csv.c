/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/table_csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/suggest.h"
#include "io/text_file.h"
#include "io/text_lines.h"

struct table {
    struct text_lines lines;
    const struct table_column *columns;
    int n_columns, n_texts;
    int n_fields;                    /* columns of the file */
    int field_of[TABLE_MAX_COLUMNS]; /* which of the columns a field is */
    struct csv_table *into;
    struct masing_error *error;
};

static enum masing_status fail_column(struct table *table, const struct text_word *field)
{
    char name[64] = "", hint[100];
    memcpy(name, field->text, field->length < 63 ? field->length : 63);
    struct suggestion suggestion = suggest_begin(name);
    for (int i = 0; i < table->n_columns; i++) {
        suggest_consider(&suggestion, table->columns[i].name);
    }
    return text_lines_fail(&table->lines, field->column, table->error, "unknown column '%s'%s",
                           name, suggest_text(&suggestion, hint, sizeof hint));
}

static enum masing_status read_field_name(struct table *table, const struct text_word *field)
{
    for (int i = 0; i < table->n_columns; i++) {
        if (!text_word_equals(field, table->columns[i].name, false)) {
            continue;
        }
        if (table->into->is_present[i]) {
            return text_lines_fail(&table->lines, field->column, table->error,
                                   "column '%s' stands here twice", table->columns[i].name);
        }
        table->into->is_present[i] = true;
        table->field_of[table->n_fields++] = i;
        return MASING_OK;
    }
    return fail_column(table, field);
}

static enum masing_status read_header(struct table *table)
{
    enum masing_status status = MASING_OK;
    struct text_word field;
    size_t position = 0;
    if (!text_lines_next_data(&table->lines)) {
        return text_lines_fail(&table->lines, 1, table->error,
                               "a header line with the names of the columns is expected");
    }
    while (text_lines_field(&table->lines, &position, &field)) {
        TRY(read_field_name(table, &field));
    }
    for (int i = 0; i < table->n_columns; i++) {
        if (table->columns[i].is_required && !table->into->is_present[i]) {
            TRY(text_lines_fail(&table->lines, 1, table->error, "column '%s' is missing",
                                table->columns[i].name));
        }
    }
done:
    return status;
}

static enum masing_status read_cell(struct table *table, const struct text_word *field,
                                    int column, size_t cell)
{
    struct masing_error *error = table->error;
    enum masing_status status = MASING_OK;
    const struct table_column *wanted = &table->columns[column];
    struct csv_table *into = table->into;
    into->places[cell] = field->length > 0 ? field->column : 0;
    if (column < table->n_texts) {
        into->texts[cell] = arena_text(&into->arena, field->text, field->length);
        TRY_ALLOCATED(into->texts[cell]);
    } else if (wanted->is_required || field->length > 0) {
        TRY(text_lines_number(&table->lines, field, wanted->name, &into->values[cell], error));
    }
done:
    return status;
}

static enum masing_status read_row(struct table *table)
{
    enum masing_status status = MASING_OK;
    struct csv_table *into = table->into;
    size_t first = (size_t)into->n_rows * (size_t)table->n_columns;
    struct text_word field;
    size_t position = 0;
    int n = 0;
    for (int i = 0; i < table->n_columns; i++) {
        into->values[first + (size_t)i] = table->columns[i].fallback;
        into->texts[first + (size_t)i] = "";
    }
    for (; text_lines_field(&table->lines, &position, &field); n++) {
        if (n == table->n_fields) {
            TRY(text_lines_fail(&table->lines, field.column, table->error,
                                "more fields than the %d of the header (write decimal points, "
                                "not commas)",
                                table->n_fields));
        }
        int column = table->field_of[n];
        TRY(read_cell(table, &field, column, first + (size_t)column));
    }
    if (n < table->n_fields) {
        TRY(text_lines_fail(&table->lines, (int)table->lines.length + 1, table->error,
                            "expected %d fields as in the header, found %d", table->n_fields,
                            n));
    }
    into->lines[into->n_rows++] = table->lines.number;
done:
    return status;
}

static enum masing_status allocate(struct csv_table *into, int n_rows,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_cells = (size_t)n_rows * (size_t)into->n_columns;
    TRY_ALLOCATED(into->values = memory_array(n_cells, sizeof *into->values));
    TRY_ALLOCATED(into->texts = memory_array(n_cells, sizeof *into->texts));
    TRY_ALLOCATED(into->places = memory_array(n_cells, sizeof *into->places));
    TRY_ALLOCATED(into->lines = memory_array((size_t)n_rows, sizeof *into->lines));
done:
    return status;
}

enum masing_status csv_table_read(const char *file, const struct table_column *columns,
                                  int n_columns, int n_texts, struct csv_table *into,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct table table = {.columns = columns,
                          .n_columns = n_columns,
                          .n_texts = n_texts,
                          .into = into,
                          .error = error};
    char *text = NULL;
    size_t length;
    *into = (struct csv_table){.n_columns = n_columns};
    TRY(text_file_read(file, TEXT_FILE_LIMIT, &text, &length, error));
    TRY(text_check(text, length, true, file, error));
    text_lines_begin(&table.lines, file, text, length);
    TRY(read_header(&table));
    TRY(allocate(into, text_lines_count_data(&table.lines), error));
    while (text_lines_next_data(&table.lines)) {
        TRY(read_row(&table));
    }
done:
    free(text);
    if (status != MASING_OK) {
        csv_table_clear(into);
    }
    return status;
}

void csv_table_clear(struct csv_table *table)
{
    free(table->values);
    free(table->texts);
    free(table->lines);
    free(table->places);
    arena_clear(&table->arena);
    *table = (struct csv_table){0};
}

enum masing_status table_csv_read(const char *file, const struct table_column *columns,
                                  int n_columns, double **rows, int **row_lines, int *n_rows,
                                  struct masing_error *error)
{
    struct csv_table table;
    enum masing_status status = csv_table_read(file, columns, n_columns, 0, &table, error);
    *rows = table.values;
    *row_lines = table.lines;
    *n_rows = table.n_rows;
    table.values = NULL;
    table.lines = NULL;
    csv_table_clear(&table);
    return status;
}

static void free_names(char **names, int n)
{
    for (int i = 0; names && i < n; i++) {
        free(names[i]);
    }
    free(names);
}

static enum masing_status take_names(struct text_lines *lines, char **names, int *line_numbers,
                                     int *n_names, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    while (text_lines_next_data(lines)) {
        size_t begin = 0, end = lines->length;
        begin = strspn(lines->line, " \t");
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
    text_lines_begin(&text_lines, file, text, length);
    int count = text_lines_count_data(&text_lines);
    *names = memory_array((size_t)count, sizeof **names);
    TRY_ALLOCATED(*names);
    *lines = memory_array((size_t)count, sizeof **lines);
    TRY_ALLOCATED(*lines);
    TRY(take_names(&text_lines, *names, *lines, n_names, error));
done:
    free(text);
    if (status != MASING_OK) {
        free_names(*names, *n_names);
        free(*lines);
        *names = NULL;
        *lines = NULL;
        *n_names = 0;
    }
    return status;
}
