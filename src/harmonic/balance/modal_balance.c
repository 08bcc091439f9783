/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/modal_balance.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "linalg/dense.h"

/* The coefficients c of all modes in an array [n_coefficients * n_modes]. */
static double *coefficient_of(double *values, const struct modal_balance *balance, int c)
{
    return values + (size_t)c * (size_t)balance->n_modes;
}

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

/* p from the unknowns, for an amplitude a. */
static void fill_motion(const struct modal_balance *balance, const double *y, double a,
                        double *p)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes, target = balance->target_position;
    for (int k = 0; k < basis->n_harmonics; k++) {
        double slope, scale = harmonic_scale(balance, k, a, &slope);
        int first = basis->position[k] * n, end = first + basis_sides(basis, k) * n;
        for (int i = first; i < end; i++) {
            p[i] = scale * y[i];
        }
    }
    p[target] = a;
    p[target + n] = 0.0;
}

/* p and p_slope, omega and zeta from the unknowns. */
static void expand(struct modal_balance *balance, const double *y, double lambda)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes, target = balance->target_position;
    balance->amplitude = pow(10.0, lambda);
    fill_motion(balance, y, balance->amplitude, balance->p);
    for (int k = 0; k < basis->n_harmonics; k++) {
        double slope;
        harmonic_scale(balance, k, balance->amplitude, &slope);
        int first = basis->position[k] * n, end = first + basis_sides(basis, k) * n;
        for (int i = first; i < end; i++) {
            balance->p_slope[i] = slope * y[i];
        }
    }
    balance->p_slope[target] = 1.0;
    balance->p_slope[target + n] = 0.0;
    balance->omega = balance->omega_stuck * y[target];
    balance->zeta = y[target + n];
}

/* out += factor * matrix [n * n] x, matrix symmetric */
static void add_product(int n, const double *matrix, const double *x, double factor,
                        double *out)
{
    for (int j = 0; j < n; j++) {
        double times = factor * x[j];
        for (int i = 0; times != 0.0 && i < n; i++) {
            out[i] += times * matrix[(size_t)j * (size_t)n + (size_t)i];
        }
    }
}

/* out = forces of the structure without joints, inertia and artificial damping included, under
 * a motion x [n_coefficients * n_modes]. */
static void apply_structure(const struct modal_balance *balance, const double *x, double *out)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    size_t size = (size_t)n;
    double eta = balance->model->structure->loss_factor;
    memset(out, 0, sizeof(double) * size * (size_t)balance->n_coefficients);
    for (int k = 0; k < basis->n_harmonics; k++) {
        double rate = basis->harmonics[k] * balance->omega;
        const double *a = x + (size_t)basis->position[k] * size, *b = a + size;
        double *cosine = out + (size_t)basis->position[k] * size, *sine = cosine + size;
        if (basis->harmonics[k] == 0) {
            add_product(n, balance->mean_stiffness, a, 1.0, cosine);
            continue;
        }
        for (int i = 0; i < n; i++) {
            double drive = 2.0 * balance->zeta * balance->omega * rate;
            cosine[i] = -rate * rate * a[i] - drive * b[i];
            sine[i] = -rate * rate * b[i] + drive * a[i];
        }
        add_product(n, balance->stiffness, a, 1.0, cosine);
        add_product(n, balance->stiffness, b, 1.0, sine);
        add_product(n, balance->damping, b, rate, cosine);
        add_product(n, balance->damping, a, -rate, sine);
        if (eta != 0.0) {
            add_product(n, balance->stiffness, b, eta, cosine);
            add_product(n, balance->stiffness, a, -eta, sine);
        }
    }
}

/* x [n_axes][n_c] of one joint from modal coefficients. */
static void gather(const struct modal_balance *balance, const struct joint *joint,
                   const double *modal, double *x)
{
    int n = balance->n_modes;
    for (int a = 0; a < joint->n_axes; a++) {
        const double *axis = balance->axes + (size_t)(joint->first_axis + a) * (size_t)n;
        for (int c = 0; c < balance->n_coefficients; c++) {
            const double *p = modal + (size_t)c * (size_t)n;
            double sum = 0.0;
            for (int i = 0; i < n; i++) {
                sum += axis[i] * p[i];
            }
            x[a * balance->n_coefficients + c] = sum;
        }
    }
}

/* out += modal forces of one joint's forces f [n_axes][n_c] */
static void scatter(const struct modal_balance *balance, const struct joint *joint,
                    const double *f, double *out)
{
    int n = balance->n_modes;
    for (int a = 0; a < joint->n_axes; a++) {
        const double *axis = balance->axes + (size_t)(joint->first_axis + a) * (size_t)n;
        for (int c = 0; c < balance->n_coefficients; c++) {
            double *p = coefficient_of(out, balance, c);
            for (int i = 0; i < n; i++) {
                p[i] += axis[i] * f[a * balance->n_coefficients + c];
            }
        }
    }
}

static enum masing_status evaluate_joints(struct modal_balance *balance, bool with_derivative)
{
    enum masing_status status = MASING_OK;
    for (int j = 0; j < balance->n_joints; j++) {
        struct joint_response *response = balance->joints[j];
        gather(balance, response->joint, balance->p, response->x);
        TRY(joint_response_evaluate(response, balance->scratch, balance->omega,
                                    balance->origin + response->joint->first_axis,
                                    with_derivative));
    }
done:
    return status;
}

/* out += derivative of the joints' modal forces along a motion (NULL: none) and omega. */
static void add_joints_change(struct modal_balance *balance, const double *modal,
                              double d_omega, double *out)
{
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        size_t size = (size_t)response->n_axes * (size_t)balance->n_coefficients;
        if (modal) {
            gather(balance, response->joint, modal, balance->change);
        } else if (joint_needs_velocity(response->joint)) {
            memset(balance->change, 0, sizeof(double) * size);
        } else {
            continue;
        }
        joint_response_apply(response, balance->change, d_omega, balance->reply);
        scatter(balance, response->joint, balance->reply, out);
    }
}

/* rows [n_coefficients * n_modes] from forces, in place */
static void scale_rows(const struct modal_balance *balance, double *rows)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    for (int k = 0; k < basis->n_harmonics; k++) {
        double slope, scale = harmonic_scale(balance, k, balance->amplitude, &slope);
        for (int side = 0; side < basis_sides(basis, k); side++) {
            double *row = coefficient_of(rows, balance, basis->position[k] + side);
            for (int i = 0; i < n; i++) {
                row[i] *= balance->row_factor[k * n + i] / scale;
            }
        }
    }
}

/* Rows of the residual. */
static void fill_residual(struct modal_balance *balance, double *residual)
{
    apply_structure(balance, balance->p, residual);
    for (int j = 0; j < balance->n_joints; j++) {
        scatter(balance, balance->joints[j]->joint, balance->joints[j]->f, residual);
    }
    if (balance->basis->harmonics[0] == 0) {
        for (int i = 0; i < balance->n_modes; i++) {
            residual[i] -= balance->static_force[i];
        }
    }
    scale_rows(balance, residual);
}

/* Derivative of the rows by lambda: of the forces, and of the scales that divide them. */
static void fill_residual_lambda(struct modal_balance *balance, const double *residual,
                                 double *residual_lambda)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    apply_structure(balance, balance->p_slope, residual_lambda);
    add_joints_change(balance, balance->p_slope, 0.0, residual_lambda);
    scale_rows(balance, residual_lambda);
    for (int k = 0; k < basis->n_harmonics; k++) {
        double slope, scale = harmonic_scale(balance, k, balance->amplitude, &slope);
        int first = basis->position[k] * n, end = first + basis_sides(basis, k) * n;
        for (int i = first; i < end; i++) {
            residual_lambda[i] =
                LN_10 * balance->amplitude * (residual_lambda[i] - slope / scale * residual[i]);
        }
    }
}

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
        add_product(n, balance->damping, b, h, by_omega + first);
        add_product(n, balance->damping, a, -h, by_omega + first + n);
    }
    add_joints_change(balance, NULL, 1.0, by_omega);
}

/* Of the last evaluation, with derivative: jacobian [n_unknowns^2], columns by the unknowns. */
static void fill_jacobian(struct modal_balance *balance, double *jacobian)
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
        double slope, scale = harmonic_scale(balance, k, balance->amplitude, &slope);
        int first = basis->position[k] * n, end = first + basis_sides(basis, k) * n;
        for (int i = first; i < end; i++) {
            double *column = jacobian + (size_t)i * rows;
            double unit = i == target ? balance->omega_stuck : i == target + n ? 1.0 : scale;
            for (size_t r = 0; r < rows; r++) {
                column[r] *= unit;
            }
            scale_rows(balance, column);
        }
    }
}

static void remember(struct modal_balance *balance, const double *y, double lambda,
                     bool with_derivative)
{
    memcpy(balance->last_y, y, sizeof(double) * (size_t)balance->n_unknowns);
    balance->last_lambda = lambda;
    balance->has_last = true;
    balance->has_last_derivative = with_derivative;
}

enum masing_status modal_balance_evaluate(struct modal_balance *balance, const double *y,
                                          double lambda, double *residual, double *jacobian,
                                          double *residual_lambda)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)balance->n_unknowns;
    balance->has_last = false;
    if (!dense_is_finite(n, y)) {
        return MASING_NOT_FINITE;
    }
    expand(balance, y, lambda);
    if (!(balance->omega > 0.0 && isfinite(balance->amplitude))) {
        return MASING_NOT_FINITE;
    }
    TRY(evaluate_joints(balance, jacobian != NULL));
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
done:
    return status;
}

enum masing_status modal_balance_settle(struct modal_balance *balance, const double *y,
                                        double lambda)
{
    enum masing_status status = MASING_OK;
    size_t size = sizeof(double) * (size_t)balance->n_unknowns;
    if (balance->has_last && balance->last_lambda == lambda &&
        memcmp(balance->last_y, y, size) == 0) {
        return MASING_OK;
    }
    balance->has_last = false;
    expand(balance, y, lambda);
    TRY(evaluate_joints(balance, false));
    remember(balance, y, lambda, false);
done:
    return status;
}

/* Size of a motion p along an axis. */
static double size_along(const struct modal_balance *balance, const double *p, int axis)
{
    int n = balance->n_modes;
    const double *shape = balance->axes + (size_t)axis * (size_t)n;
    double square = 0.0;
    for (int c = 0; c < balance->n_coefficients; c++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += shape[i] * p[(size_t)c * (size_t)n + (size_t)i];
        }
        square += sum * sum;
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
    int at = balance->target_position + balance->n_modes;
    double size = fabs(y[at]);
    for (int i = 0; i < balance->n_unknowns; i++) {
        weights[i] = 1.0;
    }
    balance->largest_zeta = fmax(balance->largest_zeta, size);
    weights[at] = 1.0 / fmax(fmax(size, LEAST_ZETA_SHARE * balance->largest_zeta), LEAST_ZETA);
    fill_motion(balance, y, pow(10.0, lambda), balance->product);
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        if (joint->law->can_smooth) {
            balance->joint_size[j] = size_along(balance, balance->product, joint->first_axis);
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

double modal_balance_structure_loss(struct modal_balance *balance)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    double eta = balance->model->structure->loss_factor, loss = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        double h = basis->harmonics[k];
        for (int side = 0; h > 0.0 && side < 2; side++) {
            const double *p = coefficient_of(balance->p, balance, basis->position[k] + side);
            double *force = balance->product;
            memset(force, 0, sizeof(double) * (size_t)n);
            add_product(n, balance->damping, p, PI * h * h * balance->omega, force);
            add_product(n, balance->stiffness, p, PI * h * eta, force);
            for (int i = 0; i < n; i++) {
                loss += force[i] * p[i];
            }
        }
    }
    return loss;
}

void modal_balance_joint_losses(const struct modal_balance *balance, double *losses)
{
    const struct basis *basis = balance->basis;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        losses[j] = 0.0;
        for (int a = 0; a < response->n_axes; a++) {
            const double *x = response->x + a * balance->n_coefficients;
            const double *f = response->f + a * balance->n_coefficients;
            for (int k = 0; k < basis->n_harmonics; k++) {
                int c = basis->position[k];
                if (basis->harmonics[k] > 0) {
                    losses[j] += PI * basis->harmonics[k] * (f[c] * x[c + 1] - f[c + 1] * x[c]);
                }
            }
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

void modal_balance_linear_mode(const struct modal_balance *balance, double lambda, double *y)
{
    int n = balance->n_modes, r = balance->target;
    double slope, damping = balance->damping[r * n + r];
    double eta = balance->model->structure->loss_factor;
    memset(y, 0, sizeof(double) * (size_t)balance->n_unknowns);
    if (balance->basis->harmonics[0] == 0) {
        double scale = harmonic_scale(balance, 0, pow(10.0, lambda), &slope);
        for (int k = 0; k < n; k++) {
            y[k] = balance->omega_squared[k] > 0.0
                       ? balance->static_force[k] / balance->omega_squared[k] / scale
                       : 0.0;
        }
    }
    y[balance->target_position] = 1.0;
    y[balance->target_position + n] = 0.5 * (damping / balance->omega_stuck +
                                             eta * balance->stiffness[r * n + r] /
                                                 (balance->omega_stuck * balance->omega_stuck));
}

void modal_balance_carry_sliders(struct modal_balance *balance)
{
    for (int j = 0; j < balance->n_joints; j++) {
        struct joint_response *response = balance->joints[j];
        joint_response_carry(response, balance->origin + response->joint->first_axis);
    }
    balance->has_last = false;
}
