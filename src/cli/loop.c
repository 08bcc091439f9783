/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/loop.h"

#include <stdio.h>
#include <string.h>

#include "cli/loop_options.h"
#include "cli/loop_print.h"
#include "cli/single_run.h"
#include "masing/suggest.h"

struct loop {
    struct single_run single;
    const struct loop_settings *settings;
    const struct masing_joint_spec *joint;
    struct masing_loop_points points;
    struct output_sink measures;
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
    const struct masing_spec *spec = loop->single.input.spec;
    const char *wanted = loop->settings->common.joint, *names = "";
    struct masing_suggestion suggestion = masing_suggest_begin(wanted ? wanted : "");
    for (int i = 0; i < spec->n_joints; i++) {
        const char *name = spec->joints[i].name;
        if (wanted && strcmp(name, wanted) == 0) {
            loop->joint = &spec->joints[i];
            return MASING_OK;
        }
        masing_suggest_consider(&suggestion, name);
        if (i < MOST_NAMES) {
            names =
                pool_format(loop->single.call->pool, "%s%s%s", names, i > 0 ? ", " : "", name);
        }
    }
    if (spec->n_joints > MOST_NAMES) {
        names = pool_format(loop->single.call->pool, "%s and %d more", names,
                            spec->n_joints - MOST_NAMES);
    }
    if (!wanted) {
        return masing_error_set(
            error, MASING_INVALID,
            "masing loop: --joint is missing: --joint NAME; the joints of %s: %s",
            loop->single.input.file, *names ? names : "none");
    }
    char text[MASING_SUGGESTION_LENGTH];
    return masing_error_set(
        error, MASING_INVALID, "%s: --joint: there is no joint '%.80s'%s; the joints are: %s",
        loop->single.input.file, wanted, masing_suggest_text(&suggestion, text, sizeof text),
        *names ? names : "none");
}

/* What a picture says of displacement and force beside their names. */
static const char *path_text(const struct loop *loop)
{
    const struct masing_loop_path *path = &loop->settings->path;
    if (!loop->settings->has_path) {
        return "";
    }
    return path->is_circle ? " along the first tangential axis"
                           : pool_format(loop->single.call->pool, " along %g°", path->degrees);
}

static enum masing_status add_sinks(struct loop *loop, struct masing_error *error)
{
    struct pool *pool = loop->single.call->pool;
    const char *title = loop->single.input.spec->title;
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
        output_sink_create(pool, &loop->single.outputs, &rows, &loop->single.rows, error);
    return status ? status
                  : output_sink_create(pool, &loop->single.outputs, &measures, &loop->measures,
                                       error);
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct loop *loop = context;
    const struct loop_settings *settings = loop->settings;
    const struct call *call = loop->single.call;
    enum masing_status status = check_settings(settings, error);
    status = status ? status
                    : output_parse(call->pool, &settings->common.outputs, true,
                                   &loop->single.outputs, error);
    status = status
                 ? status
                 : model_input_open_joints(call, &settings->common, &loop->single.input, error);
    status = status ? status : find_joint(loop, error);
    if (status == MASING_OK && settings->points) {
        status = masing_loop_points_read(settings->points, &loop->points, error);
    }
    return status ? status : add_sinks(loop, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct loop *loop = context;
    const struct loop_settings *settings = loop->settings;
    progress_begin(&loop->single.progress, loop->single.call->pool, settings->common.is_quiet);
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
        .progress = &loop->single.progress.hooks,
    };
    enum masing_status status =
        masing_loop(loop->joint->law, loop->joint->parameters, &options,
                    output_sink_rows(&loop->single.rows), output_sink_rows(&loop->measures),
                    &loop->summary, error);
    progress_end(&loop->single.progress);
    return status;
}

static void print(const void *context)
{
    const struct loop *loop = context;
    loop_print(loop->single.call->pool, loop->single.input.spec, loop->joint, &loop->summary,
               loop->settings->points != NULL);
}

static enum exit_status run_loop(const struct call *call, const void *settings)
{
    static const struct single_steps steps = {
        .begin = begin, .compute = compute, .print = print};
    struct loop loop = {.settings = settings};
    loop.single = (struct single_run){.call = call,
                                      .settings = &loop.settings->common,
                                      .n_warnings = &loop.summary.n_warnings,
                                      .warnings = &loop.summary.warnings};
    enum exit_status result = single_run(&loop.single, &steps, &loop);
    masing_loop_summary_clear(&loop.summary);
    masing_loop_points_clear(&loop.points);
    output_sink_destroy(&loop.measures);
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
