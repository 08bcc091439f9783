/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/recovery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/recovery_parts.h"

void recovery_add_row(const struct recovery *recovery, const double *real,
                      const double *imaginary, const double *force, int row, double *out)
{
    const struct balance *balance = recovery->balance;
    const struct basis *basis = balance->basis;
    for (int k = 0; k < basis->n_harmonics; k++) {
        double re = 0.0, im = 0.0;
        for (int in = 0; in < balance->n_in; in++) {
            size_t at = recovery_input(balance, k, in);
            const double *f = force + 2 * at;
            double hr = real[at * (size_t)recovery->n_rows + (size_t)row];
            double hi = imaginary[at * (size_t)recovery->n_rows + (size_t)row];
            re += hr * f[0] - hi * f[1];
            im += hr * f[1] + hi * f[0];
        }
        out[basis->position[k]] += re;
        if (basis->harmonics[k] > 0) {
            out[basis->position[k] + 1] -= im;
        }
    }
}

/* Uncondensed modes' part: participation of the row times the modal unknowns. */
void recovery_add_modes(const struct recovery *recovery, const double *y, const double *pattern,
                        double *out)
{
    const struct balance *balance = recovery->balance;
    const struct structure *structure = balance->structure;
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        const double *shape =
            structure->shapes + (size_t)mode->mode * (size_t)structure->n_dofs;
        double share = 0.0;
        for (int d = 0; d < structure->n_dofs; d++) {
            share += shape[d] * pattern[d];
        }
        double *c = out + balance->basis->position[mode->harmonic_index];
        c[0] += share * y[mode->position];
        if (balance->basis->harmonics[mode->harmonic_index] > 0) {
            c[1] += share * y[mode->position + 1];
        }
    }
}

void recovery_to_quantity(const struct basis *basis, enum masing_quantity quantity,
                          double omega, double *coefficients)
{
    for (int order = 0; order < (int)quantity; order++) {
        basis_differentiate(basis, coefficients, coefficients);
        for (int c = 0; c < basis->n_coefficients; c++) {
            coefficients[c] *= omega;
        }
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

static void measure_output(struct recovery *recovery, const double *coefficients,
                           struct output_measures *measures)
{
    const struct basis *basis = recovery->balance->basis;
    struct trigonometric_path *path = recovery->path;
    trigonometric_path_set(path, coefficients, 0.0);
    double high = path->smooth.constant, low = high;
    for (int i = 0; i < path->n_extrema; i++) {
        high = fmax(high, path->extrema[i].x);
        low = fmin(low, path->extrema[i].x);
    }
    int one = recovery_first_harmonic(basis);
    measures->max = fmax(fabs(high), fabs(low));
    measures->amp = 0.5 * (high - low);
    measures->mean = basis->harmonics[0] == 0 ? coefficients[0] : 0.0;
    measures->h1 = one < 0 ? 0.0 : hypot(coefficients[one], coefficients[one + 1]);
    measures->h1_phase = one < 0 ? 0.0 : atan2(-coefficients[one + 1], coefficients[one]);
}

static void evaluate_outputs(struct recovery *recovery, const double *y, double omega)
{
    const struct balance *balance = recovery->balance;
    const struct masing_spec *spec = &balance->model->spec;
    size_t n = (size_t)balance->n_coefficients, n_dofs = (size_t)balance->structure->n_dofs;
    memset(recovery->point.coefficients, 0, sizeof(double) * n * (size_t)recovery->n_outputs);
    for (int o = 0; o < recovery->n_outputs; o++) {
        double *out = recovery->point.coefficients + (size_t)o * n;
        recovery_add_row(recovery, recovery->real, recovery->imaginary, balance->force, o, out);
        recovery_add_modes(recovery, y, recovery->patterns + (size_t)o * n_dofs, out);
        recovery_to_quantity(balance->basis, spec->outputs[o].quantity, omega, out);
        measure_output(recovery, out, &recovery->point.measures[o]);
    }
}

/* Work per cycle of a force (a, b) on a displacement (a, b): pi sum h (f_a x_b - f_b x_a). */
static double work(const struct basis *basis, const double *force, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k], c = basis->position[k];
        if (h > 0) {
            sum += h * (force[c] * x[c + 1] - force[c + 1] * x[c]);
        }
    }
    return PI * sum;
}

static double work_scale(const struct basis *basis, const double *force, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k], c = basis->position[k];
        if (h > 0) {
            sum += h * hypot(force[c], force[c + 1]) * hypot(x[c], x[c + 1]);
        }
    }
    return PI * sum;
}

static void evaluate_input(struct recovery *recovery, const double *y)
{
    struct balance *balance = recovery->balance;
    const struct basis *basis = balance->basis;
    size_t n = (size_t)balance->n_coefficients, n_dofs = (size_t)balance->structure->n_dofs;
    double *x = recovery->change, *force = recovery->change + n;
    recovery->point.energy_in = recovery->point.energy_scale = 0.0;
    for (int row = recovery->n_outputs; row < recovery->n_rows; row++) {
        int in = balance->n_axes + row - recovery->n_outputs;
        memset(x, 0, sizeof(double) * n);
        recovery_add_row(recovery, recovery->real, recovery->imaginary, balance->force, row, x);
        recovery_add_modes(recovery, y, recovery->patterns + (size_t)row * n_dofs, x);
        for (int k = 0; k < basis->n_harmonics; k++) {
            const double *f = balance->force + 2 * recovery_input(balance, k, in);
            force[basis->position[k]] = f[0];
            if (basis->harmonics[k] > 0) {
                force[basis->position[k] + 1] = -f[1];
            }
        }
        recovery->point.energy_in += work(basis, force, x);
        recovery->point.energy_scale += work_scale(basis, force, x);
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
        loss += PI * h * z[1] * square;
    }
    return loss;
}

static void split_forces(struct recovery *recovery)
{
    const struct balance *balance = recovery->balance;
    size_t n_inputs = (size_t)balance->basis->n_harmonics * (size_t)balance->n_in;
    for (size_t i = 0; i < n_inputs; i++) {
        recovery->split_real[i] = balance->force[2 * i];
        recovery->split_imaginary[i] = balance->force[2 * i + 1];
    }
}

static void evaluate_losses(struct recovery *recovery, const double *y, double omega)
{
    struct balance *balance = recovery->balance;
    struct recovery_point *point = &recovery->point;
    split_forces(recovery);
    point->structure_loss = compliance_loss(balance->ports, omega, recovery->split_real,
                                            recovery->split_imaginary) +
                            loss_of_modes(balance, y, omega);
    point->energy_lost = point->structure_loss;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        point->joint_loss[j] = 0.0;
        for (int a = 0; a < response->n_axes; a++) {
            size_t at = (size_t)a * (size_t)balance->n_coefficients;
            point->joint_loss[j] += work(balance->basis, response->f + at, response->x + at);
        }
        point->energy_lost += point->joint_loss[j];
    }
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
    enum masing_status status = MASING_OK;
    TRY(balance_settle(recovery->balance, y, omega, false));
    TRY(compliance_evaluate(recovery->ports, omega, recovery->real, recovery->imaginary, NULL,
                            NULL));
    evaluate_outputs(recovery, y, omega);
    evaluate_input(recovery, y);
    evaluate_losses(recovery, y, omega);
    evaluate_groups(recovery);
done:
    return status;
}

double recovery_measure(const struct output_measures *measures, enum masing_measure measure)
{
    return measure == MASING_MEASURE_MAX   ? measures->max
           : measure == MASING_MEASURE_AMP ? measures->amp
                                           : measures->h1;
}

enum masing_status recovery_all_dofs(struct recovery *recovery, const double *y, double omega,
                                     double *x, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = recovery->balance;
    const struct basis *basis = balance->basis;
    size_t n_dofs = (size_t)balance->structure->n_dofs, n = (size_t)balance->n_coefficients;
    size_t size = (size_t)basis->n_harmonics * n_dofs;
    double *real = memory_array(size, sizeof *real);
    double *imaginary = memory_array(size, sizeof *imaginary);
    double *pattern = memory_array(n_dofs, sizeof *pattern);
    TRY_ALLOCATED(real && imaginary && pattern);
    TRY(balance_settle(balance, y, omega, false));
    split_forces(recovery);
    TRY(compliance_recover(balance->ports, omega, recovery->split_real,
                           recovery->split_imaginary, real, imaginary, error));
    for (size_t d = 0; d < n_dofs; d++) {
        for (int k = 0; k < basis->n_harmonics; k++) {
            double *c = x + d * n + basis->position[k];
            c[0] = real[(size_t)k * n_dofs + d];
            if (basis->harmonics[k] > 0) {
                c[1] = -imaginary[(size_t)k * n_dofs + d];
            }
        }
        pattern[d] = 1.0;
        recovery_add_modes(recovery, y, pattern, x + d * n);
        pattern[d] = 0.0;
    }
done:
    free(real);
    free(imaginary);
    free(pattern);
    return status;
}
