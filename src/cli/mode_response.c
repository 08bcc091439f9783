/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/mode_response.h"

#include <math.h>
#include <stdio.h>

#include "cli/single_run.h"
#include "masing/mode.h"

struct mode_response_run {
    struct single_run single;
    const struct mode_settings *settings;
    struct masing_mode_response_summary summary;
};

/* "title: mode 2 by itself" */
static const char *title(const struct mode_response_run *run)
{
    const struct masing_spec *spec = run->single.input.spec;
    return pool_format(run->single.call->pool, "%s%smode %d by itself",
                       spec->title ? spec->title : "", spec->title ? ": " : "",
                       spec->mode.number);
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct mode_response_run *run = context;
    const struct common_settings *common = &run->settings->common;
    struct pool *pool = run->single.call->pool;
    if (common->columns || common->at.count > 0 || common->has_branches) {
        return masing_error_set(error, MASING_INVALID,
                                "masing mode: %s is for rows of the mode, not for --response",
                                common->columns        ? "--columns"
                                : common->has_branches ? "--branches"
                                                       : "--at");
    }
    enum masing_status status = single_run_open(&run->single, error);
    if (status != MASING_OK) {
        return status;
    }
    const struct masing_spec *spec = run->single.input.spec;
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
    return output_sink_create(pool, &run->single.outputs, &table, &run->single.rows, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct mode_response_run *run = context;
    progress_begin(&run->single.progress, run->single.call->pool,
                   run->settings->common.is_quiet);
    const struct masing_mode_response_options options = {
        .tolerance = run->settings->response_tolerance,
        .n_threads = run->settings->common.n_threads,
        .progress = &run->single.progress.hooks,
    };
    enum masing_status status =
        masing_mode_response(run->single.input.model, &options,
                             output_sink_rows(&run->single.rows), &run->summary, error);
    progress_end(&run->single.progress);
    return status;
}

static void print(const void *context)
{
    const struct mode_response_run *run = context;
    const struct masing_mode_response_summary *summary = &run->summary;
    const struct masing_spec *spec = run->single.input.spec;
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

static bool has_results(const void *context)
{
    const struct mode_response_run *run = context;
    return run->summary.n_full + run->summary.n_estimate > 0;
}

enum exit_status mode_response_run(const struct call *call,
                                   const struct mode_settings *settings)
{
    static const struct single_steps steps = {
        .begin = begin, .compute = compute, .has_results = has_results, .print = print};
    struct mode_response_run run = {.settings = settings};
    run.single = (struct single_run){.call = call,
                                     .settings = &settings->common,
                                     .n_warnings = &run.summary.n_warnings,
                                     .warnings = &run.summary.warnings};
    enum exit_status result = single_run(&run.single, &steps, &run);
    masing_mode_response_summary_clear(&run.summary);
    return result;
}
