/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/recovery/recovery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/balance/balance_joints.h"
#include "harmonic/balance/balance_rows.h"
#include "harmonic/balance/balance_speed.h"
#include "model/cyclic.h"
#include "model/output.h"

void recovery_add_row(const struct recovery *recovery, const double *motion, int row,
                      double *out)
{
    const struct basis *basis = recovery->balance->basis;
    for (int k = 0; k < basis->n_harmonics; k++) {
        const double *x = motion + 2 * (k * recovery->n_rows + row);
        out[basis->position[k]] += x[0];
        if (basis->harmonics[k] > 0) {
            out[basis->position[k] + 1] -= x[1];
        }
    }
}

/* Uncondensed modes' part: participation of the row times the modal unknowns. */
void recovery_add_modes(const struct recovery *recovery, const double *y, int row, double *out)
{
    const struct balance *balance = recovery->balance;
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        double share = balance_mode_share(balance, mode, &recovery->ports, row);
        double *c = out + balance->basis->position[mode->harmonic_index];
        c[0] += share * y[mode->position];
        if (balance->basis->harmonics[mode->harmonic_index] > 0) {
            c[1] += share * y[mode->position + 1];
        }
    }
}

void recovery_to_quantity(const struct balance *balance, int output, double omega,
                          double *coefficients)
{
    const struct basis *basis = balance->basis;
    double scale = output_scale(balance->model, output);
    for (int order = output_order(&balance->model->spec.outputs[output]); order > 0; order--) {
        basis_differentiate(basis, coefficients, coefficients);
        scale *= omega;
    }
    for (int c = 0; c < basis->n_coefficients; c++) {
        coefficients[c] *= scale;
    }
}

void recovery_add_base(const struct balance *balance, int output, int load, double omega,
                       double factor, double *coefficients)
{
    const struct basis *basis = balance->basis;
    double motion[2];
    if (!output_base_motion(balance->model, output, load, omega, motion)) {
        return;
    }
    for (int k = 0; k < basis->n_harmonics; k++) {
        if (basis->harmonics[k] == balance->model->loads[load].harmonic) {
            coefficients[basis->position[k]] += factor * motion[0];
            coefficients[basis->position[k] + 1] += factor * motion[1];
        }
    }
}

/* The base's motion under all loads, times a factor */
static void add_base(const struct balance *balance, int output, double omega, double factor,
                     double *coefficients)
{
    for (int l = 0; l < balance->model->spec.n_loads; l++) {
        recovery_add_base(balance, output, l, omega, factor, coefficients);
    }
}

int recovery_first_harmonic(const struct basis *basis)
{
    for (int k = 0; k < basis->n_harmonics; k++) {
        if (basis->harmonics[k] == 1) {
            return basis->position[k];
        }
    }
    return -1;
}

/* The highest and the lowest value of a polynomial, at their angles. */
struct extremes {
    double high, low, high_angle, low_angle;
};

static struct extremes find_extremes(struct trigonometric_path *path,
                                     const double *coefficients)
{
    trigonometric_path_set(path, coefficients, 0.0);
    struct extremes found = {.high = path->smooth.constant, .low = path->smooth.constant};
    for (int i = 0; i < path->n_extrema; i++) {
        if (path->extrema[i].x > found.high) {
            found.high = path->extrema[i].x;
            found.high_angle = path->extrema[i].angle;
        }
        if (path->extrema[i].x < found.low) {
            found.low = path->extrema[i].x;
            found.low_angle = path->extrema[i].angle;
        }
    }
    return found;
}

static void measure_output(struct recovery *recovery, int output, const double *coefficients)
{
    const struct basis *basis = recovery->balance->basis;
    struct output_measures *measures = &recovery->point.measures[output];
    struct extremes found = find_extremes(recovery->paths[output], coefficients);
    int one = recovery_first_harmonic(basis);
    measures->max = fmax(fabs(found.high), fabs(found.low));
    measures->amp = 0.5 * (found.high - found.low);
    measures->mean = basis->harmonics[0] == 0 ? coefficients[0] : 0.0;
    measures->h1 = one < 0 ? 0.0 : hypot(coefficients[one], coefficients[one + 1]);
    measures->h1_phase = one < 0 ? 0.0 : atan2(-coefficients[one + 1], coefficients[one]);
}

static void evaluate_outputs(struct recovery *recovery, const double *y, double omega)
{
    const struct balance *balance = recovery->balance;
    size_t n = (size_t)balance->n_coefficients;
    memset(recovery->point.coefficients, 0, sizeof(double) * n * (size_t)recovery->n_outputs);
    for (int o = 0; o < recovery->n_outputs; o++) {
        double *out = recovery->point.coefficients + (size_t)o * n;
        recovery_add_row(recovery, recovery->motion, o, out);
        recovery_add_modes(recovery, y, o, out);
        add_base(balance, o, omega, 1.0, out);
        recovery_to_quantity(balance, o, omega, out);
        measure_output(recovery, o, out);
    }
}

static void evaluate_input(struct recovery *recovery, const double *y)
{
    struct balance *balance = recovery->balance;
    const struct basis *basis = balance->basis;
    size_t n = (size_t)balance->n_coefficients;
    double *x = recovery->change, *force = recovery->change + n;
    recovery->point.energy_in = recovery->point.energy_scale = 0.0;
    for (int row = recovery->n_outputs; row < recovery->n_rows; row++) {
        int in = balance->n_axes + row - recovery->n_outputs;
        memset(x, 0, sizeof(double) * n);
        recovery_add_row(recovery, recovery->motion, row, x);
        recovery_add_modes(recovery, y, row, x);
        for (int k = 0; k < basis->n_harmonics; k++) {
            const double *f = balance->force + 2 * balance_port(balance, k, in);
            force[basis->position[k]] = f[0];
            if (basis->harmonics[k] > 0) {
                force[basis->position[k] + 1] = -f[1];
            }
        }
        double scale;
        recovery->point.energy_in += basis_work(basis, force, x, &scale);
        recovery->point.energy_scale += scale;
    }
}

static double loss_of_modes(const struct balance *balance, const double *y, double omega)
{
    double loss = 0.0;
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int h = balance->basis->harmonics[mode->harmonic_index];
        double z[2], slope[2];
        if (h == 0) {
            continue;
        }
        balance_mode_stiffness(balance, mode, omega, z, slope);
        double square = y[mode->position] * y[mode->position] +
                        y[mode->position + 1] * y[mode->position + 1];
        loss += PI * h * z[1] * square / mode->copies;
    }
    return loss;
}

static void evaluate_losses(struct recovery *recovery, const double *y, double omega)
{
    struct balance *balance = recovery->balance;
    struct recovery_point *point = &recovery->point;
    point->structure_loss = compliance_loss(balance->compliance, omega, balance->force) +
                            loss_of_modes(balance, y, omega);
    point->energy_lost = point->structure_loss;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        point->joint_loss[j] = 0.0;
        for (int a = 0; a < response->n_axes; a++) {
            size_t at = (size_t)a * (size_t)balance->n_coefficients;
            point->joint_loss[j] +=
                basis_work(balance->basis, response->f + at, response->x + at, NULL);
        }
        point->energy_lost += point->joint_loss[j];
    }
}

/* Change of a joint's forces in the first harmonic where its motion has harmonics of the list
 * up to `kept` alone, and these forces, both times the motion; nothing where the law fails. */
static void add_truncation(struct recovery *recovery, int j, double omega, int kept,
                           double *changed, double *whole)
{
    const struct balance *balance = recovery->balance;
    struct joint_response *response = balance->joints[j];
    const double *origin = balance->origin + response->joint->first_axis;
    size_t n_c = (size_t)balance->n_coefficients, n = (size_t)response->n_axes * n_c;
    double *x = memcpy(recovery->change, response->x, n * sizeof *x);
    double *f = memcpy(recovery->d_force, response->f, n * sizeof *f);
    for (size_t i = 0; i < n; i++) {
        bool is_kept = i % n_c < (size_t)balance->basis->position[kept + 1];
        response->x[i] = is_kept ? x[i] : 0.0;
    }
    bool is_known = joint_response_evaluate(response, balance->scratch[0], omega, origin,
                                            false) == MASING_OK;
    size_t one = (size_t)recovery_first_harmonic(balance->basis);
    for (size_t i = one; is_known && i < n; i += n_c) {
        double size = hypot(x[i], x[i + 1]);
        *changed += size * hypot(response->f[i] - f[i], response->f[i + 1] - f[i + 1]);
        *whole += size * hypot(f[i], f[i + 1]);
    }
    memcpy(response->x, x, n * sizeof *x);
    joint_response_evaluate(response, balance->scratch[0], omega, origin, false);
}

double recovery_truncation(struct recovery *recovery, double omega)
{
    const struct basis *basis = recovery->balance->basis;
    int kept = basis->n_harmonics - 3; /* symmetric motion has odd harmonics only */
    double changed = 0.0, whole = 0.0;
    if (recovery_first_harmonic(basis) >= 0 && kept >= 0 && basis->harmonics[kept] >= 1) {
        for (int j = 0; j < recovery->balance->n_joints; j++) {
            add_truncation(recovery, j, omega, kept, &changed, &whole);
        }
    }
    return whole > 0.0 ? changed / whole : 0.0;
}

/* Mean over the joints of a group that have such a state. */
struct area_mean {
    double sum, area;
};

static void area_mean_add(struct area_mean *mean, double area, double value)
{
    if (!isnan(value)) {
        mean->sum += area * value;
        mean->area += area;
    }
}

static double area_mean_value(const struct area_mean *mean)
{
    return mean->area > 0.0 ? mean->sum / mean->area : NAN;
}

static void evaluate_groups(struct recovery *recovery)
{
    const struct balance *balance = recovery->balance;
    const struct masing_spec *spec = &balance->model->spec;
    struct recovery_point *point = &recovery->point;
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        struct area_mean slip = {0.0, 0.0}, open = {0.0, 0.0}, slid = {0.0, 0.0};
        double loss = 0.0;
        for (int j = group->first; j < group->first + group->n_joints; j++) {
            const struct joint_response *response = balance->joints[j];
            double area = response->joint->area;
            loss += point->joint_loss[j];
            area_mean_add(&slip, area, response->slip_share);
            area_mean_add(&open, area, response->open_share);
            area_mean_add(&slid, area, response->slip_distance);
        }
        point->group_loss[g] = loss;
        point->slip[g] = area_mean_value(&slip);
        point->open[g] = area_mean_value(&open);
        point->group_slid[g] = area_mean_value(&slid);
    }
}

enum masing_status recovery_evaluate(struct recovery *recovery, const double *y, double omega)
{
    NEED(balance_settle(recovery->balance, y, omega, false));
    NEED(compliance_multiply(recovery->compliance, omega, recovery->balance->force,
                             recovery->motion));
    evaluate_outputs(recovery, y, omega);
    evaluate_input(recovery, y);
    evaluate_losses(recovery, y, omega);
    evaluate_groups(recovery);
    return MASING_OK;
}

double recovery_measure(const struct output_measures *measures, enum masing_measure measure)
{
    return measure == MASING_MEASURE_MAX   ? measures->max
           : measure == MASING_MEASURE_AMP ? measures->amp
                                           : measures->h1;
}

double recovery_peak_measure(const struct recovery *recovery)
{
    const struct masing_spec *spec = &recovery->balance->model->spec;
    return recovery_measure(&recovery->point.measures[spec->peak_output], spec->peak_measure);
}

void recovery_measure_outputs(const struct recovery *recovery, double *values)
{
    for (int o = 0; o < recovery->n_outputs; o++) {
        values[o] = recovery_measure(&recovery->point.measures[o],
                                     recovery->balance->model->spec.peak_measure);
    }
}

double recovery_energy_mismatch(const struct recovery_point *point)
{
    return point->energy_scale > 0.0
               ? fabs(point->energy_in - point->energy_lost) / point->energy_scale
               : 0.0;
}

/* Part of a unit of arc length by which joints are evaluated off a corner, and the mismatch
 * of tangent and forces from which on that is tried. */
static const double SIDE_STEP = 1e-7, SIDE_TOLERANCE = 1e-2;

/* What the shaft's speed changes of a joint's forces at fixed displacements, its velocities
 * included, was put down with the forces. */
static void add_speed(struct recovery *recovery, const struct joint *joint, double d_omega)
{
    const struct balance *balance = recovery->balance;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int a = joint->first_axis; a < joint->first_axis + joint->n_axes; a++) {
            size_t at = 2 * balance_port(balance, k, a);
            recovery->d_ports[at] += d_omega * balance->d_force[at];
            recovery->d_ports[at + 1] += d_omega * balance->d_force[at + 1];
        }
    }
}

/* Change of all port forces along the tangent: recovery->d_ports [n_harmonics][n_in][2]. */
static void forces_along(struct recovery *recovery, const double *dy, double d_omega)
{
    struct balance *balance = recovery->balance;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int in = balance->n_axes; in < balance->n_in; in++) {
            size_t at = 2 * balance_port(balance, k, in);
            recovery->d_ports[at] = d_omega * balance->d_force[at];
            recovery->d_ports[at + 1] = d_omega * balance->d_force[at + 1];
        }
    }
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        bool has_speed = balance_speed_tangent(balance, j) != NULL;
        balance_joints_gather(balance, response->joint, dy, recovery->change);
        joint_response_apply(response, recovery->change, has_speed ? 0.0 : d_omega,
                             recovery->d_force);
        balance_joints_put(balance, response->joint, recovery->d_force, false,
                           recovery->d_ports);
        if (has_speed) {
            add_speed(recovery, response->joint, d_omega);
        }
    }
}

/* Coefficients of an output and of its derivative along the tangent, in its quantity. */
static void output_along(struct recovery *recovery, const double *y, const double *dy,
                         double omega, double d_omega, int output, double *value, double *slope)
{
    const struct balance *balance = recovery->balance;
    size_t n = (size_t)balance->n_coefficients;
    int order = output_order(&balance->model->spec.outputs[output]);
    memset(value, 0, sizeof(double) * n);
    memset(slope, 0, sizeof(double) * n);
    recovery_add_row(recovery, recovery->d_motion, output, slope);
    recovery_add_modes(recovery, dy, output, slope);
    recovery_add_row(recovery, recovery->motion, output, value);
    recovery_add_modes(recovery, y, output, value);
    add_base(balance, output, omega, 1.0, value);
    add_base(balance, output, omega, -2.0 * d_omega / omega, slope); /* as omega^-2 */
    recovery_to_quantity(balance, output, omega, value);
    recovery_to_quantity(balance, output, omega, slope);
    for (size_t c = 0; c < n; c++) { /* omega^order is a factor of the value, too */
        slope[c] += order * d_omega / omega * value[c];
    }
}

/* Derivative of the polynomial's value at a fixed angle: that of an extremum, too. */
static double slope_at(struct recovery *recovery, const double *slope, double angle)
{
    const struct basis *basis = recovery->balance->basis;
    double sum = 0.0;
    basis_functions(basis, angle, recovery->d_force);
    for (int c = 0; c < basis->n_coefficients; c++) {
        sum += recovery->d_force[c] * slope[c];
    }
    return sum;
}

double recovery_measure_slope(struct recovery *recovery, const double *value,
                              const double *slope, enum masing_measure measure)
{
    const struct basis *basis = recovery->balance->basis;
    double *size = &recovery->point.measure;
    if (measure == MASING_MEASURE_H1) {
        int one = recovery_first_harmonic(basis);
        *size = one < 0 ? 0.0 : hypot(value[one], value[one + 1]);
        return *size > 0.0 ? (value[one] * slope[one] + value[one + 1] * slope[one + 1]) / *size
                           : 0.0;
    }
    int peak_output = recovery->balance->model->spec.peak_output;
    struct extremes found = find_extremes(recovery->paths[peak_output], value);
    double high = slope_at(recovery, slope, found.high_angle);
    double low = slope_at(recovery, slope, found.low_angle);
    if (measure == MASING_MEASURE_AMP) {
        *size = 0.5 * (found.high - found.low);
        return 0.5 * (high - low);
    }
    bool is_high = fabs(found.high) >= fabs(found.low);
    *size = fabs(is_high ? found.high : found.low);
    return is_high ? copysign(1.0, found.high) * high : copysign(1.0, found.low) * low;
}

/* The uncondensed modes move a port beside the compliance: add their part to (re, im). */
static void add_mode_motion(const struct balance *balance, const double *dy, int k, int out,
                            double *re, double *im)
{
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        if (mode->harmonic_index == k) {
            double share = mode->participation[balance->n_in + out];
            *re += share * dy[mode->position];
            *im -= balance->basis->harmonics[k] > 0 ? share * dy[mode->position + 1] : 0.0;
        }
    }
}

/*
 * How well the change of the joint forces just evaluated, which makes the ports' motion change
 * by `change` [n_harmonics][n_out][2], goes with the tangent: the largest
 * violation of d W = d(H f) over the ports' rows, relative to d W. At a corner of the curve a
 * tangent belongs to one side, and the joints may have been evaluated on the other.
 */
static double mismatch(const struct balance *balance, const double *dy, const double *change)
{
    double worst = 0.0, size = 0.0;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int out = 0; out < balance->n_axes; out++) {
            int row = balance->row[k * balance->n_out + out];
            const double *x = change + 2 * (k * balance->n_out + out);
            double re = x[0], im = x[1], factor = balance->row_factor[k * balance->n_out + out];
            bool is_pair = balance->basis->harmonics[k] > 0;
            add_mode_motion(balance, dy, k, out, &re, &im);
            double a = dy[row], b = is_pair ? dy[row + balance->n_axes] : 0.0;
            double d_a = a - re, d_b = is_pair ? b + im : 0.0, square = factor * factor;
            worst = fmax(worst, square * (d_a * d_a + d_b * d_b));
            size = fmax(size, square * (a * a + b * b));
        }
    }
    return size > 0.0 ? sqrt(worst / size) : 0.0;
}

/* Change of the forces along the tangent, the joints evaluated at y + shift dy. */
static enum masing_status forces_at(struct recovery *recovery, const double *y, double omega,
                                    const double *dy, double d_omega, double shift)
{
    struct balance *balance = recovery->balance;
    const double *at = y;
    if (shift != 0.0) {
        for (int i = 0; i < balance->n_unknowns; i++) {
            recovery->shifted[i] = y[i] + shift * dy[i];
        }
        at = recovery->shifted;
    }
    enum masing_status status = balance_settle(balance, at, omega, true);
    if (status == MASING_OK) {
        forces_along(recovery, dy, d_omega);
    }
    return status;
}

/* The same on the side to which the tangent belongs. */
static enum masing_status forces_on_side(struct recovery *recovery, const double *y,
                                         double omega, const double *dy, double d_omega)
{
    static const double shifts[] = {0.0, SIDE_STEP, -SIDE_STEP};
    struct balance *balance = recovery->balance;
    size_t n_motion = 2 * (size_t)balance->basis->n_harmonics * (size_t)balance->n_out;
    double best = INFINITY, best_shift = 0.0, shift = 0.0;
    for (int s = 0; s < 3 && best > SIDE_TOLERANCE; s++) {
        shift = shifts[s];
        NEED(forces_at(recovery, y, omega, dy, d_omega, shift));
        double *change = balance->motion + n_motion;
        NEED(compliance_differentiate(balance->compliance, omega, d_omega, balance->force,
                                      recovery->d_ports, NULL, change));
        double wrong = mismatch(balance, dy, change);
        if (wrong < best) {
            best = wrong;
            best_shift = shift;
        }
    }
    return shift == best_shift ? MASING_OK
                               : forces_at(recovery, y, omega, dy, d_omega, best_shift);
}

/* By the forces and their change as they were found last. */
static enum masing_status measure_along(struct recovery *recovery, const double *y,
                                        double omega, const double *dy, double d_omega,
                                        double *slope)
{
    const struct masing_spec *spec = &recovery->balance->model->spec;
    size_t n = (size_t)recovery->balance->n_coefficients;
    NEED(compliance_differentiate(recovery->compliance, omega, d_omega,
                                  recovery->balance->force, recovery->d_ports, recovery->motion,
                                  recovery->d_motion));
    double *value = recovery->point.slopes, *along = value + n;
    output_along(recovery, y, dy, omega, d_omega, spec->peak_output, value, along);
    *slope = recovery_measure_slope(recovery, value, along, spec->peak_measure);
    return MASING_OK;
}

enum masing_status recovery_slope(struct recovery *recovery, const double *y, double omega,
                                  const double *dy, double d_omega, double *slope)
{
    NEED(forces_on_side(recovery, y, omega, dy, d_omega));
    return measure_along(recovery, y, omega, dy, d_omega, slope);
}

enum masing_status recovery_slope_beside(struct recovery *recovery, const double *y,
                                         double omega, const double *dy, double d_omega,
                                         double *slope)
{
    NEED(forces_at(recovery, y, omega, dy, d_omega, 0.0));
    return measure_along(recovery, y, omega, dy, d_omega, slope);
}

static enum masing_status make_ports(struct recovery *recovery, struct masing_error *error)
{
    const struct balance *balance = recovery->balance;
    const struct masing_spec *spec = &balance->model->spec;
    int n_load_columns = balance->n_in - balance->n_axes - (balance->is_static ? 1 : 0);
    recovery->n_outputs = spec->n_outputs;
    recovery->n_rows = spec->n_outputs + n_load_columns;
    const struct compliance_ports *in = &balance->in_ports;
    size_t count = in->first[balance->n_axes + n_load_columns] - in->first[balance->n_axes];
    for (int o = 0; o < spec->n_outputs; o++) {
        count += (size_t)model_output(balance->model, o)->n_terms;
    }
    NEED(compliance_ports_create(recovery->n_rows, count, &recovery->arena, &recovery->ports,
                                 error));
    for (int o = 0; o < spec->n_outputs; o++) {
        compliance_ports_add_sum(&recovery->ports, o, model_output(balance->model, o));
    }
    for (int l = 0; l < n_load_columns; l++) {
        compliance_ports_copy(&recovery->ports, spec->n_outputs + l, in, balance->n_axes + l);
    }
    return MASING_OK;
}

static void allocate(struct recovery *recovery)
{
    struct arena *arena = &recovery->arena;
    const struct balance *balance = recovery->balance;
    struct recovery_point *point = &recovery->point;
    size_t n = (size_t)balance->n_coefficients;
    size_t n_inputs = (size_t)balance->basis->n_harmonics * (size_t)balance->n_in;
    size_t n_outputs = (size_t)recovery->n_outputs, n_joints = (size_t)balance->n_joints;
    size_t n_groups = (size_t)balance->model->spec.n_groups;
    size_t widest = 2;
    for (size_t j = 0; j < n_joints; j++) {
        size_t n_axes = (size_t)balance->joints[j]->n_axes;
        widest = n_axes > widest ? n_axes : widest;
    }
    size_t n_motion = 2 * (size_t)balance->basis->n_harmonics * (size_t)recovery->n_rows;
    recovery->motion = arena_doubles(arena, n_motion);
    recovery->d_motion = arena_doubles(arena, n_motion);
    recovery->d_ports = arena_doubles(arena, 2 * n_inputs);
    recovery->shifted = arena_doubles(arena, (size_t)balance->n_unknowns);
    recovery->change = arena_doubles(arena, widest * n);
    recovery->d_force = arena_doubles(arena, widest * n);
    point->coefficients = arena_doubles(arena, n_outputs * n);
    point->slopes = arena_doubles(arena, 2 * n);
    point->measures = arena_array(arena, n_outputs, sizeof *point->measures);
    point->joint_loss = arena_doubles(arena, n_joints);
    point->group_loss = arena_doubles(arena, n_groups);
    point->slip = arena_doubles(arena, n_groups);
    point->open = arena_doubles(arena, n_groups);
    point->group_slid = arena_doubles(arena, n_groups);
}

/* On the grid of the joints. */
static enum masing_status create_paths(struct recovery *recovery, struct masing_error *error)
{
    recovery->paths =
        arena_array(&recovery->arena, (size_t)recovery->n_outputs, sizeof *recovery->paths);
    NEED_ALLOCATED(recovery->paths);
    for (int o = 0; o < recovery->n_outputs; o++) {
        NEED(trigonometric_path_create_on(recovery->balance->shared->grid, &recovery->paths[o],
                                          error));
    }
    return MASING_OK;
}

enum masing_status recovery_create(struct balance *balance, struct recovery **recovery,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct recovery *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->balance = balance;
    TRY(make_ports(made, error));
    allocate(made);
    TRY_ALLOCATED(!made->arena.has_failed);
    TRY(balance_compliance(balance, &made->ports, made->n_rows,
                           !balance->compliance->has_matrices, &made->compliance, error));
    TRY(create_paths(made, error));
    *recovery = made;
    made = NULL;
done:
    recovery_destroy(made);
    return status;
}

void recovery_destroy(struct recovery *recovery)
{
    if (recovery) {
        compliance_destroy(recovery->compliance);
        for (int o = 0; recovery->paths && o < recovery->n_outputs; o++) {
            trigonometric_path_destroy(recovery->paths[o]);
        }
        arena_clear(&recovery->arena);
        free(recovery);
    }
}
