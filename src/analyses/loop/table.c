/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/loop/table.h"

#include <string.h>

#include "base/check.h"
#include "base/sink.h"

static const struct masing_column row_columns[] = {
    {"amplitude", MASING_COLUMN_REAL},    {"cycle", MASING_COLUMN_INTEGER},
    {"displacement", MASING_COLUMN_REAL}, {"force", MASING_COLUMN_REAL},
    {"steady", MASING_COLUMN_INTEGER},
};
static const struct masing_column equivalent_column = {"equivalent_bouc_wen",
                                                       MASING_COLUMN_REAL};
static const struct masing_column second_columns[] = {
    {"displacement_2", MASING_COLUMN_REAL},
    {"force_2", MASING_COLUMN_REAL},
};

/* The last one belongs to a path of points. */
static const struct masing_column measure_columns[] = {
    {"amplitude", MASING_COLUMN_REAL},
    {"max_force", MASING_COLUMN_REAL},
    {"secant_stiffness", MASING_COLUMN_REAL},
    {"energy_lost", MASING_COLUMN_REAL},
    {"first_harmonic_stiffness", MASING_COLUMN_REAL},
    {"first_harmonic_damping", MASING_COLUMN_REAL},
    {"loss_factor", MASING_COLUMN_REAL},
    {"slip_share", MASING_COLUMN_REAL},
    {"cycles", MASING_COLUMN_INTEGER},
    {"distance", MASING_COLUMN_REAL},
    {"work", MASING_COLUMN_REAL},
};

enum {
    N_ROW_COLUMNS = sizeof row_columns / sizeof *row_columns,
    MOST_ROW_COLUMNS = N_ROW_COLUMNS + 3,
    N_MEASURE_COLUMNS = sizeof measure_columns / sizeof *measure_columns,
};

static enum masing_status open_rows(struct loop_table *table, struct masing_error *error)
{
    struct masing_column columns[MOST_ROW_COLUMNS];
    int n = N_ROW_COLUMNS;
    memcpy(columns, row_columns, sizeof row_columns);
    if (table->has_equivalent) {
        columns[n++] = equivalent_column;
    }
    for (int i = 0; table->is_circle && i < 2; i++) {
        columns[n++] = second_columns[i];
    }
    return sink_open(table->rows, columns, n, error);
}

enum masing_status loop_table_open(struct loop_table *table, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (table->rows) {
        table->are_rows_open = true;
        TRY(open_rows(table, error));
    }
    if (table->measures) {
        table->are_measures_open = true;
        TRY(sink_open(table->measures, measure_columns,
                      N_MEASURE_COLUMNS - !table->is_of_points, error));
    }
done:
    return status;
}

enum masing_status loop_table_row(struct loop_table *table, const struct loop_row *row,
                                  struct masing_error *error)
{
    if (!table->rows) {
        return MASING_OK;
    }
    struct masing_cell cells[MOST_ROW_COLUMNS] = {
        {.number = row->amplitude}, {.number = row->cycle},     {.number = row->displacement},
        {.number = row->force},     {.number = row->is_steady},
    };
    int n = N_ROW_COLUMNS;
    if (table->has_equivalent) {
        cells[n++].number = row->equivalent;
    }
    if (table->is_circle) {
        cells[n++].number = row->displacement_2;
        cells[n].number = row->force_2;
    }
    return sink_row(table->rows, cells, error);
}

enum masing_status loop_table_measures(struct loop_table *table,
                                       const struct masing_loop_measures *measures,
                                       struct masing_error *error)
{
    if (!table->measures) {
        return MASING_OK;
    }
    const struct masing_cell cells[N_MEASURE_COLUMNS] = {
        {.number = measures->amplitude},
        {.number = measures->max_force},
        {.number = measures->secant_stiffness},
        {.number = measures->energy_lost},
        {.number = measures->first_harmonic_stiffness},
        {.number = measures->first_harmonic_damping},
        {.number = measures->loss_factor},
        {.number = measures->slip_share},
        {.number = measures->cycles},
        {.number = measures->distance},
        {.number = measures->work},
    };
    return sink_row(table->measures, cells, error);
}

static enum masing_status close_sink(const struct masing_sink *sink, bool is_open,
                                     enum masing_status status, struct masing_error *error)
{
    if (!is_open) {
        return status;
    }
    if (status == MASING_OK || status == MASING_STOPPED) {
        enum masing_status closed = sink_finish(sink, error);
        return closed != MASING_OK ? closed : status;
    }
    sink_abandon(sink);
    return status;
}

enum masing_status loop_table_close(struct loop_table *table, enum masing_status status,
                                    struct masing_error *error)
{
    status = close_sink(table->rows, table->are_rows_open, status, error);
    return close_sink(table->measures, table->are_measures_open, status, error);
}
