/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/single_run.h"

#include <stdio.h>

enum masing_status single_run_open(struct single_run *single, struct masing_error *error)
{
    enum masing_status status = output_parse(single->call->pool, &single->settings->outputs,
                                             true, &single->outputs, error);
    return status ? status
                  : model_input_open(single->call, single->settings, &single->input, error);
}

static struct record describe(const struct single_run *single, const struct single_steps *steps,
                              const void *run, enum masing_status ended,
                              const struct masing_error *reason)
{
    struct record record = {
        .call = single->call,
        .input = &single->input,
        .log = &single->progress.log,
        .ended = ended,
        .reason = reason,
    };
    if (single->warnings) {
        record.warnings =
            (struct text_list){*single->n_warnings, (const char **)(void *)*single->warnings};
    }
    if (steps->describe) {
        steps->describe(run, &record);
    }
    return record;
}

/* The summary, the warnings, files and their records. */
static enum masing_status finish(const struct single_run *single,
                                 const struct single_steps *steps, const void *run,
                                 const struct record *record, struct masing_error *error)
{
    if (!single->settings->is_quiet) {
        steps->print(run);
    }
    for (int i = 0; i < record->warnings.count; i++) {
        fprintf(stderr, "warning: %s\n", record->warnings.values[i]);
    }
    if (steps->warn) {
        steps->warn(run);
    }
    enum masing_status status = steps->write ? steps->write(run, error) : MASING_OK;
    return status ? status : record_write(record, &single->outputs, error);
}

/* Ctrl-C and the progress bar belong to the analysis. */
static enum masing_status compute(struct single_run *single, const struct single_steps *steps,
                                  void *run, struct masing_error *error)
{
    if (steps->is_short) {
        return steps->compute(run, error);
    }
    progress_begin(&single->progress, single->call->pool, single->settings->is_quiet);
    enum masing_status status = steps->compute(run, error);
    progress_end(&single->progress);
    return status;
}

enum exit_status single_run(struct single_run *single, const struct single_steps *steps,
                            void *run)
{
    struct masing_error error = {0}, write_error = {0};
    enum masing_status written = MASING_OK, status = steps->begin(run, &error);
    if (status == MASING_OK) {
        status = compute(single, steps, run, &error);
        if (steps->has_results ? steps->has_results(run) : single->rows.n_rows > 0) {
            const struct record record = describe(single, steps, run, status, &error);
            written = finish(single, steps, run, &record, &write_error);
        }
    }
    enum exit_status result =
        steps->report ? steps->report(run, status, &error)
                      : command_report(single->call, status, &error, single->rows.n_rows > 0);
    if (written != MASING_OK && result == EXIT_DONE) {
        result = command_report(single->call, written, &write_error, true);
    }
    output_sink_destroy(&single->rows);
    model_input_close(&single->input);
    return result;
}
