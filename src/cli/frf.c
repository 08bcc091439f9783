/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "cli/response_run.h"
#include "cli/summary.h"
#include "masing/along.h"

struct frf_settings {
    struct common_settings common;
    struct parameter_range along; /* name NULL: along the frequency */
    double frequency_hz;          /* 0: not given */
};

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
    run->single.n_curves = 1;
    run->single.curves = &frf->summary;
    return masing_frf(run->single.input.model, &run->options,
                      output_sink_rows(&run->single.rows), output_sink_rows(&run->loops),
                      &frf->summary, error);
}

static void print(const void *context)
{
    const struct frf *frf = context;
    const struct masing_spec *spec = frf->response.single.input.spec;
    summary_print_title(spec);
    summary_print(frf->response.pool, spec, &frf->summary);
}

/* ---- frf --along: at one frequency, while a parameter of the model varies ---- */

struct along {
    struct single_run single;
    const struct frf_settings *settings;
    struct output_sink contacts;
    struct masing_along_summary summary;
};

static enum masing_status check_options_along(const struct along *along,
                                              struct masing_error *error)
{
    const char *name = along->settings->along.name;
    const char *of_peak =
        command_given(along->single.call, "--starts --check-harmonics --check-tolerance");
    if (!(along->settings->frequency_hz > 0.0)) {
        return masing_error_set(error, MASING_INVALID,
                                "--along %s: --frequency is missing: --frequency HZ", name);
    }
    if (along->settings->common.joint) {
        return masing_error_set(
            error, MASING_INVALID,
            "--along %s: --joint does not go with it, which shows loops at a peak", name);
    }
    return !of_peak
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "--along %s: %s does not go with it, which is about a peak",
                                  name, of_peak);
}

static enum masing_status add_rows_along(struct along *along, struct masing_error *error)
{
    struct pool *pool = along->single.call->pool;
    const struct masing_spec *spec = along->single.input.spec;
    const char *name = along->settings->along.name;
    const struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = pool_format(pool, "%s%sat %.6g Hz", spec->title ? spec->title : "",
                             spec->title ? ", " : "", along->settings->frequency_hz),
        .x_column = name,
        .y_column = summary_measure(pool, spec),
        .segment_column = "branch",
        .event_column = "event",
        .stable_column = "stable",
        .x_label = model_input_label(pool, spec, name),
        .y_label = summary_axis(pool, spec),
        .is_log_y = along->settings->common.is_log_y,
    };
    return single_run_rows(&along->single, &picture, error);
}

static enum masing_status begin_along(void *context, struct masing_error *error)
{
    struct along *along = context;
    const struct frf_settings *settings = along->settings;
    struct real_list at = {1, &(double){settings->frequency_hz}};
    enum masing_status status = check_options_along(along, error);
    status = status ? status : single_run_open(&along->single, MODEL_WHOLE, error);
    status =
        status ? status : model_input_contains(&along->single.input, "--frequency", &at, error);
    status = status ? status : add_rows_along(along, error);
    return status || settings->common.at.count == 0
               ? status
               : response_run_contacts(&along->single, settings->along.name, &along->contacts,
                                       error);
}

static enum masing_status compute_along(void *context, struct masing_error *error)
{
    struct along *along = context;
    const struct frf_settings *settings = along->settings;
    const struct common_settings *common = &settings->common;
    const struct masing_along_request request = {
        .document = along->single.input.document,
        .overrides = along->single.input.overrides->values,
        .n_overrides = along->single.input.overrides->count,
        .parameter = settings->along.name,
        .from = settings->along.from,
        .to = settings->along.to,
        .frequency_hz = settings->frequency_hz,
        .n_at = common->at.count,
        .at = common->at.values,
    };
    const struct masing_response_options options = {
        .columns = common->columns,
        .stability = common->stability,
        .max_branches = option_branches(common),
        .progress = &along->single.progress.hooks,
        .contacts = output_sink_rows(&along->contacts),
    };
    return masing_along(&request, &options, output_sink_rows(&along->single.rows),
                        &along->summary, error);
}

static void print_along(const void *context)
{
    const struct along *along = context;
    struct pool *pool = along->single.call->pool;
    const struct masing_spec *spec = along->single.input.spec;
    const struct masing_along_summary *summary = &along->summary;
    const char *name = along->settings->along.name;
    const char *unit = model_input_unit(spec, name);
    const char *unit_text = *unit ? pool_format(pool, " %s", unit) : "";
    summary_print_title(spec);
    summary_print_extreme(pool, spec, "least", summary->least, name, summary->least_at, "\n");
    summary_print_extreme(pool, spec, "most", summary->most, name, summary->most_at, "\n");
    summary_print_list("folds at", summary->n_folds, MASING_MAX_JUMPS, summary->fold_at, 7, "");
    summary_print_stability(&summary->stability, unit_text);
    summary_print_branches(&summary->branch_points, summary->n_branches, unit_text);
    fprintf(stderr, "  points                   %d in %.3g s\n", summary->points,
            summary->seconds);
    summary_print_strategies(summary->strategies);
    fprintf(stderr, "  worst energy mismatch    %.2g\n", summary->energy_mismatch);
    fprintf(stderr, "  sliders start at         %s\n", summary->start);
}

static void warn_along(const void *context)
{
    const struct along *along = context;
    const char *reason = along->summary.stability.reason;
    if (*reason && along->settings->common.stability != MASING_STABILITY_AUTO) {
        fprintf(stderr, "warning: stability is not determined: %s\n", reason);
    }
    if (*along->summary.missing) {
        fprintf(stderr, "warning: %s\n", along->summary.missing);
    }
    int n_restarts = along->summary.strategies[MASING_STRATEGY_RESTART];
    if (n_restarts > 0) {
        fprintf(stderr,
                "warning: the curve could not be followed everywhere: %d of its points come "
                "from time integration (see the log), and what lies before each is not known\n",
                n_restarts);
    }
}

static enum exit_status run_along(const struct call *call, const struct frf_settings *settings)
{
    static const struct single_steps steps = {.begin = begin_along,
                                              .compute = compute_along,
                                              .print = print_along,
                                              .warn = warn_along};
    struct along along = {.settings = settings};
    enum exit_status result = single_run(call, settings, &steps, &along);
    output_sink_destroy(&along.contacts);
    return result;
}

/* ---- the command ---- */

static enum exit_status run_frf(const struct call *call, const void *settings)
{
    static const struct single_steps steps = {
        .begin = begin, .compute = compute, .print = print};
    const struct frf_settings *given = settings;
    struct frf frf = {0};
    if (given->along.name) {
        return run_along(call, given);
    }
    if (given->frequency_hz > 0.0) {
        command_say(call->command, "--frequency goes with --along NAME=FROM:TO");
        return EXIT_WRONG;
    }
    frf.response.single.n_summary_warnings = &frf.summary.n_warnings;
    frf.response.single.summary_warnings = &frf.summary.warnings;
    enum exit_status result = single_run(call, settings, &steps, &frf);
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
    .summary = "frequency response by harmonic balance with arc-length continuation",
    .details =
        "Rows: one per accepted point, in the order in which the curve was followed.\n"
        "With -o x.csv the joints' loops at the peak go to x.loops.csv, with -o x.svg\n"
        "a picture of them to x.loops.svg; what each element of the contacts does there\n"
        "and at the frequencies of --at to x.contacts.csv, maps of it to x.contacts.svg;\n"
        "with --along, at the values of --at.",
    .options = {frf_options, model_options, output_options, response_options},
    .settings_size = sizeof(struct frf_settings),
    .run = run_frf,
};
