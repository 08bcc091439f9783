/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/law_text.h"
#include "cli/single_run.h"
#include "cli/text_table.h"
#include "cli/unit.h"

struct check_settings {
    struct common_settings common;
    bool is_csv;
};

/* Modes and joints shown to people; the rest is in the CSV. */
enum { MOST_MODES = 20, MOST_AXES = 6, MOST_CREATORS = 16 };

static const char *axis_name(struct pool *pool, const struct masing_spec *spec, int axis)
{
    for (int j = 0, first = 0; j < spec->n_joints;
         first += masing_joint_spec_axes(&spec->joints[j++])) {
        int n = masing_joint_spec_axes(&spec->joints[j]);
        if (axis < first + n) {
            return n == 1 ? spec->joints[j].name
                          : pool_format(
                                pool, "%s.%s", spec->joints[j].name,
                                masing_joint_spec_axis_name(&spec->joints[j], axis - first));
        }
    }
    return "?";
}

/* Entries of the model file: a joint each, or many contacts. A specification that is not
 * sealed need not have groups. */
static int count_entries(const struct masing_spec *spec)
{
    return spec->n_groups > 0 ? spec->n_groups : spec->n_joints;
}

static struct masing_joint_group entry_of(const struct masing_spec *spec, int index)
{
    if (spec->n_groups > 0) {
        return spec->groups[index];
    }
    return (struct masing_joint_group){spec->joints[index].name, index, 1};
}

static void print_size(const struct masing_spec *spec, const struct masing_check_result *result)
{
    printf("%s\n%d DOFs, %d modes", spec->title ? spec->title : "(untitled)", result->n_dofs,
           result->n_modes);
    if (result->n_rigid > 0) {
        printf(" (%d of a rigid body)", result->n_rigid);
    }
    int n_entries = count_entries(spec);
    printf(", %d joint%s", n_entries, n_entries == 1 ? "" : "s");
    if (n_entries < spec->n_joints) {
        printf(" of %d contacts", spec->n_joints);
    }
    printf(", %d load%s, %d output%s\n", spec->n_loads, spec->n_loads == 1 ? "" : "s",
           spec->n_outputs, spec->n_outputs == 1 ? "" : "s");
}

static void print_range(const struct masing_spec *spec)
{
    static const char *const starts[] = {"zero", "static", "previous"};
    static const char *const forces[] = {"auto", "sampled", "exact"};
    const double radians = 2 * acos(-1.0);
    if (spec->sweep == MASING_SWEEP_RANGE) {
        printf("frequency %.6g to %.6g Hz; ", spec->omega_from / radians,
               spec->omega_to / radians);
    } else if (spec->sweep == MASING_SWEEP_POINT) {
        printf("frequency %.6g Hz; ", spec->omega_from / radians);
    }
    printf("harmonics");
    for (int h = 0; h < spec->n_harmonics; h++) {
        printf(" %d", spec->harmonics[h]);
    }
    printf("; %d samples; forces: %s; start: %s\n", spec->n_samples, forces[spec->forces],
           starts[spec->start]);
}

/* Every joint in its own column while there are few, else the one that moves most. */
static void print_modes(struct pool *pool, const struct masing_spec *spec,
                        const struct masing_check_result *result)
{
    int n_axes = result->n_axes, n_shown = n_axes > MOST_AXES ? 0 : n_axes;
    struct text_table table = {.pool = pool, .n_columns = 3 + n_shown + (n_shown < n_axes)};
    text_table_add(&table, "mode\tfree/Hz\tstuck/Hz");
    for (int a = 0; a < n_shown; a++) {
        text_table_add(&table, "%s", axis_name(pool, spec, a));
    }
    if (n_shown < n_axes) {
        text_table_add(&table, "joint that moves most");
    }
    for (int k = 0; k < result->n_modes && k < MOST_MODES; k++) {
        const double *motion = result->free_motion + (size_t)k * (size_t)n_axes;
        const double *energy = result->stuck_energy + (size_t)k * (size_t)n_axes;
        text_table_add(&table, "%d\t%.6g\t%.6g", k + 1, result->free_hz[k],
                       result->stuck_hz[k]);
        int most = 0;
        for (int a = 0; a < n_axes; a++) {
            most = fabs(motion[a]) > fabs(motion[most]) ? a : most;
            if (n_shown > 0) {
                text_table_add(&table, "%.2f, %.0f %%", fabs(motion[a]), 100 * energy[a]);
            }
        }
        if (n_shown < n_axes) {
            text_table_add(&table, "%s: %.2f, %.0f %%", axis_name(pool, spec, most),
                           fabs(motion[most]), 100 * energy[most]);
        }
    }
    puts("\nnatural frequencies without damping, joints free (full slip) and stuck");
    if (n_axes > 0) {
        puts(
            "per joint: its motion in the free mode over that of the DOF that moves most, its\n"
            "share of the strain energy in the stuck mode");
    }
    text_table_print(&table, stdout);
    if (result->n_modes > MOST_MODES) {
        printf("and %d more modes (--csv lists all)\n", result->n_modes - MOST_MODES);
    }
}

/* Smallest and largest of the static displacements and forces of an axis. */
struct static_range {
    int n_joints; /* that have the axis */
    double displacement[2], force[2];
};

static void widen(double range[2], double value, bool is_first)
{
    range[0] = is_first ? value : fmin(range[0], value);
    range[1] = is_first ? value : fmax(range[1], value);
}

static struct static_range static_range(const struct masing_spec *spec,
                                        const struct masing_check_result *result,
                                        struct masing_joint_group entry, int first_axis,
                                        const char *axis)
{
    struct static_range range = {0};
    for (int j = 0; j < entry.n_joints; j++) {
        const struct masing_joint_spec *joint = &spec->joints[entry.first + j];
        for (int a = 0; a < masing_joint_spec_axes(joint); a++) {
            if (!*axis || strcmp(masing_joint_spec_axis_name(joint, a), axis) == 0) {
                bool is_first = range.n_joints++ == 0;
                widen(range.displacement, result->static_displacement[first_axis + a],
                      is_first);
                widen(range.force, result->static_force[first_axis + a], is_first);
            }
        }
        first_axis += masing_joint_spec_axes(joint);
    }
    return range;
}

static void print_range_of(const char *what, const double range[2], const char *unit)
{
    printf(" %s ", what);
    if (range[1] > range[0]) {
        printf("%.6g to ", range[0]);
    }
    printf("%.6g %s", range[1], unit);
}

/* Axes rx, ry, rz turn. */
static bool is_rotation(const char *axis)
{
    return axis[0] == 'r' && strlen(axis) == 2;
}

static void print_static_state(const struct masing_spec *spec,
                               const struct masing_check_result *result,
                               struct masing_joint_group entry, int first_axis)
{
    const struct masing_law *law = spec->joints[entry.first].law;
    const char *head = "static state";
    for (int a = 0; a < law->n_axes; a++) {
        const char *axis = law->axis_names ? law->axis_names[a] : "";
        struct static_range range = static_range(spec, result, entry, first_axis, axis);
        if (range.n_joints == 0) {
            continue;
        }
        printf("  %-*s%s%s%s", law_text_width(law), head, *axis ? " " : "", axis,
               *axis ? ":" : "");
        bool turns = is_rotation(axis) || unit_joint_turns(spec, &spec->joints[entry.first]);
        print_range_of(turns ? "rotation" : "displacement", range.displacement,
                       turns ? "rad," : "m,");
        print_range_of(turns ? "moment" : "force", range.force, turns ? "N m\n" : "N\n");
        head = "";
    }
}

static void print_entry(const struct masing_spec *spec, struct masing_joint_group entry)
{
    bool turns = unit_joint_turns(spec, &spec->joints[entry.first]);
    const struct masing_joint_spec *joint = &spec->joints[entry.first];
    const struct masing_law *law = joint->law;
    double area = 0;
    printf("\njoint %s: ", entry.name);
    if (entry.n_joints == 1) {
        printf("%s (%s)\n", law->name, law->summary);
        law_text_joints(joint, 1, turns);
        return;
    }
    for (int j = 0; j < entry.n_joints; j++) {
        area += joint[j].area;
    }
    printf("%d joints of law %s (%s)\n", entry.n_joints, law->name, law->summary);
    if (area > 0) {
        printf("  %-*s %.10g m^2 in all\n", law_text_width(law), "area", area);
    }
    law_text_joints(joint, entry.n_joints, turns);
}

/* @p result NULL: without a structure there is no static state */
static void print_joints(const struct masing_spec *spec,
                         const struct masing_check_result *result)
{
    for (int i = 0, axis = 0; i < count_entries(spec); i++) {
        struct masing_joint_group entry = entry_of(spec, i);
        print_entry(spec, entry);
        if (result) {
            print_static_state(spec, result, entry, axis);
        }
        for (int j = 0; j < entry.n_joints; j++) {
            axis += masing_joint_spec_axes(&spec->joints[entry.first + j]);
        }
    }
}

/* A model of joints alone: the laws' cautions about their parameters. */
static int add_cautions(struct pool *pool, const struct masing_spec *spec, const char **texts)
{
    int n = 0;
    for (int i = 0; i < count_entries(spec) && n < MOST_CREATORS; i++) {
        struct masing_joint_group entry = entry_of(spec, i);
        const struct masing_joint_spec *joint = &spec->joints[entry.first];
        char text[400] = "";
        const char *caution = joint->law->caution
                                  ? joint->law->caution(joint->parameters, text, sizeof text)
                                  : NULL;
        if (caution) {
            texts[n++] = pool_format(pool, "joint '%s': %s", entry.name, caution);
        }
    }
    return n;
}

/* The model's own, and where its laws can create energy. */
static struct text_list collect_warnings(struct pool *pool, const struct model_input *input)
{
    int n_model = input->model ? masing_model_n_warnings(input->model) : 0;
    int n_entries = count_entries(input->spec), n_creators = 0;
    const char **texts =
        pool_take(pool, (size_t)(n_model + 2 * MOST_CREATORS + 1), sizeof *texts);
    int n = input->model ? 0 : add_cautions(pool, input->spec, texts);
    for (int i = 0; i < n_model; i++) {
        texts[n++] = masing_model_warning(input->model, i);
    }
    for (int i = 0; i < n_entries; i++) {
        struct masing_joint_group entry = entry_of(input->spec, i);
        const struct masing_joint_spec *joint = &input->spec->joints[entry.first];
        char text[80];
        const char *where =
            law_text_energy(joint->law, joint->parameters, unit_joint_turns(input->spec, joint),
                            text, sizeof text);
        if (where && n_creators++ < MOST_CREATORS) {
            texts[n++] = pool_format(pool, "joint '%s': law '%s' can create energy %s",
                                     entry.name, joint->law->name, where);
        }
    }
    if (n_creators > MOST_CREATORS) {
        texts[n++] = pool_format(pool, "and %d more joints whose laws can create energy",
                                 n_creators - MOST_CREATORS);
    }
    return (struct text_list){n, texts};
}

struct checking {
    struct single_run single;
    struct masing_check_result result;
};

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct checking *checking = context;
    struct single_run *single = &checking->single;
    const struct check_settings *settings = single->given;
    const struct output_table table = {.is_on_stdout = settings->is_csv};
    const struct text_list *files = &settings->common.outputs;
    enum masing_status status =
        output_parse(single->call->pool, files, false, &single->outputs, error);
    status = status ? status
                    : model_input_open(single->call, &settings->common, MODEL_EITHER,
                                       &single->input, error);
    if (status == MASING_OK && single->input.has_joints_only &&
        (settings->is_csv || files->count > 0)) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: missing key 'structure': without one there are no modes "
                                "to write",
                                single->input.file);
    }
    return status ? status : output_sink_create(&single->outputs, &table, &single->rows, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct checking *checking = context;
    struct single_run *single = &checking->single;
    enum masing_status status = MASING_OK;
    if (!single->input.has_joints_only) {
        status = masing_check(single->input.model, output_sink_rows(&single->rows),
                              &checking->result, error);
    }
    single->warnings = collect_warnings(single->call->pool, &single->input);
    return status;
}

static void print(const void *context)
{
    const struct checking *checking = context;
    const struct check_settings *settings = checking->single.given;
    const struct model_input *input = &checking->single.input;
    if (settings->is_csv) {
        return;
    }
    if (input->has_joints_only) {
        int n = count_entries(input->spec);
        printf("%s\nno structure; %d joint%s\n",
               input->spec->title ? input->spec->title : "(untitled)", n, n == 1 ? "" : "s");
        print_joints(input->spec, NULL);
    } else {
        print_size(input->spec, &checking->result);
        print_range(input->spec);
        print_modes(checking->single.call->pool, input->spec, &checking->result);
        print_joints(input->spec, &checking->result);
    }
}

static void end(void *context)
{
    struct checking *checking = context;
    masing_check_clear(&checking->result);
}

static const struct single_steps steps = {
    .run_size = sizeof(struct checking),
    .is_short = true,
    .begin = begin,
    .compute = compute,
    .print = print,
    .end = end,
};

static const struct option check_options[] = {
    {"--csv", NULL, "print mode, free_hz, stuck_hz and nothing else", option_store_flag,
     offsetof(struct check_settings, is_csv)},
    {0},
};

const struct command command_check = {
    .name = "check",
    .operands = "MODEL",
    .summary = "read and validate a model; print what was understood",
    .details = "Without a structure: the joints with their derived constants.",
    .options = {check_options, model_options, output_options, single_options},
    .settings_size = sizeof(struct check_settings),
    .steps = &steps,
};
