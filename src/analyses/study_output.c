/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of a study in the order of its values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/harmonics_check.h"
#include "analyses/study.h"
#include "base/check.h"
#include "base/memory.h"

static void declare(struct masing_column *columns, int *n, enum masing_column_type type,
                    const char *name, const char *suffix)
{
    snprintf(columns[*n].name, sizeof columns[*n].name, "%s%s", name, suffix);
    columns[(*n)++].type = type;
}

static bool can_open(const struct masing_model *model)
{
    for (int j = 0; j < model->spec.n_joints; j++) {
        if (masing_law_can_open(model->joints[j].law)) {
            return true;
        }
    }
    return false;
}

static int peak_column_count(const struct masing_model *model)
{
    return 8 + 3 * model->spec.n_outputs + can_open(model);
}

static void declare_peaks(const struct study *study, struct masing_column *columns)
{
    const struct masing_spec *spec = &study->values[0].model->spec;
    int n = 0;
    declare(columns, &n, MASING_COLUMN_REAL, study->request->parameter, "");
    declare(columns, &n, MASING_COLUMN_REAL, "frequency_hz", "");
    for (int o = 0; o < spec->n_outputs; o++) {
        declare(columns, &n, MASING_COLUMN_REAL, spec->outputs[o].name, "_max");
        declare(columns, &n, MASING_COLUMN_REAL, spec->outputs[o].name, "_amp");
        declare(columns, &n, MASING_COLUMN_REAL, spec->outputs[o].name, "_h1");
    }
    declare(columns, &n, MASING_COLUMN_INTEGER, "at_limit", "");
    declare(columns, &n, MASING_COLUMN_REAL, "slip_share", "");
    if (can_open(study->values[0].model)) {
        declare(columns, &n, MASING_COLUMN_REAL, "open_share", "");
    }
    declare(columns, &n, MASING_COLUMN_REAL, "equivalent_damping_ratio", "");
    declare(columns, &n, MASING_COLUMN_INTEGER, "complete", "");
    declare(columns, &n, MASING_COLUMN_INTEGER, "points", "");
    declare(columns, &n, MASING_COLUMN_REAL, "seconds", "");
}

static enum masing_status write_peak(const struct study *study, int index,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct study_value *value = &study->values[index];
    const struct masing_response_summary *summary = &study->summaries[index];
    int n_outputs = value->model->spec.n_outputs, n = 0;
    struct masing_cell *cells =
        memory_array((size_t)peak_column_count(value->model), sizeof *cells);
    TRY_ALLOCATED(cells);
    /* the largest point of a curve that broke off is no peak */
    bool is_known = summary->is_complete || summary->peak.is_extremum;
    cells[n++].number = study->request->values[index];
    cells[n++].number = is_known ? summary->peak.frequency_hz : NAN;
    for (int o = 0; o < n_outputs; o++) {
        cells[n++].number = is_known ? value->measures[o].max : NAN;
        cells[n++].number = is_known ? value->measures[o].amp : NAN;
        cells[n++].number = is_known ? value->measures[o].h1 : NAN;
    }
    cells[n++].number = !is_known ? NAN : summary->peak.is_at_limit ? 1.0 : 0.0;
    cells[n++].number = summary->slip_share;
    if (can_open(value->model)) {
        cells[n++].number = summary->open_share;
    }
    cells[n++].number = summary->equivalent_damping_ratio;
    cells[n++].number = summary->is_complete ? 1.0 : 0.0;
    cells[n++].number = summary->points;
    cells[n++].number = summary->seconds;
    TRY(study->peaks->row(study->peaks->context, cells, error));
done:
    free(cells);
    return status;
}

enum masing_status study_open(struct study *study, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = study->values[0].model;
    struct response_rows *rows = NULL;
    struct masing_column few[RESPONSE_CONTACT_COLUMNS], *checked = NULL;
    struct masing_column *columns =
        memory_array((size_t)peak_column_count(model), sizeof *columns);
    TRY_ALLOCATED(columns);
    TRY(response_rows_create(model, study->options->columns, study->request->parameter, &rows,
                             error));
    if (study->rows) {
        TRY(study->rows->open(study->rows->context, rows->columns, rows->n_columns, error));
    }
    study->is_open = true;
    if (study->peaks) {
        declare_peaks(study, columns);
        TRY(study->peaks->open(study->peaks->context, columns, peak_column_count(model),
                               error));
    }
    if (study->loops) {
        int n = response_loops_columns(study->request->parameter, few);
        TRY(study->loops->open(study->loops->context, few, n, error));
    }
    if (study->options->contacts) {
        const struct masing_sink *contacts = study->options->contacts;
        int n = response_contacts_columns(study->request->parameter, few);
        TRY(contacts->open(contacts->context, few, n, error));
    }
    if (study->options->check) {
        const struct masing_sink *check = study->options->check;
        int n = 0;
        TRY(harmonics_check_columns(model, study->request->parameter, &checked, &n, error));
        TRY(check->open(check->context, checked, n, error));
    }
done:
    response_rows_destroy(rows);
    free(checked);
    free(columns);
    return status;
}

static enum masing_status write_value(struct study *study, int index,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct study_value *value = &study->values[index];
    if (value->status < 0) {
        return MASING_OK;
    }
    if (study->rows) {
        TRY(row_buffer_replay(&value->rows, study->rows, error));
    }
    if (study->loops) {
        TRY(row_buffer_replay(&value->loops, study->loops, error));
    }
    if (study->options->contacts) {
        TRY(row_buffer_replay(&value->contacts, study->options->contacts, error));
    }
    if (study->options->check) {
        TRY(row_buffer_replay(&value->check, study->options->check, error));
    }
    if (study->peaks && isfinite(study->summaries[index].peak.frequency_hz)) {
        TRY(write_peak(study, index, error));
    }
done:
    row_buffer_clear(&value->rows);
    row_buffer_clear(&value->loops);
    row_buffer_clear(&value->contacts);
    row_buffer_clear(&value->check);
    return status;
}

void study_write_finished(struct study *study)
{
    while (study->next_to_write < study->request->n_values &&
           study->values[study->next_to_write].is_done) {
        int index = study->next_to_write++;
        if (study->sink_status == MASING_OK) {
            study->sink_status = write_value(study, index, &study->sink_error);
        }
        if (index > 0) {
            masing_model_destroy(study->values[index].model);
            study->values[index].model = NULL;
        }
    }
}

enum masing_status study_close(const struct study *study, bool is_good,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_sink *sinks[] = {study->rows, study->peaks, study->loops,
                                         study->options->contacts, study->options->check};
    for (size_t s = 0; s < sizeof sinks / sizeof *sinks; s++) {
        if (!sinks[s]) {
            continue;
        }
        if (is_good && status == MASING_OK) {
            status = sinks[s]->finish(sinks[s]->context, error);
        } else {
            sinks[s]->abandon(sinks[s]->context);
        }
    }
    return status;
}
