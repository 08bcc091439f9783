/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"

struct column {
    char name[MASING_COLUMN_NAME];
    enum masing_column_type type;
    bool is_text, is_plain;
    double *numbers;  /* [capacity] */
    char **texts;     /* [capacity]; NULL in columns of numbers */
    unsigned *events; /* [capacity] likewise */
    double **values;  /* [capacity]; NULL in columns of one number or text */
};

struct masing_result {
    struct masing_sink sink;
    int n_columns, n_rows, capacity;
    struct column *columns;
    struct arena arena; /* of the texts and values */
};

static void empty(struct masing_result *result)
{
    for (int c = 0; c < result->n_columns; c++) {
        free(result->columns[c].texts);
        free(result->columns[c].events);
        free(result->columns[c].values);
        free(result->columns[c].numbers);
    }
    arena_clear(&result->arena);
    free(result->columns);
    result->columns = NULL;
    result->n_columns = result->n_rows = result->capacity = 0;
}

static enum masing_status open_table(void *context, const struct masing_column *columns,
                                     int n_columns, struct masing_error *error)
{
    struct masing_result *result = context;
    empty(result);
    NEED_ALLOCATED(result->columns = memory_array((size_t)n_columns, sizeof *result->columns));
    result->n_columns = n_columns;
    for (int c = 0; c < n_columns; c++) {
        memcpy(result->columns[c].name, columns[c].name, sizeof columns[c].name);
        result->columns[c].type = columns[c].type;
        result->columns[c].is_text = columns[c].type == MASING_COLUMN_TEXT;
        result->columns[c].is_plain = masing_column_is_plain(&columns[c]);
    }
    return MASING_OK;
}

static enum masing_status grow(struct masing_result *result, struct masing_error *error)
{
    size_t before = (size_t)result->capacity, needed = before + 1, capacity = before;
    for (int c = 0; c < result->n_columns; c++) {
        struct column *column = &result->columns[c];
        size_t of_texts = before, of_events = before, of_values = before;
        capacity = before;
        NEED_ALLOCATED(
            memory_grow((void **)&column->numbers, needed, &capacity, sizeof(double)));
        if (column->is_text) {
            NEED_ALLOCATED(
                memory_grow((void **)&column->texts, needed, &of_texts, sizeof(char *)));
            NEED_ALLOCATED(
                memory_grow((void **)&column->events, needed, &of_events, sizeof(unsigned)));
        }
        if (!column->is_plain) {
            NEED_ALLOCATED(
                memory_grow((void **)&column->values, needed, &of_values, sizeof(double *)));
        }
    }
    result->capacity = (int)capacity;
    return MASING_OK;
}

/* A copy of the values of a cell, NULL where it has none. */
static enum masing_status keep_values(struct masing_result *result,
                                      const struct masing_cell *cell, double **kept,
                                      struct masing_error *error)
{
    size_t size = cell->values ? (size_t)cell->number * sizeof(double) : 0;
    *kept = NULL;
    if (cell->values) {
        NEED_ALLOCATED(*kept = arena_allocate(&result->arena, size));
        memcpy(*kept, cell->values, size);
    }
    return MASING_OK;
}

static enum masing_status take_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct masing_result *result = context;
    int row = result->n_rows;
    NEED(row < result->capacity ? MASING_OK : grow(result, error));
    for (int c = 0; c < result->n_columns; c++) {
        struct column *column = &result->columns[c];
        const char *text = cells[c].text;
        column->numbers[row] = column->is_text ? NAN : cells[c].number;
        if (column->is_text) {
            column->events[row] = cells[c].events;
            column->texts[row] = text ? arena_text(&result->arena, text, strlen(text)) : NULL;
            NEED_ALLOCATED(column->texts[row] || !text);
        }
        if (!column->is_plain) {
            NEED(keep_values(result, &cells[c], &column->values[row], error));
        }
    }
    result->n_rows++;
    return MASING_OK;
}

static const struct column *find(const struct masing_result *result, const char *name)
{
    for (int c = 0; result && name && c < result->n_columns; c++) {
        if (strcmp(result->columns[c].name, name) == 0) {
            return &result->columns[c];
        }
    }
    return NULL;
}

const double *result_numbers(const struct masing_result *result, int column)
{
    return result->columns[column].numbers;
}

const char *const *result_texts(const struct masing_result *result, int column)
{
    return (const char *const *)result->columns[column].texts;
}

const double *const *result_values(const struct masing_result *result, int column)
{
    return (const double *const *)result->columns[column].values;
}

const double *masing_result_column(const struct masing_result *result, const char *name)
{
    const struct column *column = find(result, name);
    return column && result->n_rows > 0 ? column->numbers : NULL;
}

const char *const *masing_result_texts(const struct masing_result *result, const char *name)
{
    const struct column *column = find(result, name);
    return column && result->n_rows > 0 ? (const char *const *)column->texts : NULL;
}

const double *masing_result_values(const struct masing_result *result, const char *name,
                                   int row, int *n)
{
    const struct column *column = find(result, name);
    bool is_there = column && column->values && row >= 0 && row < result->n_rows;
    const double *values = is_there ? column->values[row] : NULL;
    if (n) {
        *n = values ? (int)column->numbers[row] : 0;
    }
    return values;
}

const unsigned *masing_result_events(const struct masing_result *result)
{
    const struct column *column = find(result, "event");
    return column && result->n_rows > 0 ? column->events : NULL;
}

const char *masing_result_name(const struct masing_result *result, int column)
{
    return result && column >= 0 && column < result->n_columns ? result->columns[column].name
                                                               : NULL;
}

enum masing_column_type masing_result_type(const struct masing_result *result, int column)
{
    return masing_result_name(result, column) ? result->columns[column].type
                                              : MASING_COLUMN_REAL;
}

int masing_result_n_rows(const struct masing_result *result)
{
    return result ? result->n_rows : 0;
}

int masing_result_n_columns(const struct masing_result *result)
{
    return result ? result->n_columns : 0;
}

const struct masing_sink *masing_result_sink(struct masing_result *result)
{
    return result ? &result->sink : NULL;
}

enum masing_status masing_result_create(struct masing_result **result,
                                        struct masing_error *error)
{
    masing_error_clear(error);
    NEED(entry_need(result, "result", error));
    NEED_ALLOCATED(*result = memory_array(1, sizeof **result));
    (*result)->sink =
        (struct masing_sink){.context = *result, .open = open_table, .row = take_row};
    return MASING_OK;
}

void masing_result_destroy(struct masing_result *result)
{
    if (result) {
        empty(result);
        free(result);
    }
}
