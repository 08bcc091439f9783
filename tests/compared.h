/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Harmonic balance against time integration, the rows being kept. */
#ifndef MASING_TESTS_COMPARED_H
#define MASING_TESTS_COMPARED_H

#include <math.h>
#include <string.h>

#include "masing/compare.h"

#include "integrated.h"

enum { COMPARED_COLUMNS = 128, COMPARED_ROWS = 64 };

/* Rows that are kept, cells by place. */
struct compared {
    int n_columns, n_rows, n_finished;
    char names[COMPARED_COLUMNS][MASING_COLUMN_NAME];
    double numbers[COMPARED_ROWS][COMPARED_COLUMNS];
    char measures[COMPARED_ROWS][8],
        settled[2][COMPARED_ROWS][16]; /* from the balance, from rest */
};

static inline enum masing_status compared_open(void *context,
                                               const struct masing_column *columns,
                                               int n_columns, struct masing_error *error)
{
    (void)error;
    struct compared *table = context;
    table->n_columns = n_columns;
    for (int i = 0; i < n_columns && i < COMPARED_COLUMNS; i++) {
        memcpy(table->names[i], columns[i].name, MASING_COLUMN_NAME);
    }
    return MASING_OK;
}

static inline enum masing_status compared_row(void *context, const struct masing_cell *cells,
                                              struct masing_error *error)
{
    (void)error;
    struct compared *table = context;
    int row = table->n_rows++;
    for (int i = 0; row < COMPARED_ROWS && i < table->n_columns && i < COMPARED_COLUMNS; i++) {
        table->numbers[row][i] = cells[i].number;
        if (strcmp(table->names[i], "measure") == 0) {
            snprintf(table->measures[row], sizeof table->measures[row], "%s", cells[i].text);
        }
        for (int k = 0; k < 2; k++) {
            if (strcmp(table->names[i], k == 0 ? "settled_on" : "settled_on_cold") == 0) {
                snprintf(table->settled[k][row], sizeof table->settled[k][row], "%s",
                         cells[i].text);
            }
        }
    }
    return MASING_OK;
}

static inline enum masing_status compared_finish(void *context, struct masing_error *error)
{
    (void)error;
    ((struct compared *)context)->n_finished++;
    return MASING_OK;
}

static inline void compared_abandon(void *context)
{
    (void)context;
}

static inline struct masing_sink compared_sink(struct compared *table)
{
    return (struct masing_sink){.context = table,
                                .open = compared_open,
                                .row = compared_row,
                                .finish = compared_finish,
                                .abandon = compared_abandon};
}

static inline double compared_number(const struct compared *table, int row, const char *name)
{
    for (int i = 0; i < table->n_columns && i < COMPARED_COLUMNS; i++) {
        if (strcmp(table->names[i], name) == 0) {
            return table->numbers[row][i];
        }
    }
    CHECK(!"a column of this name");
    return NAN;
}

static inline void compared_harmonics(struct masing_spec *spec, int highest)
{
    free(spec->harmonics);
    spec->n_harmonics = highest + 1;
    spec->harmonics = specimen_array((size_t)spec->n_harmonics, sizeof(int));
    for (int h = 0; h <= highest; h++) {
        spec->harmonics[h] = h;
    }
}

static inline void compared_run(const struct masing_model *model,
                                const struct masing_compare_options *options,
                                struct compared *table, struct masing_compare_summary *summary)
{
    struct masing_error error = {0};
    struct masing_sink sink = compared_sink(table);
    if (!CHECK(masing_compare(model, options, &sink, summary, &error) == MASING_OK)) {
        printf("# compare: %s\n", error.message);
    }
    CHECK(table->n_finished == 1 && table->n_rows == summary->n_points);
}

#endif
