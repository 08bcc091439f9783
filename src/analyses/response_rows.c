/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response_rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/recovery_parts.h"
#include "model/joint_axes.h"

static const double DEGREES = 57.295779513082320876798154814105;

/* Columns are declared and cells are put in the same order by the same walk: with rows->cells
 * NULL it counts and names, else it fills. */
static void declare(struct response_rows *rows, enum masing_column_type type,
                    const char *format, ...) __attribute__((format(printf, 3, 4)));

static void declare(struct response_rows *rows, enum masing_column_type type,
                    const char *format, ...)
{
    if (rows->columns) {
        struct masing_column *column = &rows->columns[rows->n_columns];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(column->name, sizeof column->name, format, arguments);
        va_end(arguments);
        column->type = type;
    }
    rows->n_columns++;
}

static void declare_output(struct response_rows *rows, const char *name)
{
    declare(rows, MASING_COLUMN_REAL, "%s_max", name);
    declare(rows, MASING_COLUMN_REAL, "%s_amp", name);
    declare(rows, MASING_COLUMN_REAL, "%s_mean", name);
    declare(rows, MASING_COLUMN_REAL, "%s_h1", name);
    declare(rows, MASING_COLUMN_REAL, "%s_h1_phase_deg", name);
}

static void declare_harmonics(struct response_rows *rows, const char *name)
{
    const struct masing_spec *spec = &rows->model->spec;
    for (int k = 0; k < spec->n_harmonics; k++) {
        if (spec->harmonics[k] > 1) {
            declare(rows, MASING_COLUMN_REAL, "%s_h%d", name, spec->harmonics[k]);
            declare(rows, MASING_COLUMN_REAL, "%s_h%d_phase_deg", name, spec->harmonics[k]);
        }
    }
}

static bool can_open(const struct masing_model *model, int group)
{
    const struct masing_joint_group *all = &model->spec.groups[group];
    bool opens = false;
    for (int j = 0; j < all->n_joints && !opens; j++) {
        opens = masing_law_can_open(model->joints[all->first + j].law);
    }
    return opens;
}

/* A group of many joints has no one displacement: its elements have a table of their own. */
static bool is_alone(const struct masing_model *model, int joint)
{
    return model->spec.groups[model->joints[joint].group].n_joints == 1;
}

static void declare_axis(struct response_rows *rows, const struct joint *joint, int axis)
{
    char name[MASING_COLUMN_NAME - 24];
    joint_axis_text(joint->spec, axis, name, sizeof name);
    declare(rows, MASING_COLUMN_REAL, "%s_displacement_amp", name);
    declare(rows, MASING_COLUMN_REAL, "%s_displacement_mean", name);
    declare(rows, MASING_COLUMN_REAL, "%s_force_h1", name);
    declare(rows, MASING_COLUMN_REAL, "%s_force_mean", name);
    declare(rows, MASING_COLUMN_REAL, "%s_equivalent_stiffness", name);
    declare(rows, MASING_COLUMN_REAL, "%s_equivalent_damping", name);
}

static void declare_joints(struct response_rows *rows)
{
    const struct masing_model *model = rows->model;
    for (int j = 0; j < model->spec.n_joints; j++) {
        for (int a = 0; is_alone(model, j) && a < model->joints[j].n_axes; a++) {
            declare_axis(rows, &model->joints[j], a);
        }
    }
}

static const char *const books[] = {"loss", "share", "power"};
enum { N_BOOKS = sizeof books / sizeof *books };

static void declare_energies(struct response_rows *rows)
{
    const struct masing_model *model = rows->model;
    for (int b = 0; b < N_BOOKS; b++) {
        declare(rows, MASING_COLUMN_REAL, "%s_structure", books[b]);
        for (int g = 0; g < model->spec.n_groups; g++) {
            declare(rows, MASING_COLUMN_REAL, "%s_%s", books[b], model->spec.groups[g].name);
        }
    }
    for (int g = 0; g < model->spec.n_groups; g++) {
        declare(rows, MASING_COLUMN_REAL, "slip_distance_%s", model->spec.groups[g].name);
    }
    declare(rows, MASING_COLUMN_REAL, "energy_mismatch");
}

static void declare_all(struct response_rows *rows, const char *parameter)
{
    const struct masing_spec *spec = &rows->model->spec;
    rows->n_columns = 0;
    if (parameter) {
        declare(rows, MASING_COLUMN_REAL, "%s", parameter);
    }
    declare(rows, MASING_COLUMN_INTEGER, "point");
    declare(rows, MASING_COLUMN_INTEGER, "branch");
    declare(rows, MASING_COLUMN_REAL, "frequency_hz");
    for (int o = 0; o < spec->n_outputs; o++) {
        declare_output(rows, spec->outputs[o].name);
    }
    declare(rows, MASING_COLUMN_REAL, "energy_lost");
    declare(rows, MASING_COLUMN_REAL, "energy_in");
    for (int g = 0; g < spec->n_groups; g++) {
        declare(rows, MASING_COLUMN_REAL, "slip_%s", spec->groups[g].name);
        if (can_open(rows->model, g)) {
            declare(rows, MASING_COLUMN_REAL, "open_%s", spec->groups[g].name);
        }
    }
    declare(rows, MASING_COLUMN_INTEGER, "stable");
    declare(rows, MASING_COLUMN_TEXT, "event");
    declare(rows, MASING_COLUMN_INTEGER, "iterations");
    if (spec->harmonics_tolerance > 0.0) {
        declare(rows, MASING_COLUMN_INTEGER, "harmonics");
    }
    for (int o = 0; (rows->extra & MASING_COLUMNS_HARMONICS) && o < spec->n_outputs; o++) {
        declare_harmonics(rows, spec->outputs[o].name);
    }
    if (rows->extra & MASING_COLUMNS_ENERGY) {
        declare_energies(rows);
    }
    if (rows->extra & MASING_COLUMNS_JOINTS) {
        declare_joints(rows);
    }
    if (rows->extra & MASING_COLUMNS_SLOPES) {
        static const char *const measures[] = {"max", "amp", "h1"};
        const char *name = spec->outputs[spec->peak_output].name;
        const char *measure = measures[spec->peak_measure];
        declare(rows, MASING_COLUMN_REAL, "%s_%s_slope_in", name, measure);
        declare(rows, MASING_COLUMN_REAL, "%s_%s_slope_out", name, measure);
    }
    if (rows->extra & MASING_COLUMNS_STABILITY) {
        declare(rows, MASING_COLUMN_REAL, "multiplier");
        declare(rows, MASING_COLUMN_REAL, "multiplier_angle_deg");
        declare(rows, MASING_COLUMN_REAL, "multiplier_error");
    }
}

enum masing_status response_rows_create(const struct masing_model *model, unsigned extra,
                                        const char *parameter, struct response_rows **rows,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_rows *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->model = model;
    made->extra = extra;
    made->with_parameter = parameter != NULL;
    declare_all(made, parameter);
    made->columns = memory_array((size_t)made->n_columns, sizeof *made->columns);
    made->cells = memory_array((size_t)made->n_columns, sizeof *made->cells);
    TRY_ALLOCATED(made->columns && made->cells);
    declare_all(made, parameter);
    *rows = made;
    made = NULL;
done:
    response_rows_destroy(made);
    return status;
}

void response_rows_destroy(struct response_rows *rows)
{
    if (rows) {
        free(rows->columns);
        free(rows->cells);
        free(rows);
    }
}

static struct masing_cell *put(struct masing_cell *cell, double number)
{
    *cell = (struct masing_cell){.number = number};
    return cell + 1;
}

/* Phases in (-180, 180]; none where the amplitude is zero. */
static double phase_degrees(double amplitude, double phase)
{
    double degrees = phase * DEGREES;
    return !(amplitude > 0.0) ? NAN : degrees <= -180.0 ? degrees + 360.0 : degrees;
}

static struct masing_cell *put_measures(struct masing_cell *cell,
                                        const struct output_measures *measures)
{
    cell = put(cell, measures->max);
    cell = put(cell, measures->amp);
    cell = put(cell, measures->mean);
    cell = put(cell, measures->h1);
    return put(cell, phase_degrees(measures->h1, measures->h1_phase));
}

/* Empty above the highest that a point has; 0: it has all. */
static struct masing_cell *put_harmonics(struct masing_cell *cell, const struct basis *basis,
                                         const double *coefficients, int highest)
{
    for (int k = 0; k < basis->n_harmonics; k++) {
        if (basis->harmonics[k] > 1) {
            const double *c = coefficients + basis->position[k];
            bool is_there = highest == 0 || basis->harmonics[k] <= highest;
            double size = is_there ? hypot(c[0], c[1]) : NAN;
            cell = put(cell, size);
            cell = put(cell, phase_degrees(size, atan2(-c[1], c[0])));
        }
    }
    return cell;
}

static const double none[2] = {NAN, NAN};

/* Cosine and sine part of the first harmonic; none where it is not in the list. */
static const double *first_of(const struct basis *basis, const double *coefficients)
{
    int position = recovery_first_harmonic(basis);
    return position < 0 ? none : coefficients + position;
}

/* Spring and damper that give the first harmonic of a force f by that of its displacement x,
 * x = x[0] cos + x[1] sin; none where it does not move. */
static struct masing_cell *put_equivalents(struct masing_cell *cell, const double *f,
                                           const double *x, double omega)
{
    double square = x[0] * x[0] + x[1] * x[1];
    bool is_moving = square > 0.0;
    double in_phase = f[0] * x[0] + f[1] * x[1], ahead = f[0] * x[1] - f[1] * x[0];
    cell = put(cell, is_moving ? in_phase / square : NAN);
    return put(cell, is_moving ? ahead / (omega * square) : NAN);
}

static double mean_of(const struct basis *basis, const double *coefficients)
{
    return basis->harmonics[0] == 0 ? coefficients[0] : 0.0;
}

static struct masing_cell *put_axis(struct masing_cell *cell, struct joint_response *response,
                                    int axis)
{
    const struct basis *basis = response->basis;
    size_t at = (size_t)axis * (size_t)basis->n_coefficients;
    const double *x = response->x + at, *f = response->f + at;
    const double *x1 = first_of(basis, x), *f1 = first_of(basis, f);
    const struct masing_range *range = &response->range[axis];
    joint_response_range(response, axis);
    cell = put(cell, 0.5 * (range->maximum - range->minimum));
    cell = put(cell, mean_of(basis, x));
    cell = put(cell, hypot(f1[0], f1[1]));
    cell = put(cell, mean_of(basis, f));
    return put_equivalents(cell, f1, x1, response->omega);
}

static struct masing_cell *put_joints(struct masing_cell *cell, const struct balance *balance)
{
    for (int j = 0; j < balance->n_joints; j++) {
        struct joint_response *response = balance->joints[j];
        for (int a = 0; is_alone(balance->model, j) && a < response->n_axes; a++) {
            cell = put_axis(cell, response, a);
        }
    }
    return cell;
}

/* The structure's part of a sum, then that of each group of joints. */
static struct masing_cell *put_parts(struct masing_cell *cell,
                                     const struct recovery_point *point, int n_groups,
                                     double factor)
{
    cell = put(cell, factor * point->structure_loss);
    for (int g = 0; g < n_groups; g++) {
        cell = put(cell, factor * point->group_loss[g]);
    }
    return cell;
}

/* One block for each of the books: J per cycle, parts of what is lost, W. */
static struct masing_cell *put_energies(struct masing_cell *cell,
                                        const struct recovery_point *point, int n_groups,
                                        double hertz)
{
    cell = put_parts(cell, point, n_groups, 1.0);
    cell = put_parts(cell, point, n_groups,
                     point->energy_lost != 0.0 ? 1.0 / point->energy_lost : NAN);
    cell = put_parts(cell, point, n_groups, hertz);
    for (int g = 0; g < n_groups; g++) {
        cell = put(cell, point->group_slid[g]);
    }
    return put(cell, point->energy_scale > 0.0
                         ? fabs(point->energy_in - point->energy_lost) / point->energy_scale
                         : 0.0);
}

void response_rows_fill(struct response_rows *rows, const struct recovery *recovery,
                        const struct response_row *row)
{
    const struct masing_spec *spec = &rows->model->spec;
    const struct recovery_point *point = &recovery->point;
    const struct balance *balance = recovery->balance;
    struct masing_cell *cell = rows->cells;
    if (rows->with_parameter) {
        cell = put(cell, row->parameter);
    }
    cell = put(cell, row->point);
    cell = put(cell, row->branch);
    cell = put(cell, row->hertz);
    for (int o = 0; o < spec->n_outputs; o++) {
        cell = put_measures(cell, &point->measures[o]);
    }
    cell = put(cell, point->energy_lost);
    cell = put(cell, point->energy_in);
    for (int g = 0; g < spec->n_groups; g++) {
        cell = put(cell, point->slip[g]);
        if (can_open(rows->model, g)) {
            cell = put(cell, point->open[g]);
        }
    }
    cell = put(cell, row->stability.stable);
    *cell++ = event_row_cell(&row->events);
    cell = put(cell, row->iterations);
    if (spec->harmonics_tolerance > 0.0) {
        cell = put(cell, row->harmonics);
    }
    for (int o = 0; (rows->extra & MASING_COLUMNS_HARMONICS) && o < spec->n_outputs; o++) {
        cell = put_harmonics(cell, balance->basis,
                             point->coefficients + (size_t)o * (size_t)balance->n_coefficients,
                             row->harmonics);
    }
    if (rows->extra & MASING_COLUMNS_ENERGY) {
        cell = put_energies(cell, point, spec->n_groups, row->hertz);
    }
    if (rows->extra & MASING_COLUMNS_JOINTS) {
        cell = put_joints(cell, balance);
    }
    if (rows->extra & MASING_COLUMNS_SLOPES) {
        cell = put(cell, row->slope_in);
        cell = put(cell, row->slope_out);
    }
    if (rows->extra & MASING_COLUMNS_STABILITY) {
        cell = put(cell, row->stability.modulus);
        cell = put(cell, DEGREES * row->stability.angle);
        put(cell, row->stability.error);
    }
}
