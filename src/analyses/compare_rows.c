/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "analyses/comparison.h"
#include "base/check.h"
#include "base/memory.h"

static const double two_pi = 6.28318530717958647692;

enum { FIXED_COLUMNS = 10, COLD_COLUMNS = 4, OUTPUT_COLUMNS = 4 };

static void name_column(struct masing_column *column, const char *output, const char *suffix,
                        enum masing_column_type type)
{
    column->type = type;
    snprintf(column->name, sizeof column->name, "%.80s%s", output, suffix);
}

static void name_columns(struct comparison *comparison)
{
    const struct masing_output_spec *outputs = comparison->model->spec.outputs;
    struct masing_column *column = comparison->columns;
    name_column(column++, "", "frequency_hz", MASING_COLUMN_REAL);
    name_column(column++, outputs[0].name, "_max_hb", MASING_COLUMN_REAL);
    name_column(column++, outputs[0].name, "_max_ti", MASING_COLUMN_REAL);
    name_column(column++, "", "relative_difference", MASING_COLUMN_REAL);
    name_column(column++, "", "seconds_hb", MASING_COLUMN_REAL);
    name_column(column++, "", "seconds_ti", MASING_COLUMN_REAL);
    name_column(column++, "", "measure", MASING_COLUMN_TEXT);
    name_column(column++, "", "cycles", MASING_COLUMN_INTEGER);
    name_column(column++, outputs[0].name, "_h1_hb", MASING_COLUMN_REAL);
    name_column(column++, outputs[0].name, "_h1_ti", MASING_COLUMN_REAL);
    if (comparison->options->is_cold) {
        name_column(column++, outputs[0].name, "_max_cold", MASING_COLUMN_REAL);
        name_column(column++, outputs[0].name, "_h1_cold", MASING_COLUMN_REAL);
        name_column(column++, "", "relative_difference_cold", MASING_COLUMN_REAL);
        name_column(column++, "", "seconds_cold", MASING_COLUMN_REAL);
    }
    for (int i = 1; i < comparison->model->spec.n_outputs; i++) {
        name_column(column++, outputs[i].name, "_max_hb", MASING_COLUMN_REAL);
        name_column(column++, outputs[i].name, "_max_ti", MASING_COLUMN_REAL);
        name_column(column++, outputs[i].name, "_h1_hb", MASING_COLUMN_REAL);
        name_column(column++, outputs[i].name, "_h1_ti", MASING_COLUMN_REAL);
    }
}

enum masing_status comparison_create_rows(struct comparison *comparison,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_cold = comparison->options->is_cold ? COLD_COLUMNS : 0;
    comparison->n_columns =
        FIXED_COLUMNS + n_cold + OUTPUT_COLUMNS * (comparison->model->spec.n_outputs - 1);
    comparison->columns =
        memory_array((size_t)comparison->n_columns, sizeof *comparison->columns);
    comparison->cells = memory_array((size_t)comparison->n_columns, sizeof *comparison->cells);
    TRY_ALLOCATED(comparison->columns && comparison->cells);
    name_columns(comparison);
done:
    return status;
}

enum masing_status comparison_write_row(struct comparison *comparison, double omega,
                                        bool is_stuck, struct masing_error *error)
{
    const struct output_measures *balance = comparison->curve->recovery->point.measures;
    const struct integrated *warm = &comparison->warm, *cold = &comparison->cold;
    struct masing_cell *cell = comparison->cells;
    if (!comparison->rows) {
        return MASING_OK;
    }
    (cell++)->number = omega / two_pi;
    (cell++)->number = balance[0].max;
    (cell++)->number = warm->max[0];
    (cell++)->number = warm->difference;
    (cell++)->number = comparison->summary->seconds_hb;
    (cell++)->number = warm->seconds;
    (cell++)->text = is_stuck ? "h1" : "max";
    (cell++)->number = warm->cycles;
    (cell++)->number = balance[0].h1;
    (cell++)->number = warm->h1[0];
    if (comparison->options->is_cold) {
        (cell++)->number = cold->max[0];
        (cell++)->number = cold->h1[0];
        (cell++)->number = cold->difference;
        (cell++)->number = cold->seconds;
    }
    for (int i = 1; i < comparison->model->spec.n_outputs; i++) {
        (cell++)->number = balance[i].max;
        (cell++)->number = warm->max[i];
        (cell++)->number = balance[i].h1;
        (cell++)->number = warm->h1[i];
    }
    return comparison->rows->row(comparison->rows->context, comparison->cells, error);
}
