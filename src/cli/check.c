/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/law_text.h"
#include "cli/pairs.h"
#include "cli/single_run.h"
#include "cli/summary.h"
#include "cli/text_table.h"
#include "cli/unit.h"
#include "masing/motion_field.h"
#include "masing/sample.h"

struct check_settings {
    struct common_settings common;
    bool is_csv;
    const char *pairs; /* NULL: not written */
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

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static void print_size(const struct masing_spec *spec, const struct masing_check_result *result)
{
    printf("%d DOFs", result->n_given);
    if (result->n_dofs != result->n_given) {
        printf(" condensed to %d", result->n_dofs);
    }
    printf(", %d modes", result->n_modes);
    if (result->n_rigid > 0) {
        printf(" (%d of a rigid body)", result->n_rigid);
    }
    if (result->n_sectors > 0) {
        printf(" of one sector of %d in nodal diameters 0 to %d", result->n_sectors,
               result->n_sectors / 2);
    }
    printf(", %d joint%s", spec->n_groups, plural(spec->n_groups));
    if (spec->n_groups < spec->n_joints) {
        printf(" of %d contacts", spec->n_joints);
    }
    printf(", %d load%s, %d output%s\n", spec->n_loads, plural(spec->n_loads), spec->n_outputs,
           plural(spec->n_outputs));
}

static void print_far(struct pool *pool, const struct masing_spec *spec)
{
    const char *text = summary_far_damping(pool, spec);
    if (text) {
        printf("damping ratio %s\n", text);
    }
}

/* At which speed things are shown that depend on it. */
static void print_speed(const struct masing_spec *spec)
{
    const double radians = 2 * acos(-1.0);
    double middle = spec->sweep == MASING_SWEEP_RANGE
                        ? 0.5 * (spec->omega_from + spec->omega_to)
                        : spec->omega_from;
    if (spec->structure.has_spin) {
        printf("the shaft turns at %.6g Hz\n", spec->structure.spin / radians);
    } else if (spec->is_of_shaft) {
        printf("the frequency is that of the shaft; natural frequencies are those at rest, "
               "joints\nare shown at %.6g Hz\n",
               middle / radians);
    }
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
    print_speed(spec);
}

/* Within its nodal diameter, where there are any. */
static int mode_number(const struct masing_check_result *result, int k)
{
    int first = k;
    while (result->nodal_diameters && first > 0 &&
           result->nodal_diameters[first - 1] == result->nodal_diameters[k]) {
        first--;
    }
    return result->nodal_diameters ? k - first + 1 : k + 1;
}

/* Every joint in its own column while there are few, else the one that moves most. */
static void print_modes(struct pool *pool, const struct masing_spec *spec,
                        const struct masing_check_result *result)
{
    int n_axes = result->n_axes, n_shown = n_axes > MOST_AXES ? 0 : n_axes;
    int n_columns = 3 + n_shown + (n_shown < n_axes);
    struct text_table table = {.pool = pool, .n_columns = n_columns + (result->n_sectors > 0)};
    if (result->n_sectors > 0) {
        text_table_add(&table, "diameters");
    }
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
        if (result->n_sectors > 0) {
            text_table_add(&table, "%d", result->nodal_diameters[k]);
        }
        text_table_add(&table, "%d\t%.6g\t%.6g", mode_number(result, k), result->free_hz[k],
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

static void print_range_of(const char *what, const double range[2], const char *unit)
{
    printf(" %s ", what);
    if (range[1] > range[0]) {
        printf("%.6g to ", range[0]);
    }
    printf("%.6g %s", range[1], unit);
}

/* Smallest and largest of the static displacements and forces along an axis of an entry's
 * joints; its law gives them all the same axes or some of these. */
static bool print_static_axis(const struct masing_spec *spec,
                              const struct masing_check_result *result,
                              const struct masing_joint_group *entry, int first_axis,
                              const char *axis, const char *head)
{
    const struct masing_joint_spec *joint = &spec->joints[entry->first];
    double displacement[2] = {INFINITY, -INFINITY}, force[2] = {INFINITY, -INFINITY};
    for (int j = 0; j < entry->n_joints; first_axis += masing_joint_spec_axes(&joint[j++])) {
        for (int a = 0; a < masing_joint_spec_axes(&joint[j]); a++) {
            if (!*axis || strcmp(masing_joint_spec_axis_name(&joint[j], a), axis) == 0) {
                double x = result->static_displacement[first_axis + a];
                double f = result->static_force[first_axis + a];
                displacement[0] = fmin(displacement[0], x);
                displacement[1] = fmax(displacement[1], x);
                force[0] = fmin(force[0], f);
                force[1] = fmax(force[1], f);
            }
        }
    }
    bool has_axis = displacement[0] <= displacement[1];
    if (has_axis) {
        /* axes rx, ry, rz turn */
        bool turns = (axis[0] == 'r' && strlen(axis) == 2) || unit_joint_turns(spec, joint);
        printf("  %-*s%s%s%s", law_text_width(joint->law), head, *axis ? " " : "", axis,
               *axis ? ":" : "");
        print_range_of(turns ? "rotation" : "displacement", displacement,
                       turns ? "rad," : "m,");
        print_range_of(turns ? "moment" : "force", force, turns ? "N m\n" : "N\n");
    }
    return has_axis;
}

static void print_entry(const struct masing_spec *spec, const struct masing_joint_group *entry)
{
    const struct masing_joint_spec *joint = &spec->joints[entry->first];
    const struct masing_law *law = joint->law;
    double area = 0;
    for (int j = 0; j < entry->n_joints; j++) {
        area += joint[j].area;
    }
    printf("\njoint %s: ", entry->name);
    if (entry->n_joints > 1) {
        printf("%d joints of law ", entry->n_joints);
    }
    printf("%s (%s)\n", law->name, law->summary);
    if (entry->n_joints > 1 && area > 0) {
        printf("  %-*s %.10g m^2 in all\n", law_text_width(law), "area", area);
    }
    pairs_print(entry, law_text_width(law));
    law_text_joints(joint, entry->n_joints, unit_joint_turns(spec, joint));
}

/* What the contacts of an entry do in the static state, and the pressure where areas are known.
 */
static void print_contacts(const struct masing_spec *spec,
                           const struct masing_check_result *result,
                           const struct masing_joint_group *entry)
{
    int counts[MASING_CONTACT_OPEN + 1] = {0};
    int width = law_text_width(spec->joints[entry->first].law);
    double force = 0, pressure[2] = {INFINITY, -INFINITY};
    for (int j = entry->first; j < entry->first + entry->n_joints; j++) {
        const struct masing_static_contact *contact = &result->contacts[j];
        if (contact->status == MASING_CONTACT_NONE) {
            return;
        }
        double own = contact->normal_force / spec->joints[j].area;
        counts[contact->status]++;
        force += contact->normal_force;
        pressure[0] = fmin(pressure[0], own);
        pressure[1] = fmax(pressure[1], own);
    }
    printf("  %-*s %d stick, %d slip, %d open\n", width, "", counts[MASING_CONTACT_STICKS],
           counts[MASING_CONTACT_SLIPS], counts[MASING_CONTACT_OPEN]);
    printf("  %-*s normal force %.6g N in all", width, "", force);
    if (isfinite(pressure[1])) {
        putchar(',');
        print_range_of("pressure", pressure, "Pa");
    }
    puts("");
}

/* @p result NULL: without a structure there is no static state */
static void print_joints(const struct masing_spec *spec,
                         const struct masing_check_result *result)
{
    for (int i = 0, axis = 0; i < spec->n_groups; i++) {
        const struct masing_joint_group *entry = &spec->groups[i];
        const struct masing_law *law = spec->joints[entry->first].law;
        print_entry(spec, entry);
        const char *head = "static state";
        for (int a = 0; result && a < law->n_axes; a++) {
            const char *name = law->axis_names ? law->axis_names[a] : "";
            head = print_static_axis(spec, result, entry, axis, name, head) ? "" : head;
        }
        if (result) {
            print_contacts(spec, result, entry);
        }
        for (int j = 0; j < entry->n_joints; j++) {
            axis += masing_joint_spec_axes(&spec->joints[entry->first + j]);
        }
    }
}

/* The model's own, of joints alone the laws' cautions; and where laws can create energy. */
static struct text_list collect_warnings(struct pool *pool, const struct model_input *input)
{
    const struct masing_spec *spec = input->spec;
    int n_creators = 0;
    struct text_list list = {0};
    for (int i = 0; input->model && i < masing_model_n_warnings(input->model); i++) {
        option_store_texts(pool, masing_model_warning(input->model, i), &list, NULL);
    }
    for (int i = 0; !input->model && i < spec->n_groups; i++) {
        const struct masing_joint_spec *joint = &spec->joints[spec->groups[i].first];
        struct masing_warning caution;
        const struct masing_warning *one = &caution;
        char text[400];
        if (list.count < MOST_CREATORS && joint->law->caution &&
            joint->law->caution(joint->parameters, &caution)) {
            masing_warning_text(&one, 1, text, sizeof text);
            option_store_texts(pool,
                               pool_format(pool, "joint '%s': %s", spec->groups[i].name, text),
                               &list, NULL);
        }
    }
    for (int i = 0; i < spec->n_groups; i++) {
        const struct masing_joint_spec *joint = &spec->joints[spec->groups[i].first];
        char text[80];
        const char *where = law_text_energy(joint->law, joint->parameters,
                                            unit_joint_turns(spec, joint), text, sizeof text);
        if (where && n_creators++ < MOST_CREATORS) {
            where = pool_format(pool, "joint '%s': law '%s' can create energy %s",
                                spec->groups[i].name, joint->law->name, where);
            option_store_texts(pool, where, &list, NULL);
        }
    }
    if (n_creators > MOST_CREATORS) {
        option_store_texts(pool,
                           pool_format(pool, "and %d more joints whose laws can create energy",
                                       n_creators - MOST_CREATORS),
                           &list, NULL);
    }
    return list;
}

struct checking {
    struct single_run single;
    struct output_sink pairs; /* pictures: of the contacts of surfaces, or of frequencies */
    struct masing_check_result result;
};

/* The mesh by itself: there is no motion whose instants could be written. Pictures are of the
 * contacts of its surfaces. */
static enum masing_status check_outputs(const struct single_run *single,
                                        struct masing_error *error)
{
    for (int i = 0; i < single->outputs.count; i++) {
        const struct output *output = &single->outputs.values[i];
        bool is_field = output->format == OUTPUT_FIELD;
        if (is_field && strcmp(output->ending, ".vtkhdf") != 0) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "-o %s: check writes no instants of a period; the mesh "
                                    "goes to NAME.vtkhdf",
                                    output->file);
        }
        if (is_field && !single->input.spec->structure.mesh) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "-o %s: the model has no mesh: give its deck as "
                                    "structure.mesh",
                                    output->file);
        }
        bool has_picture = pairs_are_there(single->input.spec) ||
                           masing_check_lines_of(single->input.model) != MASING_LINES_NONE;
        if (output->format == OUTPUT_PICTURE && !has_picture) {
            return masing_error_set(
                error, MASING_UNSUPPORTED,
                "-o %s: there is no picture: check draws the pairs of joints "
                "with 'surfaces', and no joint has these; frequencies over nodal "
                "diameters of a 'cyclic' structure; over the speed with "
                "'frequency_of: shaft'",
                output->file);
        }
    }
    return MASING_OK;
}

static enum masing_status write_meshes(struct single_run *single, struct masing_error *error)
{
    struct output_list *outputs = &single->outputs;
    for (int i = 0; i < outputs->count; i++) {
        const char *file = outputs->values[i].file;
        struct masing_error reason = {0};
        enum masing_status status = outputs->values[i].format == OUTPUT_FIELD
                                        ? masing_mesh_write(single->input.model, file, &reason)
                                        : MASING_OK;
        if (status == MASING_IO) {
            output_note_failure(outputs, reason.message);
        } else if (status != MASING_OK) {
            return masing_error_set(error, status, "%s", reason.message);
        } else if (outputs->values[i].format == OUTPUT_FIELD) {
            option_store_texts(outputs->pool, file, &outputs->fields, NULL);
        }
    }
    return MASING_OK;
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct checking *checking = context;
    struct single_run *single = &checking->single;
    const struct check_settings *settings = single->given;
    const struct output_table table = {.is_on_stdout = settings->is_csv};
    const struct text_list *files = &settings->common.outputs;
    NEED(output_parse(single->call->pool, files, OUTPUT_HAS_PICTURES | OUTPUT_HAS_FIELDS,
                      &single->outputs, error));
    NEED(
        model_input_open(single->call, &settings->common, MODEL_EITHER, &single->input, error));
    if (single->input.has_joints_only && (settings->is_csv || files->count > 0)) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: missing key 'structure': without one there are no modes "
                                "to write",
                                single->input.file);
    }
    NEED(check_outputs(single, error));
    NEED(settings->pairs ? pairs_note_files(single, settings->pairs, error) : MASING_OK);
    enum masing_lines lines = masing_check_lines_of(single->input.model);
    bool is_over_diameters = lines == MASING_LINES_OVER_DIAMETERS;
    const struct masing_plot_settings picture = {
        .kind = lines == MASING_LINES_NONE ? MASING_PLOT_PAIRS : MASING_PLOT_FREQUENCIES,
        .title = single->input.spec->title,
        .x_label = is_over_diameters ? "nodal diameter" : "speed of the shaft (Hz)",
        .y_label = "natural frequency (Hz)",
        .is_coarse = is_over_diameters};
    const struct output_table pairs = {.picture = &picture, .is_picture_only = true};
    NEED(output_sink_create(&single->outputs, &table, &single->rows, error));
    return output_sink_create(&single->outputs, &pairs, &checking->pairs, error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct checking *checking = context;
    struct single_run *single = &checking->single;
    const struct model_input *input = &single->input;
    enum masing_status status = MASING_OK;
    if (!input->has_joints_only) {
        NEED(input->spec->uncertain.n > 0
                 ? masing_sample_check(input->document, input->overrides->values,
                                       input->overrides->count, error)
                 : MASING_OK);
        status = masing_check(input->model, output_sink_rows(&single->rows), &checking->result,
                              error);
    }
    status = status ? status : write_meshes(single, error);
    const struct masing_sink *pairs = output_sink_rows(&checking->pairs);
    if (status == MASING_OK && pairs) {
        status = masing_check_lines_of(input->model) == MASING_LINES_NONE
                     ? masing_mesh_pairs(input->model, pairs, error)
                     : masing_check_lines(input->model, pairs, error);
    }
    single->warnings = collect_warnings(single->call->pool, &single->input);
    return status;
}

static void print(const void *context)
{
    const struct checking *checking = context;
    const struct check_settings *settings = checking->single.given;
    const struct masing_spec *spec = checking->single.input.spec;
    const struct masing_check_result *result =
        checking->single.input.has_joints_only ? NULL : &checking->result;
    if (settings->is_csv) {
        return;
    }
    puts(spec->title ? spec->title : "(untitled)");
    if (result) {
        print_size(spec, result);
        print_far(checking->single.call->pool, spec);
        print_range(spec);
        print_modes(checking->single.call->pool, spec, result);
    } else {
        printf("no structure; %d joint%s\n", spec->n_groups, plural(spec->n_groups));
    }
    print_joints(spec, result);
}

static enum masing_status write(const void *context, struct masing_error *error)
{
    const struct checking *checking = context;
    return pairs_write(&checking->single, error);
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
    .write = write,
    .end = end,
};

static const struct option check_options[] = {
    {"--csv", NULL,
     "print the modes, one a row (mode, free_hz, stuck_hz,\n"
     "shapes; of sectors of a disk nodal_diameter first), and\n"
     "nothing else",
     option_store_flag, offsetof(struct check_settings, is_csv)},
    {"--pairs", "FILE.csv", "contacts of surfaces, in the form of `pairs:`", option_store_text,
     offsetof(struct check_settings, pairs)},
    {0},
};

const struct command command_check = {
    .name = "check",
    .operands = "MODEL",
    .summary = "read and validate a model; print what was understood",
    .details =
        "Without a structure: the joints with their derived constants. With -o x.vtkhdf\n"
        "the model's mesh in its static state goes to x.vtkhdf, pressure and status of its\n"
        "pairs of contacts to x_pairs.vtkhdf, for ParaView; -o x.svg or x.png is a picture\n"
        "of the pairs and their pressure, seen along their normal; of a bladed disk\n"
        "(`cyclic`) of frequencies over nodal diameters with the engine orders' line; with\n"
        "`frequency_of: shaft` of frequencies over the shaft's speed.",
    .options = {check_options, model_options, output_options, single_options},
    .settings_size = sizeof(struct check_settings),
    .steps = &steps,
};
