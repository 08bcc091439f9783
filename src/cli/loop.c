/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/loop.h"

#include <stdio.h>
#include <string.h>

#include "cli/failure.h"
#include "cli/loop_options.h"
#include "cli/loop_print.h"
#include "cli/model_input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/record.h"
#include "cli/suggest.h"

struct loop {
    const struct call *call;
    const struct loop_settings *settings;
    struct output_list outputs;
    struct model_input input;
    const struct masing_joint_spec *joint;
    struct masing_loop_points points;
    struct output_sink rows, measures;
    struct progress progress;
    struct masing_loop_summary summary;
};

enum { MOST_CYCLES = 100000, MOST_NAMES = 16 };

static enum masing_status check_settings(const struct loop_settings *settings,
                                         struct masing_error *error)
{
    const char *wrong = NULL;
    bool has_amplitudes = settings->amplitudes.count > 0;
    if (settings->points && (has_amplitudes || settings->motion.n_terms > 0)) {
        wrong = "--points is a motion of its own: no --amplitude, no --motion";
    } else if (settings->points && (settings->n_cycles > 0 || settings->n_rows > 0)) {
        wrong = "--points are followed once: no --cycles, no --samples";
    } else if (settings->points && settings->frequency_hz > 0.0) {
        wrong = "--points have times of their own (column time): no --frequency";
    } else if (settings->n_cycles > MOST_CYCLES) {
        wrong = "--cycles: more than 100000";
    } else if (!settings->points && !has_amplitudes) {
        wrong = "--amplitude is missing: --amplitude A[,A...] (metres), or --points FILE";
    }
    if (!wrong) {
        return MASING_OK;
    }
    return masing_error_set(error, MASING_INVALID, "masing loop: %s", wrong);
}

static enum masing_status find_joint(struct loop *loop, struct masing_error *error)
{
    const struct masing_spec *spec = loop->input.spec;
    const char *wanted = loop->settings->common.joint, *names = "";
    struct suggestion suggestion = suggestion_begin(wanted ? wanted : "");
    for (int i = 0; i < spec->n_joints; i++) {
        const char *name = spec->joints[i].name;
        if (wanted && strcmp(name, wanted) == 0) {
            loop->joint = &spec->joints[i];
            return MASING_OK;
        }
        suggestion_consider(&suggestion, name);
        if (i < MOST_NAMES) {
            names = pool_format(loop->call->pool, "%s%s%s", names, i > 0 ? ", " : "", name);
        }
    }
    if (spec->n_joints > MOST_NAMES) {
        names =
            pool_format(loop->call->pool, "%s and %d more", names, spec->n_joints - MOST_NAMES);
    }
    if (!wanted) {
        return masing_error_set(
            error, MASING_INVALID,
            "masing loop: --joint is missing: --joint NAME; the joints of %s: %s",
            loop->input.file, *names ? names : "none");
    }
    char text[SUGGESTION_TEXT];
    return masing_error_set(
        error, MASING_INVALID, "%s: --joint: there is no joint '%.80s'%s; the joints are: %s",
        loop->input.file, wanted, suggestion_text(&suggestion, text), *names ? names : "none");
}

/* What a picture says of displacement and force beside their names. */
static const char *path_text(const struct loop *loop)
{
    const struct masing_loop_path *path = &loop->settings->path;
    if (!loop->settings->has_path) {
        return "";
    }
    return path->is_circle ? " along the first tangential axis"
                           : pool_format(loop->call->pool, " along %g°", path->degrees);
}

static enum masing_status add_sinks(struct loop *loop, struct masing_error *error)
{
    struct pool *pool = loop->call->pool;
    const char *title = loop->input.spec->title;
    bool is_of_points = loop->settings->points != NULL;
    const char *along = path_text(loop);
    struct masing_plot_settings picture = {
        .kind = MASING_PLOT_LOOPS,
        .title = title ? title : pool_format(pool, "Loops of %s", loop->joint->name),
        .x_column = "displacement",
        .y_column = "force",
        .group_column = is_of_points ? NULL : "amplitude",
        .segment_column = "cycle",
        .closed_column = "steady",
        .x_label = pool_format(pool, "Displacement%s (m)", along),
        .y_label = pool_format(pool, "Force%s (N)", along),
        .group_label = "Amplitude (m)",
    };
    struct output_table rows = {.is_on_stdout = true, .picture = &picture};
    struct output_table measures = {.part = "summary"};
    enum masing_status status =
        output_sink_create(pool, &loop->outputs, &rows, &loop->rows, error);
    return status ? status
                  : output_sink_create(pool, &loop->outputs, &measures, &loop->measures, error);
}

static enum masing_status begin(struct loop *loop, struct masing_error *error)
{
    const struct loop_settings *settings = loop->settings;
    const struct call *call = loop->call;
    enum masing_status status = check_settings(settings, error);
    status = status ? status
                    : output_parse(call->pool, &settings->common.outputs, true, &loop->outputs,
                                   error);
    status =
        status ? status : model_input_open_joints(call, &settings->common, &loop->input, error);
    status = status ? status : find_joint(loop, error);
    if (status == MASING_OK && settings->points) {
        status = masing_loop_points_read(settings->points, &loop->points, error);
    }
    return status ? status : add_sinks(loop, error);
}

static enum masing_status compute(struct loop *loop, struct masing_error *error)
{
    const struct loop_settings *settings = loop->settings;
    progress_begin(&loop->progress, loop->call->pool, settings->common.is_quiet);
    const struct masing_loop_options options = {
        .n_amplitudes = settings->amplitudes.count,
        .amplitudes = settings->amplitudes.values,
        .n_terms = settings->motion.n_terms,
        .terms = settings->motion.terms,
        .points = settings->points ? &loop->points : NULL,
        .path = settings->has_path ? &settings->path : NULL,
        .frequency_hz = settings->frequency_hz,
        .n_cycles = settings->n_cycles,
        .n_rows = settings->n_rows,
        .has_equivalent_bouc_wen = settings->has_equivalent_bouc_wen,
        .progress = &loop->progress.hooks,
    };
    enum masing_status status = masing_loop(
        loop->joint->law, loop->joint->parameters, &options, output_sink_rows(&loop->rows),
        output_sink_rows(&loop->measures), &loop->summary, error);
    progress_end(&loop->progress);
    return status;
}

static enum masing_status record(struct loop *loop, enum masing_status ended,
                                 const struct masing_error *reason, struct masing_error *error)
{
    const struct record record = {
        .call = loop->call,
        .input = &loop->input,
        .log = &loop->progress.log,
        .warnings = {loop->summary.n_warnings, (const char **)(void *)loop->summary.warnings},
        .ended = ended,
        .reason = reason,
    };
    return record_write(&record, &loop->outputs, error);
}

/* What goes to standard error and beside the files. */
static enum masing_status tell(struct loop *loop, enum masing_status ended,
                               const struct masing_error *reason, struct masing_error *error)
{
    if (!loop->settings->common.is_quiet) {
        loop_print(loop->call->pool, loop->input.spec, loop->joint, &loop->summary,
                   loop->settings->points != NULL);
    }
    for (int i = 0; i < loop->summary.n_warnings; i++) {
        fprintf(stderr, "warning: %s\n", loop->summary.warnings[i]);
    }
    return record(loop, ended, reason, error);
}

static enum exit_status run_loop(const struct call *call, const void *settings)
{
    struct loop loop = {.call = call, .settings = settings};
    struct masing_error error = {0}, record_error = {0};
    enum masing_status recorded = MASING_OK;
    enum masing_status status = begin(&loop, &error);
    if (status == MASING_OK) {
        status = compute(&loop, &error);
        if (loop.rows.n_rows > 0) {
            recorded = tell(&loop, status, &error, &record_error);
        }
    }
    enum exit_status result = failure_report(call, status, &error, loop.rows.n_rows > 0);
    result = failure_of_record(call, result, recorded, &record_error);
    masing_loop_summary_clear(&loop.summary);
    masing_loop_points_clear(&loop.points);
    output_sink_destroy(&loop.rows);
    output_sink_destroy(&loop.measures);
    model_input_close(&loop.input);
    return result;
}

const struct command command_loop = {
    .name = "loop",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "hysteresis loop of a joint under prescribed motion",
    .details =
        "The model needs no structure. Rows: amplitude, cycle, displacement, force; the\n"
        "last cycle of an amplitude is the steady one. Beside FILE.csv stands\n"
        "FILE.summary.csv, one row per amplitude for the steady cycle: largest force,\n"
        "secant stiffness, energy lost per cycle, stiffness and damping of the first\n"
        "harmonic. Contacts are moved in their tangential plane; of a circle the columns\n"
        "displacement_2 and force_2 are those of the second tangential axis.",
    .options = {loop_options, model_options, output_options, single_options},
    .settings_size = sizeof(struct loop_settings),
    .run = run_loop,
};
