/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/named_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/text_file.h"
#include "io/text_lines.h"

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

static char *copy_word(const struct text_word *word)
{
    char *copy = memory_array(word->length + 1, 1);
    if (copy) {
        memcpy(copy, word->text, word->length);
    }
    return copy;
}

static enum masing_status read_header(const struct text_lines *lines, struct named_csv *table,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_word field;
    size_t position = 0;
    table->names = memory_array((size_t)count_fields(lines), sizeof *table->names);
    TRY_ALLOCATED(table->names);
    while (text_lines_field(lines, &position, &field)) {
        if (field.length == 0) {
            TRY(text_lines_fail(lines, field.column, error, "a column without a name"));
        }
        for (int i = 0; i < table->n_columns; i++) {
            if (text_word_equals(&field, table->names[i], false)) {
                TRY(text_lines_fail(lines, field.column, error,
                                    "column '%.80s' stands here twice", table->names[i]));
            }
        }
        table->names[table->n_columns] = copy_word(&field);
        TRY_ALLOCATED(table->names[table->n_columns]);
        table->n_columns++;
    }
done:
    return status;
}

static bool is_wanted(const char *const *wanted, const char *name)
{
    if (!wanted) {
        return true;
    }
    while (*wanted && strcmp(*wanted, name) != 0) {
        wanted++;
    }
    return *wanted != NULL;
}

static enum masing_status read_row(const struct text_lines *lines, int key,
                                   const char *const *wanted, struct named_csv *table,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *row = table->values + (size_t)table->n_rows * (size_t)table->n_columns;
    struct text_word field;
    size_t position = 0;
    int n = count_fields(lines);
    if (n != table->n_columns) {
        TRY(text_lines_fail(lines, 1, error,
                            "expected %d fields as in the header, found %d (write decimal "
                            "points, not commas)",
                            table->n_columns, n));
    }
    for (int i = 0; text_lines_field(lines, &position, &field); i++) {
        if (i == key) {
            row[i] = NAN;
            table->words[table->n_rows] = copy_word(&field);
            TRY_ALLOCATED(table->words[table->n_rows]);
        } else if (!is_wanted(wanted, table->names[i])) {
            row[i] = NAN;
        } else {
            TRY(text_lines_number(lines, &field, table->names[i], &row[i], error));
        }
    }
    table->lines[table->n_rows++] = lines->number;
done:
    return status;
}

int named_csv_find(const struct named_csv *table, const char *name)
{
    for (int i = 0; i < table->n_columns; i++) {
        if (strcmp(table->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

enum masing_status named_csv_read(const char *file, const char *key, const char *const *wanted,
                                  struct named_csv *table, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_lines lines;
    char *text = NULL;
    size_t length;
    *table = (struct named_csv){0};
    TRY(text_file_read(file, TEXT_FILE_LIMIT, &text, &length, error));
    TRY(text_check(text, length, true, file, error));
    text_lines_begin(&lines, file, text, length);
    if (!text_lines_next_data(&lines)) {
        TRY(text_lines_fail(&lines, 1, error,
                            "a header line with the names of the columns is expected"));
    }
    TRY(read_header(&lines, table, error));
    int key_column = key ? named_csv_find(table, key) : -1;
    if (key && key_column < 0) {
        TRY(text_lines_fail(&lines, 1, error, "column '%s' is missing", key));
    }
    table->capacity = text_lines_count_data(&lines);
    size_t n = (size_t)table->capacity;
    table->values = memory_array(n * (size_t)table->n_columns, sizeof *table->values);
    table->words = memory_array(n, sizeof *table->words);
    table->lines = memory_array(n, sizeof *table->lines);
    TRY_ALLOCATED(table->values);
    TRY_ALLOCATED(table->words);
    TRY_ALLOCATED(table->lines);
    while (text_lines_next_data(&lines)) {
        TRY(read_row(&lines, key_column, wanted, table, error));
    }
done:
    free(text);
    return status;
}

void named_csv_clear(struct named_csv *table)
{
    for (int i = 0; i < table->n_columns; i++) {
        free(table->names[i]);
    }
    for (int i = 0; table->words && i < table->capacity; i++) {
        free(table->words[i]);
    }
    free(table->names);
    free(table->words);
    free(table->values);
    free(table->lines);
    *table = (struct named_csv){0};
}
