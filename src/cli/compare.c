/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/compare.h"

#include <math.h>
#include <stdio.h>

#include "cli/single_run.h"
#include "cli/summary.h"
#include "cli/unit.h"

struct compare_settings {
    struct common_settings common;
    struct real_list frequencies_hz;
    int n_points;
    bool is_cold, has_errors;
    double tolerance;
};

struct comparison {
    struct single_run single;
    struct output_sink loops, curve;
    struct masing_compare_summary summary;
};

/* The curve and the integrations on it. */
static enum masing_status add_curve(struct comparison *run, struct masing_error *error)
{
    struct pool *pool = run->single.call->pool;
    const struct masing_spec *spec = run->single.input.spec;
    if (spec->n_outputs == 0) {
        return MASING_OK; /* the analysis refuses that */
    }
    struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = spec->title,
        .x_column = "frequency_hz",
        .y_column = pool_format(pool, "%s_max", spec->outputs[0].name),
        .group_column = "method",
        .dots_column = "is_dot",
        .are_dots_above = true,
        .x_label = "Frequency (Hz)",
        .y_label = summary_largest(pool, spec, &spec->outputs[0]),
        .group_label = "Method",
    };
    const struct output_table table = {.picture = &picture, .is_picture_only = true};
    return output_sink_create(&run->single.outputs, &table, &run->curve, error);
}

/* Both loops of the first joint over one another, where the response is largest. */
static enum masing_status add_loops(struct comparison *run, struct masing_error *error)
{
    struct pool *pool = run->single.call->pool;
    const struct masing_joint_spec *joint =
        model_input_loop_joint(run->single.input.spec, NULL);
    if (!joint) {
        return MASING_OK;
    }
    const char *name = model_input_loop_name(pool, joint);
    struct masing_plot_settings picture =
        output_loop_picture(pool_format(pool, "Loop of %s where the response is largest", name),
                            unit_joint_turns(run->single.input.spec, joint));
    picture.group_column = "method";
    picture.group_label = "Method";
    picture.dots_column = "is_dot";
    picture.are_dots_above = true;
    const struct output_table table = {
        .part = "loops", .picture = &picture, .only = {{"shown", name}}};
    return output_sink_create(&run->single.outputs, &table, &run->loops, error);
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct comparison *run = context;
    const struct compare_settings *settings = run->single.given;
    run->single.n_summary_warnings = &run->summary.n_warnings;
    run->single.summary_warnings = &run->summary.warnings;
    if (settings->n_points > 0 && settings->frequencies_hz.count > 0) {
        return command_refuse(
            run->single.call, error,
            "--points picks points where no --frequency is given: expected one of them");
    }
    NEED(single_run_open(&run->single, MODEL_WHOLE, error));
    NEED(model_input_contains(&run->single.input, "--frequency", &settings->frequencies_hz,
                              error));
    NEED(single_run_rows(&run->single, NULL, error));
    NEED(add_curve(run, error));
    return add_loops(run, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct comparison *run = context;
    const struct compare_settings *settings = run->single.given;
    const struct masing_compare_options options = {
        .n_frequencies = settings->frequencies_hz.count,
        .frequencies_hz = settings->frequencies_hz.values,
        .n_points = settings->n_points,
        .is_cold = settings->is_cold,
        .has_errors = settings->has_errors,
        .tolerance = settings->tolerance,
        .loops = output_sink_rows(&run->loops),
        .curve = output_sink_rows(&run->curve),
        .progress = &run->single.progress.hooks,
    };
    return masing_compare(run->single.input.model, &options,
                          output_sink_rows(&run->single.rows), &run->summary, error);
}

/* ", 3 sub-harmonic", or nothing for none */
static const char *counted(struct pool *pool, int n, const char *what)
{
    return n > 0 ? pool_format(pool, ", %d %s", n, what) : "";
}

static void print_differences(struct pool *pool, const struct comparison *run)
{
    const struct compare_settings *settings = run->single.given;
    const char *output = run->single.input.spec->outputs[0].name;
    const struct masing_compare_summary *summary = &run->summary;
    if (isfinite(summary->worst_difference)) {
        summary_line("largest difference", "%.3g of %s, at %.7g Hz", summary->worst_difference,
                     output, summary->worst_hz);
    }
    if (settings->is_cold) {
        double cold = summary->worst_difference_cold;
        summary_line("integrated from rest", "%d of %d steady%s%s", summary->n_steady_cold,
                     summary->n_points, counted(pool, summary->n_multiple_cold, "sub-harmonic"),
                     isfinite(cold) ? pool_format(pool, ", largest difference %.3g", cold)
                                    : "");
    }
    if (summary->largest_difference > 0.0) {
        summary_line("of all that is compared", "%.3g of %s, at %.7g Hz",
                     summary->largest_difference, summary->largest_name, summary->largest_hz);
    }
    if (settings->tolerance > 0.0) {
        summary_line(pool_format(pool, "within %.3g", settings->tolerance),
                     "%d of %d points: %s", summary->n_passed,
                     summary->n_passed + summary->n_failed,
                     summary->n_failed > 0   ? "failed"
                     : summary->n_passed > 0 ? "passed"
                                             : "nothing to judge");
    }
}

static void print_speed(struct pool *pool, const struct masing_compare_summary *summary)
{
    if (summary->seconds_hb > 0.0 && summary->seconds_ti > 0.0) {
        summary_line("seconds per point", "%.3g by balance, %.3g in time: %.3g times",
                     summary->seconds_hb, summary->seconds_ti,
                     summary->seconds_ti / summary->seconds_hb);
    }
    bool has_hb = isfinite(summary->error_hb), has_ti = isfinite(summary->error_ti);
    if (has_hb || has_ti) {
        summary_line("errors, largest harmonic", "%s%s%s",
                     has_hb ? pool_format(pool, "%.2g by balance", summary->error_hb) : "",
                     has_hb && has_ti ? ", " : "",
                     has_ti ? pool_format(pool, "%.2g in time", summary->error_ti) : "");
    }
    if (summary->seconds_hb > 0.0 && summary->n_equal > 0) {
        summary_line("at equal accuracy", "%.3g seconds in time: %.3g times (%d points)",
                     summary->seconds_equal, summary->seconds_equal / summary->seconds_hb,
                     summary->n_equal);
    }
}

static void print(const void *context)
{
    const struct comparison *run = context;
    struct pool *pool = run->single.call->pool;
    const struct masing_compare_summary *summary = &run->summary;
    summary_print_title(run->single.input.spec);
    summary_line("points", "%d, %d of them steady in time%s%s%s", summary->n_points,
                 summary->n_steady, counted(pool, summary->n_multiple, "sub-harmonic"),
                 counted(pool, summary->n_stuck, "stuck (largest harmonics compared)"),
                 counted(pool, summary->n_left, "left for another solution"));
    print_differences(pool, run);
    print_speed(pool, summary);
}

/* A comparison that is whole but fails its tolerance has not stopped early. */
static enum exit_status report(const void *context, enum masing_status status,
                               const struct masing_error *error)
{
    const struct comparison *run = context;
    const struct masing_compare_summary *summary = &run->summary;
    if (status == MASING_STOPPED && summary->is_complete) {
        command_say(run->single.call->command, "failed: %s", error->message);
        return EXIT_STOPPED;
    }
    return command_report(run->single.call, status, error, run->single.rows.n_rows > 0);
}

static void end(void *context)
{
    struct comparison *run = context;
    masing_compare_summary_clear(&run->summary);
}

static const struct single_steps steps = {
    .run_size = sizeof(struct comparison),
    .begin = begin,
    .compute = compute,
    .print = print,
    .report = report,
    .end = end,
};

static const struct option compare_options[] = {
    {"--frequency", "HZ,HZ,...",
     "compare at these frequencies, each time the curve passes\n"
     "them; also from:to:count[:log] (default: points picked\n"
     "along the curve)",
     option_store_reals, offsetof(struct compare_settings, frequencies_hz)},
    {"--points", "N", "how many points are picked along the curve (default: 10)",
     option_store_count, offsetof(struct compare_settings, n_points)},
    {"--cold", NULL, "integrate from rest, too, not only from the balance's solution",
     option_store_flag, offsetof(struct compare_settings, is_cold)},
    {"--tolerance", "T",
     "pass or fail: exit status 1 where a point differs by more\n"
     "than this part in any harmonic, the joints' loss, the\n"
     "largest value or the mean",
     option_store_positive, offsetof(struct compare_settings, tolerance)},
    {"--errors", NULL,
     "find the errors of both methods, and the time that the\n"
     "integration takes when it is as accurate as the balance",
     option_store_flag, offsetof(struct compare_settings, has_errors)},
    {0},
};

const struct command command_compare = {
    .name = "compare",
    .operands = "MODEL",
    .summary = "harmonic balance against direct time integration, point by point",
    .details =
        "Rows: one per point, with both results, their relative difference, the\n"
        "processor time of each, where the integration settled, and the differences of\n"
        "each output's largest value, mean and harmonics and of the joints' loss. Where\n"
        "a joint sticks all the time means depend on the past; what follows from the\n"
        "force that it holds is taken out. -o x.svg draws the integrations on the curve\n"
        "and, as x.loops.svg, the loops of both.",
    .options = {compare_options, model_options, output_options, single_options},
    .settings_size = sizeof(struct compare_settings),
    .steps = &steps,
};
