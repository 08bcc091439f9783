/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run a frequency response of a model given as text, and look at its rows by column name. */
#ifndef MASING_TESTS_RESPONSE_H
#define MASING_TESTS_RESPONSE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "masing/response.h"
#include "tap.h"

/* A table in memory: numbers by [row][column], texts in `events` for the column of that name.
 */
struct table {
    int n_columns, n_rows, capacity, event_column;
    struct masing_column *columns;
    double *numbers;
    char (*events)[64];
};

static inline enum masing_status table_open(void *context, const struct masing_column *columns,
                                            int n_columns, struct masing_error *error)
{
    struct table *table = context;
    (void)error;
    table->n_columns = n_columns;
    table->columns = malloc(sizeof *columns * (size_t)n_columns);
    memcpy(table->columns, columns, sizeof *columns * (size_t)n_columns);
    table->event_column = -1;
    for (int c = 0; c < n_columns; c++) {
        if (strcmp(columns[c].name, "event") == 0) {
            table->event_column = c;
        }
    }
    return MASING_OK;
}

/* The text says what the kinds are. */
static inline void table_check_events(const struct masing_cell *cell)
{
    CHECK((cell->events != 0) == (*cell->text != '\0'));
    for (int kind = 1; kind < MASING_N_EVENTS; kind++) {
        if (masing_events_have(cell->events, (enum masing_event)kind)) {
            CHECK(strstr(cell->text, masing_event_name((enum masing_event)kind)) != NULL);
        }
    }
}

static inline enum masing_status table_row(void *context, const struct masing_cell *cells,
                                           struct masing_error *error)
{
    struct table *table = context;
    (void)error;
    if (table->n_rows == table->capacity) {
        table->capacity = 2 * table->capacity + 64;
        table->numbers = realloc(table->numbers, sizeof(double) * (size_t)table->capacity *
                                                     (size_t)table->n_columns);
        table->events = realloc(table->events, sizeof *table->events * (size_t)table->capacity);
    }
    for (int c = 0; c < table->n_columns; c++) {
        table->numbers[table->n_rows * table->n_columns + c] = cells[c].number;
    }
    table->events[table->n_rows][0] = '\0';
    if (table->event_column >= 0 && cells[table->event_column].text) {
        table_check_events(&cells[table->event_column]);
        snprintf(table->events[table->n_rows], sizeof *table->events, "%s",
                 cells[table->event_column].text);
    }
    table->n_rows++;
    return MASING_OK;
}

static inline enum masing_status table_finish(void *context, struct masing_error *error)
{
    (void)context;
    (void)error;
    return MASING_OK;
}

static inline void table_abandon(void *context)
{
    (void)context;
}

static inline struct masing_sink table_sink(struct table *table)
{
    memset(table, 0, sizeof *table);
    return (struct masing_sink){.context = table,
                                .open = table_open,
                                .row = table_row,
                                .finish = table_finish,
                                .abandon = table_abandon};
}

static inline void table_clear(struct table *table)
{
    free(table->columns);
    free(table->numbers);
    free(table->events);
    memset(table, 0, sizeof *table);
}

static inline int table_column(const struct table *table, const char *name)
{
    for (int c = 0; c < table->n_columns; c++) {
        if (strcmp(table->columns[c].name, name) == 0) {
            return c;
        }
    }
    tap_check(false, __FILE__, __LINE__, name); /* no such column */
    return 0;
}

static inline double table_get(const struct table *table, int row, const char *name)
{
    return table->numbers[row * table->n_columns + table_column(table, name)];
}

/* Row whose event contains the text and whose frequency is the given one (1e-12); -1 if none.
 */
static inline int table_find(const struct table *table, const char *event, double hz)
{
    for (int r = 0; r < table->n_rows; r++) {
        if (strstr(table->events[r], event) &&
            fabs(table_get(table, r, "frequency_hz") - hz) <= 1e-12 * hz) {
            return r;
        }
    }
    return -1;
}

/* One response with its rows and summary; status of masing_frf. */
struct run {
    struct table rows;
    struct masing_response_summary summary;
    struct masing_error error;
    enum masing_status status;
};

static inline void run_clear(struct run *run)
{
    table_clear(&run->rows);
    masing_response_summary_clear(&run->summary);
}

static inline void run_with(struct run *run, const char *text,
                            const struct masing_response_options *options)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_sink sink = table_sink(&run->rows);
    memset(&run->summary, 0, sizeof run->summary);
    memset(&run->error, 0, sizeof run->error);
    run->status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, &run->error);
    if (run->status == MASING_OK) {
        run->status = masing_document_model(document, NULL, 0, &model, &run->error);
    }
    if (run->status == MASING_OK) {
        run->summary = (struct masing_response_summary){0};
        run->status = masing_frf(model, options, &sink, NULL, &run->summary, &run->error);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
    if (run->status != MASING_OK) {
        printf("# %s: %s\n", masing_status_name(run->status), run->error.message);
    }
}

/* Run a model text, with rows at some frequencies; nothing is asked about stability. */
static inline void run_text(struct run *run, const char *text, const double *at_hz, int n_at)
{
    const struct masing_response_options options = {
        .n_at = n_at,
        .at_hz = at_hz,
        .columns = MASING_COLUMNS_HARMONICS | MASING_COLUMNS_ENERGY | MASING_COLUMNS_JOINTS |
                   MASING_COLUMNS_SLOPES | MASING_COLUMNS_FORCES,
        .stability = MASING_STABILITY_NONE};
    run_with(run, text, &options);
}

/* printf into a new text; freed by the caller. */
static inline char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline char *text_of(const char *format, ...)
{
    va_list arguments;
    char *text = malloc(8192);
    va_start(arguments, format);
    vsnprintf(text, 8192, format, arguments);
    va_end(arguments);
    return text;
}

/* The model that a text describes, which is freed; NULL, with a failure, where it does not. */
static inline struct masing_model *model_of_text(char *text)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    if (!CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) ==
                   MASING_OK &&
               masing_document_model(document, NULL, 0, &model, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    masing_document_destroy(document);
    free(text);
    return model;
}

/* A reference file beside the tests; the environment says where the sources are. */
static inline FILE *open_reference(const char *name)
{
    char path[4096];
    const char *root = getenv("MASING_SOURCE_ROOT");
    snprintf(path, sizeof path, "%s/tests/reference/%s", root ? root : ".", name);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    return file;
}

#endif
