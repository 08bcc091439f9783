/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/response_run.h"
#include "cli/summary.h"

struct study_settings {
    struct common_settings common;
    struct parameter_range variation;
};

struct study {
    struct response_run run;
    const struct parameter_range *variation;
    struct output_sink peaks;
    struct masing_response_summary *summaries; /* [variation->values.count] */
};

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct study *study = context;
    const struct parameter_range *variation = study->variation;
    struct pool *pool = study->run.single.call->pool;
    if (!variation->name) {
        return command_refuse(study->run.single.call, error,
                              "--vary is missing: --vary NAME=SPEC with SPEC v1,v2,v3 | "
                              "from:to:count | from:to:count:log");
    }
    enum masing_status status = response_run_begin(&study->run, variation->name, error);
    struct output_table table = {.part = "peaks"};
    status = status ? status
                    : output_sink_create(pool, &study->run.single.outputs, &table,
                                         &study->peaks, error);
    study->summaries =
        pool_take(pool, (size_t)variation->values.count, sizeof *study->summaries);
    return status;
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct study *study = context;
    struct response_run *run = &study->run;
    const struct model_input *input = &run->single.input;
    run->single.parameter = study->variation->name;
    run->single.values = study->variation->values.values;
    run->single.words = study->variation->words;
    run->single.n_curves = study->variation->values.count;
    run->single.curves = study->summaries;
    const struct masing_study_request request = {
        .document = input->document,
        .overrides = input->overrides->values,
        .n_overrides = input->overrides->count,
        .parameter = study->variation->name,
        .n_values = study->variation->values.count,
        .values = study->variation->values.values,
        .words = study->variation->words,
    };
    return masing_study(&request, &run->options, output_sink_rows(&run->single.rows),
                        output_sink_rows(&study->peaks), output_sink_rows(&run->loops),
                        study->summaries, error);
}

static void print(const void *context)
{
    const struct study *study = context;
    const struct masing_spec *spec = study->run.single.input.spec;
    summary_print_title(spec);
    summary_print_study(study->run.pool, spec, study->variation, study->summaries);
}

static void warn(const void *context)
{
    const struct study *study = context;
    summary_print_warnings(study->run.pool, study->variation, study->summaries);
}

static enum exit_status run_study(const struct call *call, const void *settings)
{
    static const struct single_steps steps = {
        .begin = begin, .compute = compute, .print = print, .warn = warn};
    const struct study_settings *given = settings;
    struct study study = {.variation = &given->variation};
    enum exit_status result = single_run(call, settings, &steps, &study);
    for (int i = 0; study.summaries && i < given->variation.values.count; i++) {
        masing_response_summary_clear(&study.summaries[i]);
    }
    output_sink_destroy(&study.peaks);
    response_run_end(&study.run);
    return result;
}

static const struct option study_options[] = {
    {"--vary", "NAME=SPEC",
     "the number that varies and its values:\n"
     "v1,v2,v3 | from:to:count | from:to:count:log; also words,\n"
     "as forces=exact,sampled or damper.law=jenkins,dahl where\n"
     "the joint's other keys fit each law",
     option_store_vary, offsetof(struct study_settings, variation)},
    {0},
};

const struct command command_study = {
    .name = "study",
    .operands = "MODEL",
    .summary = "one frequency response per value of a number; the peak of each; the lowest",
    .details = "With -o x.csv the peaks go to x.peaks.csv and the joints' loops at the peaks\n"
               "to x.loops.csv, with -o x.svg a picture of them to x.loops.svg; what each\n"
               "element of the contacts does there and at the frequencies of --at to\n"
               "x.contacts.csv, maps of it to x.contacts.svg.",
    .options = {study_options, model_options, output_options, response_options},
    .settings_size = sizeof(struct study_settings),
    .run = run_study,
};
