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
    const struct masing_flow *flow = joints->step[j].law->family->flow;
    bool has_state = joints->state_start[j + 1] > joints->state_start[j];
    joints->can_be_linear = joints->can_be_linear && joints->step[j].law->is_piecewise_linear &&
                            flow && flow->line && n <= (has_state ? 1 : 2);
}

enum masing_status joints_create(const struct masing_model *model, struct arena *arena,
                                 struct joints **created, struct masing_error *error)
{
    struct joints *joints = arena_array(arena, 1, sizeof *joints);
    NEED_ALLOCATED(joints);
    joints->n_joints = model->spec.n_joints;
    joints->n_axes = model->n_axes;
    joints->joint = model->joints;
    size_t n_joints = (size_t)joints->n_joints, n_axes = (size_t)joints->n_axes;
    joints->state_start = arena_array(arena, n_joints + 1, sizeof(size_t));
    joints->block_start = arena_array(arena, n_joints + 1, sizeof(size_t));
    NEED_ALLOCATED(!arena->has_failed);
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
    joints->level = arena_doubles(arena, n_axes);
    joints->low = arena_doubles(arena, n_axes);
    joints->high = arena_doubles(arena, n_axes);
    joints->way = arena_doubles(arena, n_axes);
    joints->can_be_linear = true;
    joints->step = arena_array(arena, n_joints, sizeof *joints->step);
    double *directions = arena_doubles(arena, 4 * n_tangents);
    NEED_ALLOCATED(!arena->has_failed);
    for (int j = 0; j < joints->n_joints; j++) {
        set_step(joints, j, directions + 4 * joints->block_start[j]);
    }
    *created = joints;
    return MASING_OK;
}

void joints_rest(struct joints *joints, const double *origin)
{
    for (int j = 0; j < joints->n_joints; j++) {
        const struct joint *joint = &joints->joint[j];
        masing_law_rest(joint->law, joint->parameters, origin + joint->first_axis,
                        joints->state + joints->state_start[j]);
    }
    memcpy(joints->x, origin, (size_t)joints->n_axes * sizeof(double));
    joints_replaced(joints);
}

static enum masing_status take(struct joints *joints, int j, const double *x, const double *v)
{
    struct masing_step *step = &joints->step[j];
    step->x = x;
    step->v = v;
    step->state = joints->state + joints->state_start[j];
    step->next_state = joints->next + joints->state_start[j];
    return step->law->family->step(step);
}

static void swap_states(struct joints *joints)
{
    double *state = joints->state;
    joints->state = joints->next;
    joints->next = state;
}

enum masing_status joints_catch_up(struct joints *joints)
{
    if (joints->is_behind) {
        for (int j = 0; j < joints->n_joints; j++) {
            if (joints->state_start[j + 1] > joints->state_start[j]) { /* feels no velocity */
                NEED(take(joints, j, joints->x + joints->joint[j].first_axis, NULL));
            }
        }
        joints->is_behind = false;
        swap_states(joints);
    }
    return MASING_OK;
}

enum masing_status joints_evaluate(struct joints *joints, const double *x, const double *v)
{
    enum masing_status status = joints_catch_up(joints);
    joints->is_linear = false;
    for (int j = 0; j < joints->n_joints && status == MASING_OK; j++) {
        ptrdiff_t axis = joints->step[j].f - joints->f;
        status = take(joints, j, x + axis, v + axis);
    }
    return status;
}

/*
 * Whether the force of a joint goes on linearly behind x, where it has just been accepted, and
 * how far: up to what ends the interval that a motion which goes on as it came begins here. Of
 * a joint that remembers where it turned, such a motion does not turn.
 */
static bool find_limits(struct joints *joints, int j, double x)
{
    const struct masing_step *step = &joints->step[j];
    const struct masing_flow *flow = step->law->family->flow;
    double *state = joints->next + joints->state_start[j];
    ptrdiff_t axis = step->f - joints->f;
    double direction = x - joints->x[axis], regime, values[MASING_FLOW_MONITORS];
    const double *now = joints_state(joints, j), *df = step->df;
    const struct masing_flow_point at = {.law = step->law,
                                         .parameters = step->parameters,
                                         .state = state,
                                         .regime = &regime,
                                         .x = &x,
                                         .v = &direction,
                                         .a = &direction};
    struct masing_flow_line line;
    memcpy(state, now,
           masing_law_state_used(step->law, step->parameters, now) * sizeof(double));
    flow->enter(&at, NULL);
    flow->line(&at, &line);
    flow->monitors(&at, values);
    double low = -INFINITY, high = INFINITY;
    for (int m = flow->first_is_reversal ? 1 : 0; m < MASING_FLOW_MONITORS; m++) {
        double slope = line.monitor_slope[m], limit = x - values[m] / slope;
        low = slope > 0.0 ? fmax(low, limit) : low;
        high = slope < 0.0 ? fmin(high, limit) : high;
    }
    double damping = step->n > 1 ? df[1] : 0.0;
    joints->low[axis] = low;
    joints->high[axis] = high;
    joints->way[axis] = flow->first_is_reversal ? copysign(1.0, direction) : 0.0;
    joints->level[axis] = *step->f - df[0] * x - (damping != 0.0 ? damping * *step->v : 0.0);
    return direction != 0.0 && line.stiffness == df[0] && line.damping == damping;
}

void joints_accept(struct joints *joints, const double *x)
{
    swap_states(joints);
    joints->is_linear = joints->can_be_linear;
    for (int j = 0; j < joints->n_joints && joints->is_linear; j++) {
        joints->is_linear = find_limits(joints, j, x[joints->joint[j].first_axis]);
    }
    memcpy(joints->x, x, (size_t)joints->n_axes * sizeof(double));
}

void joints_accept_linear(struct joints *joints, const double *x, const double *f)
{
    for (int i = 0; i < joints->n_axes; i++) {
        joints->x[i] = x[i];
        joints->f[i] = f[i];
    }
    joints->is_behind = true;
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
