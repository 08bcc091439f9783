/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/joints.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

/* What stays the same of the steps of a joint; directions: room for 4 n_axes^2. */
static void set_step(struct joints *joints, int j, double *directions)
{
    const struct joint *joint = &joints->joint[j];
    const struct masing_law *law = joint->law;
    int m = joint->n_axes, n = joint_needs_velocity(joint) ? 2 * m : m;
    double *dx = directions, *dv = dx + m * n;
    for (int a = 0; a < m; a++) {
        dx[a * n + a] = 1.0;
        if (n > m) {
            dv[a * n + m + a] = 1.0;
        }
    }
    joints->step[j] =
        (struct masing_step){.law = law->form ? law->form(joint->parameters) : law,
                             .parameters = joint->parameters,
                             .f = joints->f + joint->first_axis,
                             .n = n,
                             .dx = dx,
                             .dv = dv,
                             .df = joints_tangent(joints, j)};
}

enum masing_status joints_create(const struct masing_model *model, struct arena *arena,
                                 struct joints **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct joints *joints = arena_array(arena, 1, sizeof *joints);
    TRY_ALLOCATED(joints);
    joints->n_joints = model->spec.n_joints;
    joints->n_axes = model->n_axes;
    joints->joint = model->joints;
    size_t n_joints = (size_t)joints->n_joints, n_axes = (size_t)joints->n_axes;
    joints->state_start = arena_array(arena, n_joints + 1, sizeof(size_t));
    joints->block_start = arena_array(arena, n_joints + 1, sizeof(size_t));
    TRY_ALLOCATED(!arena->has_failed);
    for (size_t j = 0; j < n_joints; j++) {
        const struct joint *joint = &joints->joint[j];
        joints->state_start[j + 1] =
            joints->state_start[j] + masing_law_state_size(joint->law, joint->parameters);
        joints->block_start[j + 1] =
            joints->block_start[j] + (size_t)joint->n_axes * (size_t)joint->n_axes;
        joints->needs_velocity = joints->needs_velocity || joint_needs_velocity(joint);
    }
    size_t n_states = joints->state_start[n_joints], n_tangents = joints->block_start[n_joints];
    joints->state = arena_doubles(arena, n_states);
    joints->next = arena_doubles(arena, n_states);
    joints->x = arena_doubles(arena, n_axes);
    joints->f = arena_doubles(arena, n_axes);
    joints->df = arena_doubles(arena, 2 * n_tangents);
    joints->step = arena_array(arena, n_joints, sizeof *joints->step);
    double *directions = arena_doubles(arena, 4 * n_tangents);
    TRY_ALLOCATED(!arena->has_failed);
    for (int j = 0; j < joints->n_joints; j++) {
        set_step(joints, j, directions + 4 * joints->block_start[j]);
    }
    *created = joints;
done:
    return status;
}

void joints_rest(struct joints *joints, const double *origin)
{
    for (int j = 0; j < joints->n_joints; j++) {
        const struct joint *joint = &joints->joint[j];
        masing_law_rest(joint->law, joint->parameters, origin + joint->first_axis,
                        joints->state + joints->state_start[j]);
    }
    memcpy(joints->x, origin, (size_t)joints->n_axes * sizeof(double));
}

enum masing_status joints_evaluate(struct joints *joints, const double *x, const double *v)
{
    enum masing_status status = MASING_OK;
    for (int j = 0; j < joints->n_joints && status == MASING_OK; j++) {
        struct masing_step *step = &joints->step[j];
        ptrdiff_t axis = step->f - joints->f;
        step->x = x + axis;
        step->v = v + axis;
        step->state = joints->state + joints->state_start[j];
        step->next_state = joints->next + joints->state_start[j];
        status = step->law->family->step(step);
    }
    return status;
}

void joints_accept(struct joints *joints, const double *x)
{
    double *state = joints->state;
    joints->state = joints->next;
    joints->next = state;
    memcpy(joints->x, x, (size_t)joints->n_axes * sizeof(double));
}

double joint_settle_on_limits(const struct masing_flow_point *point, int n, const int *ended,
                              const double *slope)
{
    enum { MOST_NUDGES = 8 };
    double x = *point->x, values[MASING_FLOW_MONITORS];
    struct masing_flow_point at = *point;
    at.x = &x;
    for (int i = 0; i < MOST_NUDGES; i++) {
        double nudge = 0.0;
        at.law->family->flow->monitors(&at, values);
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
