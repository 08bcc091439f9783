/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/modal_balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/dense.h"
#include "model/axis_shapes.h"
#include "model/message.h"
#include "model/stuck_modes.h"

/* Number of coefficients of a harmonic. */
static int count_sides(const struct basis *basis, int harmonic_index)
{
    return basis->harmonics[harmonic_index] == 0 ? 1 : 2;
}

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
        int first = basis->position[k] * n, end = first + count_sides(basis, k) * n;
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
        int first = basis->position[k] * n, end = first + count_sides(basis, k) * n;
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
        for (int side = 0; side < count_sides(basis, k); side++) {
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
        int first = basis->position[k] * n, end = first + count_sides(basis, k) * n;
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
        int first = basis->position[k] * n, end = first + count_sides(basis, k) * n;
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
        fill_jacobian(balance, jacobian);
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

/* Shares of omega_stuck^2 that hold the mean of a rigid-body mode of the structure without
 * joints, where nothing determines it and where equilibrium does; see balance_hold.c. */
static const double FIRM_STIFFNESS = 1e-2, WEAK_STIFFNESS = 1e-9;

static enum masing_status refuse_what_is_not_there(const struct masing_model *model,
                                                   struct masing_error *error)
{
    const struct masing_spec *spec = &model->spec;
    bool has_first = false;
    for (int k = 0; k < spec->n_harmonics; k++) {
        has_first = has_first || spec->harmonics[k] == 1;
    }
    if (!has_first) {
        return model_refuse(spec, spec->harmonics_place, error,
                            "harmonics: a nonlinear mode needs harmonic 1, expected it in the "
                            "list");
    }
    if (model->structure->flexibility) {
        masing_error_set(error, MASING_UNSUPPORTED,
                         "nonlinear modes of a structure with massless DOFs are not supported "
                         "yet; give every DOF some mass");
        return MASING_UNSUPPORTED;
    }
    return MASING_OK;
}

/* shapes of the stuck modes [n_modes * n_modes] in the modal coordinates of the structure */
static enum masing_status find_modes(struct modal_balance *made, int number, double *shapes,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = made->model->structure;
    struct stuck_modes *modes = NULL;
    size_t n = (size_t)made->n_modes;
    TRY(stuck_modes_create(made->model, &modes, error));
    TRY(stuck_modes_check(modes, made->model, number, made->model->spec.mode.number_place,
                          "mode.number", error));
    memcpy(made->omega_squared, modes->square, n * sizeof *made->omega_squared);
    memcpy(shapes, modes->shapes, n * n * sizeof *shapes);
    made->target = modes->n_rigid + number - 1;
    made->omega_stuck = sqrt(made->omega_squared[made->target]);
    dense_multiply(structure->n_dofs, (int)n, (int)n, structure->shapes, shapes, made->shapes);
done:
    stuck_modes_destroy(modes);
    return status;
}

/* out [n_modes] = pattern of DOFs in the stuck modes */
static void project(const struct modal_balance *made, const double *pattern, double *out)
{
    int n_dofs = made->model->structure->n_dofs;
    for (int k = 0; k < made->n_modes; k++) {
        out[k] = dense_dot(n_dofs, made->shapes + (size_t)k * (size_t)n_dofs, pattern);
    }
}

/* Whether a spring or a static load decides about means. */
static bool is_held_by_equilibrium(const struct modal_balance *made)
{
    for (int j = 0; j < made->n_joints; j++) {
        const struct joint *joint = &made->model->joints[j];
        if (masing_law_hold(joint->law, joint->parameters) == MASING_HOLD_SPRING) {
            return true;
        }
    }
    return made->static_size > 0.0;
}

/* matrix [n * n] = shapes^T matrix shapes; product [n * n] is scratch */
static void turn(int n, const double *shapes, double *matrix, double *product)
{
    dense_multiply(n, n, n, matrix, shapes, product);
    dense_multiply_transposed(n, n, n, shapes, product, matrix);
}

static void fill_matrices(struct modal_balance *made, const double *shapes, double *product)
{
    const struct structure *structure = made->model->structure;
    size_t n = (size_t)made->n_modes;
    double share = is_held_by_equilibrium(made) ? WEAK_STIFFNESS : FIRM_STIFFNESS;
    double hold = share * made->omega_stuck * made->omega_stuck;
    if (structure->damping_matrix) {
        memcpy(made->damping, structure->damping_matrix, sizeof(double) * n * n);
    }
    for (size_t k = 0; k < n; k++) {
        double square = structure->omega[k] * structure->omega[k];
        made->stiffness[k * n + k] = square;
        made->mean_stiffness[k * n + k] = (int)k < structure->n_rigid ? hold : square;
        if (!structure->damping_matrix) {
            made->damping[k * n + k] = structure->modal_damping[k];
        }
    }
    turn((int)n, shapes, made->stiffness, product);
    turn((int)n, shapes, made->mean_stiffness, product);
    turn((int)n, shapes, made->damping, product);
    for (size_t k = 0; k < (size_t)made->basis->n_harmonics; k++) {
        double h = made->basis->harmonics[k];
        for (size_t i = 0; i < n; i++) {
            double rate = h * made->omega_stuck;
            double size = fmax(made->omega_squared[i], 0.0) + rate * rate;
            made->row_factor[k * n + i] = 1.0 / fmax(size, hold);
        }
    }
}

static void fill_static(struct modal_balance *made)
{
    if (!made->model->static_force) {
        return;
    }
    project(made, made->model->static_force, made->static_force);
    for (int k = 0; k < made->n_modes; k++) {
        if (made->omega_squared[k] > 0.0) {
            double size = fabs(made->static_force[k]) / made->omega_squared[k];
            made->static_size = fmax(made->static_size, size);
        }
    }
}

static enum masing_status create_joints(struct modal_balance *made, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = made->model;
    int most = 1;
    made->n_joints = model->spec.n_joints;
    made->joints = memory_array((size_t)made->n_joints, sizeof *made->joints);
    TRY_ALLOCATED(made->joints);
    TRY(joint_shared_create(made->basis, &made->shared, error));
    for (int j = 0; j < made->n_joints; j++) {
        TRY(joint_response_create(&model->joints[j], made->shared, model->spec.forces,
                                  &made->joints[j], error));
        most = made->joints[j]->n_axes > most ? made->joints[j]->n_axes : most;
    }
    TRY(joint_scratch_create(made->shared, made->joints, made->n_joints, &made->scratch,
                             error));
    size_t size = (size_t)(most * made->n_coefficients);
    made->change = memory_array(size, sizeof(double));
    made->reply = memory_array(size, sizeof(double));
    made->block = memory_array(size * size, sizeof(double));
    made->left = memory_array((size_t)(most * made->n_modes), sizeof(double));
    made->joint_size = memory_array((size_t)made->n_joints, sizeof(double));
    TRY_ALLOCATED(made->change && made->reply && made->block && made->left && made->joint_size);
done:
    return status;
}

static enum masing_status allocate(struct modal_balance *made, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)made->n_modes, n_dofs = (size_t)made->model->structure->n_dofs;
    size_t size = (size_t)made->n_unknowns, n_h = (size_t)made->basis->n_harmonics;
    made->omega_squared = memory_array(n, sizeof(double));
    made->shapes = memory_array(n_dofs * n, sizeof(double));
    made->axes = memory_array(n * (size_t)made->n_axes, sizeof(double));
    made->stiffness = memory_array(n * n, sizeof(double));
    made->damping = memory_array(n * n, sizeof(double));
    made->mean_stiffness = memory_array(n * n, sizeof(double));
    made->static_force = memory_array(n, sizeof(double));
    made->origin = memory_array((size_t)made->n_axes, sizeof(double));
    made->row_factor = memory_array(n_h * n, sizeof(double));
    made->p = memory_array(size, sizeof(double));
    made->p_slope = memory_array(size, sizeof(double));
    made->last_y = memory_array(size, sizeof(double));
    made->product = memory_array(size, sizeof(double));
    TRY_ALLOCATED(made->omega_squared && made->shapes && made->axes && made->stiffness &&
                  made->damping && made->mean_stiffness && made->static_force && made->origin &&
                  made->row_factor && made->p && made->p_slope && made->last_y &&
                  made->product);
done:
    return status;
}

/* Basis and counts. */
static enum masing_status create_basis(struct modal_balance *made, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &made->model->spec;
    TRY(basis_create_unplanned(spec->harmonics, spec->n_harmonics, spec->n_samples,
                               &made->basis, error));
    made->n_axes = made->model->n_axes;
    made->n_modes = made->model->structure->n_modes;
    made->n_coefficients = made->basis->n_coefficients;
    made->n_unknowns = made->n_coefficients * made->n_modes;
done:
    return status;
}

enum masing_status modal_balance_create(const struct masing_model *model, int number,
                                        struct modal_balance **balance,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *shapes = NULL, *product = NULL;
    size_t n = (size_t)model->structure->n_modes;
    struct modal_balance *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->model = model;
    TRY(refuse_what_is_not_there(model, error));
    shapes = memory_array(n * n, sizeof *shapes);
    product = memory_array(n * n, sizeof *product);
    TRY_ALLOCATED(shapes && product);
    TRY(create_basis(made, error));
    TRY(allocate(made, error));
    TRY(create_joints(made, error));
    TRY(find_modes(made, number, shapes, error));
    axis_shapes(made->model, made->n_modes, made->shapes, made->axes);
    fill_static(made);
    fill_matrices(made, shapes, product);
    made->target_position =
        made->basis->position[made->basis->harmonics[0] == 0] * made->n_modes + made->target;
    if (model->spec.start == MASING_START_STATIC) {
        memcpy(made->origin, model->static_displacement, sizeof(double) * (size_t)made->n_axes);
    }
    *balance = made;
    made = NULL;
done:
    free(shapes);
    free(product);
    modal_balance_destroy(made);
    return status;
}

void modal_balance_destroy(struct modal_balance *balance)
{
    if (!balance) {
        return;
    }
    joint_scratch_destroy(balance->scratch);
    for (int j = 0; balance->joints && j < balance->n_joints; j++) {
        joint_response_destroy(balance->joints[j]);
    }
    joint_shared_destroy(balance->shared);
    basis_destroy(balance->basis);
    void *owned[] = {
        balance->joints,
        balance->omega_squared,
        balance->shapes,
        balance->axes,
        balance->stiffness,
        balance->damping,
        balance->static_force,
        balance->origin,
        balance->mean_stiffness,
        balance->row_factor,
        balance->p,
        balance->p_slope,
        balance->last_y,
        balance->product,
        balance->change,
        balance->reply,
        balance->block,
        balance->left,
        balance->joint_size,
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
    free(balance);
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
        const struct joint *joint = response->joint;
        joint_response_carry(response);
        for (int a = 0; joint->law->settle && a < joint->n_axes; a++) {
            balance->origin[joint->first_axis + a] =
                joint->law->settle(joint->parameters, &response->range[a]);
        }
    }
    balance->has_last = false;
}
