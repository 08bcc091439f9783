/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/mode_response.h"

#include <math.h>
#include <stdio.h>

#include "cli/model_input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/record.h"
#include "masing/mode.h"

struct mode_response_run {
    const struct call *call;
    const struct mode_settings *settings;
    struct output_list outputs;
    struct model_input input;
    struct output_sink rows;
    struct progress progress;
    struct masing_mode_response_summary summary;
};

/* "title: mode 2 by itself" */
static const char *title(const struct mode_response_run *run)
{
    const struct masing_spec *spec = run->input.spec;
    return pool_format(run->call->pool, "%s%smode %d by itself", spec->title ? spec->title : "",
                       spec->title ? ": " : "", spec->mode.number);
}

static enum masing_status begin(struct mode_response_run *run, struct masing_error *error)
{
    const struct common_settings *common = &run->settings->common;
    struct pool *pool = run->call->pool;
    if (common->columns || common->at_hz.count > 0) {
        return masing_error_set(error, MASING_INVALID,
                                "masing mode: %s is for rows of the mode, not for --response",
                                common->columns ? "--columns" : "--at");
    }
    enum masing_status status =
        output_parse(pool, &common->outputs, true, &run->outputs, error);
    status = status ? status : model_input_open(run->call, common, &run->input, error);
    if (status != MASING_OK) {
        return status;
    }
    const struct masing_spec *spec = run->input.spec;
    const char *output = spec->n_outputs > 0 ? spec->outputs[spec->peak_output].name : "";
    struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = title(run),
        .x_column = "frequency_hz",
        .y_column = pool_format(pool, "%s_h1", output),
        .group_column = "curve",
        .segment_column = "branch",
        .x_label = "Frequency (Hz)",
        .y_label = pool_format(pool, "Amplitude of %s, first harmonic", output),
        .group_label = "Response",
        .is_log_y = common->is_log_y,
    };
    struct output_table table = {.is_on_stdout = true, .picture = &picture};
    return output_sink_create(pool, &run->outputs, &table, &run->rows, error);
}

static enum masing_status compute(struct mode_response_run *run, struct masing_error *error)
{
    progress_begin(&run->progress, run->call->pool, run->settings->common.is_quiet);
    const struct masing_mode_response_options options = {
        .tolerance = run->settings->response_tolerance,
        .n_threads = run->settings->common.n_threads,
        .progress = &run->progress.hooks,
    };
    enum masing_status status = masing_mode_response(
        run->input.model, &options, output_sink_rows(&run->rows), &run->summary, error);
    progress_end(&run->progress);
    return status;
}

static void print(const struct mode_response_run *run)
{
    const struct masing_mode_response_summary *summary = &run->summary;
    const struct masing_spec *spec = run->input.spec;
    fprintf(stderr, "%s\n", title(run));
    fprintf(stderr, "  joints stuck   %.8g Hz\n", summary->stuck_hz);
    if (isfinite(summary->estimate_peak)) {
        fprintf(stderr,
                "  estimated peak %.6g of %s at %.7g Hz: amplitude %.5g of the mode, damping "
                "ratio %.4g\n",
                summary->estimate_peak, spec->outputs[spec->peak_output].name,
                summary->estimate_hz, summary->mode.amplitude, summary->mode.damping_ratio);
    }
    if (isfinite(summary->full_peak)) {
        fprintf(stderr, "  full peak      %.6g at %.7g Hz\n", summary->full_peak,
                summary->full_hz);
        fprintf(stderr,
                "  difference     %+.2g %% of the amplitude, %+.2g %% of the frequency\n",
                100.0 * summary->amplitude_difference, 100.0 * summary->frequency_difference);
        fprintf(stderr,
                "  between %.5g and %.5g Hz the curves are up to %.2g %% apart, at %.5g Hz\n",
                summary->from_hz, summary->to_hz, 100.0 * summary->distance,
                summary->distance_hz);
    }
    fprintf(stderr, "  %d and %d points in %.3g s, the full response %.3g s of them\n",
            summary->n_estimate, summary->n_full, summary->seconds, summary->seconds_full);
}

static enum masing_status record(struct mode_response_run *run, enum masing_status ended,
                                 const struct masing_error *reason, struct masing_error *error)
{
    const struct record record = {
        .call = run->call,
        .input = &run->input,
        .log = &run->progress.log,
        .warnings = {run->summary.n_warnings, (const char **)(void *)run->summary.warnings},
        .ended = ended,
        .reason = reason,
    };
    return record_write(&record, &run->outputs, error);
}

enum exit_status mode_response_run(const struct call *call,
                                   const struct mode_settings *settings)
{
    struct mode_response_run run = {.call = call, .settings = settings};
    struct masing_error error = {0}, record_error = {0};
    enum masing_status recorded = MASING_OK;
    enum masing_status status = begin(&run, &error);
    if (status == MASING_OK) {
        status = compute(&run, &error);
        if (run.summary.n_full + run.summary.n_estimate > 0) {
            if (!settings->common.is_quiet) {
                print(&run);
            }
            for (int i = 0; i < run.summary.n_warnings; i++) {
                fprintf(stderr, "warning: %s\n", run.summary.warnings[i]);
            }
            recorded = record(&run, status, &error, &record_error);
        }
    }
    enum exit_status result = failure_report(call, status, &error, run.rows.n_rows > 0);
    if (recorded != MASING_OK && result == EXIT_DONE) {
        result = failure_report(call, recorded, &record_error, true);
    }
    masing_mode_response_summary_clear(&run.summary);
    output_sink_destroy(&run.rows);
    model_input_close(&run.input);
    return result;
}
