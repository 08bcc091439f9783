/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "cli/along.h"
#include "cli/response_run.h"
#include "cli/summary.h"

struct frf {
    struct response_run response;
    struct masing_response_summary summary;
};

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct frf *frf = context;
    return response_run_begin(&frf->response, NULL, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct frf *frf = context;
    struct response_run *run = &frf->response;
    response_run_start(run);
    enum masing_status status =
        masing_frf(run->single.input.model, &run->options, output_sink_rows(&run->single.rows),
                   output_sink_rows(&run->loops), &frf->summary, error);
    progress_end(&run->single.progress);
    return status;
}

static bool has_results(const void *context)
{
    const struct frf *frf = context;
    return frf->summary.points > 0;
}

static void print(const void *context)
{
    const struct frf *frf = context;
    const struct masing_spec *spec = frf->response.single.input.spec;
    if (spec->title) {
        fprintf(stderr, "%s\n", spec->title);
    }
    summary_print(frf->response.pool, spec, &frf->summary);
}

static void warn(const void *context)
{
    const struct frf *frf = context;
    summary_print_warnings(frf->response.pool, NULL, NULL, 1, &frf->summary);
}

static void describe(const void *context, struct record *record)
{
    const struct frf *frf = context;
    response_run_describe(&frf->response, 1, NULL, &frf->summary, record);
}

static enum exit_status run_frf(const struct call *call, const void *settings)
{
    static const struct single_steps steps = {.begin = begin,
                                              .compute = compute,
                                              .has_results = has_results,
                                              .print = print,
                                              .warn = warn,
                                              .describe = describe};
    const struct frf_settings *given = settings;
    struct frf frf = {.response.single = {.call = call, .settings = &given->common}};
    if (given->along.name) {
        return along_run(call, given);
    }
    if (given->frequency_hz > 0.0) {
        command_say(call->command, "--frequency goes with --along NAME=FROM:TO");
        return EXIT_WRONG;
    }
    enum exit_status result = single_run(&frf.response.single, &steps, &frf);
    masing_response_summary_clear(&frf.summary);
    response_run_end(&frf.response);
    return result;
}

static const struct option frf_options[] = {
    {"--along", "NAME=FROM:TO",
     "at one --frequency, while a number of the joints or\n"
     "loads varies from one end to the other, e.g.\n"
     "damper.preload=5:300; values of --at are its own then",
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
