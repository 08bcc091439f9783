/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/along.h"

#include <math.h>
#include <stdio.h>

#include "cli/single_run.h"
#include "cli/summary.h"
#include "masing/along.h"

struct along {
    struct single_run single;
    const struct frf_settings *settings;
    struct masing_along_summary summary;
};

static enum masing_status check_options(const struct frf_settings *settings,
                                        struct masing_error *error)
{
    if (!(settings->frequency_hz > 0.0)) {
        return masing_error_set(error, MASING_INVALID,
                                "--along %s: --frequency is missing: --frequency HZ",
                                settings->along.name);
    }
    if (settings->common.joint) {
        return masing_error_set(
            error, MASING_INVALID,
            "--along %s: --joint does not go with it, which shows loops at a peak",
            settings->along.name);
    }
    const struct common_settings *common = &settings->common;
    if (common->is_checked || common->check_tolerance > 0.0 || common->n_starts > 0) {
        return masing_error_set(error, MASING_INVALID,
                                "--along %s: %s does not go with it, which asks about a peak",
                                settings->along.name,
                                common->n_starts > 0 ? "--starts" : "--check-harmonics");
    }
    return MASING_OK;
}

static enum masing_status add_rows(struct along *along, struct masing_error *error)
{
    struct pool *pool = along->single.call->pool;
    const struct masing_spec *spec = along->single.input.spec;
    const char *name = along->settings->along.name, *unit = model_input_unit(spec, name);
    struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = pool_format(pool, "%s%sat %.6g Hz", spec->title ? spec->title : "",
                             spec->title ? ", " : "", along->settings->frequency_hz),
        .x_column = name,
        .y_column = summary_measure(pool, spec),
        .segment_column = "branch",
        .event_column = "event",
        .stable_column = "stable",
        .x_label = *unit ? pool_format(pool, "%s (%s)", name, unit) : name,
        .y_label = summary_axis(pool, spec),
        .is_log_y = along->settings->common.is_log_y,
    };
    struct output_table table = {.is_on_stdout = true, .picture = &picture};
    return output_sink_create(pool, &along->single.outputs, &table, &along->single.rows, error);
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct along *along = context;
    const struct frf_settings *settings = along->settings;
    struct real_list at = {1, &(double){settings->frequency_hz}};
    enum masing_status status = check_options(settings, error);
    status = status ? status : single_run_open(&along->single, error);
    status =
        status ? status : model_input_contains(&along->single.input, "--frequency", &at, error);
    return status ? status : add_rows(along, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
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
    struct masing_response_options options = {.columns = common->columns,
                                              .stability = common->stability,
                                              .max_branches = settings_branches(common)};
    progress_begin(&along->single.progress, along->single.call->pool, common->is_quiet);
    options.progress = &along->single.progress.hooks;
    enum masing_status status = masing_along(
        &request, &options, output_sink_rows(&along->single.rows), &along->summary, error);
    progress_end(&along->single.progress);
    return status;
}

static void print(const void *context)
{
    const struct along *along = context;
    struct pool *pool = along->single.call->pool;
    const struct masing_spec *spec = along->single.input.spec;
    const struct masing_along_summary *summary = &along->summary;
    const char *name = along->settings->along.name;
    const char *measure = summary_measure(pool, spec), *unit = summary_unit(spec);
    const char *unit_of_name = model_input_unit(spec, name);
    const char *unit_text = *unit_of_name ? pool_format(pool, " %s", unit_of_name) : "";
    if (spec->title) {
        fprintf(stderr, "%s\n", spec->title);
    }
    fprintf(stderr, "  least                    %s = %.6g %s at %s = %.7g\n", measure,
            summary->least, unit, name, summary->least_at);
    fprintf(stderr, "  most                     %s = %.6g %s at %s = %.7g\n", measure,
            summary->most, unit, name, summary->most_at);
    for (int i = 0; i < summary->n_folds && i < MASING_MAX_JUMPS; i++) {
        fprintf(stderr, "%s%.7g", i == 0 ? "  folds at                 " : ", ",
                summary->fold_at[i]);
    }
    if (summary->n_folds > 0) {
        fprintf(stderr, "%s\n", summary->n_folds > MASING_MAX_JUMPS ? ", ..." : "");
    }
    summary_print_stability(&summary->stability, unit_text);
    summary_print_branches(&summary->branch_points, summary->n_branches, unit_text);
    fprintf(stderr, "  points                   %d in %.3g s\n", summary->points,
            summary->seconds);
    summary_print_strategies(summary->strategies);
    fprintf(stderr, "  worst energy mismatch    %.2g\n", summary->energy_mismatch);
    fprintf(stderr, "  sliders start at         %s\n", summary->start);
}

static void warn(const void *context)
{
    const struct along *along = context;
    const char *reason = along->summary.stability.reason;
    if (*reason && along->settings->common.stability != MASING_STABILITY_AUTO) {
        fprintf(stderr, "warning: stability is not determined: %s\n", reason);
    }
    int n_restarts = along->summary.strategies[MASING_STRATEGY_RESTART];
    if (n_restarts > 0) {
        fprintf(stderr,
                "warning: the curve could not be followed everywhere: %d of its points come "
                "from time integration (see the log), and what lies before each is not known\n",
                n_restarts);
    }
}

static bool has_results(const void *context)
{
    const struct along *along = context;
    return along->summary.points > 0;
}

enum exit_status along_run(const struct call *call, const struct frf_settings *settings)
{
    static const struct single_steps steps = {.begin = begin,
                                              .compute = compute,
                                              .has_results = has_results,
                                              .print = print,
                                              .warn = warn};
    struct along along = {.single = {.call = call, .settings = &settings->common},
                          .settings = settings};
    return single_run(&along.single, &steps, &along);
}
