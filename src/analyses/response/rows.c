/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/rows.h"

#include <math.h>
#include <stdlib.h>

#include "analyses/curve/joint_columns.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model/joints.h"

static const double DEGREES = 57.295779513082320876798154814105;

/* What a walk over a table reads; row is NULL while columns are declared. */
struct row {
    const struct response_rows *rows;
    const void *row; /* struct response_..._row of the table */
};

/* The same of a point; point and row are NULL while columns are declared. */
struct walk {
    const struct response_rows *rows;
    const struct balance *balance;
    const struct recovery_point *point;
    const struct response_row *row;
};

/* Amplitude and phase of a harmonic, by where it stands in the list; none above the highest
 * harmonic that the point has. */
static void harmonic_of(const struct walk *walk, const double *coefficients, int index,
                        double polar[2])
{
    const struct basis *basis = walk->balance->basis;
    const double *c = coefficients + basis->position[index];
    int highest = walk->row->harmonics; /* 0: it has all */
    bool is_there = highest == 0 || basis->harmonics[index] <= highest;
    polar[0] = is_there ? hypot(c[0], c[1]) : NAN;
    polar[1] = row_phase(polar[0], atan2(-c[1], c[0]));
}

/* Whether a harmonic has columns beside the first one: where the frequency is the shaft's those
 * of the engine orders always. */
static bool is_shown(const struct response_rows *rows, int h)
{
    bool is_shown = (rows->extra & MASING_COLUMNS_HARMONICS) != 0;
    for (int l = 0; l < rows->model->spec.n_loads && rows->model->spec.is_of_shaft; l++) {
        is_shown = is_shown || rows->model->loads[l].harmonic == h;
    }
    return is_shown && h > 1;
}

static void walk_harmonics(struct row_table *table, const struct walk *walk, int output)
{
    const struct masing_spec *spec = &walk->rows->model->spec;
    const char *name = spec->outputs[output].name;
    double polar[2] = {NAN, NAN};
    for (int k = 0; k < spec->n_harmonics; k++) {
        int h = spec->harmonics[k];
        if (!is_shown(walk->rows, h)) {
            continue;
        }
        if (table->is_filling) {
            size_t n = (size_t)walk->balance->n_coefficients;
            harmonic_of(walk, walk->point->coefficients + (size_t)output * n, k, polar);
        }
        ROW_REAL(table, polar[0], "%s_h%d", name, h);
        ROW_REAL(table, polar[1], "%s_h%d_phase_deg", name, h);
    }
}

bool response_rows_can_open(const struct masing_model *model, int first, int n_joints)
{
    bool opens = false;
    for (int j = first; j < first + n_joints && !opens; j++) {
        opens = masing_law_can_open(model->joints[j].law);
    }
    return opens;
}

/* Mean, amplitudes and phases of the force of one axis of a joint. */
static void walk_force(struct row_table *table, const struct walk *walk, int joint, int axis)
{
    const struct masing_model *model = walk->rows->model;
    char name[MASING_COLUMN_NAME - 24] = "";
    const double *f = NULL;
    double polar[2] = {NAN, NAN};
    if (table->is_filling) {
        f = walk->balance->joints[joint]->f +
            (size_t)axis * (size_t)walk->balance->n_coefficients;
    } else {
        joint_axis_text(model->joints[joint].spec, axis, name, sizeof name);
    }
    for (int k = 0; k < model->spec.n_harmonics; k++) {
        int h = model->spec.harmonics[k];
        if (h == 0) {
            ROW_REAL(table, f[0], "force_%s_mean", name);
            continue;
        }
        if (table->is_filling) {
            harmonic_of(walk, f, k, polar);
        }
        ROW_REAL(table, polar[0], "force_%s_h%d", name, h);
        ROW_REAL(table, polar[1], "force_%s_h%d_phase_deg", name, h);
    }
}

/* Of the joints that stand alone, as in joint_columns. */
static void walk_forces(struct row_table *table, const struct walk *walk)
{
    const struct masing_model *model = walk->rows->model;
    for (int j = 0; j < model->spec.n_joints; j++) {
        bool is_alone = model->spec.groups[model->joints[j].group].n_joints == 1;
        for (int a = 0; is_alone && a < model->joints[j].n_axes; a++) {
            walk_force(table, walk, j, a);
        }
    }
}

/* One block of losses: J per cycle times a factor; the structure's, then each group's. */
static void walk_losses(struct row_table *table, const struct walk *walk, const char *name,
                        double factor)
{
    const struct masing_spec *spec = &walk->rows->model->spec;
    ROW_REAL(table, factor * walk->point->structure_loss, "%s_structure", name);
    for (int g = 0; g < spec->n_groups; g++) {
        ROW_REAL(table, factor * walk->point->group_loss[g], "%s_%s", name,
                 spec->groups[g].name);
    }
}

static void walk_energies(struct row_table *table, const struct walk *walk)
{
    const struct masing_spec *spec = &walk->rows->model->spec;
    bool is_lost = table->is_filling && walk->point->energy_lost != 0.0;
    walk_losses(table, walk, "loss", 1.0);
    walk_losses(table, walk, "share", is_lost ? 1.0 / walk->point->energy_lost : NAN);
    walk_losses(table, walk, "power", table->is_filling ? walk->row->hertz : NAN);
    for (int g = 0; g < spec->n_groups; g++) {
        ROW_REAL(table, walk->point->group_slid[g], "slip_distance_%s", spec->groups[g].name);
    }
    ROW_REAL(table, recovery_energy_mismatch(walk->point), "energy_mismatch");
}

const char *response_rows_measure(const struct masing_spec *spec)
{
    static const char *const names[] = {"max", "amp", "h1"};
    return names[spec->peak_measure];
}

static void walk_parameter(struct row_table *table, const struct response_rows *rows)
{
    if (rows->word) {
        ROW_TEXT(table, rows->word, "%s", rows->parameter);
    } else if (rows->parameter) {
        ROW_REAL(table, rows->value, "%s", rows->parameter);
    }
}

/* The columns that every table of points has. */
static void walk_point(struct row_table *table, const struct walk *walk)
{
    const struct response_rows *rows = walk->rows;
    const struct masing_spec *spec = &rows->model->spec;
    walk_parameter(table, rows);
    ROW_INTEGER(table, walk->row->point, "point");
    ROW_INTEGER(table, walk->row->branch, "branch");
    ROW_REAL(table, walk->row->hertz, "frequency_hz");
    for (int o = 0; o < spec->n_outputs; o++) {
        const char *name = spec->outputs[o].name;
        const struct output_measures *m = walk->point ? &walk->point->measures[o] : NULL;
        ROW_REAL(table, m->max, "%s_max", name);
        ROW_REAL(table, m->amp, "%s_amp", name);
        ROW_REAL(table, m->mean, "%s_mean", name);
        ROW_REAL(table, m->h1, "%s_h1", name);
        ROW_REAL(table, row_phase(m->h1, m->h1_phase), "%s_h1_phase_deg", name);
    }
    ROW_REAL(table, walk->point->energy_lost, "energy_lost");
    ROW_REAL(table, walk->point->energy_in, "energy_in");
    for (int g = 0; g < spec->n_groups; g++) {
        ROW_REAL(table, walk->point->slip[g], "slip_%s", spec->groups[g].name);
        if (response_rows_can_open(rows->model, spec->groups[g].first,
                                   spec->groups[g].n_joints)) {
            ROW_REAL(table, walk->point->open[g], "open_%s", spec->groups[g].name);
        }
    }
    ROW_INTEGER(table, walk->row->stability.stable, "stable");
    ROW_CELL(table, MASING_COLUMN_TEXT, event_row_cell(&walk->row->events), "event");
    ROW_INTEGER(table, walk->row->iterations, "iterations");
    if (spec->harmonics_tolerance > 0.0) {
        ROW_INTEGER(table, walk->row->harmonics, "harmonics");
    }
}

static void walk_coefficients(struct row_table *table, const struct walk *walk)
{
    const struct coefficient_columns *coefficients = &walk->rows->coefficients;
    if (table->is_filling && coefficients->spec) {
        coefficient_columns_fill(coefficients, walk->balance->basis,
                                 walk->row->dofs ? walk->row->dofs : walk->point->coefficients);
    }
    coefficient_columns_walk(table, coefficients, coefficients->values);
}

static void walk_all(struct row_table *table, const void *context)
{
    const struct row *given = context;
    const struct response_row *row = given->row;
    const struct walk all = {given->rows, row ? row->recovery->balance : NULL,
                             row ? &row->recovery->point : NULL, row};
    const struct walk *walk = &all;
    const struct masing_spec *spec = &walk->rows->model->spec;
    unsigned extra = walk->rows->extra;
    walk_point(table, walk);
    for (int o = 0; o < spec->n_outputs; o++) {
        walk_harmonics(table, walk, o);
    }
    if (extra & MASING_COLUMNS_ENERGY) {
        walk_energies(table, walk);
    }
    if (extra & MASING_COLUMNS_JOINTS) {
        joint_columns(table, walk->rows->model, row ? walk->balance->joints : NULL);
    }
    if (extra & MASING_COLUMNS_SLOPES) {
        const char *name = spec->outputs[spec->peak_output].name;
        const char *measure = response_rows_measure(spec);
        ROW_REAL(table, row->slope_in, "%s_%s_slope_in", name, measure);
        ROW_REAL(table, row->slope_out, "%s_%s_slope_out", name, measure);
    }
    if (extra & MASING_COLUMNS_STABILITY) {
        ROW_REAL(table, row->stability.modulus, "multiplier");
        ROW_REAL(table, DEGREES * row->stability.angle, "multiplier_angle_deg");
        ROW_REAL(table, row->stability.error, "multiplier_error");
    }
    if (extra & MASING_COLUMNS_FORCES) {
        walk_forces(table, walk);
    }
    walk_coefficients(table, walk);
}

static void walk_contact(struct row_table *table, const void *context)
{
    const struct row *walk = context;
    const struct response_contact_row *row = walk->row;
    walk_parameter(table, walk->rows);
    ROW_REAL(table, row->hertz, "frequency_hz");
    ROW_CELL(table, MASING_COLUMN_TEXT, event_row_cell(&row->events), "event");
    ROW_TEXT(table, row->group, "joint");
    ROW_INTEGER(table, row->number, "element");
    ROW_REAL(table, row->position[0], "y");
    ROW_REAL(table, row->position[1], "z");
    ROW_REAL(table, row->area, "area");
    ROW_REAL(table, row->state.open, "open");
    ROW_REAL(table, fmax(0.0, 1.0 - row->state.open - row->state.slip), "stick");
    ROW_REAL(table, row->state.slip, "slip");
    ROW_REAL(table, row->state.loss, "loss");
}

static void walk_loop(struct row_table *table, const void *context)
{
    const struct row *walk = context;
    const struct response_loop_row *row = walk->row;
    walk_parameter(table, walk->rows);
    ROW_TEXT(table, row->joint, "joint");
    ROW_REAL(table, row->displacement, "displacement");
    ROW_REAL(table, row->force, "force");
    ROW_REAL(table, row->degrees, "angle_deg");
    ROW_REAL(table, row->hertz, "frequency_hz");
    ROW_CELL(table, MASING_COLUMN_TEXT, event_row_cell(&row->events), "event");
}

static void walk_check(struct row_table *table, const void *context)
{
    const struct row *walk = context;
    const struct response_check_row *row = walk->row;
    const struct masing_spec *spec = &walk->rows->model->spec;
    const char *measure = response_rows_measure(spec);
    walk_parameter(table, walk->rows);
    ROW_REAL(table, row->hertz, "frequency_hz");
    ROW_CELL(table, MASING_COLUMN_TEXT, event_row_cell(&row->events), "event");
    ROW_REAL(table, row->refined_hertz, "refined_hz");
    ROW_INTEGER(table, row->harmonics, "harmonics");
    ROW_INTEGER(table, row->samples, "samples");
    for (int o = 0; o < spec->n_outputs; o++) {
        const char *name = spec->outputs[o].name;
        ROW_REAL(table, row->first[o], "%s_%s", name, measure);
        ROW_REAL(table, row->last[o], "%s_%s_refined", name, measure);
        ROW_REAL(table, row->errors[o], "%s_%s_error", name, measure);
    }
}

enum masing_status
response_rows_create(const struct masing_model *model, unsigned extra, const char *parameter,
                     const char *word, const struct masing_sink *const sinks[RESPONSE_N_TABLES],
                     struct response_rows **rows, struct masing_error *error)
{
    static row_walk *const walks[RESPONSE_N_TABLES] = {walk_all, walk_contact, walk_loop,
                                                       walk_check};
    enum masing_status status = MASING_OK;
    struct response_rows *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    *made = (struct response_rows){
        .model = model, .extra = extra, .parameter = parameter, .word = word};
    TRY(coefficient_columns_create(&model->spec, extra, &made->coefficients, error));
    for (int t = 0; t < RESPONSE_N_TABLES; t++) {
        TRY(row_sink_begin(&made->tables[t], sinks[t], walks[t], &(struct row){.rows = made},
                           error));
    }
    *rows = made;
    made = NULL;
done:
    response_rows_destroy(made);
    return status;
}

enum masing_status response_rows_end(struct response_rows *rows, enum masing_status status,
                                     struct masing_error *error)
{
    for (int t = RESPONSE_N_TABLES - 1; t >= 0; t--) {
        status = row_sink_end(&rows->tables[t], status, error);
    }
    return status;
}

void response_rows_destroy(struct response_rows *rows)
{
    if (rows) {
        response_rows_end(rows, MASING_INTERNAL, NULL);
        coefficient_columns_clear(&rows->coefficients);
        free(rows);
    }
}

enum masing_status response_rows_write(struct response_rows *rows, enum response_table table,
                                       const void *row, struct masing_error *error)
{
    return row_sink_write(&rows->tables[table], &(struct row){rows, row}, error);
}

bool response_rows_want_dofs(const struct response_rows *rows)
{
    return rows->tables[RESPONSE_POINTS].sink && rows->coefficients.are_dofs;
}

/* ---- what the joints do: loops and contact elements ---- */

/* ---- hysteresis loops ---- */

enum { LOOP_SAMPLES = 512 };

int joint_rows_samples(const struct balance *balance)
{
    int n_samples = balance->basis->n_samples;
    return n_samples > LOOP_SAMPLES ? n_samples : LOOP_SAMPLES;
}

enum masing_status joint_rows_march(const struct balance *balance,
                                    const struct joint_response *response, double omega,
                                    int n_samples, struct masing_element *elements,
                                    struct joint_march *march, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct joint *joint = response->joint;
    const struct masing_law *law = joint->law;
    size_t n_axes = (size_t)response->n_axes, size = (size_t)n_samples * n_axes;
    size_t n_coefficients = (size_t)response->basis->n_coefficients;
    size_t n_state = masing_law_state_size(law, joint->parameters);
    size_t n_work = law->family->workspace_size(law, n_samples, 0, 0);
    double *x = memory_array(3 * size, sizeof(double));
    double *workspace = memory_uncleared(n_work + n_state + 1, sizeof(double));
    *march = (struct joint_march){.n_samples = n_samples, .x = x};
    TRY_ALLOCATED(x && workspace);
    double *v = x + 2 * size;
    march->f = x + size;
    /* where the joint was found steady, so that its loop is that of the solution */
    double *state = workspace + n_work;
    for (size_t i = 0; i < n_state; i++) {
        state[i] = response->state ? response->state[i] : NAN;
    }
    /* summed directly: planning a transform would cost more than this one use of it */
    for (size_t a = 0; a < n_axes; a++) {
        trigonometric_path_set(response->path, response->x + a * n_coefficients, 0.0);
        for (size_t i = 0; i < (size_t)n_samples; i++) {
            double values[4];
            trigonometric_path_evaluate(response->path, TWO_PI * (double)i / n_samples, values);
            x[i * n_axes + a] = values[0];
            v[i * n_axes + a] = omega * values[1];
        }
    }
    struct masing_path path = {
        .n_samples = n_samples,
        .n_axes = response->n_axes,
        .is_periodic = true,
        .time_step = TWO_PI / (omega * n_samples),
        .x = x,
        .v = v,
        .origin = balance->origin + joint->first_axis,
        .origin_state = response->is_carried ? response->carried : NULL,
    };
    struct masing_forces forces = {.f = march->f, .elements = elements};
    TRY(masing_law_march(law, joint->parameters, &path, state, &forces, NULL, workspace));
done:
    free(workspace);
    return status;
}

enum masing_status joint_rows_loops(struct response_rows *rows, const struct balance *balance,
                                    double omega, double hertz, enum masing_event event,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct joint_march loop = {0};
    struct response_loop_row row = {.hertz = hertz,
                                    .events = event_row_of_kinds(MASING_EVENT_BIT(event))};
    int n_samples = joint_rows_samples(balance);
    for (int j = 0; rows->tables[RESPONSE_LOOPS].sink && j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        const struct joint *joint = response->joint;
        if (rows->model->spec.groups[joint->group].n_joints > 1) {
            continue; /* a loop for each of a thousand contacts is of no use */
        }
        TRY(joint_rows_march(balance, response, omega, n_samples, NULL, &loop, error));
        for (int a = 0; a < joint->n_axes; a++) {
            char name[MASING_COLUMN_NAME];
            joint_axis_text(joint->spec, a, name, sizeof name);
            for (int i = 0; i <= n_samples; i++) {
                int at = i % n_samples * joint->n_axes + a;
                row.joint = name;
                row.displacement = loop.x[at];
                row.force = loop.f[at];
                row.degrees = 360.0 * i / n_samples;
                TRY(response_rows_write(rows, RESPONSE_LOOPS, &row, error));
            }
        }
        free(loop.x);
        loop.x = NULL;
    }
done:
    free(loop.x);
    return status;
}

/* ---- contact elements ---- */

/* The place of an element is known within a patch. That of a contact of a group among the
 * others is not. */
static void place(const struct joint *joint, bool is_alone, int element,
                  struct response_contact_row *row)
{
    double area = 0.0;
    row->position[0] = row->position[1] = NAN;
    if (joint->law->element_place) {
        joint->law->element_place(joint->parameters, element, row->position, &area);
    }
    if (!is_alone) {
        row->position[0] = row->position[1] = NAN;
    }
    area = area > 0.0 ? area : joint->spec->area;
    row->area = area > 0.0 ? area : NAN;
}

/* The elements of one joint; row: what all of the group share, and the last number. */
static enum masing_status write_elements(struct response_rows *rows,
                                         const struct balance *balance,
                                         const struct joint_response *response, double omega,
                                         bool is_alone, struct response_contact_row *row,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct joint *joint = response->joint;
    int n = joint->law->n_elements ? joint->law->n_elements(joint->parameters) : 0;
    struct joint_march march = {0};
    struct masing_element *elements = NULL;
    if (n == 0) {
        return MASING_OK;
    }
    TRY_ALLOCATED(elements = memory_array((size_t)n, sizeof *elements));
    TRY(joint_rows_march(balance, response, omega, balance->basis->n_samples, elements, &march,
                         error));
    for (int e = 0; e < n; e++) {
        row->number++;
        row->state = elements[e];
        place(joint, is_alone, e, row);
        TRY(response_rows_write(rows, RESPONSE_CONTACTS, row, error));
    }
done:
    free(march.x);
    free(elements);
    return status;
}

enum masing_status joint_rows_contacts(struct response_rows *rows,
                                       const struct balance *balance, double omega,
                                       double hertz, enum masing_event event,
                                       struct masing_error *error)
{
    const struct masing_spec *spec = &rows->model->spec;
    for (int g = 0; rows->tables[RESPONSE_CONTACTS].sink && g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        struct response_contact_row row = {.hertz = hertz,
                                           .events =
                                               event_row_of_kinds(MASING_EVENT_BIT(event)),
                                           .group = group->name};
        for (int j = group->first; j < group->first + group->n_joints; j++) {
            NEED(write_elements(rows, balance, balance->joints[j], omega, group->n_joints == 1,
                                &row, error));
        }
    }
    return MASING_OK;
}
