/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/response_run.h"

#include <string.h>

#include "cli/summary.h"
#include "cli/unit.h"
#include "masing/suggest.h"

static enum masing_status add_rows(struct response_run *run, struct masing_error *error)
{
    const struct masing_spec *spec = run->single.input.spec;
    const struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = spec->title,
        .x_column = "frequency_hz",
        .y_column = summary_measure(run->pool, spec),
        .group_column = run->parameter,
        .segment_column = "branch",
        .event_column = "event",
        .stable_column = "stable",
        .x_label = "Frequency (Hz)",
        .y_label = summary_axis(run->pool, spec),
        .group_label = model_input_label(run->pool, spec, run->parameter),
        .is_log_y = run->single.settings->is_log_y,
    };
    return single_run_rows(&run->single, &picture, error);
}

static bool all_turn(const struct masing_spec *spec)
{
    bool do_all = spec->n_joints > 0;
    for (int j = 0; j < spec->n_joints; j++) {
        do_all = do_all && unit_joint_turns(spec, &spec->joints[j]);
    }
    return do_all;
}

/* Loops of all joints over one another for one curve; of one joint over the parameter. */
static enum masing_status add_loops(struct response_run *run, struct masing_error *error)
{
    const struct masing_spec *spec = run->single.input.spec;
    const struct masing_joint_spec *shown =
        model_input_loop_joint(spec, run->single.settings->joint);
    if (!shown) {
        return MASING_OK;
    }
    bool is_one_joint = run->parameter || run->single.settings->joint || spec->n_joints == 1;
    bool turns = is_one_joint ? unit_joint_turns(spec, shown) : all_turn(spec);
    const char *joint = model_input_loop_name(run->pool, shown);
    struct masing_plot_settings picture = {
        .kind = MASING_PLOT_LOOPS,
        .title = is_one_joint ? pool_format(run->pool, "Loop of %s at the peak", joint)
                              : "Loops of the joints at the peak",
        .x_column = "displacement",
        .y_column = "force",
        .group_column = run->parameter ? run->parameter
                        : is_one_joint ? NULL
                                       : "joint",
        .x_label = turns ? "Rotation (rad)" : "Displacement (m)",
        .y_label = turns ? "Moment (N m)" : "Force (N)",
        .group_label =
            run->parameter ? model_input_label(run->pool, spec, run->parameter) : "Joint",
    };
    struct output_table table = {.part = "loops", .picture = &picture};
    if (is_one_joint) {
        table.only_column = "joint";
        table.only_value = joint;
    }
    return output_sink_create(run->pool, &run->single.outputs, &table, &run->loops, error);
}

/* The points at which harmonics are checked: a table, no picture. */
static enum masing_status add_check(struct response_run *run, struct masing_error *error)
{
    static const double DEFAULT_TOLERANCE = 1e-3;
    const struct common_settings *settings = run->single.settings;
    if (!settings->is_checked && !(settings->check_tolerance > 0.0)) {
        return MASING_OK;
    }
    struct output_table table = {.part = "check"};
    enum masing_status status =
        output_sink_create(run->pool, &run->single.outputs, &table, &run->check, error);
    run->options.check = output_sink_rows(&run->check);
    run->options.check_tolerance =
        settings->check_tolerance > 0.0 ? settings->check_tolerance : DEFAULT_TOLERANCE;
    return status;
}

static enum masing_status check_joint(const struct response_run *run,
                                      struct masing_error *error)
{
    const struct masing_spec *spec = run->single.input.spec;
    const char *wanted = run->single.settings->joint;
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

enum masing_status response_run_contacts(struct single_run *single, const char *parameter,
                                         struct output_sink *contacts,
                                         struct masing_error *error)
{
    const struct masing_spec *spec = single->input.spec;
    bool has_contacts = false;
    for (int j = 0; j < spec->n_joints; j++) {
        has_contacts = has_contacts || spec->joints[j].law->n_elements;
    }
    if (!has_contacts) {
        return MASING_OK;
    }
    struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CONTACTS,
        .title = spec->title,
        .group_column = parameter,
        .group_label = model_input_label(single->call->pool, spec, parameter),
    };
    struct output_table table = {.part = "contacts", .picture = &picture};
    return output_sink_create(single->call->pool, &single->outputs, &table, contacts, error);
}

enum masing_status response_run_begin(struct response_run *run, const char *parameter,
                                      struct masing_error *error)
{
    const struct common_settings *settings = run->single.settings;
    run->parameter = parameter;
    run->pool = run->single.call->pool;
    run->options = (struct masing_response_options){.n_at = settings->at.count,
                                                    .at_hz = settings->at.values,
                                                    .columns = settings->columns,
                                                    .n_threads = settings->n_threads,
                                                    .n_starts = settings->n_starts,
                                                    .stability = settings->stability,
                                                    .max_branches = option_branches(settings),
                                                    .progress = &run->single.progress.hooks};
    enum masing_status status = single_run_open(&run->single, MODEL_WHOLE, error);
    status = status ? status
                    : model_input_contains(&run->single.input, "--at", &settings->at, error);
    status = status ? status : check_joint(run, error);
    status = status ? status : add_rows(run, error);
    status = status ? status : add_loops(run, error);
    status =
        status ? status : response_run_contacts(&run->single, parameter, &run->contacts, error);
    run->options.contacts = output_sink_rows(&run->contacts);
    status = status ? status : add_check(run, error);
    return status;
}

void response_run_end(struct response_run *run)
{
    output_sink_destroy(&run->loops);
    output_sink_destroy(&run->contacts);
    output_sink_destroy(&run->check);
}
