/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "cli/failure.h"
#include "cli/response_run.h"
#include "cli/summary.h"

struct study_settings {
    struct common_settings common;
    struct variation variation;
};

struct study {
    struct response_run run;
    const struct variation *variation;
    struct output_sink peaks;
    struct masing_response_summary *summaries; /* [variation->values.count] */
};

static enum masing_status begin(const struct call *call, const struct study_settings *settings,
                                struct study *study, struct masing_error *error)
{
    const struct variation *variation = &settings->variation;
    study->variation = variation;
    if (!variation->name) {
        return masing_error_set(error, MASING_INVALID,
                                "masing study: --vary is missing: --vary NAME=SPEC with SPEC "
                                "v1,v2,v3 | from:to:count | from:to:count:log");
    }
    enum masing_status status =
        response_run_begin(call, &settings->common, variation->name, &study->run, error);
    struct output_table table = {.part = "peaks"};
    status = status ? status
                    : output_sink_create(call->pool, &study->run.outputs, &table, &study->peaks,
                                         error);
    study->summaries =
        pool_take(call->pool, (size_t)variation->values.count, sizeof *study->summaries);
    return status;
}

static enum masing_status compute(struct study *study, struct masing_error *error)
{
    struct response_run *run = &study->run;
    const struct masing_study_request request = {
        .document = run->input.document,
        .overrides = run->input.overrides->values,
        .n_overrides = run->input.overrides->count,
        .parameter = study->variation->name,
        .n_values = study->variation->values.count,
        .values = study->variation->values.values,
    };
    response_run_start(run);
    enum masing_status status = masing_study(
        &request, &run->options, output_sink_rows(&run->rows), output_sink_rows(&study->peaks),
        output_sink_rows(&run->loops), study->summaries, error);
    progress_end(&run->progress);
    return status;
}

static void print(struct study *study)
{
    struct response_run *run = &study->run;
    const struct real_list *values = &study->variation->values;
    if (!run->settings->is_quiet) {
        if (run->input.spec->title) {
            fprintf(stderr, "%s\n", run->input.spec->title);
        }
        summary_print_study(run->pool, run->input.spec, study->variation, study->summaries);
    }
    summary_print_warnings(run->pool, study->variation->name, values->values, values->count,
                           study->summaries);
}

static enum exit_status run_study(const struct call *call, const void *settings)
{
    struct study study = {0};
    struct masing_error error = {0}, record_error = {0};
    enum masing_status recorded = MASING_OK;
    enum masing_status status = begin(call, settings, &study, &error);
    if (status == MASING_OK) {
        int n = study.variation->values.count;
        status = compute(&study, &error);
        if (study.run.rows.n_rows > 0) {
            print(&study);
            recorded = response_run_record(&study.run, study.variation, n, study.summaries,
                                           status, &error, &record_error);
        }
        for (int i = 0; i < n; i++) {
            masing_response_summary_clear(&study.summaries[i]);
        }
    }
    enum exit_status result = failure_report(call, status, &error, study.run.rows.n_rows > 0);
    result = failure_of_record(call, result, recorded, &record_error);
    output_sink_destroy(&study.peaks);
    response_run_end(&study.run);
    return result;
}

static const struct option study_options[] = {
    {"--vary", "NAME=SPEC",
     "the number that varies and its values:\n"
     "v1,v2,v3 | from:to:count | from:to:count:log",
     option_store_vary, offsetof(struct study_settings, variation)},
    {0},
};

const struct command command_study = {
    .name = "study",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "one frequency response per value of a number; the peak of each; the lowest",
    .details = "With -o x.csv the peaks go to x.peaks.csv and the joints' loops at the peaks\n"
               "to x.loops.csv, with -o x.svg a picture of them to x.loops.svg; what each\n"
               "element of the contacts does there and at the frequencies of --at to\n"
               "x.contacts.csv, maps of it to x.contacts.svg.",
    .options = {study_options, model_options, output_options, response_options},
    .settings_size = sizeof(struct study_settings),
    .run = run_study,
};
