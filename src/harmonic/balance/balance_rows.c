/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/balance_rows.h"

#include <string.h>

#include "base/check.h"
#include "harmonic/balance/balance_joints.h"
#include "model/joints.h"

/* us, roughly, for each entry of the Jacobian and each axis of its joint */
static const double PRODUCT_COST = 1e-3;

static size_t motion_size(const struct balance *balance)
{
    return 2 * (size_t)balance->basis->n_harmonics * (size_t)balance->n_out;
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

/* residual = (displacement unknown - motion) / scale for every port and harmonic; y may be NULL
 * for a change of the motion alone. */
static void fill_port_rows(const struct balance *balance, const double *y, const double *motion,
                           double *residual)
{
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int out = 0; out < balance->n_out; out++) {
            int stride = 0, row = unknown_of(balance, k, out, &stride);
            if (row < 0) {
                continue;
            }
            const double *x = motion + 2 * (k * balance->n_out + out);
            double factor = row_factor(balance, k, out);
            residual[row] = factor * ((y ? y[row] : 0.0) - x[0]);
            if (balance_harmonic(balance, k) > 0) {
                residual[row + stride] = factor * ((y ? y[row + stride] : 0.0) + x[1]);
            }
        }
    }
}

void balance_mode_stiffness(const struct balance *balance, const struct balance_mode *mode,
                            double omega, double value[2], double slope[2])
{
    const struct structure *structure = mode->structure;
    int h = balance_harmonic(balance, mode->harmonic_index);
    double square = structure->omega[mode->mode] * structure->omega[mode->mode];
    slope[0] = slope[1] = value[1] = 0.0;
    if (mode->is_idle) {
        value[0] = square;
        return;
    }
    double w = h * omega, damping = structure->modal_damping[mode->mode];
    value[0] = square - w * w;
    value[1] = structure->loss_factor * square + damping * w;
    slope[0] = -2.0 * h * w;
    slope[1] = damping * h;
}

void balance_modal_force(const struct balance *balance, const struct balance_mode *mode,
                         const double *force, int first, int end, double value[2])
{
    value[0] = value[1] = 0.0;
    for (int in = first; in < end; in++) {
        const double *f = force + 2 * balance_port(balance, mode->harmonic_index, in);
        value[0] += mode->participation[in] * f[0];
        value[1] += mode->participation[in] * f[1];
        if (mode->turned) {
            value[0] -= mode->turned[in] * f[1];
            value[1] += mode->turned[in] * f[0];
        }
    }
}

/* z q - p f = 0 for each uncondensed mode, and its share in the ports' rows; f are the forces
 * [n_harmonics][n_in][2] into the ports, and those of balance->d_force by Omega. y is NULL for
 * a change of the forces alone. */
static void add_mode_rows(const struct balance *balance, const double *y, const double *force,
                          double omega, double *residual, double *residual_omega)
{
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int k = mode->harmonic_index, row = mode->position;
        bool is_pair = balance_harmonic(balance, k) > 0;
        double z[2], dz[2], f[2], df[2];
        double a = y ? y[row] : 0.0, b = y && is_pair ? y[row + 1] : 0.0;
        balance_modal_force(balance, mode, force, 0, balance->n_in, f);
        if (is_pair) {
            balance_mode_stiffness(balance, mode, omega, z, dz);
            residual[row] = (z[0] * a + z[1] * b - f[0]) / mode->scale;
            residual[row + 1] = (z[0] * b - z[1] * a + f[1]) / mode->scale;
        } else {
            residual[row] = ((y ? balance_hold(balance, e, y) : 0.0) - f[0]) / mode->scale;
        }
        if (residual_omega) {
            balance_modal_force(balance, mode, balance->d_force, 0, balance->n_in, df);
            residual_omega[row] =
                ((is_pair ? dz[0] * a + dz[1] * b : 0.0) - df[0]) / mode->scale;
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

/* Columns of the unknowns that are no joint's motion: the observed output, which only appears
 * in its own rows, and the uncondensed modes. */
static void fill_other_columns(const struct balance *balance, double omega, double *jacobian)
{
    size_t n = (size_t)balance->n_unknowns, first = (size_t)balance->observed_position;
    memset(jacobian + first * n, 0, sizeof *jacobian * (n - first) * n);
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        int stride = 0, row = unknown_of(balance, k, balance->n_axes, &stride);
        for (int side = 0; row >= 0 && side < basis_sides(balance->basis, k); side++) {
            size_t i = (size_t)(row + side * stride);
            jacobian[i * n + i] = row_factor(balance, k, balance->n_axes);
        }
    }
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int k = mode->harmonic_index, n_sides = basis_sides(balance->basis, k);
        size_t q = (size_t)mode->position;
        double z[2] = {0.0, 0.0}, dz[2];
        if (n_sides == 2) {
            balance_mode_stiffness(balance, mode, omega, z, dz);
        }
        for (int i = 0; n_sides == 1 && i < balance->n_rigid; i++) {
            jacobian[q * n + (size_t)balance->modes[i].position] =
                balance->hold[i * balance->n_rigid + e] / balance->modes[i].scale;
        }
        for (int side = 0; side < n_sides; side++) {
            size_t column = q + (size_t)side;
            if (n_sides == 2) {
                jacobian[column * n + column] = z[0] / mode->scale;
            }
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

/* What a force of a harmonic does to ports' rows, in columns of unknowns of one axis. */
struct force_rows {
    const double *factor; /* of the rows, see balance; the joint's last axis brings it */
    const double *real, *imaginary; /* compliance to their ports */
    bool is_pair;                   /* not harmonic 0, which has cosines alone */
    size_t n_columns, stride;       /* so far apart in the Jacobian */
    size_t size;                    /* and so far in the force's change */
    size_t own;   /* column of the same harmonic, and the next one of a pair */
    bool is_only; /* other columns' rows are zero without this force */
};

/* rows [n] of each column, and for a pair the n behind them, += H (dg_a - i dg_b) in real
 * coefficients, with change (dg_a, dg_b) of the force; the sum is scaled. */
static void add_rows(const struct force_rows *force, size_t n, const double *change,
                     double *rows)
{
    const double *factor = force->factor, *real = force->real, *imaginary = force->imaginary;
    for (size_t c = 0; c < force->n_columns;
         c++, change += force->size, rows += force->stride) {
        const double first = change[0], second = force->is_pair ? change[1] : 0.0;
        double *restrict a = rows, *restrict b = rows + n;
        if (force->is_only && first == 0.0 && second == 0.0 && c - force->own > 1) {
            continue; /* as of a joint that sticks */
        }
        for (size_t i = 0; !force->is_pair && i < n; i++) {
            a[i] += real[i] * first;
        }
        for (size_t i = 0; force->is_pair && i < n; i++) {
            a[i] += real[i] * first + imaginary[i] * second;
            b[i] += real[i] * second - imaginary[i] * first;
        }
        for (size_t i = 0; factor && i < n; i++) {
            a[i] *= factor[i];
        }
        for (size_t i = 0; factor && force->is_pair && i < n; i++) {
            b[i] *= factor[i];
        }
    }
}

/* The same for the rows of one port. */
static void add_row(const struct force_rows *force, const double *change, double *rows)
{
    const double factor = force->factor ? *force->factor : 1.0;
    const double real = *force->real, imaginary = *force->imaginary;
    const size_t n_columns = force->n_columns, stride = force->stride, size = force->size;
    for (size_t c = 0; !force->is_pair && c < n_columns; c++) {
        rows[c * stride] = factor * (rows[c * stride] + real * change[c * size]);
    }
    for (size_t c = 0; force->is_pair && c < n_columns; c++) {
        const double first = change[0], second = change[1];
        rows[0] = factor * (rows[0] + (real * first + imaginary * second));
        rows[1] = factor * (rows[1] + (real * second - imaginary * first));
        change += size;
        rows += stride;
    }
}

/* One axis of a joint's forces at harmonic k, in the columns of one axis of its motion. */
static void add_force(const struct balance *balance, const struct joint *joint, int k, int axis,
                      const double *change, double *columns)
{
    size_t n = (size_t)balance->n_axes, n_c = (size_t)balance->n_coefficients;
    size_t at = balance_port(balance, k, axis) * (size_t)balance->n_out;
    int stride = 0, observed = unknown_of(balance, k, balance->n_axes, &stride);
    double *rows = columns + (size_t)balance->basis->position[k] * n;
    bool is_last = axis == joint->first_axis + joint->n_axes - 1;
    const double *factor = balance->row_factor + k * balance->n_out;
    struct force_rows force = {.factor = is_last ? factor : NULL,
                               .real = balance->compliance->real + at,
                               .imaginary = balance->compliance->imaginary + at,
                               .is_pair = balance_harmonic(balance, k) > 0,
                               .n_columns = n_c,
                               .stride = n * (size_t)balance->n_unknowns,
                               .size = (size_t)joint->n_axes * n_c,
                               .own = (size_t)balance->basis->position[k],
                               .is_only = joint->n_axes == 1};
    if (n == 1) {
        add_row(&force, change, rows);
    } else {
        add_rows(&force, n, change, rows);
    }
    if (observed >= 0) {
        force.factor = is_last ? factor + n : NULL;
        force.real += n;
        force.imaginary += n;
        add_row(&force, change, columns + observed);
    }
}

/* The uncondensed modes' rows. */
static void add_mode_forces(const struct balance *balance, const struct joint *joint,
                            const double *change, double *column)
{
    size_t n_c = (size_t)balance->n_coefficients;
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int k = mode->harmonic_index, n_sides = basis_sides(balance->basis, k);
        for (int b = 0; b < joint->n_axes; b++) {
            double share = mode->participation[joint->first_axis + b] / mode->scale;
            const double *g = change + (size_t)b * n_c + balance->basis->position[k];
            for (int side = 0; side < n_sides; side++) {
                column[mode->position + side] += share * g[side];
            }
            if (mode->turned) { /* (p + i t) (g_a - i g_b) */
                double turned = mode->turned[joint->first_axis + b] / mode->scale;
                column[mode->position] += turned * g[1];
                column[mode->position + 1] -= turned * g[0];
            }
        }
    }
}

/* Columns of one axis of a joint's motion. change [n_c][n_axes][n_c]: that of the joint's
 * forces with each of its coefficients. Every force reaches every port through the compliance.
 */
static void fill_columns(const struct balance *balance, const struct joint *joint, int axis,
                         const double *change, double *jacobian)
{
    const struct basis *basis = balance->basis;
    size_t n = (size_t)balance->n_unknowns, n_c = (size_t)balance->n_coefficients;
    size_t stride = (size_t)balance->n_axes * n, first = (size_t)axis;
    double *columns = jacobian + first * n;
    for (size_t c = 0; c < n_c; c++) {
        double *column = memset(columns + c * stride, 0, sizeof *columns * n);
        column[c * (size_t)balance->n_axes + first] = 1.0;
    }
    for (int k = 0; k < basis->n_harmonics; k++) {
        for (int b = 0; b < joint->n_axes; b++) {
            add_force(balance, joint, k, joint->first_axis + b,
                      change + (size_t)b * n_c + basis->position[k], columns);
        }
    }
    for (size_t c = 0; balance->n_modes > 0 && c < n_c; c++) {
        add_mode_forces(balance, joint, change + c * (size_t)joint->n_axes * n_c,
                        columns + c * stride);
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

void balance_joint_block(const struct balance *balance, enum balance_joints joints, int j,
                         double *block)
{
    const struct joint_response *response = balance->joints[j];
    if (joints == BALANCE_LAWS) {
        joint_response_matrix(response, block);
    } else {
        fill_spring(response->joint, joints == BALANCE_STUCK, (size_t)balance->n_coefficients,
                    block);
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
    const struct joint *joint = balance->joints[j]->joint;
    size_t n_c = (size_t)balance->n_coefficients, n_axes = (size_t)joint->n_axes;
    balance_joint_block(balance, assembly->joints, j, scratch->block);
    for (int a = 0; a < joint->n_axes; a++) {
        fill_columns(balance, joint, joint->first_axis + a,
                     scratch->block + (size_t)a * n_c * n_axes * n_c, assembly->jacobian);
    }
}

void balance_rows_differentiate(struct balance *balance, enum balance_joints joints,
                                double omega, double *jacobian)
{
    struct assembly assembly = {balance, joints, jacobian};
    double n = balance->n_unknowns;
    fill_other_columns(balance, omega, jacobian);
    balance_joints_share(balance, PRODUCT_COST * n * n, assemble_joint, &assembly);
}

enum masing_status balance_rows_fill(struct balance *balance, const double *y, double omega,
                                     double *residual, double *residual_omega)
{
    double *motion = balance->motion, *change = motion + motion_size(balance);
    NEED(residual_omega
             ? compliance_differentiate(balance->compliance, omega, 1.0, balance->force,
                                        balance->d_force, motion, change)
             : compliance_apply(balance->compliance, omega, balance->force, motion));
    fill_port_rows(balance, y, motion, residual);
    if (residual_omega) {
        fill_port_rows(balance, NULL, change, residual_omega);
    }
    add_mode_rows(balance, y, balance->force, omega, residual, residual_omega);
    return MASING_OK;
}

/* Of the motion at hand */
static enum masing_status fill_change(struct balance *balance, enum masing_status status,
                                      const double *dy, const double *force, double omega,
                                      double *rows)
{
    NEED(status);
    fill_port_rows(balance, dy, balance->motion, rows);
    add_mode_rows(balance, dy, force, omega, rows, NULL);
    return MASING_OK;
}

enum masing_status balance_rows_change(struct balance *balance, const double *dy,
                                       const double *force, double omega, double *rows)
{
    struct compliance *compliance = balance->compliance;
    return fill_change(balance, compliance_multiply(compliance, omega, force, balance->motion),
                       dy, force, omega, rows);
}

enum masing_status balance_rows_change_near(struct balance *balance, const double *dy,
                                            const double *force, double omega, double *rows)
{
    struct compliance *compliance = balance->compliance;
    return fill_change(balance,
                       compliance_multiply_near(compliance, omega, force, balance->motion), dy,
                       force, omega, rows);
}
