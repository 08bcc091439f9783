/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/recovery/sensitivity.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/balance/balance_joints.h"
#include "harmonic/balance/balance_rows.h"
#include "linalg/lu.h"

enum masing_status sensitivity_create(struct recovery *recovery,
                                      const struct sensitivity_solver *solver,
                                      struct sensitivity **sensitivity,
                                      struct masing_error *error)
{
    const struct balance *balance = recovery->balance;
    size_t n = (size_t)balance->n_unknowns;
    struct sensitivity *made = memory_array(1, sizeof *made);
    *sensitivity = made;
    NEED_ALLOCATED(made);
    made->recovery = recovery;
    made->n_ports = 2 * (size_t)balance->basis->n_harmonics * (size_t)balance->n_in;
    made->residual = arena_doubles(&made->arena, n);
    made->residual_omega = arena_doubles(&made->arena, n);
    made->dy = arena_doubles(&made->arena, n);
    made->solver = *solver;
    if (balance->compliance->has_matrices) {
        made->jacobian = arena_doubles(&made->arena, n * n);
        made->pivots = arena_array(&made->arena, n, sizeof(int));
    }
    made->d_ports = arena_doubles(&made->arena, made->n_ports);
    NEED_ALLOCATED(!made->arena.has_failed);
    return MASING_OK;
}

void sensitivity_destroy(struct sensitivity *sensitivity)
{
    if (sensitivity) {
        arena_clear(&sensitivity->arena);
        free(sensitivity);
    }
}

enum masing_status sensitivity_factor(struct sensitivity *sensitivity, const double *y,
                                      double omega)
{
    struct balance *balance = sensitivity->recovery->balance;
    if (!sensitivity->jacobian) {
        return sensitivity->solver.prepare(sensitivity->solver.context, y, omega);
    }
    enum masing_status status =
        balance_evaluate(balance, BALANCE_LAWS, y, omega, sensitivity->residual,
                         sensitivity->jacobian, sensitivity->residual_omega);
    return status ? status
                  : lu_factor(balance->n_unknowns, sensitivity->jacobian, sensitivity->pivots);
}

/* dy = -J^-1 dR/dp, with the change of the forces alone in d_ports */
static enum masing_status solve(struct sensitivity *sensitivity, double omega)
{
    struct balance *balance = sensitivity->recovery->balance;
    int n = balance->n_unknowns;
    enum masing_status status =
        balance_rows_change(balance, NULL, sensitivity->d_ports, omega, sensitivity->dy);
    if (sensitivity->jacobian) {
        lu_solve(n, sensitivity->jacobian, sensitivity->pivots, sensitivity->dy, 1);
    } else if (status == MASING_OK) {
        status = sensitivity->solver.solve(sensitivity->solver.context, sensitivity->dy);
    }
    for (int i = 0; i < n; i++) {
        sensitivity->dy[i] = -sensitivity->dy[i];
    }
    return status;
}

/* d_ports += change of the joint forces with that of the solution, dy */
static void add_motion(struct sensitivity *sensitivity)
{
    struct recovery *recovery = sensitivity->recovery;
    const struct balance *balance = recovery->balance;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        balance_joints_gather(balance, response->joint, sensitivity->dy, recovery->change);
        joint_response_apply(response, recovery->change, 0.0, recovery->d_force);
        balance_joints_put(balance, response->joint, recovery->d_force, true,
                           sensitivity->d_ports);
    }
}

/* Change of an output's coefficients under the direct change of the forces in d_ports. */
static enum masing_status respond(struct sensitivity *sensitivity, double omega, int output,
                                  double *slope)
{
    struct recovery *recovery = sensitivity->recovery;
    const struct balance *balance = recovery->balance;
    NEED(solve(sensitivity, omega));
    add_motion(sensitivity);
    NEED(compliance_multiply(recovery->compliance, omega, sensitivity->d_ports,
                             recovery->motion));
    memset(slope, 0, (size_t)balance->n_coefficients * sizeof *slope);
    recovery_add_row(recovery, recovery->motion, output, slope);
    recovery_add_modes(recovery, sensitivity->dy, output, slope);
    recovery_to_quantity(balance, output, omega, slope);
    return MASING_OK;
}

enum masing_status sensitivity_output(struct sensitivity *sensitivity, int index,
                                      const void *tangent, double omega, int output,
                                      double *slope)
{
    const struct recovery *recovery = sensitivity->recovery;
    const struct balance *balance = recovery->balance;
    const struct joint *joint = balance->joints[index]->joint;
    enum masing_status status = joint_response_parameter(
        balance->joints[index], balance->scratch[0], balance->origin + joint->first_axis,
        tangent, recovery->change);
    if (status == MASING_OK) {
        memset(sensitivity->d_ports, 0, sensitivity->n_ports * sizeof *sensitivity->d_ports);
        balance_joints_put(balance, joint, recovery->change, true, sensitivity->d_ports);
        status = respond(sensitivity, omega, output, slope);
    }
    return status;
}

/* The base's own motion moves with the amplitude of its load, and what a transmissibility is
 * divided by. */
static void add_moving_base(const struct sensitivity *sensitivity,
                            const struct moving_balance *moving, int output, double *slope)
{
    struct recovery *recovery = sensitivity->recovery;
    const struct balance *balance = recovery->balance;
    size_t n = (size_t)balance->n_coefficients;
    const double *value = recovery->point.coefficients + (size_t)output * n;
    double *base = recovery->change;
    for (int i = 0; i < moving->moving->n_loads; i++) {
        const struct moving_load *load = &moving->moving->loads[i];
        double part = load->slope / balance->model->loads[load->load].amplitude;
        bool is_scaled =
            balance->model->loads[load->load].kind == MASING_LOAD_BASE_ACCELERATION &&
            balance->model->spec.outputs[output].quantity == MASING_TRANSMISSIBILITY;
        memset(base, 0, n * sizeof *base);
        recovery_add_base(balance, output, load->load, moving->omega, part, base);
        recovery_to_quantity(balance, output, moving->omega, base);
        for (size_t c = 0; c < n; c++) {
            slope[c] += base[c] - (is_scaled ? part * value[c] : 0.0);
        }
    }
}

enum masing_status sensitivity_moving(struct sensitivity *sensitivity,
                                      struct moving_balance *moving, int output, double *slope)
{
    enum masing_status status = moving_balance_forces(moving);
    if (status == MASING_OK) {
        memcpy(sensitivity->d_ports, moving->d_ports,
               sensitivity->n_ports * sizeof *sensitivity->d_ports);
        status = respond(sensitivity, moving->omega, output, slope);
    }
    if (status == MASING_OK) {
        add_moving_base(sensitivity, moving, output, slope);
    }
    return status;
}
