/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/compare.h"

#include <math.h>
#include <stdio.h>

#include "cli/failure.h"
#include "cli/model_input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/record.h"

struct compare_settings {
    struct common_settings common;
    struct real_list frequencies_hz;
    int n_points;
    bool is_cold;
};

struct comparison {
    const struct call *call;
    const struct compare_settings *settings;
    struct output_list outputs;
    struct model_input input;
    struct output_sink rows;
    struct progress progress;
    struct masing_compare_summary summary;
};

static enum masing_status begin(struct comparison *run, struct masing_error *error)
{
    const struct compare_settings *settings = run->settings;
    struct pool *pool = run->call->pool;
    enum masing_status status =
        output_parse(pool, &settings->common.outputs, false, &run->outputs, error);
    status =
        status ? status : model_input_open(run->call, &settings->common, &run->input, error);
    status = status ? status
                    : model_input_contains(&run->input, "--frequency",
                                           &settings->frequencies_hz, error);
    if (status != MASING_OK) {
        return status;
    }
    struct output_table table = {.is_on_stdout = true};
    return output_sink_create(pool, &run->outputs, &table, &run->rows, error);
}

static enum masing_status compute(struct comparison *run, struct masing_error *error)
{
    const struct compare_settings *settings = run->settings;
    progress_begin(&run->progress, run->call->pool, settings->common.is_quiet);
    const struct masing_compare_options options = {
        .n_frequencies = settings->frequencies_hz.count,
        .frequencies_hz = settings->frequencies_hz.values,
        .n_points = settings->n_points,
        .is_cold = settings->is_cold,
        .progress = &run->progress.hooks,
    };
    enum masing_status status = masing_compare(
        run->input.model, &options, output_sink_rows(&run->rows), &run->summary, error);
    progress_end(&run->progress);
    return status;
}

static void print(const struct comparison *run)
{
    const struct masing_spec *spec = run->input.spec;
    const struct masing_compare_summary *summary = &run->summary;
    if (spec->title) {
        fprintf(stderr, "%s\n", spec->title);
    }
    fprintf(stderr, "  points                   %d, %d of them steady in time",
            summary->n_points, summary->n_steady);
    if (summary->n_stuck > 0) {
        fprintf(stderr, ", %d stuck (first harmonics compared)", summary->n_stuck);
    }
    fputc('\n', stderr);
    if (isfinite(summary->worst_difference)) {
        fprintf(stderr, "  largest difference       %.3g of %s, at %.7g Hz\n",
                summary->worst_difference, spec->outputs[0].name, summary->worst_hz);
    }
    if (isfinite(summary->worst_difference_cold)) {
        fprintf(stderr, "  integrated from rest     %.3g\n", summary->worst_difference_cold);
    }
    if (summary->seconds_hb > 0.0 && summary->seconds_ti > 0.0) {
        fprintf(stderr,
                "  seconds per point        %.3g by balance, %.3g in time: %.3g times\n",
                summary->seconds_hb, summary->seconds_ti,
                summary->seconds_ti / summary->seconds_hb);
    }
}

static enum masing_status record(struct comparison *run, enum masing_status ended,
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

static enum exit_status run_compare(const struct call *call, const void *settings)
{
    struct comparison run = {.call = call, .settings = settings};
    struct masing_error error = {0}, record_error = {0};
    enum masing_status recorded = MASING_OK;
    enum masing_status status = begin(&run, &error);
    if (status == MASING_OK) {
        status = compute(&run, &error);
        if (run.rows.n_rows > 0) {
            if (!run.settings->common.is_quiet) {
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
    masing_compare_summary_clear(&run.summary);
    output_sink_destroy(&run.rows);
    model_input_close(&run.input);
    return result;
}

static const struct option compare_options[] = {
    {"--frequency", "HZ,HZ,...",
     "compare at these frequencies, each time the curve passes\n"
     "them (default: points picked along the curve)",
     option_store_reals, offsetof(struct compare_settings, frequencies_hz)},
    {"--points", "N", "how many points are picked along the curve (default: 10)",
     option_store_count, offsetof(struct compare_settings, n_points)},
    {"--cold", NULL, "integrate from rest, too, not only from the balance's solution",
     option_store_flag, offsetof(struct compare_settings, is_cold)},
    {0},
};

const struct command command_compare = {
    .name = "compare",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "harmonic balance against direct time integration, point by point",
    .details = "Rows: one per point, with both results, their relative difference and the\n"
               "processor time of each. Where a joint sticks all the time its mean depends on\n"
               "the past: first harmonics are compared there.",
    .options = {compare_options, model_options, output_options, single_options},
    .settings_size = sizeof(struct compare_settings),
    .run = run_compare,
};
