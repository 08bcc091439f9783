/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where intervals of the flow solver's joints end, and what they go on with. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "transient/flow/flow_solver.h"

/* Below this part of the tolerance of velocities a joint may still be at rest. */
static const double REST_SHARE = 1e-3, LEAST_REST_SHARE = 8.0 * DBL_EPSILON;

static bool has_reversals(const struct flow_solver *solver, int j)
{
    return solver->parts.model->joints[j].law->family->flow->first_is_reversal;
}

/* Laws without memory end intervals at displacements. */
static bool has_corners(const struct flow_solver *solver, int j)
{
    return !has_reversals(solver, j) && solver->parts.model->joints[j].law->family->flow->line;
}

/* A bound of what the displacement of an axis has been so far, or its velocity. */
static double size_of(const struct flow_solver *solver, size_t axis, bool is_velocity)
{
    const struct forcing *forcing = solver->parts.forcing;
    size_t n = (size_t)solver->n_modes, width = n + (size_t)forcing->n_ports;
    bool has_loads = solver->massless && solver->parts.ports->is_massless[axis];
    const double *sizes = solver->size + (is_velocity ? n : 0);
    double sum = has_loads && !is_velocity ? fabs(forcing->constant[n + axis]) : 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += fabs(solver->parts.ports->shapes[axis * n + k]) * sizes[k];
    }
    for (size_t term = 0; has_loads && term < (size_t)forcing->n_terms; term++) {
        size_t at = term * width + n + axis;
        double rate = is_velocity ? solver->parts.omega * forcing->harmonics[term] : 1.0;
        sum += rate * hypot(forcing->cosine[at], forcing->sine[at]);
    }
    return sum;
}

void flow_solver_set_rest(struct flow_solver *solver)
{
    double part = fmax(REST_SHARE * solver->parts.model->spec.integration.accuracy,
                       LEAST_REST_SHARE),
           shared[2] = {0.0, 0.0};
    for (int j = 0; j < solver->n_joints; j++) {
        int axis = solver->parts.model->joints[j].first_axis;
        bool turns = has_reversals(solver, j), is_loose = turns || has_corners(solver, j);
        bool is_massless = solver->massless && solver->parts.ports->is_massless[axis];
        solver->rest[j] = is_loose ? part * size_of(solver, (size_t)axis, turns) : 0.0;
        shared[turns] = fmax(shared[turns], is_massless ? solver->rest[j] : 0.0);
    }
    /* DOFs without mass move as others do */
    for (int j = 0; j < solver->n_joints; j++) {
        int axis = solver->parts.model->joints[j].first_axis;
        if (solver->massless && solver->parts.ports->is_massless[axis]) {
            solver->rest[j] = shared[has_reversals(solver, j)];
        }
    }
}

/*
 * A reversal ends its interval a little below zero: a joint that rests to round-off turns when
 * it moves, not before. One that began in the wrong direction, as accelerations of no size do
 * not tell it, is soon put right.
 */
int flow_solver_monitors(realtype time, N_Vector y, realtype *values, void *context)
{
    struct flow_solver *solver = context;
    const double *state = N_VGetArrayPointer(y);
    if ((solver->needs_acceleration ? flow_solver_accelerate(solver, time, state)
                                    : flow_solver_project(solver, time, state)) != MASING_OK) {
        return -1;
    }
    for (int j = 0; j < solver->n_joints; j++) {
        struct masing_flow_point point = flow_solver_point(solver, j, state);
        point.a = solver->a + solver->parts.model->joints[j].first_axis;
        point.law->family->flow->monitors(&point, values + solver->monitor_start[j]);
        int first = solver->monitor_start[j];
        int end = has_reversals(solver, j) ? first + 1 : solver->monitor_start[j + 1];
        for (int g = first; g < end; g++) {
            values[g] += solver->rest[j];
        }
    }
    return 0;
}

/* The direction of a joint's interval: its first monitor, were it to move forwards. */
static double direction_of(const struct flow_solver *solver, int j)
{
    const double forwards = 1.0;
    struct masing_flow_point point =
        flow_solver_point(solver, j, N_VGetArrayPointer(solver->y));
    double *values = solver->monitors + solver->monitor_start[j];
    point.v = &forwards;
    point.law->family->flow->monitors(&point, values);
    return values[0] > 0.0 ? 1.0 : -1.0;
}

void flow_solver_begin_interval(struct flow_solver *solver, int j, const int *ended,
                                double direction)
{
    const struct joint *joint = &solver->parts.model->joints[j];
    double *z = N_VGetArrayPointer(solver->y) + 2 * solver->n_modes + solver->z_start[j];
    const double still = 0.0;
    struct masing_flow_point point =
        flow_solver_point(solver, j, N_VGetArrayPointer(solver->y));
    point.a = solver->a + joint->first_axis;
    point.size = solver->span + joint->first_axis;
    point.ended = ended;
    if (direction != 0.0) {
        point.v = &still;
        point.a = &direction;
    }
    joint->law->family->flow->enter(&point, z);
}

/* The displacement of a joint, beyond the limits that ended its interval. */
static double settle_on_limits(const struct flow_solver *solver, int j, const int *ended)
{
    const struct joint *joint = &solver->parts.model->joints[j];
    const struct masing_flow_point point =
        flow_solver_point(solver, j, N_VGetArrayPointer(solver->y));
    int n = solver->monitor_start[j + 1] - solver->monitor_start[j];
    double slope[MASING_FLOW_MONITORS] = {0.0};
    if (!has_reversals(solver, j) || !joint->law->family->flow->line) {
        return *point.x;
    }
    double direction = direction_of(solver, j);
    for (int m = 1; m < n; m++) {
        slope[m] = -direction;
    }
    return joint_settle_on_limits(&point, n, ended, slope);
}

/* Whatever accelerations say at a reversal, it goes the other way. */
static void pass_event(struct flow_solver *solver, int j, const int *roots)
{
    const struct joint *joint = &solver->parts.model->joints[j];
    struct masing_flow_point point =
        flow_solver_point(solver, j, N_VGetArrayPointer(solver->y));
    double settled[MASING_MAX_AXES];
    memcpy(settled, point.x, (size_t)joint->n_axes * sizeof(double));
    settled[0] = settle_on_limits(solver, j, roots + solver->monitor_start[j]);
    point.x = settled;
    int first = solver->monitor_start[j];
    double direction = 0.0;
    if (has_reversals(solver, j) && roots[first]) {
        direction = direction_of(solver, j) * (roots[first] < 0 ? -1.0 : 1.0);
    }
    point.law->family->flow->leave(&point);
    flow_solver_begin_interval(solver, j, roots + first, direction);
}

enum masing_status flow_solver_enter(struct flow_solver *solver, double time, const int *roots)
{
    double *y = N_VGetArrayPointer(solver->y);
    enum masing_status status = flow_solver_accelerate(solver, time, y);
    if (solver->massless && status == MASING_OK) {
        massless_accelerate(solver->massless, time);
    }
    for (int j = 0; j < solver->n_joints && status == MASING_OK; j++) {
        bool has_ended = false;
        for (int g = solver->monitor_start[j]; roots && g < solver->monitor_start[j + 1]; g++) {
            has_ended = has_ended || roots[g];
        }
        if (!roots) {
            flow_solver_begin_interval(solver, j, NULL, 0.0);
        } else if (has_ended) {
            pass_event(solver, j, roots);
        }
    }
    if (solver->massless && status == MASING_OK) {
        status = massless_settle(solver->massless, time, y);
    }
    return status;
}

/* CVODE finds changes of sign: a monitor that began below zero would never end its interval. */
enum masing_status flow_solver_end_overdue(struct flow_solver *solver, double time,
                                           bool *is_any)
{
    enum { MOST_IN_A_ROW = 3 };
    bool is_reversal = false;
    *is_any = false;
    if (flow_solver_monitors(time, solver->y, solver->monitors, solver) != 0) {
        return MASING_NOT_CONVERGED;
    }
    for (int g = 0; g < solver->monitor_start[solver->n_joints]; g++) {
        solver->roots[g] = solver->monitors[g] < 0.0 ? -1 : 0;
        *is_any = *is_any || solver->roots[g];
    }
    for (int j = 0; j < solver->n_joints; j++) {
        is_reversal = is_reversal ||
                      (has_reversals(solver, j) && solver->roots[solver->monitor_start[j]]);
    }
    solver->n_overdue = is_reversal ? solver->n_overdue + 1 : 0;
    if (solver->n_overdue > MOST_IN_A_ROW) {
        solver->trouble = "a joint does not move as its law says, however often it begins "
                          "anew; integration.accuracy may be too fine";
        return MASING_NOT_CONVERGED;
    }
    return *is_any ? flow_solver_enter(solver, time, solver->roots) : MASING_OK;
}
