/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/balance_joints.h"

#include <string.h>

#include "base/check.h"
#include "harmonic/balance/balance_rows.h"
#include "harmonic/balance/balance_speed.h"
#include "harmonic/joints/joint_scratch.h"
#include "linalg/one_thread.h"
#include "model/joints.h"

/* What a thread must have to do, us, roughly: waking it takes some 10 us. */
static const double WORTH_A_THREAD = 200.0;
/* Fewer joints for each thread are divided among the threads themselves, if they can be. */
enum { PORTIONS_PER_THREAD = 8, JOINTS_PER_THREAD = 4 };

/* Whether all threads evaluate this joint together, not one thread. */
static bool is_divided(const struct balance *balance, int j)
{
    return balance->are_divided && balance->joints[j]->n_parts > 1;
}

/* Of the joints that one thread evaluates. */
static double evaluation_cost(const struct balance *balance, bool with_derivative)
{
    double cost = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        if (is_divided(balance, j)) {
            continue;
        }
        cost += joint_response_cost(balance->joints[j], with_derivative);
    }
    return cost;
}

static enum masing_status create_scratch(struct balance *balance, struct masing_error *error)
{
    int n = thread_pool_size(balance->pool);
    balance->scratch = arena_array(&balance->arena, (size_t)n, sizeof *balance->scratch);
    NEED_ALLOCATED(balance->scratch);
    for (; balance->n_scratch < n; balance->n_scratch++) {
        NEED(joint_scratch_create(balance->shared, balance->joints, balance->n_joints,
                                  &balance->scratch[balance->n_scratch], error));
    }
    return joint_scratch_lead(balance->scratch, n, balance->pool, error);
}

enum masing_status balance_joints_create(struct balance *balance, int n_threads,
                                         struct masing_error *error)
{
    const struct masing_model *model = balance->model;
    balance->n_joints = model->spec.n_joints;
    size_t n_joints = (size_t)balance->n_joints;
    balance->joints = arena_array(&balance->arena, n_joints, sizeof *balance->joints);
    balance->joint_status =
        arena_array(&balance->arena, n_joints, sizeof *balance->joint_status);
    NEED_ALLOCATED(balance->joints && balance->joint_status);
    NEED(balance_speed_create(balance, error));
    NEED(joint_shared_create(balance->basis, &balance->shared, error));
    for (int j = 0; j < balance->n_joints; j++) {
        NEED(joint_response_create(balance_speed_joint(balance, j), balance->shared,
                                   model->spec.forces, &balance->joints[j], error));
    }
    double most = evaluation_cost(balance, true) / WORTH_A_THREAD;
    n_threads = n_threads < most ? n_threads : (int)most;
    n_threads = n_threads > 1 ? blas_most_threads(n_threads) : n_threads;
    if (n_threads > 1) {
        NEED(thread_pool_create(n_threads, &balance->pool, error));
    }
    balance->are_divided =
        balance->n_joints < JOINTS_PER_THREAD * thread_pool_size(balance->pool);
    balance->evaluation_cost[0] = evaluation_cost(balance, false);
    balance->evaluation_cost[1] = evaluation_cost(balance, true);
    return create_scratch(balance, error);
}

void balance_joints_destroy(struct balance *balance)
{
    thread_pool_destroy(balance->pool);
    for (int s = 0; s < balance->n_scratch; s++) {
        joint_scratch_destroy(balance->scratch[s]);
    }
    for (int j = 0; balance->joints && j < balance->n_joints; j++) {
        joint_response_destroy(balance->joints[j]);
    }
    joint_shared_destroy(balance->shared);
}

struct distribution {
    struct balance *balance;
    balance_joint_task *task;
    void *context;
};

static void do_joint(void *context, int j, int worker)
{
    const struct distribution *distribution = context;
    distribution->task(distribution->context, j, distribution->balance->scratch[worker]);
}

void balance_joints_share(struct balance *balance, double cost, balance_joint_task *task,
                          void *context)
{
    struct thread_pool *pool = cost < 2.0 * WORTH_A_THREAD ? NULL : balance->pool;
    int n_portions = PORTIONS_PER_THREAD * thread_pool_size(pool);
    struct distribution distribution = {balance, task, context};
    balance->scratch[0]->is_shared = pool != NULL;
    thread_pool_share(pool, balance->n_joints, 1 + (balance->n_joints - 1) / n_portions,
                      do_joint, &distribution);
    balance->scratch[0]->is_shared = false;
}

void balance_joints_gather(const struct balance *balance, const struct joint *joint,
                           const double *y, double *x)
{
    for (int a = 0; a < joint->n_axes; a++) {
        for (int c = 0; c < balance->n_coefficients; c++) {
            x[a * balance->n_coefficients + c] = y[c * balance->n_axes + joint->first_axis + a];
        }
    }
}

void balance_joints_put(const struct balance *balance, const struct joint *joint,
                        const double *coefficients, bool is_added, double *force)
{
    const struct basis *basis = balance->basis;
    for (int a = 0; a < joint->n_axes; a++, coefficients += basis->n_coefficients) {
        for (int k = 0; k < basis->n_harmonics; k++) {
            const double *c = coefficients + basis->position[k];
            double *f = force + 2 * balance_port(balance, k, joint->first_axis + a);
            bool is_active = k < balance->n_active;
            bool has_sine = is_active && balance_harmonic(balance, k) > 0;
            f[0] = (is_added ? f[0] : 0.0) - (is_active ? c[0] : 0.0);
            f[1] = (is_added ? f[1] : 0.0) + (has_sine ? c[1] : 0.0); /* -(a - i b) */
        }
    }
}

/* The joint's tangent, and its force, in the static state. */
static void act_as_spring(struct joint_response *response, bool is_stuck)
{
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES];
    const struct joint *joint = response->joint;
    int n_axes = response->n_axes, n = response->basis->n_coefficients;
    bool has_mean = response->basis->harmonics[0] == 0;
    joint_stiffness(joint, is_stuck, tangent);
    memset(response->f, 0, sizeof(double) * (size_t)(n_axes * n));
    for (int a = 0; a < n_axes && has_mean; a++) {
        double *mean = &response->f[a * n];
        *mean = joint->static_force[a];
        for (int b = 0; b < n_axes; b++) {
            *mean -= tangent[a * n_axes + b] * joint->static_displacement[b];
        }
    }
    for (int i = 0; i < n_axes * n_axes; i++) {
        for (int c = 0; c < n; c++) {
            response->f[i / n_axes * n + c] += tangent[i] * response->x[i % n_axes * n + c];
        }
    }
}

struct evaluation {
    struct balance *balance;
    enum balance_joints joints;
    const double *y;
    double omega;
    bool with_derivative;
};

/* What the preload adds, which goes with the speed of the shaft. */
static enum masing_status put_speed(const struct evaluation *evaluation, int j,
                                    struct joint_scratch *scratch)
{
    const struct balance *balance = evaluation->balance;
    struct joint_response *response = balance->joints[j];
    const struct joint *joint = response->joint;
    const void *tangent = balance_speed_tangent(balance, j);
    size_t size = (size_t)(response->n_axes * balance->n_coefficients);
    double *change = scratch->change;
    if (!tangent) {
        return MASING_OK;
    }
    memset(change, 0, sizeof(double) * size);
    if (evaluation->joints == BALANCE_LAWS) {
        NEED(joint_response_parameter(response, scratch, balance->origin + joint->first_axis,
                                      tangent, change));
    }
    balance_joints_put(balance, joint, change, joint_needs_velocity(joint), balance->d_force);
    return MASING_OK;
}

/* Change of a joint's forces with the frequency at fixed displacements, which is nothing where
 * the velocity plays no part. */
static void put_omega_derivative(const struct evaluation *evaluation,
                                 const struct joint_response *response,
                                 struct joint_scratch *scratch)
{
    const struct balance *balance = evaluation->balance;
    size_t size = (size_t)(response->n_axes * balance->n_coefficients);
    double *zero = scratch->change, *change = zero + size;
    if (!joint_needs_velocity(response->joint)) {
        return;
    }
    memset(zero, 0, sizeof(double) * 2 * size);
    if (evaluation->joints == BALANCE_LAWS) {
        joint_response_apply(response, zero, 1.0, change);
    }
    balance_joints_put(balance, response->joint, change, false, balance->d_force);
}

static void evaluate_joint(void *context, int j, struct joint_scratch *scratch)
{
    const struct evaluation *evaluation = context;
    struct balance *balance = evaluation->balance;
    struct joint_response *response = balance->joints[j];
    const struct joint *joint = response->joint;
    enum masing_status status = MASING_OK;
    balance_joints_gather(balance, joint, evaluation->y, response->x);
    if (evaluation->joints == BALANCE_LAWS) {
        status = joint_response_evaluate(response, scratch, evaluation->omega,
                                         balance->origin + joint->first_axis,
                                         evaluation->with_derivative);
    } else {
        act_as_spring(response, evaluation->joints == BALANCE_STUCK);
    }
    balance->joint_status[j] = status;
    balance_joints_put(balance, joint, response->f, false, balance->force);
    if (evaluation->with_derivative && status == MASING_OK) {
        put_omega_derivative(evaluation, response, scratch);
        balance->joint_status[j] = put_speed(evaluation, j, scratch);
    }
}

static void evaluate_undivided(void *context, int j, struct joint_scratch *scratch)
{
    const struct evaluation *evaluation = context;
    if (!is_divided(evaluation->balance, j)) {
        evaluate_joint(context, j, scratch);
    }
}

enum masing_status balance_joints_evaluate(struct balance *balance, enum balance_joints joints,
                                           const double *y, double omega, bool with_derivative)
{
    struct evaluation evaluation = {balance, joints, y, omega, with_derivative};
    NEED(balance_speed_set(balance, omega));
    double cost =
        joints == BALANCE_LAWS ? balance->evaluation_cost[with_derivative ? 1 : 0] : 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        if (is_divided(balance, j)) {
            evaluate_joint(&evaluation, j, balance->scratch[0]);
        }
    }
    balance_joints_share(balance, cost, evaluate_undivided, &evaluation);
    for (int j = 0; j < balance->n_joints; j++) {
        if (balance->joint_status[j] != MASING_OK) {
            return balance->joint_status[j];
        }
    }
    return MASING_OK;
}
