/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak/rows.h"

#include "analyses/curve/event_row.h"
#include "base/check.h"
#include "base/hertz.h"
#include "base/sink.h"

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

/* What a walk looks at; station and events are NULL while columns are declared. */
struct walk {
    const struct peak_course *course;
    const struct peak_rows_names *names;
    const struct peak_station *station;
    const struct event_row *events;
    double other;
    int point, number;
};

static void walk_all(struct row_table *table, const void *context)
{
    const struct walk *walk = context;
    const struct masing_spec *spec = &walk->course->site->model->spec;
    const struct peak_state *state = walk->station ? &walk->station->state : NULL;
    int cell = 0; /* of the state, in the order of peak_site_cells */
    ROW_INTEGER(table, walk->point, "point");
    ROW_REAL(table, state->p, "%s", walk->names->parameter);
    if (walk->names->other) {
        ROW_REAL(table, walk->other, "%s", walk->names->other);
    }
    ROW_REAL(table, hertz(state->point[state->n]), "frequency_hz");
    for (int o = 0; o < spec->n_outputs; o++) {
        const char *name = spec->outputs[o].name;
        ROW_REAL(table, state->cells[cell++], "%s_max", name);
        ROW_REAL(table, state->cells[cell++], "%s_amp", name);
        ROW_REAL(table, state->cells[cell++], "%s_h1", name);
    }
    for (int g = 0; g < spec->n_groups; g++) {
        ROW_REAL(table, state->cells[cell++], "slip_%s", spec->groups[g].name);
    }
    ROW_INTEGER(table, state->is_at_limit ? 1.0 : 0.0, "at_limit");
    ROW_INTEGER(table, walk->number, "number");
    ROW_CELL(table, MASING_COLUMN_TEXT, event_row_cell(walk->events), "event");
    ROW_INTEGER(table, state->iterations, "iterations");
}

enum masing_status peak_rows_create(const struct peak_course *course,
                                    const struct peak_rows_names *names,
                                    struct row_table *table, struct masing_error *error)
{
    const struct walk walk = {.course = course, .names = names};
    return row_table_create(table, walk_all, &walk, error);
}

enum masing_status peak_rows_write(const struct peak_course *course,
                                   const struct peak_rows_names *names, double other,
                                   int *point, struct row_table *table,
                                   const struct masing_sink *rows, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int k = 0; k < course->n_stations; k++) {
        const struct peak_station *station = &course->stations[k];
        if (!peak_station_is_row(station)) {
            continue;
        }
        const struct event_row events = event_row_of_kinds(station->events);
        const struct walk walk = {
            course, names, station, &events, other, (*point)++, number_of(course, k)};
        row_table_fill(table, walk_all, &walk);
        TRY(sink_row(rows, table->cells, error));
    }
done:
    return status;
}
