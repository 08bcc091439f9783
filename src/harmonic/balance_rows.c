/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance_rows.h"

#include <string.h>

#include "harmonic/balance_joints.h"
#include "model/joint_stiffness.h"

/* us, roughly, for each entry of the Jacobian and each axis of its joint */
static const double PRODUCT_COST = 1e-3;

/* Displacement (or its change) of one port under all port forces: out = sum_in H f. */
static void port_displacement(const struct balance *balance, const double *real,
                              const double *imaginary, const double *force, int k, int out,
                              double value[2])
{
    double re = 0.0, im = 0.0;
    for (int in = 0; in < balance->n_in; in++) {
        size_t at = balance_port(balance, k, in);
        const double *f = force + 2 * at;
        double hr = real[at * (size_t)balance->n_out + (size_t)out];
        double hi = imaginary[at * (size_t)balance->n_out + (size_t)out];
        re += hr * f[0] - hi * f[1];
        im += hr * f[1] + hi * f[0];
    }
    value[0] = re;
    value[1] = im;
}

/* Position of coefficient a_h of a port in y, -1 where it is no unknown; b_h is `stride`
 * further. */
static int unknown_of(const struct balance *balance, int k, int out, int *stride)
{
    *stride = out < balance->n_axes ? balance->n_axes : 1;
    return balance->row[k * balance->n_out + out];
}

static double row_factor(const struct balance *balance, int k, int out)
{
    return balance->row_factor[k * balance->n_out + out];
}

/* residual = (displacement unknown - H f) / scale for every port and harmonic. */
static void fill_port_rows(const struct balance *balance, const double *y, double *residual,
                           double *residual_omega)
{
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int out = 0; out < balance->n_out; out++) {
            int stride = 0, row = unknown_of(balance, k, out, &stride);
            if (row < 0) {
                continue;
            }
            double x[2], factor = row_factor(balance, k, out);
            port_displacement(balance, balance->real, balance->imaginary, balance->force, k,
                              out, x);
            residual[row] = factor * (y[row] - x[0]);
            if (balance_harmonic(balance, k) > 0) {
                residual[row + stride] = factor * (y[row + stride] + x[1]);
            }
            if (residual_omega) {
                double first[2], second[2];
                port_displacement(balance, balance->d_real, balance->d_imaginary,
                                  balance->force, k, out, first);
                port_displacement(balance, balance->real, balance->imaginary, balance->d_force,
                                  k, out, second);
                residual_omega[row] = -factor * (first[0] + second[0]);
                if (balance_harmonic(balance, k) > 0) {
                    residual_omega[row + stride] = factor * (first[1] + second[1]);
                }
            }
        }
    }
}

void balance_mode_stiffness(const struct balance *balance, const struct balance_mode *mode,
                            double omega, double value[2], double slope[2])
{
    const struct structure *structure = balance->structure;
    int h = balance_harmonic(balance, mode->harmonic_index);
    double square = structure->omega[mode->mode] * structure->omega[mode->mode];
    slope[0] = slope[1] = value[1] = 0.0;
    if (h == 0) {
        value[0] = mode->rigid_stiffness;
        return;
    }
    double w = h * omega, damping = structure->modal_damping[mode->mode];
    value[0] = square - w * w;
    value[1] = structure->loss_factor * square + damping * w;
    slope[0] = -2.0 * h * w;
    slope[1] = damping * h;
}

/* Force on an uncondensed mode, sum p f. */
static void modal_force(const struct balance *balance, const struct balance_mode *mode,
                        const double *force, double value[2])
{
    value[0] = value[1] = 0.0;
    for (int in = 0; in < balance->n_in; in++) {
        const double *f = force + 2 * balance_port(balance, mode->harmonic_index, in);
        value[0] += mode->participation[in] * f[0];
        value[1] += mode->participation[in] * f[1];
    }
}

/* z q - p f = 0 for each uncondensed mode, and its share in the ports' rows. */
static void add_mode_rows(const struct balance *balance, const double *y, double omega,
                          double *residual, double *residual_omega)
{
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int k = mode->harmonic_index, row = mode->position;
        bool is_pair = balance_harmonic(balance, k) > 0;
        double z[2], dz[2], f[2], df[2];
        double a = y[row], b = is_pair ? y[row + 1] : 0.0;
        balance_mode_stiffness(balance, mode, omega, z, dz);
        modal_force(balance, mode, balance->force, f);
        residual[row] = (z[0] * a + z[1] * b - f[0]) / mode->scale;
        if (is_pair) {
            residual[row + 1] = (z[0] * b - z[1] * a + f[1]) / mode->scale;
        }
        if (residual_omega) {
            modal_force(balance, mode, balance->d_force, df);
            residual_omega[row] = (dz[0] * a + dz[1] * b - df[0]) / mode->scale;
            if (is_pair) {
                residual_omega[row + 1] = (dz[0] * b - dz[1] * a + df[1]) / mode->scale;
            }
        }
        for (int out = 0; out < balance->n_out; out++) {
            int stride = 0, port = unknown_of(balance, k, out, &stride);
            double share = mode->participation[balance->n_in + out];
            if (port < 0) {
                continue;
            }
            residual[port] -= row_factor(balance, k, out) * share * a;
            if (is_pair) {
                residual[port + stride] -= row_factor(balance, k, out) * share * b;
            }
        }
    }
}

/* Identity on the unknowns of ports, shares and stiffness of the uncondensed modes. */
static void fill_constant_jacobian(const struct balance *balance, double omega,
                                   double *jacobian)
{
    size_t n = (size_t)balance->n_unknowns;
    memset(jacobian, 0, sizeof(double) * n * n);
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int out = 0; out < balance->n_out; out++) {
            int stride = 0, row = unknown_of(balance, k, out, &stride);
            for (int side = 0; row >= 0 && side < (balance_harmonic(balance, k) == 0 ? 1 : 2);
                 side++) {
                size_t i = (size_t)(row + side * stride);
                jacobian[i * n + i] = row_factor(balance, k, out);
            }
        }
    }
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int k = mode->harmonic_index, n_sides = balance_harmonic(balance, k) == 0 ? 1 : 2;
        size_t q = (size_t)mode->position;
        double z[2], dz[2];
        balance_mode_stiffness(balance, mode, omega, z, dz);
        for (int side = 0; side < n_sides; side++) {
            size_t column = q + (size_t)side;
            jacobian[column * n + column] = z[0] / mode->scale;
            for (int out = 0; out < balance->n_out; out++) {
                int stride = 0, row = unknown_of(balance, k, out, &stride);
                if (row >= 0) {
                    jacobian[column * n + (size_t)(row + side * stride)] =
                        -row_factor(balance, k, out) * mode->participation[balance->n_in + out];
                }
            }
        }
        if (n_sides == 2) {
            jacobian[(q + 1) * n + q] = z[1] / mode->scale;
            jacobian[q * n + q + 1] = -z[1] / mode->scale;
        }
    }
}

/* What one harmonic k of a joint's force block [size x size] adds to one pair of rows:
 * factor H (dg_a - i dg_b), for each column of the joint's displacements. */
static void add_row_pair(const struct balance *balance, const double *block, size_t size,
                         size_t position, int first_axis, const double factor_h[2], double *row,
                         int stride)
{
    size_t n = (size_t)balance->n_unknowns, n_c = (size_t)balance->n_coefficients;
    double re = factor_h[0], im = factor_h[1];
    for (size_t first = 0; first < size; first += n_c) {
        double *to = row + ((size_t)first_axis + first / n_c) * n;
        for (size_t c = 0; c < n_c; c++, to += (size_t)balance->n_axes * n) {
            const double *change = block + (first + c) * size + position;
            if (stride > 0) {
                to[0] += re * change[0] + im * change[1];
                to[stride] += re * change[1] - im * change[0];
            } else {
                to[0] += re * change[0];
            }
        }
    }
}

/* The ports' rows: every force of the joint reaches every port through the compliance. */
static void add_port_forces(const struct balance *balance, const struct joint *joint,
                            const double *block, double *jacobian)
{
    const struct basis *basis = balance->basis;
    size_t n_c = (size_t)balance->n_coefficients, size = (size_t)joint->n_axes * n_c;
    for (int b = 0; b < joint->n_axes; b++) {
        for (int k = 0; k < basis->n_harmonics; k++) {
            size_t at =
                balance_port(balance, k, joint->first_axis + b) * (size_t)balance->n_out;
            size_t position = (size_t)b * n_c + (size_t)basis->position[k];
            for (int out = 0; out < balance->n_out; out++) {
                int stride = 0, row = unknown_of(balance, k, out, &stride);
                double factor = row_factor(balance, k, out);
                double factor_h[2] = {factor * balance->real[at + (size_t)out],
                                      factor * balance->imaginary[at + (size_t)out]};
                if (row >= 0) {
                    add_row_pair(balance, block, size, position, joint->first_axis, factor_h,
                                 jacobian + row, balance_harmonic(balance, k) > 0 ? stride : 0);
                }
            }
        }
    }
}

/* The uncondensed modes' rows. */
static void add_mode_forces(const struct balance *balance, const struct joint *joint,
                            const double *block, double *jacobian)
{
    size_t n_c = (size_t)balance->n_coefficients, size = (size_t)joint->n_axes * n_c;
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int k = mode->harmonic_index;
        for (int b = 0; b < joint->n_axes; b++) {
            double share = mode->participation[joint->first_axis + b] / mode->scale;
            size_t position = (size_t)b * n_c + (size_t)balance->basis->position[k];
            const double factor[2] = {share, 0.0};
            add_row_pair(balance, block, size, position, joint->first_axis, factor,
                         jacobian + mode->position, balance_harmonic(balance, k) > 0 ? 1 : 0);
        }
    }
}

/* The block of a joint that is a spring: one stiffness for every coefficient of two axes. */
static void fill_spring(const struct joint *joint, bool is_stuck, size_t n_c, double *block)
{
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES];
    size_t n_axes = (size_t)joint->n_axes, size = n_axes * n_c;
    joint_stiffness(joint, is_stuck, tangent);
    memset(block, 0, sizeof *block * size * size);
    for (size_t a = 0; a < n_axes; a++) {
        for (size_t b = 0; b < n_axes; b++) {
            for (size_t c = 0; c < n_c; c++) {
                block[(b * n_c + c) * size + a * n_c + c] = tangent[a * n_axes + b];
            }
        }
    }
}

struct assembly {
    const struct balance *balance;
    enum balance_joints joints;
    double *jacobian;
};

/* A joint's own columns, which no other joint writes to. */
static void assemble_joint(void *context, int j, struct joint_scratch *scratch)
{
    const struct assembly *assembly = context;
    const struct balance *balance = assembly->balance;
    const struct joint_response *response = balance->joints[j];
    const struct joint *joint = response->joint;
    if (assembly->joints == BALANCE_LAWS) {
        joint_response_matrix(response, scratch->block);
    } else {
        fill_spring(joint, assembly->joints == BALANCE_STUCK, (size_t)balance->n_coefficients,
                    scratch->block);
    }
    add_port_forces(balance, joint, scratch->block, assembly->jacobian);
    add_mode_forces(balance, joint, scratch->block, assembly->jacobian);
}

void balance_rows_differentiate(struct balance *balance, enum balance_joints joints,
                                double omega, double *jacobian)
{
    struct assembly assembly = {balance, joints, jacobian};
    double n = balance->n_unknowns;
    fill_constant_jacobian(balance, omega, jacobian);
    balance_joints_share(balance, PRODUCT_COST * n * n, assemble_joint, &assembly);
}

void balance_rows_fill(const struct balance *balance, const double *y, double omega,
                       double *residual, double *residual_omega)
{
    fill_port_rows(balance, y, residual, residual_omega);
    add_mode_rows(balance, y, omega, residual, residual_omega);
}
