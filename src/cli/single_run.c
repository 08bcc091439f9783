/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/single_run.h"

#include <stdio.h>

#include "cli/failure.h"
#include "cli/record.h"

enum masing_status single_run_open(struct single_run *single, struct masing_error *error)
{
    enum masing_status status = output_parse(single->call->pool, &single->settings->outputs,
                                             true, &single->outputs, error);
    return status ? status
                  : model_input_open(single->call, single->settings, &single->input, error);
}

static struct text_list warnings_of(const struct single_run *single)
{
    return single->warnings ? (struct text_list){*single->n_warnings,
                                                 (const char **)(void *)*single->warnings}
                            : (struct text_list){0};
}

static void show(const struct single_run *single, const struct single_steps *steps,
                 const void *run)
{
    struct text_list warnings = warnings_of(single);
    if (!single->settings->is_quiet) {
        steps->print(run);
    }
    for (int i = 0; i < warnings.count; i++) {
        fprintf(stderr, "warning: %s\n", warnings.values[i]);
    }
    if (steps->warn) {
        steps->warn(run);
    }
}

enum exit_status single_run(struct single_run *single, const struct single_steps *steps,
                            void *run)
{
    struct masing_error error = {0}, record_error = {0};
    enum masing_status recorded = MASING_OK;
    enum masing_status status = steps->begin(run, &error);
    if (status == MASING_OK) {
        status = steps->compute(run, &error);
        if (steps->has_results ? steps->has_results(run) : single->rows.n_rows > 0) {
            show(single, steps, run);
            const struct record record = {
                .call = single->call,
                .input = &single->input,
                .log = &single->progress.log,
                .warnings = warnings_of(single),
                .ended = status,
                .reason = &error,
            };
            recorded = record_write(&record, &single->outputs, &record_error);
        }
    }
    enum exit_status result =
        steps->report ? steps->report(run, status, &error)
                      : failure_report(single->call, status, &error, single->rows.n_rows > 0);
    result = failure_of_record(single->call, result, recorded, &record_error);
    output_sink_destroy(&single->rows);
    model_input_close(&single->input);
    return result;
}
