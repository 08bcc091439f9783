/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/mode.h"

#include <math.h>
#include <stdio.h>

#include "cli/fields.h"
#include "cli/single_run.h"
#include "cli/summary.h"

struct mode_settings {
    struct common_settings common; /* --at holds amplitudes */
    bool is_response;
    double response_tolerance; /* 0: the default */
    int n_frames;              /* of a period; 0: not given */
};

struct mode_run {
    struct single_run single;
    struct field_outputs fields;
    struct masing_mode_summary summary;
    struct masing_mode_response_summary response; /* of --response */
};

/* "title, mode 2" */
static const char *title(const struct mode_run *run, const char *between)
{
    const struct masing_spec *spec = run->single.input.spec;
    return pool_format(run->single.call->pool, "%s%smode %d", spec->title ? spec->title : "",
                       spec->title ? between : "", spec->mode.number);
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct mode_run *run = context;
    const struct common_settings *common = run->single.settings;
    run->single.n_summary_warnings = &run->summary.n_warnings;
    run->single.summary_warnings = &run->summary.warnings;
    const struct mode_settings *settings = run->single.given;
    NEED(single_run_open(&run->single, MODEL_WHOLE, error));
    NEED(fields_begin(&run->single, settings->n_frames, &run->fields, error));
    if (fields_sink(&run->fields) && common->at.count == 0) {
        return command_refuse(run->single.call, error,
                              "fields of a mode are those at amplitudes: --at is missing");
    }
    struct masing_plot_settings picture =
        output_mode_picture(title(run, ", "), common->is_log_y);
    picture.dots_column = NULL;
    picture.segment_column = common->has_branches ? "branch" : NULL;
    return single_run_rows(&run->single, &picture, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct mode_run *run = context;
    const struct common_settings *common = run->single.settings;
    unsigned columns = common->columns;
    NEED(output_add_coefficients(&run->single, &columns, error));
    const struct masing_mode_options options = {
        .n_at = common->at.count,
        .at = common->at.values,
        .columns = columns,
        .max_branches = option_branches(common),
        .progress = &run->single.progress.hooks,
        .fields = fields_sink(&run->fields),
        .journal = run->single.journal,
    };
    return masing_mode(run->single.input.model, &options, output_sink_rows(&run->single.rows),
                       &run->summary, error);
}

static void print_point(const char *what, const struct masing_mode_point *point)
{
    fprintf(stderr, "  %-14s amplitude %-10.5g %.8g Hz, damping ratio %.5g\n", what,
            point->amplitude, point->frequency_hz, point->damping_ratio);
}

static void print(const void *context)
{
    const struct mode_run *run = context;
    const struct masing_mode_summary *summary = &run->summary;
    fprintf(stderr, "%s\n", title(run, ", "));
    fprintf(stderr, "  %-14s %.8g Hz, damping ratio %.5g\n", "joints stuck", summary->stuck_hz,
            summary->stuck_damping);
    print_point("from", &summary->first);
    if (summary->event[0]) {
        print_point(summary->event, &summary->first_event);
    }
    print_point("most damped", &summary->most_damped);
    print_point("to", &summary->last);
    if (summary->n_folds > 0) {
        fprintf(stderr, "  the amplitude turns round %d time%s\n", summary->n_folds,
                summary->n_folds == 1 ? "" : "s");
    }
    summary_print_branches(&summary->branch_points, summary->n_branches, "");
    summary_print_strategies(summary->strategies);
    fprintf(stderr, "  %d points in %.3g s; energy put in and lost differ by %.1e of it\n",
            summary->points, summary->seconds, summary->energy_mismatch);
    fields_print(&run->fields);
}

/* ---- mode --response ---- */

static enum masing_status begin_response(void *context, struct masing_error *error)
{
    struct mode_run *run = context;
    const struct common_settings *common = run->single.settings;
    struct pool *pool = run->single.call->pool;
    run->single.n_summary_warnings = &run->response.n_warnings;
    run->single.summary_warnings = &run->response.warnings;
    const char *wrong = command_given(run->single.call, "--columns --branches --at");
    if (wrong) {
        return command_refuse(run->single.call, error,
                              "%s is for rows of the mode, not for --response", wrong);
    }
    NEED(single_run_open(&run->single, MODEL_WHOLE, error));
    const struct masing_spec *spec = run->single.input.spec;
    const char *output = spec->n_outputs > 0 ? spec->outputs[spec->peak_output].name : "";
    const struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = pool_format(pool, "%s by itself", title(run, ": ")),
        .x_column = "frequency_hz",
        .y_column = pool_format(pool, "%s_h1", output),
        .group_column = "curve",
        .segment_column = "branch",
        .x_label = "Frequency (Hz)",
        .y_label = pool_format(pool, "Amplitude of %s, first harmonic", output),
        .group_label = "Response",
        .is_log_y = common->is_log_y,
    };
    return single_run_rows(&run->single, &picture, error);
}

static enum masing_status compute_response(void *context, struct masing_error *error)
{
    struct mode_run *run = context;
    const struct mode_settings *settings = run->single.given;
    const struct masing_mode_response_options options = {
        .tolerance = settings->response_tolerance,
        .n_threads = settings->common.n_threads,
        .progress = &run->single.progress.hooks,
    };
    return masing_mode_response(run->single.input.model, &options,
                                output_sink_rows(&run->single.rows), &run->response, error);
}

static void print_response(const void *context)
{
    const struct mode_run *run = context;
    const struct masing_mode_response_summary *summary = &run->response;
    const struct masing_spec *spec = run->single.input.spec;
    fprintf(stderr, "%s by itself\n", title(run, ": "));
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

/* ---- the command ---- */

static void end(void *context)
{
    struct mode_run *run = context;
    masing_mode_summary_clear(&run->summary);
    masing_mode_response_summary_clear(&run->response);
    fields_end(&run->fields);
}

static enum exit_status run_mode(const struct call *call, const void *settings)
{
    static const struct single_steps of_rows = {
        .run_size = sizeof(struct mode_run),
        .has_fields = true,
        .is_logged = true,
        .columns = MASING_COLUMNS_HARMONICS | MASING_COLUMNS_ENERGY | MASING_COLUMNS_JOINTS,
        .begin = begin,
        .compute = compute,
        .print = print,
        .end = end};
    static const struct single_steps of_response = {.run_size = sizeof(struct mode_run),
                                                    .is_logged = true,
                                                    .columns = ~0u, /* refused by itself */
                                                    .begin = begin_response,
                                                    .compute = compute_response,
                                                    .print = print_response,
                                                    .end = end};
    const struct mode_settings *given = settings;
    if (!given->is_response && given->response_tolerance > 0.0) {
        command_say(call->command, "--response-tolerance goes with --response");
        return EXIT_WRONG;
    }
    return single_run(call, settings, given->is_response ? &of_response : &of_rows, NULL);
}

#define AT(member) offsetof(struct common_settings, member)

static const struct option mode_options[] = {
    {"--at", "A,A,...", "rows exactly at these amplitudes too; also from:to:count[:log]",
     option_store_reals, AT(at)},
    OPTION_RESUME,
    {"--columns", "GROUP,GROUP,...",
     "more columns: energy, the loss per cycle by origin;\n"
     "harmonics, their phases (amplitudes are always there);\n"
     "joints, what each does",
     option_store_columns, AT(columns)},
    {"--branches", NULL,
     "follow also the modes that branch off at branch points,\n"
     "20 at most, each with a number in the column branch",
     option_store_flag, AT(has_branches)},
    {"--response", NULL,
     "the response of the model's loads by the mode alone\n"
     "(harmonic 1), compared with the full one",
     option_store_flag, offsetof(struct mode_settings, is_response)},
    {"--response-tolerance", "PART", "warn where the two differ by more (default: 0.05)",
     option_store_positive, offsetof(struct mode_settings, response_tolerance)},
    {"--threads", "N", "at most so many at once, for the full response of --response",
     option_store_count, AT(n_threads)},
    {"--frames", "N", "with -o x.pvd: instants of a period (default: 24)", option_store_count,
     offsetof(struct mode_settings, n_frames)},
    {"--log-y", NULL, "pictures: logarithmic axis of the damping ratio", option_store_flag,
     AT(is_log_y)},
    {0},
};

const struct command command_mode = {
    .name = "mode",
    .operands = "MODEL",
    .summary = "nonlinear mode: frequency and damping over amplitude",
    .details =
        "Which mode, and over which amplitudes, stands in the model under `mode:`.\n"
        "Rows: frequency, damping ratio and the harmonics of the outputs over the\n"
        "amplitude of the modal coordinate. Pictures: frequency and damping ratio.\n"
        "With --response rows and pictures are the two responses, curve `full` and\n"
        "curve `estimate`. With -o x.vtkhdf the motion of all nodes of the model's mesh\n"
        "at the amplitude 0.001 of --at goes to x_0.001.vtkhdf, with -o x.pvd instants of\n"
        "the period to x_0.001.pvd, both for ParaView.",
    .options = {model_options, output_options, mode_options},
    .settings_size = sizeof(struct mode_settings),
    .run = run_mode,
};
