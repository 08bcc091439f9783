/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/integrate.h"

#include <math.h>
#include <stdio.h>

#include "cli/failure.h"
#include "cli/model_input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/record.h"
#include "cli/summary.h"

struct integrate_settings {
    struct common_settings common;
    double frequency_hz;
    bool has_all_history;
};

struct integration {
    const struct call *call;
    const struct integrate_settings *settings;
    struct output_list outputs;
    struct model_input input;
    struct output_sink rows;
    struct progress progress;
    struct masing_integrate_summary summary;
};

static enum masing_status begin(struct integration *run, struct masing_error *error)
{
    const struct integrate_settings *settings = run->settings;
    struct pool *pool = run->call->pool;
    if (!(settings->frequency_hz > 0)) {
        return masing_error_set(error, MASING_INVALID,
                                "masing integrate: --frequency is missing: --frequency HZ");
    }
    enum masing_status status =
        output_parse(pool, &settings->common.outputs, true, &run->outputs, error);
    status =
        status ? status : model_input_open(run->call, &settings->common, &run->input, error);
    if (status != MASING_OK) {
        return status;
    }
    struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = run->input.spec->title,
        .x_column = "time",
        .y_column = run->input.spec->outputs[run->input.spec->peak_output].name,
        .x_label = "Time (s)",
        .y_label = summary_output(pool, run->input.spec),
    };
    struct output_table table = {.is_on_stdout = true, .picture = &picture};
    return output_sink_create(pool, &run->outputs, &table, &run->rows, error);
}

static enum masing_status compute(struct integration *run, struct masing_error *error)
{
    const struct integrate_settings *settings = run->settings;
    progress_begin(&run->progress, run->call->pool, settings->common.is_quiet);
    const struct masing_integrate_options options = {
        .all_history = settings->has_all_history,
        .progress = &run->progress.hooks,
    };
    enum masing_status status =
        masing_integrate(run->input.model, settings->frequency_hz, &options,
                         output_sink_rows(&run->rows), &run->summary, error);
    progress_end(&run->progress);
    return status;
}

static void print_shooting(const struct masing_integrate_summary *summary)
{
    if (summary->n_updates == 0) {
        return;
    }
    fprintf(stderr, "  shooting: %d Newton steps", summary->n_updates);
    for (int i = 0; i < summary->n_updates && i < MASING_MAX_UPDATES; i++) {
        fprintf(stderr, "%s %.1e", i == 0 ? " of relative size" : ",", summary->updates[i]);
    }
    if (isfinite(summary->largest_multiplier)) {
        fprintf(stderr, "\n  largest multiplier %.5g: %s", summary->largest_multiplier,
                summary->largest_multiplier < 1.0 ? "stable" : "not stable");
    }
    fprintf(stderr, "\n");
}

static void print(const struct integration *run)
{
    const struct masing_spec *spec = run->input.spec;
    const struct masing_integrate_summary *summary = &run->summary;
    fprintf(stderr, "%s%s%.10g Hz: %s after %d cycles (%ld steps) in %.3g s\n",
            spec->title ? spec->title : "", spec->title ? ", " : "",
            run->settings->frequency_hz, summary->is_steady ? "steady" : "not steady",
            summary->cycles, summary->steps, summary->seconds);
    if (summary->order > 1) {
        fprintf(stderr, "  the motion repeats after %d periods of the load: sub-harmonic\n",
                summary->order);
    }
    print_shooting(summary);
    if (isfinite(summary->distance)) {
        fprintf(stderr, "  estimated distance from the periodic motion: %.2g\n",
                summary->distance);
    }
    for (int i = 0; i < summary->n_outputs && i < spec->n_outputs; i++) {
        const struct masing_output_measures *m = &summary->outputs[i];
        fprintf(stderr, "  %s: max %.8g, amp %.8g, mean %.4g, h1 %.8g at %.5g deg\n",
                spec->outputs[i].name, m->max, m->amp, m->mean, m->h1,
                m->h1_phase * 180 / acos(-1.0));
    }
    fprintf(stderr, "  per cycle: energy in %.6g, lost %.6g (in joints %.6g)\n",
            summary->energy_in, summary->energy_lost, summary->energy_joints);
}

static enum masing_status record(struct integration *run, enum masing_status ended,
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

static enum exit_status run_integrate(const struct call *call, const void *settings)
{
    struct integration run = {.call = call, .settings = settings};
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
    masing_integrate_summary_clear(&run.summary);
    output_sink_destroy(&run.rows);
    model_input_close(&run.input);
    return result;
}

static const struct option integrate_options[] = {
    {"--frequency", "HZ", "frequency of the loads", option_store_positive,
     offsetof(struct integrate_settings, frequency_hz)},
    {"--all", NULL, "rows of the whole history, not of the last period only", option_store_flag,
     offsetof(struct integrate_settings, has_all_history)},
    {0},
};

const struct command command_integrate = {
    .name = "integrate",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "direct time integration to the steady state",
    .details = "Rows: time, outputs, forces and displacements of the joints over the last\n"
               "period.",
    .options = {integrate_options, model_options, output_options, single_options},
    .settings_size = sizeof(struct integrate_settings),
    .run = run_integrate,
};
