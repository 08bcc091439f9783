/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The spring that holds the mean of a rigid-body mode. */
#include <math.h>

#include "harmonic/balance.h"
#include "model/joint_stiffness.h"

/*
 * Share of omega^2 that holds a rigid-body mode's mean. Where only joints resist the motion
 * that slip or forget, and nothing pushes it, the mean force vanishes by symmetry and the mean
 * is undetermined: it is held firmly at zero. Elsewhere equilibrium decides, and the spring is
 * just strong enough for the equations to be solvable, and next to nothing beside the joints.
 */
static const double FIRM_STIFFNESS = 1e-2, WEAK_STIFFNESS = 1e-6, SHARE_OF_JOINTS = 1e-9;

/* Whether a static load or a spring decides about the mean of a rigid-body mode. */
static bool is_held_by_equilibrium(const struct balance *balance,
                                   const struct balance_mode *mode)
{
    if (balance->is_static && mode->participation[balance->n_in - 1] != 0.0) {
        return true;
    }
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        bool is_spring = masing_law_hold(joint->law, joint->parameters) == MASING_HOLD_SPRING;
        for (int a = 0; a < joint->n_axes && is_spring; a++) {
            if (mode->participation[joint->first_axis + a] != 0.0) {
                return true;
            }
        }
    }
    return false;
}

/* |w^T K w| of a joint as a spring */
static double stiffness_along(const struct joint *joint, bool is_stuck, const double *w)
{
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES], sum = 0.0;
    int n = joint->n_axes;
    joint_stiffness(joint, is_stuck, tangent);
    for (int i = 0; i < n * n; i++) {
        sum += w[i / n] * tangent[i] * w[i % n];
    }
    return fabs(sum);
}

/* What stuck or slipping joints add to a mode's stiffness, whichever is more, 1/s^2. */
static double joints_stiffness(const struct balance *balance, const struct balance_mode *mode)
{
    double sum = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        if (masing_law_hold(joint->law, joint->parameters) != MASING_HOLD_NONE) {
            const double *share = mode->participation + joint->first_axis;
            sum +=
                fmax(stiffness_along(joint, true, share), stiffness_along(joint, false, share));
        }
    }
    return sum;
}

double balance_rigid_stiffness(const struct balance *balance, const struct balance_mode *mode)
{
    const struct masing_spec *spec = &balance->model->spec;
    double square = pow(fmax(spec->omega_from, spec->omega_to), 2.0);
    if (!is_held_by_equilibrium(balance, mode)) {
        return FIRM_STIFFNESS * square;
    }
    double beside = SHARE_OF_JOINTS * joints_stiffness(balance, mode);
    return beside > 0.0 ? fmin(beside, WEAK_STIFFNESS * square) : WEAK_STIFFNESS * square;
}
