/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "cli/along.h"
#include "cli/failure.h"
#include "cli/response_run.h"
#include "cli/summary.h"

static void print(struct response_run *run, const struct masing_response_summary *summary)
{
    if (!run->settings->is_quiet) {
        if (run->input.spec->title) {
            fprintf(stderr, "%s\n", run->input.spec->title);
        }
        summary_print(run->pool, run->input.spec, summary);
    }
    summary_print_warnings(run->pool, NULL, NULL, 1, summary);
}

static enum exit_status run_frf(const struct call *call, const void *settings)
{
    const struct frf_settings *given = settings;
    if (given->along.name) {
        return along_run(call, given);
    }
    if (given->frequency_hz > 0.0) {
        say(call->command, "--frequency goes with --along NAME=FROM:TO");
        return EXIT_WRONG;
    }
    struct response_run run;
    struct masing_error error = {0}, record_error = {0};
    struct masing_response_summary summary = {0};
    enum masing_status recorded = MASING_OK;
    enum masing_status status = response_run_begin(call, settings, NULL, &run, &error);
    if (status == MASING_OK) {
        response_run_start(&run);
        status = masing_frf(run.input.model, &run.options, output_sink_rows(&run.rows),
                            output_sink_rows(&run.loops), &summary, &error);
        progress_end(&run.progress);
        if (summary.points > 0) {
            print(&run, &summary);
            recorded =
                response_run_record(&run, NULL, 1, &summary, status, &error, &record_error);
        }
    }
    enum exit_status result = failure_report(call, status, &error, run.rows.n_rows > 0);
    result = failure_of_record(call, result, recorded, &record_error);
    masing_response_summary_clear(&summary);
    response_run_end(&run);
    return result;
}

static const struct option frf_options[] = {
    {"--along", "NAME=FROM:TO",
     "at one --frequency, while a number of the joints or\n"
     "loads varies from one end to the other, e.g.\n"
     "damper.preload=5:300",
     option_store_span, offsetof(struct frf_settings, along)},
    {"--frequency", "HZ", "with --along: the frequency of the loads", option_store_positive,
     offsetof(struct frf_settings, frequency_hz)},
    {0},
};

const struct command command_frf = {
    .name = "frf",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "frequency response by harmonic balance with arc-length continuation",
    .details =
        "Rows: one per accepted point, in the order in which the curve was followed.\n"
        "With -o x.csv the joints' loops at the peak go to x.loops.csv, with -o x.svg\n"
        "a picture of them to x.loops.svg; what each element of the contacts does there\n"
        "and at the frequencies of --at to x.contacts.csv, maps of it to x.contacts.svg.",
    .options = {frf_options, model_options, output_options, response_options},
    .settings_size = sizeof(struct frf_settings),
    .run = run_frf,
};
