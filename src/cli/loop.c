/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/single_run.h"
#include "cli/text_table.h"
#include "cli/unit.h"
#include "masing/suggest.h"

struct motion {
    int n_terms;
    struct masing_motion_term *terms;
};

struct loop_settings {
    struct common_settings common;
    struct real_list amplitudes;
    struct motion motion;
    const char *points; /* file */
    struct masing_loop_path path;
    double frequency_hz;
    int n_cycles, n_rows;
    bool has_equivalent_bouc_wen;
};

struct loop {
    struct single_run single;
    const struct masing_joint_spec *joint;
    struct masing_loop_points points;
    struct output_sink measures;
    struct masing_loop_summary summary;
};

enum { MOST_CYCLES = 100000, MOST_NAMES = 16 };

static enum masing_status check_settings(const struct loop *loop, struct masing_error *error)
{
    const struct loop_settings *settings = loop->single.given;
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
    return wrong ? command_refuse(loop->single.call, error, "%s", wrong) : MASING_OK;
}

static enum masing_status find_joint(struct loop *loop, struct masing_error *error)
{
    const struct masing_spec *spec = loop->single.input.spec;
    const char *wanted = loop->single.settings->joint, *names = "";
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
        return command_refuse(loop->single.call, error,
                              "--joint is missing: --joint NAME; the joints of %s: %s",
                              loop->single.input.file, *names ? names : "none");
    }
    char text[MASING_SUGGESTION_LENGTH];
    return masing_error_set(
        error, MASING_INVALID, "%s: --joint: there is no joint '%.80s'%s; the joints are: %s",
        loop->single.input.file, wanted, masing_suggest_text(&suggestion, text, sizeof text),
        *names ? names : "none");
}

/* What stands behind displacement and force on the axes of a picture. */
static const char *path_text(const struct loop *loop, const struct masing_loop_path *path)
{
    if (!command_given(loop->single.call, "--path")) {
        return "";
    }
    return path->is_circle ? " along the first tangential axis"
                           : pool_format(loop->single.call->pool, " along %g°", path->degrees);
}

static enum masing_status add_sinks(struct loop *loop, struct masing_error *error)
{
    const struct loop_settings *settings = loop->single.given;
    struct pool *pool = loop->single.call->pool;
    const char *title = loop->single.input.spec->title;
    const char *along = path_text(loop, &settings->path);
    bool turns = unit_joint_turns(loop->single.input.spec, loop->joint);
    struct masing_plot_settings picture = output_loop_picture(
        title ? title : pool_format(pool, "Loops of %s", loop->joint->name), turns);
    picture.group_column = settings->points ? NULL : "amplitude";
    picture.segment_column = "cycle";
    picture.closed_column = "steady";
    picture.group_label = turns ? "Amplitude (rad)" : "Amplitude (m)";
    if (!turns) {
        picture.x_label = pool_format(pool, "Displacement%s (m)", along);
        picture.y_label = pool_format(pool, "Force%s (N)", along);
    }
    const struct output_table measures = {.part = "summary"};
    NEED(single_run_rows(&loop->single, &picture, error));
    return output_sink_create(&loop->single.outputs, &measures, &loop->measures, error);
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct loop *loop = context;
    const struct loop_settings *settings = loop->single.given;
    loop->single.n_summary_warnings = &loop->summary.n_warnings;
    loop->single.summary_warnings = &loop->summary.warnings;
    NEED(check_settings(loop, error));
    NEED(single_run_open(&loop->single, MODEL_JOINTS, error));
    NEED(find_joint(loop, error));
    single_run_reads(&loop->single, "--points", settings->points);
    if (settings->points) {
        NEED(masing_loop_points_read(settings->points, &loop->points, error));
    }
    return add_sinks(loop, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct loop *loop = context;
    const struct loop_settings *settings = loop->single.given;
    const struct masing_loop_options options = {
        .n_amplitudes = settings->amplitudes.count,
        .amplitudes = settings->amplitudes.values,
        .n_terms = settings->motion.n_terms,
        .terms = settings->motion.terms,
        .points = settings->points ? &loop->points : NULL,
        .path = command_given(loop->single.call, "--path") ? &settings->path : NULL,
        .frequency_hz = settings->frequency_hz,
        .n_cycles = settings->n_cycles,
        .n_rows = settings->n_rows,
        .has_equivalent_bouc_wen = settings->has_equivalent_bouc_wen,
        .progress = &loop->single.progress.hooks,
    };
    return masing_loop(loop->joint->law, loop->joint->parameters, &options,
                       output_sink_rows(&loop->single.rows), output_sink_rows(&loop->measures),
                       &loop->summary, error);
}

/* ---- the summary ---- */

static void print_cycles(struct pool *pool, const struct masing_loop_summary *summary,
                         bool turns)
{
    struct text_table table = {.pool = pool, .n_columns = 9};
    const char *stiffness = unit_of("N/m", turns);
    text_table_add(&table,
                   turns ? "amplitude/rad\tmax. moment/(N m)" : "amplitude/m\tmax. force/N");
    text_table_add(&table,
                   "secant/(%s)\tloss/J\tK1/(%s)\tc1 omega/(%s)\tloss factor\tslip\tcycles",
                   stiffness, stiffness, stiffness);
    for (int i = 0; i < summary->n_loops; i++) {
        const struct masing_loop_measures *m = &summary->loops[i];
        const double numbers[] = {m->amplitude,
                                  m->max_force,
                                  m->secant_stiffness,
                                  m->energy_lost,
                                  m->first_harmonic_stiffness,
                                  m->first_harmonic_damping,
                                  m->loss_factor};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            text_table_number(&table, "%.6g", numbers[k]);
        }
        text_table_number(&table, "%.3f", m->slip_share);
        text_table_number(&table, "%.0f", m->cycles);
    }
    text_table_print(&table, stderr);
}

static void print(const void *context)
{
    const struct loop *loop = context;
    const struct loop_settings *settings = loop->single.given;
    const struct masing_spec *spec = loop->single.input.spec;
    const struct masing_loop_summary *summary = &loop->summary;
    bool turns = unit_joint_turns(spec, loop->joint);
    fprintf(stderr, "%s%sjoint %s (%s)\n", spec->title ? spec->title : "",
            spec->title ? ", " : "", loop->joint->name, loop->joint->law->name);
    if (summary->n_loops > 0 && settings->points) {
        const struct masing_loop_measures *m = summary->loops;
        fprintf(stderr,
                "  largest %s %.6g %s, largest %s %.6g %s, work %.6g J (stored energy "
                "included)\n",
                turns ? "rotation" : "displacement", m->largest_displacement,
                unit_of("m", turns), turns ? "moment" : "force", m->max_force,
                unit_of("N", turns), m->work);
    } else if (summary->n_loops > 0) {
        print_cycles(loop->single.call->pool, summary, turns);
    }
}

static void end(void *context)
{
    struct loop *loop = context;
    masing_loop_summary_clear(&loop->summary);
    masing_loop_points_clear(&loop->points);
}

static const struct single_steps steps = {
    .run_size = sizeof(struct loop),
    .begin = begin,
    .compute = compute,
    .print = print,
    .end = end,
};

/* ---- options ---- */

/* H:SINE[:COSINE] */
static enum masing_status read_term(struct pool *pool, const char *text,
                                    struct masing_motion_term *term, struct masing_error *error)
{
    struct text_list pieces = option_split(pool, text, ':');
    double numbers[3] = {0.0, 0.0, 0.0};
    if (pieces.count < 2 || pieces.count > 3) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s' is not HARMONIC:SINE or HARMONIC:SINE:COSINE", text);
    }
    for (int i = 0; i < pieces.count; i++) {
        NEED(option_read_real(pieces.values[i], &numbers[i], error));
    }
    if (!(numbers[0] >= 0.0 && numbers[0] <= MASING_MOTION_HARMONIC) ||
        numbers[0] != floor(numbers[0])) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s': the harmonic is a whole number from 0 to %d", text,
                                MASING_MOTION_HARMONIC);
    }
    *term = (struct masing_motion_term){(int)numbers[0], numbers[1], numbers[2]};
    return MASING_OK;
}

static enum masing_status store_motion(struct pool *pool, const char *text, void *target,
                                       struct masing_error *error)
{
    struct motion *motion = target;
    struct text_list pieces = option_split(pool, text, ',');
    enum masing_status status = MASING_OK;
    bool moves = false;
    motion->terms = pool_take(pool, (size_t)pieces.count, sizeof *motion->terms);
    motion->n_terms = pieces.count;
    for (int i = 0; status == MASING_OK && i < pieces.count; i++) {
        struct masing_motion_term *term = &motion->terms[i];
        status = read_term(pool, pieces.values[i], term, error);
        for (int j = 0; status == MASING_OK && j < i; j++) {
            if (motion->terms[j].harmonic == term->harmonic) {
                status = masing_error_set(error, MASING_INVALID, "harmonic %d stands twice",
                                          term->harmonic);
            }
        }
        moves = moves || (term->harmonic > 0 && (term->sine != 0.0 || term->cosine != 0.0));
    }
    return status || moves ? status
                           : masing_error_set(error, MASING_INVALID,
                                              "'%.80s' does not move the joint", text);
}

/* circle, or line:DEGREES */
static enum masing_status store_path(struct pool *pool, const char *text, void *target,
                                     struct masing_error *error)
{
    struct masing_loop_path *path = target;
    struct text_list pieces = option_split(pool, text, ':');
    if (pieces.count == 1 && strcmp(pieces.values[0], "circle") == 0) {
        *path = (struct masing_loop_path){.is_circle = true};
        return MASING_OK;
    }
    if (pieces.count == 2 && strcmp(pieces.values[0], "line") == 0) {
        path->is_circle = false;
        return option_read_real(pieces.values[1], &path->degrees, error);
    }
    return masing_error_set(error, MASING_INVALID,
                            "'%.80s' is no path, expected circle or line:DEGREES", text);
}

#define AT(member) offsetof(struct loop_settings, member)

static const struct option loop_options[] = {
    {"--joint", "NAME", "the joint that is moved", option_store_text, AT(common.joint)},
    {"--amplitude", "SPEC",
     "amplitudes in metres, each a loop from the virgin joint\n"
     "on: v1,v2,v3 | from:to:count | from:to:count:log",
     option_store_values, AT(amplitudes)},
    {"--motion", "H:SIN[:COS],...",
     "shape of the motion: weights of its harmonics, times\n"
     "the amplitude (default: 1:1, a sine)",
     store_motion, AT(motion)},
    {"--points", "FILE",
     "instead of amplitudes a path from a CSV file with the\n"
     "column displacement (and time), followed once",
     option_store_text, AT(points)},
    {"--path", "FORM",
     "contacts: line:DEGREES from the first tangential axis\n"
     "towards the second, or circle, the normal force being\n"
     "held at the preload (default: line:0)",
     store_path, AT(path)},
    {"--frequency", "HZ", "frequency of the motion, where the rate matters (default: 1)",
     option_store_positive, AT(frequency_hz)},
    {"--cycles", "N",
     "exactly N cycles from the virgin joint on (default: as\n"
     "many as it takes to be steady, at most 200)",
     option_store_count, AT(n_cycles)},
    {"--samples", "N", "rows per cycle, a multiple of 4 (default: 512)", option_store_count,
     AT(n_rows)},
    {"--equivalent-bouc-wen", NULL,
     "law rough_interface: a column with the force of the\n"
     "Bouc-Wen element that restates its steady loop",
     option_store_flag, AT(has_equivalent_bouc_wen)},
    {0},
};

const struct command command_loop = {
    .name = "loop",
    .operands = "MODEL",
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
    .steps = &steps,
};
