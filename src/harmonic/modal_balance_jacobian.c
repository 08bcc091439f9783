/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "harmonic/modal_balance_parts.h"

/* jacobian [n_unknowns^2] += matrix between the coefficients r and c, times factor */
static void add_block(const struct modal_balance *balance, int r, int c, const double *matrix,
                      double factor, double *jacobian)
{
    size_t n = (size_t)balance->n_modes, rows = (size_t)balance->n_unknowns;
    for (size_t j = 0; factor != 0.0 && j < n; j++) {
        double *column = jacobian + ((size_t)c * n + j) * rows + (size_t)r * n;
        for (size_t i = 0; i < n; i++) {
            column[i] += factor * matrix[j * n + i];
        }
    }
}

static void add_diagonal(const struct modal_balance *balance, int r, int c, double value,
                         double *jacobian)
{
    size_t n = (size_t)balance->n_modes, rows = (size_t)balance->n_unknowns;
    for (size_t j = 0; j < n; j++) {
        jacobian[((size_t)c * n + j) * rows + (size_t)r * n + j] += value;
    }
}

static void add_structure_blocks(const struct modal_balance *balance, double *jacobian)
{
    const struct basis *basis = balance->basis;
    double eta = balance->model->structure->loss_factor;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int a = basis->position[k], b = a + 1;
        double rate = basis->harmonics[k] * balance->omega;
        double drive = 2.0 * balance->zeta * balance->omega * rate;
        if (basis->harmonics[k] == 0) {
            add_block(balance, a, a, balance->mean_stiffness, 1.0, jacobian);
            continue;
        }
        add_block(balance, a, a, balance->stiffness, 1.0, jacobian);
        add_block(balance, b, b, balance->stiffness, 1.0, jacobian);
        add_block(balance, a, b, balance->stiffness, eta, jacobian);
        add_block(balance, b, a, balance->stiffness, -eta, jacobian);
        add_block(balance, a, b, balance->damping, rate, jacobian);
        add_block(balance, b, a, balance->damping, -rate, jacobian);
        add_diagonal(balance, a, a, -rate * rate, jacobian);
        add_diagonal(balance, b, b, -rate * rate, jacobian);
        add_diagonal(balance, a, b, -drive, jacobian);
        add_diagonal(balance, b, a, drive, jacobian);
    }
}

/* left [n_modes * n_axes] = the joint's axes times its derivative between coefficients r, c */
static void turn_block(struct modal_balance *balance, const struct joint *joint, int r, int c)
{
    int n = balance->n_modes, n_c = balance->n_coefficients;
    size_t rows = (size_t)(joint->n_axes * n_c);
    memset(balance->left, 0, sizeof(double) * (size_t)(n * joint->n_axes));
    for (int to = 0; to < joint->n_axes; to++) {
        double *left = balance->left + (size_t)to * (size_t)n;
        for (int from = 0; from < joint->n_axes; from++) {
            const double *axis = balance->axes + (size_t)(joint->first_axis + from) * (size_t)n;
            double value =
                balance->block[(size_t)(to * n_c + c) * rows + (size_t)(from * n_c + r)];
            for (int i = 0; i < n; i++) {
                left[i] += value * axis[i];
            }
        }
    }
}

static void add_joint_blocks(struct modal_balance *balance, const struct joint_response *one,
                             double *jacobian)
{
    const struct joint *joint = one->joint;
    size_t n = (size_t)balance->n_modes, rows = (size_t)balance->n_unknowns;
    joint_response_matrix(one, balance->block);
    for (int c = 0; c < balance->n_coefficients; c++) {
        for (int r = 0; r < balance->n_coefficients; r++) {
            turn_block(balance, joint, r, c);
            for (int a = 0; a < joint->n_axes; a++) {
                const double *axis = balance->axes + (size_t)(joint->first_axis + a) * n;
                const double *left = balance->left + (size_t)a * n;
                for (size_t j = 0; j < n; j++) {
                    double *column = jacobian + ((size_t)c * n + j) * rows + (size_t)r * n;
                    for (size_t i = 0; i < n; i++) {
                        column[i] += left[i] * axis[j];
                    }
                }
            }
        }
    }
}

/* Columns of omega and zeta in the place of the mode's own coefficients; not yet scaled. */
static void replace_columns(struct modal_balance *balance, double *jacobian)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    size_t rows = (size_t)balance->n_unknowns;
    double omega = balance->omega, zeta = balance->zeta;
    double *by_omega = jacobian + (size_t)balance->target_position * rows;
    double *by_zeta = jacobian + (size_t)(balance->target_position + n) * rows;
    memset(by_omega, 0, sizeof(double) * rows);
    memset(by_zeta, 0, sizeof(double) * rows);
    for (int k = 0; k < basis->n_harmonics; k++) {
        double h = basis->harmonics[k];
        if (h == 0.0) {
            continue;
        }
        int first = basis->position[k] * n;
        const double *a = balance->p + first, *b = a + n;
        for (int i = 0; i < n; i++) {
            by_omega[first + i] = -2.0 * h * h * omega * a[i] - 4.0 * h * zeta * omega * b[i];
            by_omega[first + n + i] =
                -2.0 * h * h * omega * b[i] + 4.0 * h * zeta * omega * a[i];
            by_zeta[first + i] = -2.0 * h * omega * omega * b[i];
            by_zeta[first + n + i] = 2.0 * h * omega * omega * a[i];
        }
        modal_balance_multiply(n, balance->damping, b, h, by_omega + first);
        modal_balance_multiply(n, balance->damping, a, -h, by_omega + first + n);
    }
    modal_balance_add_joints_change(balance, NULL, 1.0, by_omega);
}

void modal_balance_fill_jacobian(struct modal_balance *balance, double *jacobian)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes, target = balance->target_position;
    size_t rows = (size_t)balance->n_unknowns;
    memset(jacobian, 0, sizeof(double) * rows * rows);
    add_structure_blocks(balance, jacobian);
    for (int j = 0; j < balance->n_joints; j++) {
        add_joint_blocks(balance, balance->joints[j], jacobian);
    }
    replace_columns(balance, jacobian);
    for (int k = 0; k < basis->n_harmonics; k++) {
        double slope, scale = modal_balance_scale(balance, k, balance->amplitude, &slope);
        int first = basis->position[k] * n, end = first + modal_balance_sides(basis, k) * n;
        for (int i = first; i < end; i++) {
            double *column = jacobian + (size_t)i * rows;
            double unit = i == target ? balance->omega_stuck : i == target + n ? 1.0 : scale;
            for (size_t r = 0; r < rows; r++) {
                column[r] *= unit;
            }
            modal_balance_scale_rows(balance, column);
        }
    }
}
