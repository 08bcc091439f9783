/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/along.h"

#include <math.h>
#include <stdio.h>

#include "cli/failure.h"
#include "cli/model_input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/record.h"
#include "cli/summary.h"
#include "cli/summary_stability.h"
#include "masing/along.h"

struct along {
    const struct call *call;
    const struct frf_settings *settings;
    struct output_list outputs;
    struct model_input input;
    struct output_sink rows;
    struct progress progress;
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
    if (settings->common.at_hz.count > 0 || settings->common.joint) {
        return masing_error_set(
            error, MASING_INVALID, "--along %s: %s does not go with it, the frequency is one",
            settings->along.name, settings->common.joint ? "--joint" : "--at");
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
    struct pool *pool = along->call->pool;
    const struct masing_spec *spec = along->input.spec;
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
    return output_sink_create(pool, &along->outputs, &table, &along->rows, error);
}

static enum masing_status begin(struct along *along, struct masing_error *error)
{
    const struct frf_settings *settings = along->settings;
    const struct common_settings *common = &settings->common;
    struct real_list at = {1, &(double){settings->frequency_hz}};
    enum masing_status status = check_options(settings, error);
    status = status ? status
                    : output_parse(along->call->pool, &common->outputs, true, &along->outputs,
                                   error);
    status = status ? status : model_input_open(along->call, common, &along->input, error);
    status = status ? status : model_input_contains(&along->input, "--frequency", &at, error);
    return status ? status : add_rows(along, error);
}

static enum masing_status compute(struct along *along, struct masing_error *error)
{
    const struct frf_settings *settings = along->settings;
    const struct common_settings *common = &settings->common;
    const struct masing_along_request request = {
        .document = along->input.document,
        .overrides = along->input.overrides->values,
        .n_overrides = along->input.overrides->count,
        .parameter = settings->along.name,
        .from = settings->along.from,
        .to = settings->along.to,
        .frequency_hz = settings->frequency_hz,
    };
    struct masing_response_options options = {.columns = common->columns,
                                              .stability = common->stability,
                                              .max_branches = settings_branches(common)};
    progress_begin(&along->progress, along->call->pool, common->is_quiet);
    options.progress = &along->progress.hooks;
    enum masing_status status = masing_along(&request, &options, output_sink_rows(&along->rows),
                                             &along->summary, error);
    progress_end(&along->progress);
    return status;
}

static void print(const struct along *along)
{
    struct pool *pool = along->call->pool;
    const struct masing_spec *spec = along->input.spec;
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
    fprintf(stderr, "  worst energy mismatch    %.2g\n", summary->energy_mismatch);
    fprintf(stderr, "  sliders start at         %s\n", summary->start);
}

static void warn(const struct along *along)
{
    const char *reason = along->summary.stability.reason;
    if (*reason && along->settings->common.stability != MASING_STABILITY_AUTO) {
        fprintf(stderr, "warning: stability is not determined: %s\n", reason);
    }
}

static enum masing_status write_record(struct along *along, enum masing_status ended,
                                       const struct masing_error *reason,
                                       struct masing_error *error)
{
    const struct record record = {
        .call = along->call,
        .input = &along->input,
        .log = &along->progress.log,
        .ended = ended,
        .reason = reason,
    };
    return record_write(&record, &along->outputs, error);
}

enum exit_status along_run(const struct call *call, const struct frf_settings *settings)
{
    struct along along = {.call = call, .settings = settings};
    struct masing_error error = {0}, record_error = {0};
    enum masing_status recorded = MASING_OK;
    enum masing_status status = begin(&along, &error);
    if (status == MASING_OK) {
        status = compute(&along, &error);
        if (along.summary.points > 0) {
            if (!settings->common.is_quiet) {
                print(&along);
            }
            warn(&along);
            recorded = write_record(&along, status, &error, &record_error);
        }
    }
    enum exit_status result = failure_report(call, status, &error, along.rows.n_rows > 0);
    if (recorded != MASING_OK && result == EXIT_DONE) {
        result = failure_report(call, recorded, &record_error, true);
    }
    output_sink_destroy(&along.rows);
    model_input_close(&along.input);
    return result;
}
