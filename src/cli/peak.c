/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/peak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/single_run.h"
#include "cli/summary.h"
#include "cli/unit.h"

struct peak_settings {
    struct common_settings common;
    struct parameter_ranges ranges;
    struct count_list numbers;
    const char *measure;
    int n_guards;
    bool is_minimized;
};

struct peak_run {
    struct single_run single;
    struct masing_spec spec; /* the model's, with the measure that counts; lends everything */
    struct parameter_range along, across; /* across.name NULL: there is one parameter */
    struct masing_peak_summary summary;
};

/* FROM:TO as values of a map. */
static void fill_values(struct pool *pool, struct parameter_range *range)
{
    enum { N_VALUES = 25 };
    if (range->values.count == 0) {
        range->is_log = range->is_log || option_spans_ratios(range);
        range->values = option_range(pool, range->from, range->to, N_VALUES, range->is_log);
    }
}

/* Of two parameters the peak is followed along the one with more values. */
static void choose_ranges(struct peak_run *run, const struct parameter_ranges *list)
{
    run->along = list->values[0];
    if (list->count < 2) {
        return;
    }
    run->across = list->values[1];
    fill_values(run->single.call->pool, &run->along);
    fill_values(run->single.call->pool, &run->across);
    if (run->across.values.count > run->along.values.count) {
        struct parameter_range other = run->along;
        run->along = run->across;
        run->across = other;
    }
}

static enum masing_status add_map(struct peak_run *run, struct masing_error *error)
{
    struct pool *pool = run->single.call->pool;
    run->single.curve_parameter = run->across.name;
    const struct masing_plot_settings picture = {
        .kind = MASING_PLOT_MAP,
        .title = run->spec.title,
        .x_column = run->along.name,
        .y_column = run->across.name,
        .value_column = summary_measure(pool, &run->spec),
        .event_column = "event",
        .x_label = model_input_label(pool, &run->spec, run->along.name),
        .y_label = model_input_label(pool, &run->spec, run->across.name),
        .value_label = summary_axis(pool, &run->spec),
        .is_log_x = run->along.is_log,
        .is_log_y = run->across.is_log,
    };
    return single_run_rows(&run->single, &picture, error);
}

static enum masing_status add_rows(struct peak_run *run, struct masing_error *error)
{
    const struct peak_settings *settings = run->single.given;
    struct pool *pool = run->single.call->pool;
    const struct parameter_range *range = &run->along;
    bool is_given = range->values.count > 0; /* too few to show how flat the lowest is */
    struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = run->spec.title,
        .x_column = range->name,
        .y_column = summary_measure(pool, &run->spec),
        .segment_column = "number",
        .event_column = "event",
        .x_label = model_input_label(pool, &run->spec, range->name),
        .y_label = summary_axis(pool, &run->spec),
        .second_column = "frequency_hz",
        .second_label = "Frequency of the peak (Hz)",
        .is_second_cropped = true,
        .band = settings->is_minimized && !is_given ? 0.01 : 0.0,
        .is_coarse = is_given,
        .is_log_x = range->is_log || option_spans_ratios(range),
    };
    if (settings->numbers.count > 1) {
        picture.group_column = "number";
        picture.group_label = "Number of the peak";
    }
    return single_run_rows(&run->single, &picture, error);
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct peak_run *run = context;
    const struct peak_settings *settings = run->single.given;
    const char *wanted = settings->measure;
    run->single.n_summary_warnings = &run->summary.n_warnings;
    run->single.summary_warnings = &run->summary.warnings;
    if (settings->ranges.count == 0) {
        return command_refuse(run->single.call, error,
                              "--vary is missing: --vary NAME=FROM:TO");
    }
    NEED(single_run_open(&run->single, MODEL_VARIED, error));
    run->spec = *run->single.input.spec;
    choose_ranges(run, &settings->ranges);
    if (settings->common.shard.n > 0 && !run->across.name) {
        return command_refuse(run->single.call, error,
                              "--shard goes with a map, of --vary given twice: one line is "
                              "followed as a whole");
    }
    NEED(option_take_shard(run->single.call->pool, &settings->common.shard, &run->across,
                           error));
    int measure = wanted ? option_index(wanted, option_measures) : (int)run->spec.peak_measure;
    if (measure < 0) {
        return masing_error_set(error, MASING_INVALID,
                                "--measure: '%s', expected max, amp or h1", wanted);
    }
    run->spec.peak_measure = (enum masing_measure)measure;
    return run->across.name ? add_map(run, error) : add_rows(run, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct peak_run *run = context;
    const struct peak_settings *settings = run->single.given;
    const struct parameter_range *range = &run->along;
    const struct masing_peak_request request = {
        .document = run->single.input.document,
        .overrides = run->single.input.overrides->values,
        .n_overrides = run->single.input.overrides->count,
        .parameter = range->name,
        .from = range->from,
        .to = range->to,
        .n_values = range->values.count,
        .values = range->values.values,
        .other = run->across.name,
        .n_others = run->across.values.count,
        .others = run->across.values.values,
        .measure = &run->spec.peak_measure,
        .n_guards = settings->n_guards,
        .is_minimized = settings->is_minimized,
        .n_numbers = settings->numbers.count,
        .numbers = settings->numbers.values,
    };
    unsigned columns = settings->common.columns;
    NEED(output_add_coefficients(&run->single, &columns, error));
    const struct masing_response_options options = {.columns = columns,
                                                    .n_threads = settings->common.n_threads,
                                                    .journal = run->single.journal,
                                                    .progress = &run->single.progress.hooks};
    return masing_peak_follow(&request, &options, output_sink_rows(&run->single.rows),
                              &run->summary, error);
}

/* ---- the summary ---- */

static const char *space(const char *unit)
{
    return *unit ? " " : "";
}

static void print_end(bool is_open, const char *sign, double value, const char *after)
{
    if (isnan(value)) {
        fprintf(stderr, "?%s", after);
    } else {
        fprintf(stderr, "%s%.6g%s", is_open ? sign : "", value, after);
    }
}

static void print_range(const char *unit, const char *label,
                        const struct masing_peak_optimum *optimum, int i)
{
    bool is_low_open = optimum->is_low_open[i], is_high_open = optimum->is_high_open[i];
    bool is_solved = !isnan(optimum->low[i]) && !isnan(optimum->high[i]);
    fprintf(stderr, "  %-24s ", label);
    print_end(is_low_open, "< ", optimum->low[i], " to ");
    print_end(is_high_open, "> ", optimum->high[i], space(unit));
    fputs(unit, stderr);
    if (!is_solved) {
        fprintf(stderr, " (?: not solved for)");
    } else if (optimum->value > 0.0) {
        fprintf(stderr, " (%s%.3g to %s%.3g times the lowest's)", is_low_open ? "< " : "",
                optimum->low[i] / optimum->value, is_high_open ? "> " : "",
                optimum->high[i] / optimum->value);
    }
    fputc('\n', stderr);
}

static void print_sensitivities(const struct masing_spec *spec,
                                const struct masing_peak_optimum *optimum)
{
    if (optimum->n_sensitivities > 0) {
        fprintf(stderr, "  change of the peak, in per cent, for 1 %% more of%s\n",
                optimum->is_damping_held ? " (the structure's damping held)" : "");
    }
    for (int i = 0; i < optimum->n_sensitivities; i++) {
        const struct masing_peak_sensitivity *entry = &optimum->sensitivities[i];
        char name[64];
        snprintf(name, sizeof name, "%s.%s", entry->joint, entry->number);
        const char *unit = unit_of(entry->unit, unit_joints_turn(spec, entry->joint));
        const double shown = 5e-6; /* half of the last digit; -0.00000 is not printed */
        double change = fabs(entry->sensitivity) < shown ? 0.0 : entry->sensitivity;
        fprintf(stderr, "    %-32s %+.5f  (at %.6g%s%s)\n", name, change, entry->value,
                space(unit), unit);
    }
}

static void print_slope(double slope, const char *where)
{
    if (isfinite(slope)) {
        fprintf(stderr, " %+.4f %s", slope, where);
    } else {
        fprintf(stderr, " not known (a corner) %s", where);
    }
}

static void print_optimum(const struct peak_run *run)
{
    const struct masing_peak_optimum *optimum = &run->summary.optimum;
    struct pool *pool = run->single.call->pool;
    const char *name = run->along.name, *unit = model_input_unit(&run->spec, name);
    const char *across =
        run->across.name ? pool_format(pool, ", %s = %.8g", run->across.name, optimum->other)
                         : "";
    summary_line("lowest peak at", "%s = %.8g%s%s%s%s", name, optimum->value, space(unit), unit,
                 across,
                 optimum->is_at_end ? ", an end of the range"
                 : optimum->is_kink ? ", a kink: two maxima cross"
                 : optimum->is_jump ? ", beside a jump of the peak"
                                    : "");
    const char *other =
        optimum->is_kink ? pool_format(pool, " and at %.7g Hz", optimum->other_hz) : "";
    summary_line("", "%s = %.8g %s at %.7g Hz%s", summary_measure(pool, &run->spec),
                 optimum->peak, summary_unit(&run->spec), optimum->frequency_hz, other);
    if (optimum->is_kink) {
        fprintf(stderr, "  %-24s", "d ln(peak) / d ln(value)");
        print_slope(optimum->slope_before, "below,");
        print_slope(optimum->slope_after, "above\n");
    }
    print_range(unit, "within 1 % of it", optimum, 0);
    print_range(unit, "within 5 % of it", optimum, 1);
    print_sensitivities(&run->spec, optimum);
}

static void print(const void *context)
{
    const struct peak_run *run = context;
    const struct masing_peak_summary *summary = &run->summary;
    struct pool *pool = run->single.call->pool;
    summary_print_title(&run->spec);
    if (summary->optimum.is_found) {
        print_optimum(run);
    } else if (isnan(summary->lowest)) {
        summary_line("peak", "none in the frequency range");
    } else {
        summary_print_extreme(
            pool, &run->spec, "lowest peak of the rows", summary->lowest, run->along.name,
            summary->lowest_at,
            run->across.name
                ? pool_format(pool, ", %s = %.7g", run->across.name, summary->lowest_other)
                : "");
    }
    if (!isnan(summary->highest)) {
        summary_print_extreme(pool, &run->spec, "highest", summary->highest, run->along.name,
                              summary->highest_at, "");
    }
    if (summary->n_crossings > 0) {
        summary_line("crossings of maxima", "%d", summary->n_crossings);
    }
    summary_line("points", "%d in %.3g s, %d whole response%s%s", summary->points,
                 summary->seconds, summary->n_sweeps, summary->n_sweeps == 1 ? "" : "s",
                 summary->n_swept > 0 ? pool_format(pool, " (%d of the points taken from them)",
                                                    summary->n_swept)
                                      : "");
    summary_line("worst energy mismatch", "%.2g", summary->energy_mismatch);
}

static void end(void *context)
{
    struct peak_run *run = context;
    masing_peak_summary_clear(&run->summary);
}

static const struct single_steps steps = {
    .run_size = sizeof(struct peak_run),
    .columns = MASING_COLUMNS_HARMONICS | MASING_COLUMNS_ENERGY,
    .is_logged = true,
    .is_shared = true,
    .begin = begin,
    .compute = compute,
    .print = print,
    .end = end,
};

#define AT(member) offsetof(struct peak_settings, member)

static const struct option peak_options[] = {
    {"--vary", "NAME=FROM:TO",
     "the number that varies, from one end to the other; with\n"
     "NAME=SPEC, v1,v2,v3 | from:to:count | from:to:count:log,\n"
     "rows at these values; given twice: a map of the peak\n"
     "over both numbers",
     option_store_ranges, AT(ranges)},
    {"--minimize", NULL,
     "solve for the value with the lowest peak, among given\n"
     "values as well; tell how flat it is and what it depends\n"
     "on",
     option_store_flag, AT(is_minimized)},
    {"--measure", "max|amp|h1",
     "what the peak is the largest value of: in place of the\n"
     "model's `peak: {measure: ...}`",
     option_store_text, AT(measure)},
    {"--columns", "GROUP,GROUP,...",
     "more columns: harmonics, amplitudes of every harmonic;\n"
     "energy, the loss per cycle by origin",
     option_store_columns, AT(common.columns)},
    {"--guards", "N",
     "compute a whole response at least after each N-th part\n"
     "of the range, to see maxima that appear on the way\n"
     "(default: 3)",
     option_store_count, AT(n_guards)},
    {"--number", "N,M,...",
     "follow the peaks with these numbers, counted by their\n"
     "frequencies at the beginning, each by itself",
     option_store_counts, AT(numbers)},
    {"--threads", "N",
     "peaks, or values of the second number, at the same time;\n"
     "the same bits for any number (default: all processors)",
     option_store_count, AT(common.n_threads)},
    OPTION_RESUME,
    OPTION_SHARD,
    {0},
};

const struct command command_peak = {
    .name = "peak",
    .operands = "MODEL",
    .summary = "follow the resonance peak while a number varies; the lowest",
    .details =
        "Rows: one per value, in the order of the values: the largest peak of the range\n"
        "of frequencies. Pictures: the peak and its frequency over the number; with two\n"
        "numbers, a map of the peak over both.",
    .options = {peak_options, model_options, output_options},
    .settings_size = sizeof(struct peak_settings),
    .steps = &steps,
};
