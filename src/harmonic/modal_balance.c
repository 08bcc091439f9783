/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/modal_balance_parts.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

static const double LN_10 = 2.302585092994045684;

double modal_balance_scale(const struct modal_balance *balance, int harmonic_index, double a,
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
        double slope, scale = modal_balance_scale(balance, k, a, &slope);
        int first = basis->position[k] * n, end = first + modal_balance_sides(basis, k) * n;
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
        modal_balance_scale(balance, k, balance->amplitude, &slope);
        int first = basis->position[k] * n, end = first + modal_balance_sides(basis, k) * n;
        for (int i = first; i < end; i++) {
            balance->p_slope[i] = slope * y[i];
        }
    }
    balance->p_slope[target] = 1.0;
    balance->p_slope[target + n] = 0.0;
    balance->omega = balance->omega_stuck * y[target];
    balance->zeta = y[target + n];
}

void modal_balance_multiply(int n, const double *matrix, const double *x, double factor,
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
            modal_balance_multiply(n, balance->mean_stiffness, a, 1.0, cosine);
            continue;
        }
        for (int i = 0; i < n; i++) {
            double drive = 2.0 * balance->zeta * balance->omega * rate;
            cosine[i] = -rate * rate * a[i] - drive * b[i];
            sine[i] = -rate * rate * b[i] + drive * a[i];
        }
        modal_balance_multiply(n, balance->stiffness, a, 1.0, cosine);
        modal_balance_multiply(n, balance->stiffness, b, 1.0, sine);
        modal_balance_multiply(n, balance->damping, b, rate, cosine);
        modal_balance_multiply(n, balance->damping, a, -rate, sine);
        if (eta != 0.0) {
            modal_balance_multiply(n, balance->stiffness, b, eta, cosine);
            modal_balance_multiply(n, balance->stiffness, a, -eta, sine);
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
            double *p = modal_balance_coefficient(out, balance, c);
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

void modal_balance_add_joints_change(struct modal_balance *balance, const double *modal,
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

void modal_balance_scale_rows(const struct modal_balance *balance, double *rows)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    for (int k = 0; k < basis->n_harmonics; k++) {
        double slope, scale = modal_balance_scale(balance, k, balance->amplitude, &slope);
        for (int side = 0; side < modal_balance_sides(basis, k); side++) {
            double *row = modal_balance_coefficient(rows, balance, basis->position[k] + side);
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
    modal_balance_scale_rows(balance, residual);
}

/* Derivative of the rows by lambda: of the forces, and of the scales that divide them. */
static void fill_residual_lambda(struct modal_balance *balance, const double *residual,
                                 double *residual_lambda)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    apply_structure(balance, balance->p_slope, residual_lambda);
    modal_balance_add_joints_change(balance, balance->p_slope, 0.0, residual_lambda);
    modal_balance_scale_rows(balance, residual_lambda);
    for (int k = 0; k < basis->n_harmonics; k++) {
        double slope, scale = modal_balance_scale(balance, k, balance->amplitude, &slope);
        int first = basis->position[k] * n, end = first + modal_balance_sides(basis, k) * n;
        for (int i = first; i < end; i++) {
            residual_lambda[i] =
                LN_10 * balance->amplitude * (residual_lambda[i] - slope / scale * residual[i]);
        }
    }
}

static enum masing_status check_finite(const double *values, size_t n)
{
    double sum = 0.0; /* one bad number spoils it */
    for (size_t i = 0; i < n; i++) {
        sum += 0.0 * values[i];
    }
    return sum == 0.0 ? MASING_OK : MASING_NOT_FINITE;
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
    TRY(check_finite(y, n));
    expand(balance, y, lambda);
    if (!(balance->omega > 0.0 && isfinite(balance->amplitude))) {
        return MASING_NOT_FINITE;
    }
    TRY(evaluate_joints(balance, jacobian != NULL));
    fill_residual(balance, residual);
    TRY(check_finite(residual, n));
    if (jacobian) {
        fill_residual_lambda(balance, residual, residual_lambda);
        modal_balance_fill_jacobian(balance, jacobian);
        TRY(check_finite(residual_lambda, n));
        TRY(check_finite(jacobian, n * n));
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
    weights[at] = 1.0 / fmax(fmax(size, 0.1 * balance->largest_zeta), 1e-6);
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
