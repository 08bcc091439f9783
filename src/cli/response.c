/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands `frf` and `study`: one response or several, or one over a parameter. */
#include <stdio.h>
#include <string.h>

#include "cli/fields.h"
#include "cli/single_run.h"
#include "cli/summary.h"
#include "cli/unit.h"
#include "masing/along.h"
#include "masing/suggest.h"

struct frf_settings {
    struct common_settings common;
    struct parameter_range along; /* name NULL: along the frequency */
    double frequency_hz;          /* 0: not given */
    int n_frames;                 /* of a period; 0: not given */
    int n_search;                 /* 0: not given */
    unsigned long long seed;
};

struct study_settings {
    struct common_settings common;
    struct parameter_range variation;
};

/* ---- sinks ---- */

/* The table of the contacts' elements, where there are contacts. */
static enum masing_status add_contacts(struct single_run *single, const char *parameter,
                                       struct output_sink *contacts, struct masing_error *error)
{
    const struct masing_spec *spec = single->input.spec;
    bool has_contacts = false;
    for (int j = 0; j < spec->n_joints; j++) {
        has_contacts = has_contacts || spec->joints[j].law->n_elements;
    }
    if (!has_contacts) {
        return MASING_OK;
    }
    const struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CONTACTS,
        .title = spec->title,
        .group_column = parameter,
        .group_label = model_input_label(single->call->pool, spec, parameter),
    };
    const struct output_table table = {.part = "contacts", .picture = &picture};
    return output_sink_create(&single->outputs, &table, contacts, error);
}

/* The rows, and the picture of the peak's measure over what stands in a column. */
static enum masing_status add_rows(struct single_run *single, const char *title,
                                   const char *x_column, const char *x_label,
                                   const char *parameter, struct masing_error *error)
{
    struct pool *pool = single->call->pool;
    const struct masing_spec *spec = single->input.spec;
    const struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = title,
        .x_column = x_column,
        .y_column = summary_measure(pool, spec),
        .group_column = parameter,
        .segment_column = "branch",
        .event_column = "event",
        .stable_column = "stable",
        .x_label = x_label,
        .y_label = summary_axis(pool, spec),
        .group_label = model_input_label(pool, spec, parameter),
        .is_log_y = single->settings->is_log_y,
    };
    return single_run_rows(single, &picture, error);
}

/* Loops of all joints over one another for one curve; of one joint over the parameter. */
static enum masing_status add_loops(struct single_run *single, const char *parameter,
                                    struct output_sink *loops, struct masing_error *error)
{
    struct pool *pool = single->call->pool;
    const struct masing_spec *spec = single->input.spec;
    const char *wanted = single->settings->joint;
    const struct masing_joint_spec *shown = model_input_loop_joint(spec, wanted);
    if (!shown) {
        return MASING_OK;
    }
    bool is_one_joint = parameter || wanted || spec->n_joints == 1;
    const char *joint = model_input_loop_name(pool, shown);
    struct masing_plot_settings picture =
        output_loop_picture(is_one_joint ? pool_format(pool, "Loop of %s at the peak", joint)
                                         : "Loops of the joints at the peak",
                            unit_joints_turn(spec, is_one_joint ? shown->name : NULL));
    struct output_table table = {
        .part = "loops", .picture = &picture, .only = {{"event", "peak"}}};
    picture.group_column = is_one_joint ? parameter : "joint";
    picture.group_label = parameter ? model_input_label(pool, spec, parameter) : "Joint";
    if (is_one_joint) {
        table.only[1] = (struct output_filter){"joint", joint};
    }
    return output_sink_create(&single->outputs, &table, loops, error);
}

/* ---- curves over the frequency: one, or one for each value of a parameter ---- */

struct responses {
    struct single_run single;
    struct output_sink peaks, loops, contacts, check;
    struct field_outputs fields;
    struct masing_response_options options;
    struct parameter_range variation;          /* of a study, perhaps a part of it */
    struct masing_response_summary *summaries; /* [single.n_curves] */
};

/* The points at which harmonics are checked: a table, no picture. */
static enum masing_status add_check(struct responses *run, struct masing_error *error)
{
    static const double DEFAULT_TOLERANCE = 1e-3;
    const struct common_settings *settings = run->single.settings;
    if (!settings->is_checked && !(settings->check_tolerance > 0.0)) {
        return MASING_OK;
    }
    const struct output_table table = {.part = "check"};
    NEED(output_sink_create(&run->single.outputs, &table, &run->check, error));
    run->options.check = output_sink_rows(&run->check);
    run->options.check_tolerance =
        settings->check_tolerance > 0.0 ? settings->check_tolerance : DEFAULT_TOLERANCE;
    return MASING_OK;
}

static enum masing_status check_joint(const struct single_run *single,
                                      struct masing_error *error)
{
    const struct masing_spec *spec = single->input.spec;
    const char *wanted = single->settings->joint;
    struct masing_suggestion suggestion = masing_suggest_begin(wanted ? wanted : "");
    if (!wanted || model_input_loop_joint(spec, wanted)) {
        return MASING_OK;
    }
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        if (group->n_joints > 1 && strcmp(group->name, wanted) == 0) {
            return masing_error_set(
                error, MASING_INVALID,
                "--joint: '%s' is %d contacts, of which no loops are shown; "
                "what they do stands in the contacts' table",
                wanted, group->n_joints);
        }
        masing_suggest_consider(&suggestion, group->name);
    }
    char text[MASING_SUGGESTION_LENGTH];
    return masing_error_set(error, MASING_INVALID, "--joint: there is no joint '%s'%s", wanted,
                            masing_suggest_text(&suggestion, text, sizeof text));
}

/* Everything is read, checked and prepared; nothing is computed and no file is touched. */
static enum masing_status begin(struct responses *run, const struct parameter_range *variation,
                                struct masing_error *error)
{
    struct single_run *single = &run->single;
    const struct common_settings *settings = single->settings;
    const char *parameter = variation ? variation->name : NULL;
    single->parameter = variation;
    single->curve_parameter = parameter;
    single->n_curves = variation ? variation->values.count : 1;
    run->summaries =
        pool_take(single->call->pool, (size_t)single->n_curves, sizeof *run->summaries);
    single->curves = run->summaries;
    run->options = (struct masing_response_options){.n_at = settings->at.count,
                                                    .at_hz = settings->at.values,
                                                    .columns = settings->columns,
                                                    .n_threads = settings->n_threads,
                                                    .n_starts = settings->n_starts,
                                                    .stability = settings->stability,
                                                    .max_branches = option_branches(settings),
                                                    .progress = &single->progress.hooks};
    NEED(single_run_open(single, variation ? MODEL_VARIED : MODEL_WHOLE, error));
    NEED(output_add_coefficients(single, &run->options.columns, error));
    NEED(model_input_contains(&single->input, "--at", &settings->at, error));
    NEED(check_joint(single, error));
    NEED(add_rows(single, single->input.spec->title, "frequency_hz", "Frequency (Hz)",
                  parameter, error));
    NEED(add_loops(single, parameter, &run->loops, error));
    NEED(add_contacts(single, parameter, &run->contacts, error));
    run->options.contacts = output_sink_rows(&run->contacts);
    return add_check(run, error);
}

static void end(void *context)
{
    struct responses *run = context;
    for (int i = 0; i < run->single.n_curves; i++) {
        masing_response_summary_clear(&run->summaries[i]);
    }
    fields_end(&run->fields);
}

static enum masing_status begin_frf(void *context, struct masing_error *error)
{
    struct responses *run = context;
    const struct frf_settings *settings = run->single.given;
    if (settings->frequency_hz > 0.0) {
        return command_refuse(run->single.call, error,
                              "--frequency goes with --along NAME=FROM:TO");
    }
    NEED(begin(run, NULL, error));
    run->options.n_search = settings->n_search;
    run->options.seed = settings->seed;
    NEED(fields_begin(&run->single, settings->n_frames, &run->fields, error));
    run->options.fields = fields_sink(&run->fields);
    run->single.n_summary_warnings = &run->summaries->n_warnings;
    run->single.summary_warnings = &run->summaries->warnings;
    return MASING_OK;
}

static enum masing_status compute_frf(void *context, struct masing_error *error)
{
    struct responses *run = context;
    run->options.journal = run->single.journal;
    return masing_frf(run->single.input.model, &run->options,
                      output_sink_rows(&run->single.rows), output_sink_rows(&run->loops),
                      run->summaries, error);
}

static void print_frf(const void *context)
{
    const struct responses *run = context;
    summary_print_title(run->single.input.spec);
    summary_print(run->single.call->pool, run->single.input.spec, run->summaries);
    fields_print(&run->fields);
}

static enum masing_status begin_study(void *context, struct masing_error *error)
{
    struct responses *run = context;
    const struct study_settings *settings = run->single.given;
    if (!settings->variation.name) {
        return command_refuse(run->single.call, error,
                              "--vary is missing: --vary NAME=SPEC with SPEC v1,v2,v3 | "
                              "from:to:count | from:to:count:log");
    }
    run->variation = settings->variation;
    NEED(option_take_shard(run->single.call->pool, &settings->common.shard, &run->variation,
                           error));
    NEED(begin(run, &run->variation, error));
    const struct output_table table = {.part = "peaks"};
    return output_sink_create(&run->single.outputs, &table, &run->peaks, error);
}

static enum masing_status compute_study(void *context, struct masing_error *error)
{
    struct responses *run = context;
    const struct model_input *input = &run->single.input;
    const struct parameter_range *variation = run->single.parameter;
    run->options.journal = run->single.journal;
    const struct masing_study_request request = {
        .document = input->document,
        .overrides = input->overrides->values,
        .n_overrides = input->overrides->count,
        .parameter = variation->name,
        .n_values = variation->values.count,
        .values = variation->values.values,
        .words = variation->words,
    };
    enum masing_status status = masing_study(
        &request, &run->options, output_sink_rows(&run->single.rows),
        output_sink_rows(&run->peaks), output_sink_rows(&run->loops), run->summaries, error);
    run->single.warnings = summary_warnings(run->single.call->pool, variation, run->summaries);
    return status;
}

static void print_study(const void *context)
{
    const struct responses *run = context;
    summary_print_title(run->single.input.spec);
    summary_print_study(run->single.call->pool, run->single.input.spec, run->single.parameter,
                        run->summaries);
}

/* ---- frf --along: at one frequency, while a parameter of the model varies ---- */

struct along {
    struct single_run single;
    unsigned columns;
    struct output_sink contacts;
    struct masing_along_summary summary;
};

static enum masing_status check_options_along(const struct along *along,
                                              struct masing_error *error)
{
    const struct frf_settings *settings = along->single.given;
    const char *name = settings->along.name;
    const char *of_peak =
        command_given(along->single.call, "--starts --check-harmonics --check-tolerance");
    const char *over_range = command_given(along->single.call, "--search --seed");
    if (!(settings->frequency_hz > 0.0)) {
        return masing_error_set(error, MASING_INVALID,
                                "--along %s: --frequency is missing: --frequency HZ", name);
    }
    if (along->single.settings->joint) {
        return masing_error_set(
            error, MASING_INVALID,
            "--along %s: --joint does not go with it, which shows loops at a peak", name);
    }
    if (over_range) {
        return masing_error_set(error, MASING_INVALID,
                                "--along %s: %s does not go with it, which searches over the "
                                "frequency range",
                                name, over_range);
    }
    return !of_peak
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "--along %s: %s does not go with it, which is about a peak",
                                  name, of_peak);
}

static enum masing_status begin_along(void *context, struct masing_error *error)
{
    struct along *along = context;
    const struct frf_settings *settings = along->single.given;
    const char *name = settings->along.name;
    struct pool *pool = along->single.call->pool;
    struct real_list at = {1, &(double){settings->frequency_hz}};
    NEED(check_options_along(along, error));
    NEED(single_run_open(&along->single, MODEL_VARIED, error));
    along->columns = settings->common.columns;
    NEED(output_add_coefficients(&along->single, &along->columns, error));
    NEED(model_input_contains(&along->single.input, "--frequency", &at, error));
    const struct masing_spec *spec = along->single.input.spec;
    NEED(add_rows(&along->single,
                  pool_format(pool, "%s%sat %.6g Hz", spec->title ? spec->title : "",
                              spec->title ? ", " : "", settings->frequency_hz),
                  name, model_input_label(pool, spec, name), NULL, error));
    return settings->common.at.count == 0
               ? MASING_OK
               : add_contacts(&along->single, name, &along->contacts, error);
}

static void collect_warnings(struct along *along)
{
    struct pool *pool = along->single.call->pool;
    struct text_list *list = &along->single.warnings;
    const char *reason = along->summary.stability.reason;
    int n_restarts = along->summary.strategies[MASING_STRATEGY_RESTART];
    if (*reason && along->single.settings->stability != MASING_STABILITY_AUTO) {
        option_store_texts(pool, pool_format(pool, "stability is not determined: %s", reason),
                           list, NULL);
    }
    if (*along->summary.missing) {
        option_store_texts(pool, along->summary.missing, list, NULL);
    }
    if (n_restarts > 0) {
        option_store_texts(
            pool,
            pool_format(pool,
                        "the curve could not be followed everywhere: %d of its points come "
                        "from time integration (see the log), and what lies before each is not "
                        "known",
                        n_restarts),
            list, NULL);
    }
}

static enum masing_status compute_along(void *context, struct masing_error *error)
{
    struct along *along = context;
    const struct frf_settings *settings = along->single.given;
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
        .columns = along->columns,
        .stability = common->stability,
        .max_branches = option_branches(common),
        .progress = &along->single.progress.hooks,
        .contacts = output_sink_rows(&along->contacts),
    };
    enum masing_status status = masing_along(
        &request, &options, output_sink_rows(&along->single.rows), &along->summary, error);
    collect_warnings(along);
    return status;
}

static void print_along(const void *context)
{
    const struct along *along = context;
    const struct frf_settings *settings = along->single.given;
    struct pool *pool = along->single.call->pool;
    const struct masing_spec *spec = along->single.input.spec;
    const struct masing_along_summary *summary = &along->summary;
    const char *name = settings->along.name;
    const char *unit = model_input_unit(spec, name);
    const char *unit_text = *unit ? pool_format(pool, " %s", unit) : "";
    summary_print_title(spec);
    summary_print_extreme(pool, spec, "least", summary->least, name, summary->least_at, "");
    summary_print_extreme(pool, spec, "most", summary->most, name, summary->most_at, "");
    summary_print_list("folds at", summary->n_folds, MASING_MAX_JUMPS, summary->fold_at, 7, "");
    summary_print_stability(&summary->stability, unit_text);
    summary_print_branches(&summary->branch_points, summary->n_branches, unit_text);
    summary_line("points", "%d in %.3g s", summary->points, summary->seconds);
    summary_print_iterations(summary->krylov_solves, summary->krylov_iterations);
    summary_print_strategies(summary->strategies);
    summary_line("worst energy mismatch", "%.2g", summary->energy_mismatch);
    summary_line("sliders start at", "%s", summary->start);
}

/* ---- the commands ---- */

static enum exit_status run_frf(const struct call *call, const void *settings)
{
    static const struct single_steps over_frequency = {.run_size = sizeof(struct responses),
                                                       .has_fields = true,
                                                       .is_logged = true,
                                                       .columns = ~0u,
                                                       .begin = begin_frf,
                                                       .compute = compute_frf,
                                                       .print = print_frf,
                                                       .end = end};
    static const struct single_steps over_parameter = {.run_size = sizeof(struct along),
                                                       .is_logged = true,
                                                       .columns = ~0u,
                                                       .begin = begin_along,
                                                       .compute = compute_along,
                                                       .print = print_along};
    const struct frf_settings *given = settings;
    return single_run(call, settings, given->along.name ? &over_parameter : &over_frequency,
                      NULL);
}

static const struct single_steps steps_study = {.run_size = sizeof(struct responses),
                                                .is_logged = true,
                                                .is_shared = true,
                                                .columns = ~0u,
                                                .begin = begin_study,
                                                .compute = compute_study,
                                                .print = print_study,
                                                .end = end};

/* 0 is given as well: no search. */
static enum masing_status store_search(struct pool *pool, const char *text, void *target,
                                       struct masing_error *error)
{
    if (strcmp(text, "0") == 0) {
        *(int *)target = -1;
        return MASING_OK;
    }
    return option_store_count(pool, text, target, error);
}

static const struct option frf_options[] = {
    {"--along", "NAME=FROM:TO",
     "at one --frequency, while a number of the joints or\n"
     "loads varies from one end to the other, e.g.\n"
     "damper.preload=5:300; values of --at are its own then",
     option_store_span, offsetof(struct frf_settings, along)},
    {"--frequency", "HZ", "with --along: the frequency of the loads", option_store_positive,
     offsetof(struct frf_settings, frequency_hz)},
    {"--frames", "N", "with -o x.pvd: instants of a period (default: 24)", option_store_count,
     offsetof(struct frf_settings, n_frames)},
    {"--search", "N",
     "look for motions that lie on no curve so far, from N\n"
     "random starts over the range (without it: a few at its\n"
     "ends; 0: none); each curve found is a branch of its own",
     store_search, offsetof(struct frf_settings, n_search)},
    {"--seed", "S", "of the random starts, a whole number (default: 0)", option_store_seed,
     offsetof(struct frf_settings, seed)},
    OPTION_RESUME,
    {0},
};

const struct command command_frf = {
    .name = "frf",
    .operands = "MODEL",
    .summary = "frequency response by harmonic balance with arc-length continuation",
    .details =
        "Rows: one per accepted point, in the order in which the curve was followed.\n"
        "With -o x.csv the joints' loops at the peak and at the frequencies of --at go to\n"
        "x.loops.csv, with -o x.svg a picture of those at the peak to x.loops.svg; what\n"
        "each element of the contacts does there to x.contacts.csv, maps of it to\n"
        "x.contacts.svg; with --along, at the values of --at. With -o x.vtkhdf the motion\n"
        "of all nodes of the model's mesh at the peak goes to x_peak.vtkhdf, at 24.5 Hz of\n"
        "--at to x_24.5hz.vtkhdf, what its pairs of contacts do to x_peak_pairs.vtkhdf;\n"
        "with -o x.pvd instants of the period to x_peak.pvd, both for ParaView.",
    .options = {frf_options, model_options, output_options, response_options},
    .settings_size = sizeof(struct frf_settings),
    .run = run_frf,
};

static const struct option study_options[] = {
    {"--vary", "NAME=SPEC",
     "the number that varies and its values:\n"
     "v1,v2,v3 | from:to:count | from:to:count:log; also words,\n"
     "as forces=exact,sampled or damper.law=jenkins,dahl where\n"
     "the joint's other keys fit each law",
     option_store_vary, offsetof(struct study_settings, variation)},
    OPTION_RESUME,
    OPTION_SHARD,
    {0},
};

const struct command command_study = {
    .name = "study",
    .operands = "MODEL",
    .summary = "one frequency response per value of a number; the peak of each; the lowest",
    .details =
        "With -o x.csv the peaks go to x.peaks.csv and the joints' loops at the peaks and\n"
        "at the frequencies of --at to x.loops.csv, with -o x.svg a picture of those at\n"
        "the peaks to x.loops.svg; what each element of the contacts does there to\n"
        "x.contacts.csv, maps of it to x.contacts.svg.",
    .options = {study_options, model_options, output_options, response_options},
    .settings_size = sizeof(struct study_settings),
    .steps = &steps_study,
};
