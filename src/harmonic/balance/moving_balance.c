/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/moving_balance.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/balance/balance_joints.h"
#include "harmonic/balance/balance_operator.h"
#include "harmonic/balance/balance_rows.h"
#include "harmonic/balance/balance_speed.h"
#include "linalg/dense.h"

static size_t port_size(const struct balance *balance)
{
    return 2 * (size_t)balance->basis->n_harmonics * (size_t)balance->n_in;
}

enum masing_status moving_balance_create(struct balance *balance, struct moving *moving,
                                         double omega, struct moving_balance **result,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct moving_balance *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->balance = balance;
    made->moving = moving;
    made->omega = omega;
    made->change =
        arena_doubles(&made->arena, MASING_MAX_AXES * (size_t)balance->n_coefficients);
    made->d_ports = arena_doubles(&made->arena, port_size(balance));
    made->unused = arena_doubles(&made->arena, (size_t)balance->n_unknowns);
    TRY_ALLOCATED(!made->arena.has_failed);
    *result = made;
    made = NULL;
done:
    moving_balance_destroy(made);
    return status;
}

void moving_balance_destroy(struct moving_balance *moving)
{
    if (moving) {
        arena_clear(&moving->arena);
        free(moving);
    }
}

enum masing_status moving_balance_set(struct moving_balance *moving, double p)
{
    if (!moving->moving->is_set || moving->moving->p != p) {
        moving->balance->has_last = false;
    }
    return moving_set(moving->moving, p);
}

static enum masing_status add_joint(struct moving_balance *moving, int j)
{
    const struct balance *balance = moving->balance;
    const struct joint *joint = balance->joints[j]->joint;
    enum masing_status status = joint_response_parameter(
        balance->joints[j], balance->scratch[0], balance->origin + joint->first_axis,
        balance_speed_turn(balance, j, moving->moving->tangent[j]), moving->change);
    if (status == MASING_OK) {
        balance_joints_put(balance, joint, moving->change, true, moving->d_ports);
    }
    return status;
}

/* A load's force is its amplitude times what its slope is multiplied with here. */
static void add_load(struct moving_balance *moving, const struct moving_load *number)
{
    const struct balance *balance = moving->balance;
    struct load load = balance->model->loads[number->load];
    double value[2], slope[2];
    load.amplitude = number->slope;
    load_amplitude(&load, moving->omega, value, slope);
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        if (balance_harmonic(balance, k) == load.harmonic) {
            balance_put_load(balance, number->load, k, value, moving->d_ports);
        }
    }
}

enum masing_status moving_balance_forces(struct moving_balance *moving)
{
    struct balance *balance = moving->balance;
    memset(moving->d_ports, 0, sizeof(double) * port_size(balance));
    for (int j = 0; j < balance->n_joints; j++) {
        NEED(moving->moving->tangent[j] ? add_joint(moving, j) : MASING_OK);
    }
    for (int i = 0; i < moving->moving->n_loads; i++) {
        add_load(moving, &moving->moving->loads[i]);
    }
    return MASING_OK;
}

/* The derivative by p where the balance was evaluated last. */
static enum masing_status differentiate(struct moving_balance *moving, double *residual_p)
{
    NEED(moving_balance_forces(moving));
    NEED(
        balance_rows_change(moving->balance, NULL, moving->d_ports, moving->omega, residual_p));
    bool is_finite = dense_is_finite((size_t)moving->balance->n_unknowns, residual_p);
    return is_finite ? MASING_OK : MASING_NOT_FINITE;
}

enum masing_status moving_balance_linearize(struct moving_balance *moving, const double *y,
                                            double p, double *residual, double *residual_p)
{
    NEED(moving_balance_set(moving, p));
    NEED(balance_linearize(moving->balance, BALANCE_LAWS, y, moving->omega, residual,
                           moving->unused));
    return differentiate(moving, residual_p);
}

enum masing_status moving_balance_evaluate(struct moving_balance *moving, const double *y,
                                           double p, double *residual, double *jacobian,
                                           double *residual_p)
{
    NEED(moving_balance_set(moving, p));
    NEED(balance_evaluate(moving->balance, BALANCE_LAWS, y, moving->omega, residual, jacobian,
                          jacobian ? moving->unused : NULL));
    return jacobian ? differentiate(moving, residual_p) : MASING_OK;
}
