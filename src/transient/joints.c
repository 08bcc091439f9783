/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/joints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* Places of states and tangent blocks. */
static void lay_out(struct joints *joints)
{
    for (int j = 0; j < joints->n_joints; j++) {
        const struct joint *joint = &joints->joint[j];
        const struct masing_family *family = joint->law->family;
        size_t n_axes = (size_t)joint->n_axes;
        joints->state_start[j + 1] =
            joints->state_start[j] + family->state_size(joint->law, joint->parameters);
        joints->block_start[j + 1] = joints->block_start[j] + n_axes * n_axes;
        joints->needs_velocity = joints->needs_velocity || joint_needs_velocity(joint);
    }
}

enum masing_status joints_create(const struct masing_model *model, struct joints **created,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct joints *joints = memory_array(1, sizeof *joints);
    TRY_ALLOCATED(joints);
    joints->n_joints = model->spec.n_joints;
    joints->n_axes = model->n_axes;
    joints->joint = model->joints;
    size_t n_joints = (size_t)joints->n_joints, n_axes = (size_t)joints->n_axes;
    joints->state_start = memory_array(n_joints + 1, sizeof(size_t));
    joints->block_start = memory_array(n_joints + 1, sizeof(size_t));
    TRY_ALLOCATED(joints->state_start);
    TRY_ALLOCATED(joints->block_start);
    lay_out(joints);
    size_t n_states = joints->state_start[n_joints], n_tangents = joints->block_start[n_joints];
    joints->state = memory_array(n_states, sizeof(double));
    joints->next = memory_array(n_states, sizeof(double));
    joints->x = memory_array(n_axes, sizeof(double));
    joints->f = memory_array(n_axes, sizeof(double));
    joints->fx = memory_array(n_tangents, sizeof(double));
    joints->fv = memory_array(n_tangents, sizeof(double));
    TRY_ALLOCATED(joints->state);
    TRY_ALLOCATED(joints->next);
    TRY_ALLOCATED(joints->x);
    TRY_ALLOCATED(joints->f);
    TRY_ALLOCATED(joints->fx);
    TRY_ALLOCATED(joints->fv);
done:
    if (status != MASING_OK) {
        joints_destroy(joints);
        joints = NULL;
    }
    *created = joints;
    return status;
}

void joints_destroy(struct joints *joints)
{
    if (joints) {
        free(joints->state_start);
        free(joints->block_start);
        free(joints->state);
        free(joints->next);
        free(joints->x);
        free(joints->f);
        free(joints->fx);
        free(joints->fv);
        free(joints);
    }
}

void joints_rest(struct joints *joints, const double *origin)
{
    for (int j = 0; j < joints->n_joints; j++) {
        const struct joint *joint = &joints->joint[j];
        joint->law->family->rest(joint->law, joint->parameters, origin + joint->first_axis,
                                 joints->state + joints->state_start[j]);
    }
    memcpy(joints->x, origin, (size_t)joints->n_axes * sizeof(double));
}

enum masing_status joints_evaluate(struct joints *joints, const double *x, const double *v)
{
    for (int j = 0; j < joints->n_joints; j++) {
        const struct joint *joint = &joints->joint[j];
        int axis = joint->first_axis;
        size_t state = joints->state_start[j], block = joints->block_start[j];
        enum masing_status status =
            joint->law->family->step(joint->law, joint->parameters, joints->x + axis, x + axis,
                                     v + axis, joints->state + state, joints->next + state,
                                     joints->f + axis, joints->fx + block, joints->fv + block);
        if (status != MASING_OK) {
            return status;
        }
    }
    return MASING_OK;
}

void joints_accept(struct joints *joints, const double *x)
{
    double *state = joints->state;
    joints->state = joints->next;
    joints->next = state;
    memcpy(joints->x, x, (size_t)joints->n_axes * sizeof(double));
}

double joint_settle_on_limits(const struct joint *joint, const double *state,
                              const double *regime, const struct masing_flow_point *point,
                              int n, const int *ended, const double *slope)
{
    enum { MOST_NUDGES = 8 };
    double x = *point->x, values[MASING_FLOW_MONITORS];
    struct masing_flow_point at = *point;
    at.x = &x;
    for (int i = 0; i < MOST_NUDGES; i++) {
        double nudge = 0.0;
        joint->law->family->flow->monitors(joint->law, joint->parameters, state, regime, &at,
                                           values);
        for (int m = 0; m < n; m++) {
            bool is_short = ended[m] < 0 && slope[m] != 0.0 && values[m] > 0.0;
            double left = is_short ? -values[m] / slope[m] : 0.0;
            nudge = fabs(left) > fabs(nudge) ? left : nudge;
        }
        if (nudge == 0.0) {
            break;
        }
        double next = x + nudge;
        x = next != x ? next : nextafter(x, copysign(INFINITY, nudge));
    }
    return x;
}
