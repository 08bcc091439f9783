/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/modal_balance.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "linalg/dense.h"

static const double LN_10 = 2.302585092994045684;

/* Scale of a harmonic's coefficients and its derivative by the amplitude a. */
static double harmonic_scale(const struct modal_balance *balance, int harmonic_index, double a,
                             double *slope)
{
    double scale = a;
    *slope = 1.0;
    if (balance->basis->harmonics[harmonic_index] == 0) {
        scale = hypot(a, balance->static_size);
        *slope = a / scale;
    }
    return scale;
}

/* Unknowns y at a harmonic, [sides * n], in their units: z, or its derivative by a. */
static void fill_unknowns(const struct modal_harmonic *at, int n_sides, double scale,
                          const double *y, double *z)
{
    for (int i = 0; i < n_sides * at->n; i++) {
        z[at->first + i] = scale * at->unit[i % at->n] * y[at->first + i];
    }
}

/* z and z_slope, omega and zeta from the unknowns. */
static void expand(struct modal_balance *balance, const double *y, double lambda)
{
    balance->amplitude = pow(10.0, lambda);
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const struct modal_harmonic *at = &balance->harmonics[k];
        int n_sides = basis_sides(balance->basis, k);
        double slope, scale = harmonic_scale(balance, k, balance->amplitude, &slope);
        fill_unknowns(at, n_sides, scale, y, balance->z);
        fill_unknowns(at, n_sides, slope, y, balance->z_slope);
    }
    balance->omega = balance->omega_stuck * y[balance->omega_position];
    balance->zeta = y[balance->omega_position + 1];
}

/* ---- joints ---- */

/* Displacement of an axis in one coefficient, side `side` of harmonic k. */
static double displacement(const struct modal_balance *balance, const double *z, int k,
                           int side, int axis)
{
    const struct modal_harmonic *at = &balance->harmonics[k];
    const double *own = z + at->first + side * at->n;
    if (balance->has_axes) {
        return own[axis];
    }
    int n = balance->n_modes;
    return dense_dot(n, balance->ports + (size_t)axis * (size_t)n, own);
}

/* x [n_axes][n_c] of one joint from z. */
static void gather(const struct modal_balance *balance, const struct joint *joint,
                   const double *z, double *x)
{
    const struct basis *basis = balance->basis;
    for (int a = 0; a < joint->n_axes; a++) {
        for (int k = 0; k < basis->n_harmonics; k++) {
            for (int side = 0; side < basis_sides(basis, k); side++) {
                x[a * balance->n_coefficients + basis->position[k] + side] =
                    displacement(balance, z, k, side, joint->first_axis + a);
            }
        }
    }
}

/* force [n_coefficients * n_axes] of one joint from f [n_axes][n_c] */
static void scatter(const struct modal_balance *balance, const struct joint *joint,
                    const double *f, double *force)
{
    for (int a = 0; a < joint->n_axes; a++) {
        for (int c = 0; c < balance->n_coefficients; c++) {
            force[c * balance->n_axes + joint->first_axis + a] =
                f[a * balance->n_coefficients + c];
        }
    }
}

static enum masing_status evaluate_joints(struct modal_balance *balance, bool with_derivative)
{
    for (int j = 0; j < balance->n_joints; j++) {
        struct joint_response *response = balance->joints[j];
        gather(balance, response->joint, balance->z, response->x);
        NEED(joint_response_evaluate(response, balance->scratch, balance->omega,
                                     balance->origin + response->joint->first_axis,
                                     with_derivative));
        scatter(balance, response->joint, response->f, balance->force);
    }
    return MASING_OK;
}

/* d_force = derivative of the joints' forces along z (NULL: none) and omega. */
static void differentiate_joints(struct modal_balance *balance, const double *z, double d_omega)
{
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        size_t size = (size_t)response->n_axes * (size_t)balance->n_coefficients;
        memset(balance->change, 0, sizeof(double) * size);
        if (z) {
            gather(balance, response->joint, z, balance->change);
        }
        joint_response_apply(response, balance->change, d_omega, balance->reply);
        scatter(balance, response->joint, balance->reply, balance->d_force);
    }
}

/* ---- rows ---- */

/* rows [n_unknowns] from equations, in place */
static void scale_rows(const struct modal_balance *balance, double *rows)
{
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const struct modal_harmonic *at = &balance->harmonics[k];
        double slope, scale = harmonic_scale(balance, k, balance->amplitude, &slope);
        for (int i = 0; i < basis_sides(balance->basis, k) * at->n_rows; i++) {
            rows[at->first_row + i] *= at->row_factor[i % at->n_rows] / scale;
        }
    }
}

/* out [rows] += matrix x */
static void add_product(int n_rows, int n_columns, const double *matrix, const double *x,
                        double *out)
{
    for (int j = 0; j < n_columns; j++) {
        for (int i = 0; i < n_rows && x[j] != 0.0; i++) {
            out[i] += x[j] * matrix[(size_t)j * (size_t)n_rows + (size_t)i];
        }
    }
}

/* Add the joints' forces [n_coefficients * n_axes] to the rows. */
static void add_forces(const struct modal_balance *balance, const double *force, double *rows)
{
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const struct modal_harmonic *at = &balance->harmonics[k];
        int n_sides = basis_sides(balance->basis, k), n_axes = balance->n_axes;
        add_product(n_sides * at->n_rows, n_sides * n_axes, at->joint,
                    force + balance->basis->position[k] * n_axes, rows + at->first_row);
    }
}

/* The equations of z with the joints' forces and the amplitude of the target mode. */
static void fill_rows(const struct modal_balance *balance, const double *z, const double *force,
                      double amplitude, double *rows)
{
    memset(rows, 0, sizeof(double) * (size_t)balance->n_unknowns);
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const struct modal_harmonic *at = &balance->harmonics[k];
        int n_sides = basis_sides(balance->basis, k);
        add_product(n_sides * at->n_rows, n_sides * at->n, at->linear, z + at->first,
                    rows + at->first_row);
        if (at->harmonic == 1) {
            rows[at->first_row + at->n] -= amplitude;
        }
    }
    add_forces(balance, force, rows);
}

static void fill_residual(struct modal_balance *balance, double *residual)
{
    fill_rows(balance, balance->z, balance->force, balance->amplitude, residual);
    const struct modal_harmonic *mean = balance->harmonics;
    for (int i = 0; mean->harmonic == 0 && i < mean->n_rows; i++) {
        residual[mean->first_row + i] += mean->constant[i];
    }
    scale_rows(balance, residual);
}

/* Derivative of the rows by lambda: of the forces, and of the scales that divide them. */
static void fill_residual_lambda(struct modal_balance *balance, const double *residual,
                                 double *residual_lambda)
{
    differentiate_joints(balance, balance->z_slope, 0.0);
    fill_rows(balance, balance->z_slope, balance->d_force, 1.0, residual_lambda);
    scale_rows(balance, residual_lambda);
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const struct modal_harmonic *at = &balance->harmonics[k];
        double slope, scale = harmonic_scale(balance, k, balance->amplitude, &slope);
        int end = at->first_row + basis_sides(balance->basis, k) * at->n_rows;
        for (int i = at->first_row; i < end; i++) {
            residual_lambda[i] =
                LN_10 * balance->amplitude * (residual_lambda[i] - slope / scale * residual[i]);
        }
    }
}

/* ---- the Jacobian ---- */

/* The column [n_unknowns] of an axis' coefficient, side of harmonic k. */
static double *axis_column(const struct modal_balance *balance, int k, int side, int axis,
                           double *jacobian)
{
    const struct modal_harmonic *at = &balance->harmonics[k];
    size_t rows = (size_t)balance->n_unknowns;
    if (balance->has_axes) {
        return jacobian + (size_t)(at->first + side * at->n + axis) * rows;
    }
    int c = balance->basis->position[k] + side;
    return balance->columns + (size_t)(c * balance->n_axes + axis) * rows;
}

/* Add a joint's derivative by one of its unknowns, derivative [n_axes of it][n_c]. */
static void add_joint_column(struct modal_balance *balance, const struct joint *joint,
                             const double *derivative, double *column)
{
    memset(balance->d_force, 0,
           sizeof(double) * (size_t)(balance->n_axes * balance->n_coefficients));
    scatter(balance, joint, derivative, balance->d_force);
    add_forces(balance, balance->d_force, column);
}

static void add_joints(struct modal_balance *balance, double *jacobian)
{
    const struct basis *basis = balance->basis;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        size_t size = (size_t)(joint->n_axes * balance->n_coefficients);
        joint_response_matrix(balance->joints[j], balance->block);
        for (int a = 0; a < joint->n_axes; a++) {
            for (int k = 0; k < basis->n_harmonics; k++) {
                for (int side = 0; side < basis_sides(basis, k); side++) {
                    int c = a * balance->n_coefficients + basis->position[k] + side;
                    add_joint_column(
                        balance, joint, balance->block + (size_t)c * size,
                        axis_column(balance, k, side, joint->first_axis + a, jacobian));
                }
            }
        }
    }
}

/* Columns by modal coordinates from those by the axes' displacements. */
static void turn_columns(struct modal_balance *balance, double *jacobian)
{
    int n = balance->n_modes, rows = balance->n_unknowns;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const struct modal_harmonic *at = &balance->harmonics[k];
        for (int side = 0; side < basis_sides(balance->basis, k); side++) {
            int c = balance->basis->position[k] + side;
            dense_add_outer(rows, n, balance->n_axes,
                            balance->columns + (size_t)(c * balance->n_axes) * (size_t)rows,
                            balance->ports,
                            jacobian + (size_t)(at->first + side * at->n) * (size_t)rows);
        }
    }
}

static void add_structure(const struct modal_balance *balance, double *jacobian)
{
    size_t rows = (size_t)balance->n_unknowns;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const struct modal_harmonic *at = &balance->harmonics[k];
        int n_sides = basis_sides(balance->basis, k);
        size_t own = (size_t)(n_sides * at->n_rows);
        for (int i = 0; i < n_sides * at->n; i++) {
            memcpy(jacobian + (size_t)(at->first + i) * rows + at->first_row,
                   at->linear + (size_t)i * own, sizeof(double) * own);
        }
    }
}

static void scale_jacobian(const struct modal_balance *balance, double *jacobian)
{
    size_t rows = (size_t)balance->n_unknowns;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const struct modal_harmonic *at = &balance->harmonics[k];
        double slope, scale = harmonic_scale(balance, k, balance->amplitude, &slope);
        for (int i = 0; i < basis_sides(balance->basis, k) * at->n; i++) {
            double *column = jacobian + (size_t)(at->first + i) * rows;
            for (size_t r = 0; r < rows; r++) {
                column[r] *= scale * at->unit[i % at->n];
            }
        }
    }
    for (size_t i = 0; i < rows; i++) {
        scale_rows(balance, jacobian + i * rows);
    }
}

/* Of the last evaluation, with derivative: jacobian [n_unknowns^2], columns by the unknowns. */
static void fill_jacobian(struct modal_balance *balance, double *jacobian)
{
    size_t rows = (size_t)balance->n_unknowns;
    double *by_omega = jacobian + (size_t)balance->omega_position * rows;
    memset(jacobian, 0, sizeof(double) * rows * rows);
    add_structure(balance, jacobian);
    if (!balance->has_axes) {
        size_t size = (size_t)(balance->n_axes * balance->n_coefficients);
        memset(balance->columns, 0, sizeof(double) * size * rows);
    }
    add_joints(balance, jacobian);
    if (!balance->has_axes) {
        turn_columns(balance, jacobian);
    }
    differentiate_joints(balance, NULL, 1.0);
    memcpy(by_omega, balance->by_omega, sizeof(double) * rows);
    add_forces(balance, balance->d_force, by_omega);
    for (size_t r = 0; r < rows; r++) {
        by_omega[r] *= balance->omega_stuck;
    }
    memcpy(by_omega + rows, balance->by_zeta, sizeof(double) * rows);
    scale_jacobian(balance, jacobian);
}

static void remember(struct modal_balance *balance, const double *y, double lambda,
                     bool with_derivative)
{
    memcpy(balance->last_y, y, sizeof(double) * (size_t)balance->n_unknowns);
    balance->last_lambda = lambda;
    balance->has_last = true;
    balance->has_last_derivative = with_derivative;
}

static bool is_last(const struct modal_balance *balance, const double *y, double lambda)
{
    return balance->has_last && balance->last_lambda == lambda &&
           memcmp(balance->last_y, y, sizeof(double) * (size_t)balance->n_unknowns) == 0;
}

enum masing_status modal_balance_evaluate(struct modal_balance *balance, const double *y,
                                          double lambda, double *residual, double *jacobian,
                                          double *residual_lambda)
{
    size_t n = (size_t)balance->n_unknowns;
    balance->has_last = false;
    if (progress_is_cancelled(balance->progress)) {
        return MASING_NOT_CONVERGED;
    }
    if (!dense_is_finite(n, y)) {
        return MASING_NOT_FINITE;
    }
    expand(balance, y, lambda);
    if (!(balance->omega > 0.0 && isfinite(balance->amplitude))) {
        return MASING_NOT_FINITE;
    }
    NEED(evaluate_joints(balance, jacobian != NULL));
    NEED(modal_structure_evaluate(balance, jacobian != NULL));
    fill_residual(balance, residual);
    bool is_finite = dense_is_finite(n, residual);
    if (is_finite && jacobian) {
        fill_residual_lambda(balance, residual, residual_lambda);
        fill_jacobian(balance, jacobian);
        is_finite = dense_is_finite(n, residual_lambda) && dense_is_finite(n * n, jacobian);
    }
    if (!is_finite) {
        return MASING_NOT_FINITE;
    }
    remember(balance, y, lambda, jacobian != NULL);
    return MASING_OK;
}

enum masing_status modal_balance_settle(struct modal_balance *balance, const double *y,
                                        double lambda)
{
    if (is_last(balance, y, lambda)) {
        return MASING_OK;
    }
    balance->has_last = false;
    expand(balance, y, lambda);
    NEED(evaluate_joints(balance, false));
    NEED(modal_structure_evaluate(balance, false));
    remember(balance, y, lambda, false);
    return MASING_OK;
}

/* Size of a motion z along an axis. */
static double size_along(const struct modal_balance *balance, const double *z, int axis)
{
    double square = 0.0;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int side = 0; side < basis_sides(balance->basis, k); side++) {
            double x = displacement(balance, z, k, side, axis);
            square += x * x;
        }
    }
    return sqrt(square);
}

/* Least size of the damping ratio in the arc length: as a part of its largest so far, and
 * where it was never larger. */
static const double LEAST_ZETA_SHARE = 0.1, LEAST_ZETA = 1e-6;

/* Coefficients in parts of the mode's own; the damping ratio by its size, but no less than a
 * share of its largest so far. */
void modal_balance_weights(struct modal_balance *balance, const double *y, double lambda,
                           double *weights)
{
    int at = balance->omega_position + 1;
    double size = fabs(y[at]);
    for (int i = 0; i < balance->n_unknowns; i++) {
        weights[i] = 1.0;
    }
    balance->largest_zeta = fmax(balance->largest_zeta, size);
    weights[at] = 1.0 / fmax(fmax(size, LEAST_ZETA_SHARE * balance->largest_zeta), LEAST_ZETA);
    if (!is_last(balance, y, lambda)) {
        balance->has_last = false;
        expand(balance, y, lambda);
    }
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        if (joint->law->can_smooth) {
            balance->joint_size[j] = size_along(balance, balance->z, joint->first_axis);
        }
    }
}

void modal_balance_smooth(struct modal_balance *balance, double level)
{
    for (int j = 0; j < balance->n_joints; j++) {
        struct joint_response *response = balance->joints[j];
        bool can_smooth = response->joint->law->can_smooth;
        response->smoothing = can_smooth ? level * balance->joint_size[j] : 0.0;
    }
    balance->has_last = false;
}

double modal_balance_structure_loss(const struct modal_balance *balance)
{
    const struct basis *basis = balance->basis;
    double loss = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        for (int side = 0; h > 0 && side < 2; side++) {
            size_t c = (size_t)(basis->position[k] + side);
            loss += PI * h *
                    modal_structure_loss(balance, h,
                                         balance->motion + c * (size_t)balance->n_modes);
        }
    }
    return loss;
}

void modal_balance_joint_losses(const struct modal_balance *balance, double *losses)
{
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        losses[j] = 0.0;
        for (int a = 0; a < response->n_axes; a++) {
            int at = a * balance->n_coefficients;
            losses[j] += basis_work(balance->basis, response->f + at, response->x + at, NULL);
        }
    }
}

double modal_balance_energy_scale(const struct modal_balance *balance)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    double sum = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        double h = basis->harmonics[k];
        const double *p = balance->p + (size_t)basis->position[k] * (size_t)n;
        for (int i = 0; h > 0.0 && i < 2 * n; i++) {
            sum += h * h * p[i] * p[i];
        }
    }
    return 2.0 * PI * balance->omega * balance->omega * sum;
}

/* Unknowns of one side of a harmonic from modal coordinates [n_modes] in parts of the scale. */
static void fill_guess(const struct modal_balance *balance, const struct modal_harmonic *at,
                       const double *modal, double *y)
{
    int n_own = at->n - at->n_kept;
    for (int i = 0; i < at->n; i++) {
        double value = i < n_own ? dense_dot(balance->n_modes, modal_port(balance, i), modal)
                                 : modal[at->kept[i - n_own]];
        y[at->first + i] = value / at->unit[i];
    }
}

/* Static displacements with the joints stuck, in modal coordinates. */
static void find_stuck_static(const struct modal_balance *balance, double *modal)
{
    int n = balance->n_modes;
    memset(modal, 0, sizeof(double) * (size_t)n);
    for (int j = 0; j < n; j++) {
        const double *shape = balance->stuck + (size_t)j * (size_t)n;
        double force = dense_dot(n, shape, balance->stuck_force);
        for (int i = 0; i < n && balance->omega_squared[j] > 0.0; i++) {
            modal[i] += shape[i] * force / balance->omega_squared[j];
        }
    }
}

void modal_balance_linear_mode(struct modal_balance *balance, double lambda, bool unpressed,
                               double *y)
{
    const double *coordinate = modal_port(balance, balance->n_axes);
    const double *shape =
        unpressed ? coordinate : balance->stuck + balance->target * balance->n_modes;
    double slope, *modal = balance->motion;
    double omega = unpressed ? balance->omega_unpressed : balance->omega_stuck;
    double part = dense_dot(balance->n_modes, coordinate, shape);
    int n_harmonics = balance->basis->n_harmonics;
    memset(y, 0, sizeof(double) * (size_t)balance->n_unknowns);
    if (balance->harmonics[0].harmonic == 0) {
        double scale = harmonic_scale(balance, 0, pow(10.0, lambda), &slope);
        find_stuck_static(balance, modal);
        for (int i = 0; i < balance->n_modes; i++) {
            modal[i] /= scale;
        }
        fill_guess(balance, &balance->harmonics[0], modal, y);
    }
    for (int k = 0; k < n_harmonics && balance->harmonics[k].harmonic <= 1; k++) {
        if (balance->harmonics[k].harmonic == 1) {
            for (int i = 0; i < balance->n_modes; i++) {
                modal[i] = shape[i] / (balance->is_pressed ? part : 1.0);
            }
            fill_guess(balance, &balance->harmonics[k], modal, y);
        }
    }
    /* the structure's loss in the mode, which is all there is while the joints stick */
    const struct modal_balance stuck = {.model = balance->model,
                                        .n_modes = balance->n_modes,
                                        .coupled = balance->coupled,
                                        .omega = omega};
    y[balance->omega_position] = omega / balance->omega_stuck;
    y[balance->omega_position + 1] =
        0.5 * modal_structure_loss(&stuck, 1, shape) / (omega * omega);
}

void modal_balance_pack(struct modal_balance *balance, struct packing *packing)
{
    PACK(packing, balance->largest_zeta);
    packing_bytes(packing, balance->joint_size, (size_t)balance->n_joints * sizeof(double));
    if (balance->model->spec.start != MASING_START_PREVIOUS) {
        return;
    }
    packing_bytes(packing, balance->origin, (size_t)balance->n_axes * sizeof(double));
    for (int j = 0; j < balance->n_joints; j++) {
        joint_response_pack(balance->joints[j], packing);
    }
}

void modal_balance_carry_sliders(struct modal_balance *balance)
{
    for (int j = 0; j < balance->n_joints; j++) {
        struct joint_response *response = balance->joints[j];
        joint_response_carry(response, balance->origin + response->joint->first_axis);
    }
    balance->has_last = false;
}
