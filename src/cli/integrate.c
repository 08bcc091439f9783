/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/integrate.h"

#include <math.h>
#include <stdio.h>

#include "cli/single_run.h"
#include "cli/summary.h"

struct integrate_settings {
    struct common_settings common;
    double frequency_hz;
    bool has_all_history;
};

struct integration {
    struct single_run single;
    struct masing_integrate_summary summary;
};

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct integration *run = context;
    const struct integrate_settings *settings = run->single.given;
    run->single.n_summary_warnings = &run->summary.n_warnings;
    run->single.summary_warnings = &run->summary.warnings;
    if (!(settings->frequency_hz > 0)) {
        return command_refuse(run->single.call, error,
                              "--frequency is missing: --frequency HZ");
    }
    NEED(single_run_open(&run->single, MODEL_WHOLE, error));
    const struct masing_spec *spec = run->single.input.spec;
    struct pool *pool = run->single.call->pool;
    struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = spec->title,
        .x_column = "time",
        .x_label = "Time (s)",
    };
    const struct masing_joint_spec *joint = model_input_loop_joint(spec, NULL);
    if (spec->n_outputs > 0) {
        picture.y_column = spec->outputs[spec->peak_output].name;
        picture.y_label = summary_output(pool, spec);
    } else if (joint) {
        picture.y_column = pool_format(pool, "force_%s", model_input_loop_name(pool, joint));
        picture.y_label = pool_format(pool, "Force of %s (N)", joint->name);
    }
    return single_run_rows(&run->single, &picture, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct integration *run = context;
    const struct integrate_settings *settings = run->single.given;
    const struct masing_integrate_options options = {
        .all_history = settings->has_all_history,
        .progress = &run->single.progress.hooks,
        .columns = settings->common.columns,
    };
    return masing_integrate(run->single.input.model, settings->frequency_hz, &options,
                            output_sink_rows(&run->single.rows), &run->summary, error);
}

static void print_shooting(const struct masing_integrate_summary *summary)
{
    double above = summary->largest_multiplier - 1.0;
    fprintf(stderr, "  shooting: %d Newton steps", summary->n_updates);
    for (int i = 0; i < summary->n_updates && i < MASING_MAX_UPDATES; i++) {
        fprintf(stderr, "%s %.1e", i == 0 ? " of relative size" : ",", summary->updates[i]);
    }
    fprintf(stderr, "%s\n", summary->n_updates > MASING_MAX_UPDATES ? ", ..." : "");
    if (isfinite(above)) {
        fprintf(stderr, "  largest multiplier %.5g: %s\n", summary->largest_multiplier,
                above > MASING_NEUTRAL_MULTIPLIER ? "not stable"
                : above < -MASING_NEUTRAL_MULTIPLIER
                    ? "stable"
                    : "neither stable nor unstable for certain");
    }
}

/* What is known of the last period; nothing where there was none. */
static void print_measures(const struct masing_integrate_summary *summary,
                           const struct masing_spec *spec)
{
    for (int i = 0; i < summary->n_outputs && i < spec->n_outputs; i++) {
        const struct masing_output_measures *m = &summary->outputs[i];
        if (isfinite(m->max)) {
            fprintf(stderr, "  %s: max %.8g, amp %.8g, mean %.4g, h1 %.8g at %.5g deg\n",
                    spec->outputs[i].name, m->max, m->amp, m->mean, m->h1,
                    m->h1_phase * 180 / acos(-1.0));
        }
    }
    if (isfinite(summary->energy_in)) {
        fprintf(stderr, "  per cycle: energy in %.6g, lost %.6g (in joints %.6g)\n",
                summary->energy_in, summary->energy_lost, summary->energy_joints);
    }
}

/* One line for all joints of which the same is true. */
static void print_offsets(const struct masing_integrate_summary *summary,
                          const struct masing_spec *spec, enum masing_offset offset,
                          const char *one, const char *several)
{
    int n = 0, first = 0;
    for (int j = summary->n_joints - 1; j >= 0; j--) {
        first = summary->offsets[j] == offset ? j : first;
        n += summary->offsets[j] == offset;
    }
    if (n > 1) {
        fprintf(stderr, "  joint '%s' and %d more %s: where they stand",
                spec->joints[first].name, n - 1, several);
    } else if (n == 1) {
        fprintf(stderr, "  joint '%s' %s: where it stands", spec->joints[first].name, one);
    }
    fputs(n > 0 ? ", and so means and largest values, depends on how the motion began\n" : "",
          stderr);
}

static void print(const void *context)
{
    const struct integration *run = context;
    const struct integrate_settings *settings = run->single.given;
    const struct masing_spec *spec = run->single.input.spec;
    const struct masing_integrate_summary *summary = &run->summary;
    fprintf(stderr, "%s%s%.10g Hz: %s after %d cycle%s (%ld steps) in %.3g s\n",
            spec->title ? spec->title : "", spec->title ? ", " : "", settings->frequency_hz,
            summary->is_steady ? "steady" : "not steady", summary->cycles,
            summary->cycles == 1 ? "" : "s", summary->steps, summary->seconds);
    if (summary->order > 1) {
        fprintf(stderr, "  the motion repeats after %d periods of the load: sub-harmonic\n",
                summary->order);
    }
    if (summary->n_residual_modes > 0) {
        fprintf(stderr,
                "  with %d of %d modes and %d residual modes for the others: joints and "
                "outputs respond to harmonic forces within %.1e (integration.modes)\n",
                summary->n_modes, summary->n_structure_modes, summary->n_residual_modes,
                summary->modes_error);
    }
    if (summary->n_updates > 0) {
        print_shooting(summary);
    }
    if (isfinite(summary->distance)) {
        fprintf(stderr, "  estimated distance from the periodic motion: %.2g\n",
                summary->distance);
    }
    print_measures(summary, spec);
    print_offsets(summary, spec, MASING_OFFSET_STUCK, "sticks, or slips in part only",
                  "stick, or slip in part only");
    print_offsets(summary, spec, MASING_OFFSET_NEUTRAL, "slips and nothing brings it back",
                  "slip and nothing brings them back");
}

static void end(void *context)
{
    struct integration *run = context;
    masing_integrate_summary_clear(&run->summary);
}

static const struct single_steps steps = {
    .run_size = sizeof(struct integration),
    .columns = MASING_COLUMNS_ENERGY,
    .begin = begin,
    .compute = compute,
    .print = print,
    .end = end,
};

static const struct option integrate_options[] = {
    {"--frequency", "HZ", "frequency of the loads", option_store_positive,
     offsetof(struct integrate_settings, frequency_hz)},
    {"--columns", "energy", "the work that each joint has taken since the first row",
     option_store_columns, offsetof(struct integrate_settings, common.columns)},
    {"--all", NULL, "rows of the whole history, by marching, not of the last period only",
     option_store_flag, offsetof(struct integrate_settings, has_all_history)},
    {0},
};

const struct command command_integrate = {
    .name = "integrate",
    .operands = "MODEL",
    .summary = "direct time integration to the steady state",
    .details = "Rows: time, outputs, forces and displacements of the joints over the last\n"
               "period, or over those after which the motion repeats. How the steady state is\n"
               "found stands in the model (integration).",
    .options = {integrate_options, model_options, output_options, single_options},
    .settings_size = sizeof(struct integrate_settings),
    .steps = &steps,
};
