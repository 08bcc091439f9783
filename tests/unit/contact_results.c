/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What results say of groups of contacts, with a law whose shares are given numbers. */
#include <string.h>

#include "masing/response.h"
#include "response.h"
#include "specimen.h"
#include "tap.h"

/* ---- two springs and two dampers; the second element has three quarters of everything ---- */

struct plate {
    double stiffness, damping;
    double slip, open, margin; /* what it claims to do; slip NAN: no such state */
};

#define FIELD(member)                                                                          \
    {                                                                                          \
        .name = #member, .help = "", .type = MASING_FIELD_REAL, .minimum = -1e9,               \
        .maximum = 1e9, .offset = offsetof(struct plate, member)                               \
    }

static const struct masing_field plate_fields[] = {
    FIELD(stiffness), FIELD(damping), FIELD(slip), FIELD(open), FIELD(margin),
};

static size_t plate_workspace_size(const struct masing_law *law, int n_samples,
                                   int n_directions, int n_parameters)
{
    (void)law, (void)n_samples, (void)n_directions, (void)n_parameters;
    return 0;
}

static const double element_part[2] = {0.25, 0.75};

static enum masing_status plate_march(const struct masing_law *law, const void *parameters,
                                      const struct masing_path *path, double *state,
                                      struct masing_forces *forces,
                                      struct masing_tangents *tangents, double *workspace)
{
    const struct plate *plate = parameters;
    size_t n = (size_t)path->n_directions;
    double work = 0;
    (void)law, (void)state, (void)tangents, (void)workspace;
    for (size_t i = 0; i < (size_t)path->n_samples; i++) {
        for (size_t a = 0; a < 2; a++) {
            double k = a == 0 ? plate->stiffness : 0, c = a == 1 ? plate->damping : 0;
            size_t at = 2 * i + a;
            forces->f[at] = k * path->x[at] + c * path->v[at];
            work += forces->f[at] * path->v[at] * path->time_step;
            for (size_t d = 0; d < n; d++) {
                forces->df[at * n + d] = k * path->dx[at * n + d] + c * path->dv[at * n + d];
            }
        }
    }
    forces->slip_share = plate->slip < 0 ? NAN : plate->slip;
    forces->open_share = plate->open;
    forces->slip_margin = plate->margin;
    for (int e = 0; forces->elements && e < 2; e++) {
        forces->elements[e] =
            (struct masing_element){plate->open, fmax(0, plate->slip), element_part[e] * work};
    }
    return MASING_OK;
}

static enum masing_status plate_step(const struct masing_step *step)
{
    const struct plate *plate = step->parameters;
    step->f[0] = plate->stiffness * step->x[0];
    step->f[1] = plate->damping * step->v[1];
    for (int k = 0; k < step->n; k++) {
        step->df[k] = plate->stiffness * step->dx[k];
        step->df[step->n + k] = plate->damping * step->dv[step->n + k];
    }
    return MASING_OK;
}

static const struct masing_family plate_family = {
    .name = "plate",
    .summary = "",
    .settling_periods = 1,
    .workspace_size = plate_workspace_size,
    .march = plate_march,
    .step = plate_step,
};

static void plate_stiffness(const void *parameters, const double *at, bool is_stuck,
                            double *tangent)
{
    const struct plate *plate = parameters;
    (void)at;
    (void)is_stuck;
    memset(tangent, 0, 4 * sizeof *tangent);
    tangent[0] = plate->stiffness;
}

static int two_elements(const void *parameters)
{
    (void)parameters;
    return 2;
}

static void element_place(const void *parameters, int element, double position[2], double *area)
{
    (void)parameters;
    position[0] = 0.1 * element;
    position[1] = -0.2;
    *area = 0.5;
}

static double slip_onset(const struct masing_law *law, const void *parameters,
                         const struct masing_range *range)
{
    (void)law;
    (void)parameters;
    return range[0].slip_margin;
}

static const struct masing_law_event plate_events[] = {
    {.rising = MASING_EVENT_SLIP_ONSET, .falling = MASING_EVENT_STICK, .value = slip_onset},
};

static const char *const plate_axes[] = {"normal", "slide"};

static const struct masing_law plate_law = {
    .name = "plate",
    .summary = "",
    .equation = "",
    .source = "",
    .example = "",
    .family = &plate_family,
    .n_axes = 2,
    .axis_names = plate_axes,
    .needs_velocity = true,
    .parameters_size = sizeof(struct plate),
    .fields = plate_fields,
    .n_fields = sizeof plate_fields / sizeof *plate_fields,
    .stiffness = plate_stiffness,
    .n_elements = two_elements,
    .element_place = element_place,
    .events = plate_events,
    .n_events = 1,
};

/* ---- an oscillator with two DOFs on such plates ---- */

static void add_plate(struct masing_spec *spec, const char *name, struct plate plate,
                      double area)
{
    spec->joints = realloc(spec->joints, (size_t)(spec->n_joints + 1) * sizeof *spec->joints);
    struct masing_joint_spec *joint = &spec->joints[spec->n_joints++];
    *joint = (struct masing_joint_spec){
        .name = specimen_text(name), .law = &plate_law, .n_axes = 2, .area = area};
    joint->parameters = specimen_array(1, sizeof plate);
    memcpy(joint->parameters, &plate, sizeof plate);
    joint->axes = specimen_array(2, sizeof *joint->axes);
    joint->axes[0] = specimen_axis(MASING_GROUND, 0);
    joint->axes[1] = specimen_axis(MASING_GROUND, 1);
}

static void add_group(struct masing_spec *spec, const char *name, int n_joints)
{
    int first = 0;
    for (int g = 0; g < spec->n_groups; g++) {
        first += spec->groups[g].n_joints;
    }
    spec->groups = realloc(spec->groups, (size_t)(spec->n_groups + 1) * sizeof *spec->groups);
    spec->groups[spec->n_groups++] = (struct masing_joint_group){
        .name = specimen_text(name), .first = first, .n_joints = n_joints};
}

/* "face": three joints of areas 1, 2 and 3, the last of which cannot slip; "single": one. */
static struct masing_model *make_model(double margin)
{
    struct masing_spec spec;
    struct masing_error error = {0};
    struct masing_model *model = NULL;
    specimen_init(&spec, 2);
    for (int dof = 0; dof < 2; dof++) {
        specimen_mass(&spec, dof, 1);
        specimen_spring(&spec, MASING_GROUND, dof, 1);
        specimen_load(&spec, dof, 1);
    }
    specimen_spring(&spec, 0, 1, 0.5);
    spec.omega_from = 0.5;
    add_plate(&spec, "face.1", (struct plate){0.1, 0.02, 0.2, 0.1, margin}, 1);
    add_plate(&spec, "face.2", (struct plate){0.2, 0.03, 0.5, 0.4, -0.9}, 2);
    add_plate(&spec, "face.3", (struct plate){0.3, 0.04, -1, 0.6, -0.8}, 3);
    add_plate(&spec, "single", (struct plate){0.1, 0.05, 0.25, 1.0, margin}, 0);
    add_group(&spec, "face", 3);
    add_group(&spec, "single", 1);
    spec.outputs = specimen_array(1, sizeof *spec.outputs);
    spec.n_outputs = 1;
    spec.outputs[0].name = specimen_text("x");
    spec.outputs[0].combination = specimen_axis(MASING_GROUND, 0);
    if (!CHECK(masing_model_create(&spec, &model, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    return model;
}

struct results {
    struct table rows, contacts;
    struct masing_response_summary summary;
};

static void run_model(struct results *results, double margin)
{
    static const double at_hz[] = {0.2};
    struct masing_model *model = make_model(margin);
    struct masing_error error = {0};
    struct masing_sink rows = table_sink(&results->rows);
    struct masing_sink contacts = table_sink(&results->contacts);
    const struct masing_response_options options = {.n_at = 1,
                                                    .at_hz = at_hz,
                                                    .columns = MASING_COLUMNS_ENERGY |
                                                               MASING_COLUMNS_JOINTS,
                                                    .contacts = &contacts};
    results->summary = (struct masing_response_summary){0};
    if (!CHECK(masing_frf(model, &options, &rows, NULL, &results->summary, &error) ==
               MASING_OK)) {
        printf("# %s\n", error.message);
    }
    masing_model_destroy(model);
}

static void clear(struct results *results)
{
    table_clear(&results->rows);
    table_clear(&results->contacts);
    masing_response_summary_clear(&results->summary);
}

static bool has_column(const struct table *table, const char *name)
{
    for (int c = 0; c < table->n_columns; c++) {
        if (strcmp(table->columns[c].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void shares_of_a_group_are_weighted_with_areas(void)
{
    struct results results;
    run_model(&results, -0.5);
    int row = table_find(&results.rows, "at", 0.2);
    CHECK(row >= 0);
    CHECK_RELATIVE(table_get(&results.rows, row, "slip_face"), (0.2 + 2 * 0.5) / 3, 1e-15);
    CHECK_RELATIVE(table_get(&results.rows, row, "open_face"), (0.1 + 2 * 0.4 + 3 * 0.6) / 6,
                   1e-15);
    CHECK_RELATIVE(table_get(&results.rows, row, "slip_single"), 0.25, 1e-15);
    CHECK_RELATIVE(table_get(&results.rows, row, "open_single"), 1, 1e-15);
    double lost = table_get(&results.rows, row, "loss_face") +
                  table_get(&results.rows, row, "loss_single");
    CHECK_RELATIVE(lost, table_get(&results.rows, row, "energy_lost"), 1e-12);
    CHECK_RELATIVE(table_get(&results.rows, row, "loss_face"), lost * 9 / 14, 1e-12);
    CHECK_RELATIVE(results.summary.slip_share, 0.4, 1e-15);
    CHECK_RELATIVE(results.summary.open_share, 1, 1e-15);
    clear(&results);
}

static void axes_of_a_lone_joint_have_columns_and_those_of_a_group_none(void)
{
    struct results results;
    run_model(&results, -0.5);
    int row = table_find(&results.rows, "at", 0.2);
    CHECK(has_column(&results.rows, "single_normal_displacement_amp"));
    CHECK(has_column(&results.rows, "single_slide_force_mean"));
    CHECK(!has_column(&results.rows, "face_normal_displacement_amp"));
    CHECK(!has_column(&results.rows, "face.1_normal_displacement_amp"));
    CHECK(!has_column(&results.rows, "slip_face.1"));
    double omega = 6.283185307179586 * 0.2;
    CHECK_RELATIVE(
        table_get(&results.rows, row, "single_slide_force_h1"),
        0.05 * omega * table_get(&results.rows, row, "single_slide_displacement_amp"), 1e-9);
    CHECK_RELATIVE(table_get(&results.rows, row, "single_normal_force_h1"),
                   0.1 * table_get(&results.rows, row, "single_normal_displacement_amp"), 1e-9);
    clear(&results);
}

static void losses_of_the_elements_add_up_to_that_of_the_joint(void)
{
    struct results results;
    run_model(&results, -0.5);
    const struct table *contacts = &results.contacts;
    int row = table_find(&results.rows, "at", 0.2);
    double group = 0, single = 0;
    if (!CHECK(contacts->n_rows == 16)) { /* at 0.2 Hz, at the peak; three joints, one joint */
        return;
    }
    for (int i = 0; i < 8; i++) {
        double loss = table_get(contacts, i, "loss");
        CHECK(strcmp(contacts->events[i], "at") == 0);
        CHECK(strcmp(contacts->events[i + 8], "peak") == 0);
        CHECK(table_get(contacts, i, "frequency_hz") == 0.2);
        CHECK(table_get(contacts, i + 8, "frequency_hz") == results.summary.peak.frequency_hz);
        CHECK(table_get(contacts, i, "element") == (i < 6 ? i + 1 : i - 5));
        CHECK(table_get(contacts, i, "area") == 0.5);
        *(i < 6 ? &group : &single) += loss;
    }
    CHECK_RELATIVE(group, table_get(&results.rows, row, "loss_face"), 1e-12);
    CHECK_RELATIVE(single, table_get(&results.rows, row, "loss_single"), 1e-12);
    CHECK(isnan(table_get(contacts, 0, "y")) && isnan(table_get(contacts, 5, "z")));
    CHECK(table_get(contacts, 6, "y") == 0 && table_get(contacts, 7, "y") == 0.1);
    CHECK(table_get(contacts, 7, "z") == -0.2);
    CHECK_RELATIVE(table_get(contacts, 0, "stick"), 1 - 0.1 - 0.2, 1e-15);
    clear(&results);
}

static bool is_warned(const struct results *results, const char *text)
{
    for (int i = 0; i < results->summary.n_warnings; i++) {
        if (strstr(results->summary.warnings[i], text)) {
            return true;
        }
    }
    return false;
}

static void contacts_that_never_slip_or_never_close_are_told(void)
{
    struct results results;
    run_model(&results, -0.5);
    CHECK(is_warned(&results, "joint 'single' never slips (50 % of its limit)"));
    CHECK(is_warned(&results, "none of the 3 joints of 'face' ever slips (the nearest comes to "
                              "50 % of its limit)"));
    CHECK(is_warned(&results, "joint 'single' is open all the time at the peak"));
    CHECK(!is_warned(&results, "joint 'face' is open"));
    clear(&results);
    run_model(&results, 0.5);
    CHECK(!is_warned(&results, "slips"));
    clear(&results);
}

static const struct tap_test tests[] = {
    {"shares of a group are weighted with areas", shares_of_a_group_are_weighted_with_areas},
    {"axes of a lone joint have columns and those of a group none",
     axes_of_a_lone_joint_have_columns_and_those_of_a_group_none},
    {"losses of the elements add up to that of the joint",
     losses_of_the_elements_add_up_to_that_of_the_joint},
    {"contacts that never slip or never close are told",
     contacts_that_never_slip_or_never_close_are_told},
};

TAP_MAIN(tests)
