/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of a study in the order of its values. */
#include <math.h>
#include <stdlib.h>

#include "analyses/response/harmonics_check.h"
#include "analyses/response/study.h"
#include "base/check.h"
#include "base/sink.h"

static bool can_open(const struct masing_model *model)
{
    for (int j = 0; j < model->spec.n_joints; j++) {
        if (masing_law_can_open(model->joints[j].law)) {
            return true;
        }
    }
    return false;
}

/* What a walk looks at; value and summary are NULL while columns are declared. */
struct walk {
    const struct study *study;
    const struct study_value *value;
    const struct masing_response_summary *summary;
    double parameter;
    bool is_known; /* the largest point of a curve that broke off is no peak */
};

static void walk_peak(struct row_table *table, const void *context)
{
    const struct walk *walk = context;
    const struct masing_model *model = walk->study->values[0].model;
    const struct masing_spec *spec = &model->spec;
    const struct study_value *value = walk->value;
    const struct masing_response_summary *summary = walk->summary;
    bool is_known = walk->is_known;
    ROW_REAL(table, walk->parameter, "%s", walk->study->request->parameter);
    ROW_REAL(table, is_known ? summary->peak.frequency_hz : NAN, "frequency_hz");
    for (int o = 0; o < spec->n_outputs; o++) {
        const char *name = spec->outputs[o].name;
        ROW_REAL(table, is_known ? value->measures[o].max : NAN, "%s_max", name);
        ROW_REAL(table, is_known ? value->measures[o].amp : NAN, "%s_amp", name);
        ROW_REAL(table, is_known ? value->measures[o].h1 : NAN, "%s_h1", name);
    }
    ROW_INTEGER(table, is_known ? (double)summary->peak.is_at_limit : NAN, "at_limit");
    ROW_REAL(table, summary->slip_share, "slip_share");
    if (can_open(model)) {
        ROW_REAL(table, summary->open_share, "open_share");
    }
    ROW_REAL(table, summary->equivalent_damping_ratio, "equivalent_damping_ratio");
    ROW_INTEGER(table, (double)summary->is_complete, "complete");
    ROW_INTEGER(table, summary->points, "points");
    ROW_REAL(table, summary->seconds, "seconds");
}

static enum masing_status write_peak(struct study *study, int index, struct masing_error *error)
{
    const struct masing_response_summary *summary = &study->summaries[index];
    const struct walk walk = {study, &study->values[index], summary,
                              study->request->values[index],
                              summary->is_complete || summary->peak.is_extremum};
    row_table_fill(&study->peak_table, walk_peak, &walk);
    return sink_row(study->peaks, study->peak_table.cells, error);
}

enum masing_status study_open(struct study *study, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = study->values[0].model;
    struct response_rows *rows = NULL;
    struct masing_column few[RESPONSE_CONTACT_COLUMNS], *checked = NULL;
    TRY(response_rows_create(model, study->options->columns, study->request->parameter, &rows,
                             error));
    if (study->rows) {
        TRY(sink_open(study->rows, rows->table.columns, rows->table.n_columns, error));
    }
    study->is_open = true;
    if (study->peaks) {
        TRY(row_table_create(&study->peak_table, walk_peak, &(struct walk){.study = study},
                             error));
        TRY(sink_open(study->peaks, study->peak_table.columns, study->peak_table.n_columns,
                      error));
    }
    if (study->loops) {
        int n = response_loops_columns(study->request->parameter, few);
        TRY(sink_open(study->loops, few, n, error));
    }
    if (study->options->contacts) {
        const struct masing_sink *contacts = study->options->contacts;
        int n = response_contacts_columns(study->request->parameter, few);
        TRY(sink_open(contacts, few, n, error));
    }
    if (study->options->check) {
        const struct masing_sink *check = study->options->check;
        int n = 0;
        TRY(harmonics_check_columns(model, study->request->parameter, &checked, &n, error));
        TRY(sink_open(check, checked, n, error));
    }
done:
    response_rows_destroy(rows);
    free(checked);
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
            status = sink_finish(sinks[s], error);
        } else {
            sink_abandon(sinks[s]);
        }
    }
    return status;
}
