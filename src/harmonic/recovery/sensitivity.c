/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/recovery/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/balance/balance_rows.h"
#include "linalg/lu.h"

static size_t largest_joint(const struct balance *balance)
{
    size_t largest = 1;
    for (int j = 0; j < balance->n_joints; j++) {
        size_t n_axes = (size_t)balance->joints[j]->n_axes;
        largest = n_axes > largest ? n_axes : largest;
    }
    return largest * (size_t)balance->n_coefficients;
}

enum masing_status sensitivity_create(struct recovery *recovery, int joint,
                                      struct sensitivity **sensitivity,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = recovery->balance;
    size_t n = (size_t)balance->n_unknowns, largest = largest_joint(balance);
    size_t n_forces = 2 * (size_t)balance->basis->n_harmonics * (size_t)balance->n_in;
    struct sensitivity *made = memory_array(1, sizeof *made);
    *sensitivity = made;
    TRY_ALLOCATED(made);
    made->recovery = recovery;
    made->joint = -1;
    double **vectors[] = {&made->residual, &made->residual_omega, &made->dy};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = memory_array(n, sizeof(double));
        TRY_ALLOCATED(*vectors[i]);
    }
    made->jacobian = memory_array(n * n, sizeof(double));
    made->pivots = memory_array(n, sizeof(int));
    made->change = memory_array(largest, sizeof(double));
    made->motion = memory_array(largest, sizeof(double));
    made->force = memory_array(largest, sizeof(double));
    made->d_ports = memory_array(n_forces, sizeof(double));
    TRY_ALLOCATED(made->jacobian && made->pivots && made->change && made->motion &&
                  made->force && made->d_ports);
    TRY(joint >= 0 ? sensitivity_select(made, joint, error) : MASING_OK);
done:
    return status;
}

enum masing_status sensitivity_select(struct sensitivity *sensitivity, int joint,
                                      struct masing_error *error)
{
    struct balance *balance = sensitivity->recovery->balance;
    joint_parameter_destroy(sensitivity->parameter);
    sensitivity->parameter = NULL;
    sensitivity->joint = joint;
    return joint_parameter_create(balance->joints[joint], balance->scratch[0],
                                  &sensitivity->parameter, error);
}

void sensitivity_destroy(struct sensitivity *sensitivity)
{
    if (!sensitivity) {
        return;
    }
    joint_parameter_destroy(sensitivity->parameter);
    void *owned[] = {sensitivity->residual, sensitivity->residual_omega, sensitivity->dy,
                     sensitivity->jacobian, sensitivity->pivots,         sensitivity->change,
                     sensitivity->motion,   sensitivity->force,          sensitivity->d_ports};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
    free(sensitivity);
}

enum masing_status sensitivity_factor(struct sensitivity *sensitivity, const double *y,
                                      double omega)
{
    struct balance *balance = sensitivity->recovery->balance;
    enum masing_status status =
        balance_evaluate(balance, BALANCE_LAWS, y, omega, sensitivity->residual,
                         sensitivity->jacobian, sensitivity->residual_omega);
    return status ? status
                  : lu_factor(balance->n_unknowns, sensitivity->jacobian, sensitivity->pivots);
}

/* Forces on a joint's ports are those of the joint with a minus sign: += -(a - i b). */
static void add_forces(struct sensitivity *sensitivity, const struct joint *joint,
                       const double *coefficients)
{
    const struct balance *balance = sensitivity->recovery->balance;
    const struct basis *basis = balance->basis;
    for (int a = 0; a < joint->n_axes; a++) {
        for (int k = 0; k < basis->n_harmonics; k++) {
            const double *c = coefficients + a * basis->n_coefficients + basis->position[k];
            double *f =
                sensitivity->d_ports + 2 * balance_port(balance, k, joint->first_axis + a);
            f[0] -= c[0];
            f[1] += basis->harmonics[k] > 0 ? c[1] : 0.0;
        }
    }
}

static void clear_forces(struct sensitivity *sensitivity)
{
    const struct balance *balance = sensitivity->recovery->balance;
    size_t n = 2 * (size_t)balance->basis->n_harmonics * (size_t)balance->n_in;
    memset(sensitivity->d_ports, 0, n * sizeof *sensitivity->d_ports);
}

/* dy = -J^-1 dR/dp, with the change of the forces alone in d_ports */
static enum masing_status solve(struct sensitivity *sensitivity, double omega)
{
    struct balance *balance = sensitivity->recovery->balance;
    int n = balance->n_unknowns;
    enum masing_status status =
        balance_rows_change(balance, sensitivity->d_ports, omega, sensitivity->dy);
    lu_solve(n, sensitivity->jacobian, sensitivity->pivots, sensitivity->dy, 1);
    for (int i = 0; i < n; i++) {
        sensitivity->dy[i] = -sensitivity->dy[i];
    }
    return status;
}

/* d_ports += change of the joint forces with that of the solution, dy */
static void add_motion(struct sensitivity *sensitivity)
{
    const struct balance *balance = sensitivity->recovery->balance;
    int n = balance->n_coefficients;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        const struct joint *joint = response->joint;
        for (int a = 0; a < joint->n_axes; a++) {
            for (int c = 0; c < n; c++) {
                sensitivity->motion[a * n + c] =
                    sensitivity->dy[c * balance->n_axes + joint->first_axis + a];
            }
        }
        joint_response_apply(response, sensitivity->motion, 0.0, sensitivity->force);
        add_forces(sensitivity, joint, sensitivity->force);
    }
}

/* Change of an output's coefficients under the direct change of the forces in d_ports. */
static enum masing_status respond(struct sensitivity *sensitivity, double omega, int output,
                                  double *slope)
{
    enum masing_status status = MASING_OK;
    struct recovery *recovery = sensitivity->recovery;
    const struct balance *balance = recovery->balance;
    TRY(solve(sensitivity, omega));
    add_motion(sensitivity);
    TRY(compliance_multiply(recovery->compliance, omega, sensitivity->d_ports,
                            recovery->motion));
    memset(slope, 0, (size_t)balance->n_coefficients * sizeof *slope);
    recovery_add_row(recovery, recovery->motion, output, slope);
    recovery_add_modes(recovery, sensitivity->dy,
                       recovery->patterns + (size_t)output * (size_t)balance->structure->n_dofs,
                       slope);
    recovery_to_quantity(balance->basis, balance->model->spec.outputs[output].quantity, omega,
                         slope);
done:
    return status;
}

enum masing_status sensitivity_output(struct sensitivity *sensitivity, const void *tangent,
                                      double omega, int output, double *slope)
{
    const struct balance *balance = sensitivity->recovery->balance;
    const struct joint *joint = balance->joints[sensitivity->joint]->joint;
    enum masing_status status =
        joint_parameter_evaluate(sensitivity->parameter, balance->origin + joint->first_axis,
                                 tangent, sensitivity->change);
    if (status == MASING_OK) {
        clear_forces(sensitivity);
        add_forces(sensitivity, joint, sensitivity->change);
        status = respond(sensitivity, omega, output, slope);
    }
    return status;
}

enum masing_status sensitivity_moving(struct sensitivity *sensitivity,
                                      struct moving_balance *moving, int output, double *slope)
{
    const struct balance *balance = sensitivity->recovery->balance;
    size_t n = 2 * (size_t)balance->basis->n_harmonics * (size_t)balance->n_in;
    enum masing_status status = moving_balance_forces(moving);
    if (status == MASING_OK) {
        memcpy(sensitivity->d_ports, moving->d_ports, n * sizeof *sensitivity->d_ports);
        status = respond(sensitivity, moving->omega, output, slope);
    }
    return status;
}

/* Derivative of the polynomial's value at a fixed angle: that of an extremum, too. */
static double slope_at(struct sensitivity *sensitivity, const double *slope, double angle)
{
    const struct basis *basis = sensitivity->recovery->balance->basis;
    double *functions = sensitivity->force, sum = 0.0;
    basis_functions(basis, angle, functions);
    for (int c = 0; c < basis->n_coefficients; c++) {
        sum += functions[c] * slope[c];
    }
    return sum;
}

double sensitivity_measure(struct sensitivity *sensitivity, const double *coefficients,
                           const double *slope, enum masing_measure measure)
{
    const struct basis *basis = sensitivity->recovery->balance->basis;
    struct trigonometric_path *path = sensitivity->recovery->path;
    int one = recovery_first_harmonic(basis), high = -1, low = -1;
    if (measure == MASING_MEASURE_H1) {
        double size = one < 0 ? 0.0 : hypot(coefficients[one], coefficients[one + 1]);
        return size > 0.0
                   ? (coefficients[one] * slope[one] + coefficients[one + 1] * slope[one + 1]) /
                         size
                   : 0.0;
    }
    trigonometric_path_set(path, coefficients, 0.0);
    for (int i = 0; i < path->n_extrema; i++) {
        high = high < 0 || path->extrema[i].x > path->extrema[high].x ? i : high;
        low = low < 0 || path->extrema[i].x < path->extrema[low].x ? i : low;
    }
    if (high < 0) {
        return 0.0; /* a constant */
    }
    double up = slope_at(sensitivity, slope, path->extrema[high].angle);
    double down = slope_at(sensitivity, slope, path->extrema[low].angle);
    if (measure == MASING_MEASURE_AMP) {
        return 0.5 * (up - down);
    }
    bool is_high = fabs(path->extrema[high].x) >= fabs(path->extrema[low].x);
    return is_high ? copysign(1.0, path->extrema[high].x) * up
                   : copysign(1.0, path->extrema[low].x) * down;
}
