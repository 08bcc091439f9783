/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak_rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/event_row.h"
#include "base/check.h"
#include "base/hertz.h"
#include "base/memory.h"

struct declared {
    struct masing_column *columns;
    int n;
};

static void declare(struct declared *all, enum masing_column_type type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void declare(struct declared *all, enum masing_column_type type, const char *format, ...)
{
    struct masing_column *column = &all->columns[all->n++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(column->name, sizeof column->name, format, arguments);
    va_end(arguments);
    column->type = type;
}

static int count(const struct masing_spec *spec)
{
    return 8 + 3 * spec->n_outputs + spec->n_groups;
}

enum masing_status peak_rows_columns(const struct masing_model *model, const char *parameter,
                                     const char *other, struct masing_column **columns,
                                     int *n_columns, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &model->spec;
    struct declared all = {memory_array((size_t)count(spec), sizeof **columns), 0};
    TRY_ALLOCATED(all.columns);
    declare(&all, MASING_COLUMN_INTEGER, "point");
    declare(&all, MASING_COLUMN_REAL, "%s", parameter);
    if (other) {
        declare(&all, MASING_COLUMN_REAL, "%s", other);
    }
    declare(&all, MASING_COLUMN_REAL, "frequency_hz");
    for (int o = 0; o < spec->n_outputs; o++) {
        declare(&all, MASING_COLUMN_REAL, "%s_max", spec->outputs[o].name);
        declare(&all, MASING_COLUMN_REAL, "%s_amp", spec->outputs[o].name);
        declare(&all, MASING_COLUMN_REAL, "%s_h1", spec->outputs[o].name);
    }
    for (int g = 0; g < spec->n_groups; g++) {
        declare(&all, MASING_COLUMN_REAL, "slip_%s", spec->groups[g].name);
    }
    declare(&all, MASING_COLUMN_INTEGER, "at_limit");
    declare(&all, MASING_COLUMN_INTEGER, "number");
    declare(&all, MASING_COLUMN_TEXT, "event");
    declare(&all, MASING_COLUMN_INTEGER, "iterations");
    *columns = all.columns;
    *n_columns = all.n;
done:
    return status;
}

/* Maxima are numbered anew in the order in which they are the largest of a row. */
static int number_of(const struct peak_course *course, int k)
{
    const struct peak_station *stations = course->stations;
    int number = 1, first = 0;
    if (course->wanted > 0) {
        return course->wanted;
    }
    while (stations[first].branch != stations[k].branch ||
           !peak_station_is_row(&course->stations[first])) {
        first++;
    }
    for (int i = 1; i <= first; i++) {
        bool is_new = peak_station_is_row(&course->stations[i]);
        for (int j = 0; j < i && is_new; j++) {
            is_new = stations[j].branch != stations[i].branch ||
                     !peak_station_is_row(&course->stations[j]);
        }
        number += is_new;
    }
    return number;
}

static void fill(const struct peak_course *course, int k, const struct event_row *events,
                 struct masing_cell *cell)
{
    const struct peak_station *station = &course->stations[k];
    const struct peak_state *state = &station->state;
    (cell++)->number = hertz(state->point[state->n]);
    for (int i = 0; i < state->n_cells; i++) {
        (cell++)->number = state->cells[i];
    }
    (cell++)->number = state->is_at_limit ? 1.0 : 0.0;
    (cell++)->number = number_of(course, k);
    *cell++ = event_row_cell(events);
    cell->number = state->iterations;
}

enum masing_status peak_rows_write(const struct peak_course *course, bool has_other,
                                   double other_value, int *point,
                                   const struct masing_sink *rows, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_cells = count(&course->site->model->spec), n = 0;
    struct masing_cell *cells = memory_array((size_t)n_cells, sizeof *cells);
    TRY_ALLOCATED(cells);
    for (int k = 0; k < course->n_stations; k++) {
        if (!peak_station_is_row(&course->stations[k])) {
            continue;
        }
        n = 0;
        cells[n++].number = (*point)++;
        cells[n++].number = course->stations[k].state.p;
        if (has_other) {
            cells[n++].number = other_value;
        }
        const struct event_row events = event_row_of_kinds(course->stations[k].events);
        fill(course, k, &events, cells + n);
        TRY(rows->row(rows->context, cells, error));
    }
done:
    free(cells);
    return status;
}
