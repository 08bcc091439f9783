/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/exact/exact_solver.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "linalg/first_root.h"
#include "transient/exact/series.h"

/* Gauss and Legendre's rule of 8 nodes: powers are products of two series over at most the time
 * that one is good for, whose terms from the 16th on are below 1e-9 of the first; the rule
 * leaves less than 1e-8 of those. */
enum { HALF_NODES = 4 };
static const double NODES[HALF_NODES] = {0.18343464249564980494, 0.52553240991632898582,
                                         0.79666647741362673959, 0.96028985649753623168};
static const double WEIGHTS[HALF_NODES] = {0.36268378337836198297, 0.31370664587788728734,
                                           0.22238103445337447054, 0.10122853629037625915};

/* Work along the motion that a series describes, to round-off. */
struct series_work {
    double *q, *v, *damping; /* [n_modes] */
    double *force;           /* [n_modes + n_ports] */
};

struct exact_solver {
    struct stepper_parts parts;
    struct series *series;
    struct masing_flow_line *lines; /* [n_joints]; joint j has one axis, j */
    double *regime;                 /* [n_joints] */
    double *root;                   /* [n_joints][MASING_FLOW_MONITORS] parts of a series */
    double *q, *v;                  /* [n_modes] */
    double *x, *w;                  /* [n_axes] displacements and velocities of the joints */
    double *held;                   /* [states of all joints] scratch */
    struct series_work power;
    struct work work;
    bool is_measured;
    double time, event_time;
    long events;
    const char *trouble;
};

/* Power at a part of the series, times a weight in seconds. */
static void add_power(const struct series_work *work, const struct series *series,
                      const struct masing_flow_line *lines, double phase, double part,
                      double weight, struct work *total)
{
    const struct stepper_parts *parts = series->parts;
    int n_modes = series->n_modes;
    phase += parts->omega * part * series->length;
    series_state(series, part, work->q, work->v);
    modal_state_damping(parts->modal, work->v, work->damping);
    forcing_at(parts->forcing, phase, work->force);
    for (int k = 0; k < n_modes; k++) {
        total->loads += weight * work->force[k] * work->v[k];
        total->damping += weight * work->damping[k] * work->v[k];
    }
    if (parts->ports->flexibility) {
        forcing_derivative(parts->forcing, parts->omega, phase, 1, work->force);
    }
    for (int axis = 0; axis < series->n_axes; axis++) {
        double x, w;
        series_axis(series, axis, part, &x, &w);
        double f = lines[axis].stiffness * x + lines[axis].damping * w + lines[axis].level;
        total->joints += weight * f * w;
        if (parts->ports->flexibility) {
            total->loads += weight * f * work->force[n_modes + axis];
        }
    }
}

/* Add what is done from the beginning of the series to a part of its length; lines [n_axes] are
 * those that it was expanded for, phase is that of the loads' fundamental there. */
static void add_work(const struct series_work *work, const struct series *series,
                     const struct masing_flow_line *lines, double phase, double part,
                     struct work *total)
{
    double half = 0.5 * part;
    for (int i = 0; i < HALF_NODES; i++) {
        double weight = half * series->length * WEIGHTS[i];
        add_power(work, series, lines, phase, half * (1.0 - NODES[i]), weight, total);
        add_power(work, series, lines, phase, half * (1.0 + NODES[i]), weight, total);
    }
}

static enum masing_status refuse(const struct stepper_parts *parts, struct masing_error *error)
{
    for (int j = 0; j < parts->model->spec.n_joints; j++) {
        const struct joint *joint = &parts->model->joints[j];
        const struct masing_law *law = joint->law;
        if (!law->is_piecewise_linear || !law->family->flow || !law->family->flow->line) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "integration.method: exact is for joints that are linear "
                                    "between events; joint '%s' has the law %s: accurate or "
                                    "newmark may do",
                                    joint->name, law->name);
        }
    }
    return MASING_OK;
}

static enum masing_status allocate(struct exact_solver *solver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct stepper_parts *parts = &solver->parts;
    struct arena *arena = parts->arena;
    size_t n_joints = (size_t)parts->model->spec.n_joints;
    size_t n_modes = (size_t)parts->ports->n_modes, n_axes = (size_t)parts->ports->n_axes;
    solver->lines = arena_array(arena, n_joints, sizeof *solver->lines);
    solver->regime = arena_doubles(arena, n_joints);
    solver->root = arena_doubles(arena, n_joints * MASING_FLOW_MONITORS);
    solver->held = arena_doubles(arena, joints_state_size(parts->joints));
    solver->x = arena_doubles(arena, n_axes);
    solver->w = arena_doubles(arena, n_axes);
    double **of_modes[] = {&solver->q, &solver->v, &solver->power.q, &solver->power.v,
                           &solver->power.damping};
    for (size_t i = 0; i < sizeof of_modes / sizeof *of_modes; i++) {
        *of_modes[i] = arena_doubles(arena, n_modes);
    }
    solver->power.force = arena_doubles(arena, n_modes + (size_t)parts->ports->n_ports);
    TRY_ALLOCATED(!arena->has_failed);
done:
    return status;
}

static enum masing_status create(const struct stepper_parts *parts, struct stepper *stepper,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct exact_solver *solver = NULL;
    TRY(refuse(parts, error));
    solver = arena_array(parts->arena, 1, sizeof *solver);
    TRY_ALLOCATED(solver);
    stepper->self = solver;
    solver->parts = *parts;
    TRY(allocate(solver, error));
    TRY(series_create(&solver->parts, &solver->series, error));
done:
    return status;
}

/* Series within one step; joints that turn at one event. */
enum { MOST_PARTS = 1000000, MOST_TURNS = 1000 };
/* Events this close, in lengths of a series, are one. */
static const double SAME_EVENT = 1e-13;
/* Monitors end an interval below zero by these parts of the largest velocity or displacement,
 * as round-off may lie on either side. */
static const double VELOCITY_ROUNDING = 1e-13, DISPLACEMENT_ROUNDING = 1e-14;

static void project(struct exact_solver *solver)
{
    const struct ports *ports = solver->parts.ports;
    ports_project(ports->n_axes, ports->n_modes, ports->shapes, solver->q, solver->x);
    ports_project(ports->n_axes, ports->n_modes, ports->shapes, solver->v, solver->w);
}

static bool is_massless(const struct exact_solver *solver, int axis)
{
    return solver->series->flexible && solver->parts.ports->is_massless[axis];
}

/* Begin an interval of a joint. */
static void enter(struct exact_solver *solver, int j, double x, double v, double direction)
{
    const struct joint *joint = &solver->parts.model->joints[j];
    const struct masing_flow *flow = joint->law->family->flow;
    const struct masing_flow_point point = {.x = &x, .v = &v, .a = &direction};
    double *state = joints_state(solver->parts.joints, j), *regime = &solver->regime[j];
    flow->enter(joint->law, joint->parameters, &point, NULL, state, regime, NULL);
    flow->line(joint->law, joint->parameters, state, regime, &solver->lines[j]);
}

static double phase_at(const struct exact_solver *solver, double time)
{
    double turns = time * solver->parts.omega / TWO_PI;
    return TWO_PI * (turns - floor(turns));
}

static void expand(struct exact_solver *solver, double rate, double length)
{
    series_expand(solver->series, solver->lines, rate, phase_at(solver, solver->time),
                  solver->q, solver->v, length);
}

/* Expand as far as the series reaches, for the lines that hold now. */
static enum masing_status look_ahead(struct exact_solver *solver)
{
    if (!series_set(solver->series, solver->lines)) {
        solver->trouble = FLEXIBLE_JUMPS;
        return MASING_NOT_CONVERGED;
    }
    double rate = series_rate(solver->series, solver->lines);
    if (!isfinite(rate) || !(rate > 0.0)) {
        return MASING_NOT_FINITE;
    }
    expand(solver, rate, 1.0 / rate);
    return MASING_OK;
}

/* The first joint that goes against the direction of its interval, or -1. */
static int first_against(const struct exact_solver *solver)
{
    for (int j = 0; j < solver->parts.model->spec.n_joints; j++) {
        const struct joint *joint = &solver->parts.model->joints[j];
        double direction = solver->lines[j].monitor_slope[0];
        if (is_massless(solver, j) && joint->law->family->flow->first_is_reversal &&
            direction * series_heading(solver->series, j) < 0.0) {
            return j;
        }
    }
    return -1;
}

/*
 * Where a joint begins another interval the velocities of DOFs without mass jump, and others
 * may have to turn. Turning always the first that goes the wrong way ends where tangents are
 * not negative, since the map from directions is then one with a P-matrix (Murty 1974).
 */
static enum masing_status settle_directions(struct exact_solver *solver)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < MOST_TURNS && solver->series->flexible; i++) {
        TRY(look_ahead(solver));
        int j = first_against(solver);
        if (j < 0) {
            goto done;
        }
        const struct joint *joint = &solver->parts.model->joints[j];
        const struct masing_flow_point point = {.x = &solver->x[j], .v = &solver->w[j]};
        TRY(joint->law->family->flow->leave(joint->law, joint->parameters, &solver->regime[j],
                                            &point, joints_state(solver->parts.joints, j)));
        enter(solver, j, solver->x[j], 0.0, series_heading(solver->series, j));
    }
    if (solver->series->flexible) {
        solver->trouble = FLEXIBLE_JUMPS;
        status = MASING_NOT_CONVERGED;
    }
done:
    return status;
}

/* Where the joints stand under the loads, and velocities as if they had no forces. */
static enum masing_status begin_flexible(struct exact_solver *solver)
{
    const struct joints *joints = solver->parts.joints;
    enum masing_status status = flexible_start(solver->series->flexible);
    for (int axis = 0; axis < joints->n_axes; axis++) {
        solver->x[axis] = is_massless(solver, axis) ? joints->x[axis] : solver->x[axis];
    }
    flexible_add_loads(solver->series->flexible, 0.0, 1, solver->w);
    return status;
}

/* With regimes by the velocities alone there are forces, and so the directions in which what
 * rests will move. */
static enum masing_status begin(void *self)
{
    struct exact_solver *solver = self;
    enum masing_status status = MASING_OK;
    const struct stepper_parts *parts = &solver->parts;
    int n_joints = parts->model->spec.n_joints;
    size_t n_modes = (size_t)parts->ports->n_modes;
    size_t states = joints_state_size(parts->joints) * sizeof(double);
    memcpy(solver->q, parts->modal->q, n_modes * sizeof(double));
    memcpy(solver->v, parts->modal->v, n_modes * sizeof(double));
    solver->events = 0;
    solver->time = 0.0;
    series_begin(solver->series);
    project(solver);
    if (solver->series->flexible) {
        TRY(begin_flexible(solver));
    }
    memcpy(solver->held, parts->joints->state, states);
    for (int j = 0; j < n_joints; j++) {
        enter(solver, j, solver->x[j], solver->w[j], 0.0);
    }
    TRY(look_ahead(solver));
    memcpy(parts->joints->state, solver->held, states);
    for (int j = 0; j < n_joints; j++) {
        bool is_moved_at_once = is_massless(solver, j);
        double w = is_moved_at_once ? 0.0 : solver->w[j];
        enter(solver, j, solver->x[j], w,
              is_moved_at_once ? series_heading(solver->series, j)
                               : series_direction(solver->series, j, 0.0));
    }
    status = settle_directions(solver);
done:
    return status;
}

/* Where the monitors of a joint fall to zero within the series. */
static double find_roots(struct exact_solver *solver, int j)
{
    const struct joint *joint = &solver->parts.model->joints[j];
    const struct masing_flow *flow = joint->law->family->flow;
    const struct series *series = solver->series;
    const double *x = series->x + (size_t)j * SERIES_ROOM;
    const double *w = series->w + (size_t)j * SERIES_ROOM;
    const struct masing_flow_point point = {.x = x, .v = w};
    double value[MASING_FLOW_MONITORS], polynomial[SERIES_ROOM], first = INFINITY;
    bool rests = is_massless(solver, j) && series_heading(series, j) == 0.0;
    flow->monitors(joint->law, joint->parameters, joints_state(solver->parts.joints, j),
                   &solver->regime[j], &point, value);
    for (int g = 0; g < MASING_FLOW_MONITORS; g++) {
        double slope = solver->lines[j].monitor_slope[g];
        double *root = &solver->root[j * MASING_FLOW_MONITORS + g];
        const double *motion = g == 0 && flow->first_is_reversal ? w : x;
        *root = INFINITY;
        if (slope != 0.0 && !rests) {
            polynomial[0] =
                value[g] + (motion == w ? VELOCITY_ROUNDING * series->fastest[j]
                                        : DISPLACEMENT_ROUNDING * series->farthest[j]);
            for (int k = 1; k <= series->order; k++) {
                polynomial[k] = slope * motion[k];
            }
            *root = first_root(series->order, polynomial);
            first = fmin(first, *root);
        }
    }
    return first;
}

/* End a joint's interval, if one of its monitors fired by this part of the series, and begin
 * another. */
static enum masing_status pass_event(struct exact_solver *solver, int j, double part)
{
    const struct joint *joint = &solver->parts.model->joints[j];
    const struct masing_flow *flow = joint->law->family->flow;
    const double *root = solver->root + (size_t)j * MASING_FLOW_MONITORS;
    const struct masing_flow_point here = {.x = &solver->x[j], .v = &solver->w[j]};
    double v = solver->w[j], direction = series_direction(solver->series, j, part);
    double slope[MASING_FLOW_MONITORS];
    int ended[MASING_FLOW_MONITORS];
    bool is_over = false;
    memcpy(slope, solver->lines[j].monitor_slope, sizeof slope);
    for (int m = 0; m < MASING_FLOW_MONITORS; m++) {
        ended[m] = root[m] <= part + SAME_EVENT ? -1 : 0;
        is_over = is_over || ended[m];
    }
    if (!is_over) {
        return MASING_OK;
    }
    if (flow->first_is_reversal) {
        v = ended[0] ? 0.0 : v;
        direction = ended[0] ? -slope[0] : direction;
        slope[0] = 0.0;
    }
    double x =
        joint_settle_on_limits(joint, joints_state(solver->parts.joints, j), &solver->regime[j],
                               &here, MASING_FLOW_MONITORS, ended, slope);
    const struct masing_flow_point point = {.x = &x, .v = &v};
    enum masing_status status = flow->leave(joint->law, joint->parameters, &solver->regime[j],
                                            &point, joints_state(solver->parts.joints, j));
    enter(solver, j, x, v, direction);
    return status;
}

/* To the first event within the series, or to its end: the part of it that was gone. */
static enum masing_status go(struct exact_solver *solver, double *part, bool *is_event)
{
    int n_modes = solver->parts.ports->n_modes, n_joints = solver->parts.model->spec.n_joints;
    enum masing_status status = MASING_OK;
    double first = INFINITY, sum = 0.0;
    for (int j = 0; j < n_joints; j++) {
        first = fmin(first, find_roots(solver, j));
    }
    *is_event = first <= 1.0;
    *part = *is_event ? first : 1.0;
    series_state(solver->series, *part, solver->q, solver->v);
    project(solver);
    for (int axis = 0; axis < n_joints; axis++) {
        if (is_massless(solver, axis)) {
            series_axis(solver->series, axis, *part, &solver->x[axis], &solver->w[axis]);
        }
    }
    for (int k = 0; k < n_modes; k++) {
        sum += solver->q[k] + solver->v[k];
    }
    if (!isfinite(sum)) {
        return MASING_NOT_FINITE;
    }
    if (solver->is_measured) {
        add_work(&solver->power, solver->series, solver->lines, phase_at(solver, solver->time),
                 *part, &solver->work);
    }
    for (int j = 0; *is_event && j < n_joints && status == MASING_OK; j++) {
        status = pass_event(solver, j, *part);
    }
    return status;
}

static void hand_over(struct exact_solver *solver)
{
    const struct stepper_parts *parts = &solver->parts;
    size_t n_modes = (size_t)parts->ports->n_modes, n_axes = (size_t)parts->ports->n_axes;
    memcpy(parts->modal->q, solver->q, n_modes * sizeof(double));
    memcpy(parts->modal->v, solver->v, n_modes * sizeof(double));
    memcpy(parts->joints->x, solver->x, n_axes * sizeof(double));
    for (size_t a = 0; a < n_axes; a++) {
        const struct masing_flow_line *line = &solver->lines[a];
        parts->joints->f[a] =
            line->stiffness * solver->x[a] + line->damping * solver->w[a] + line->level;
    }
    modal_state_accelerate(parts->modal, parts->force, parts->joints->f);
}

static enum masing_status advance(void *self, double time)
{
    struct exact_solver *solver = self;
    double rest = time - solver->time;
    int n_events = 0;
    for (int i = 0; i < MOST_PARTS && rest > 0.0; i++) {
        double rate = series_rate(solver->series, solver->lines), part;
        double n_parts = fmax(ceil(rest * rate), 1.0), length = rest / n_parts;
        bool is_event;
        if (!isfinite(n_parts)) {
            return MASING_NOT_FINITE;
        }
        expand(solver, rate, length);
        enum masing_status status = go(solver, &part, &is_event);
        if (status != MASING_OK) {
            return status;
        }
        rest = is_event || n_parts > 1.0 ? rest - part * length : 0.0;
        solver->time = time - fmax(rest, 0.0);
        solver->events += is_event;
        n_events += is_event;
        solver->event_time = is_event ? solver->time : solver->event_time;
        status = is_event ? settle_directions(solver) : MASING_OK;
        if (status != MASING_OK) {
            return status;
        }
        if (n_events > STEPPER_MOST_EVENTS) {
            solver->trouble = STEPPER_CHATTER;
            return MASING_NOT_CONVERGED;
        }
    }
    solver->trouble = "the fastest vibration has far more periods than a step can follow; a "
                      "joint or a spring may be too stiff";
    hand_over(solver);
    return rest > 0.0 ? MASING_NOT_CONVERGED : MASING_OK;
}

/* What the joints remember up to now: their states are those of the present intervals. */
static enum masing_status leave_intervals(const struct exact_solver *solver, double *memory)
{
    const struct joints *joints = solver->parts.joints;
    enum masing_status status = MASING_OK;
    memcpy(memory, joints->state, joints_state_size(joints) * sizeof(double));
    for (int j = 0; j < joints->n_joints && status == MASING_OK; j++) {
        const struct joint *joint = &joints->joint[j];
        const struct masing_flow_point point = {.x = &solver->x[j], .v = &solver->w[j]};
        status =
            joint->law->family->flow->leave(joint->law, joint->parameters, &solver->regime[j],
                                            &point, memory + joints->state_start[j]);
    }
    return status;
}

static enum masing_status state(const void *self, double *memory, double *velocities)
{
    const struct exact_solver *solver = self;
    if (velocities) {
        memcpy(velocities, solver->w, (size_t)solver->parts.ports->n_axes * sizeof(double));
    }
    return memory ? leave_intervals(solver, memory) : MASING_OK;
}

static enum masing_status measure(void *self)
{
    struct exact_solver *solver = self;
    solver->is_measured = true;
    solver->work = (struct work){0};
    return MASING_OK;
}

static struct work work(const void *self)
{
    const struct exact_solver *solver = self;
    struct work work = solver->work;
    work.doubt = fabs(work.loads - work.joints - work.damping);
    return work;
}

static const char *trouble(const void *self)
{
    const struct exact_solver *solver = self;
    return solver->trouble;
}

long exact_solver_events(const struct stepper *stepper)
{
    const struct exact_solver *solver = stepper->self;
    return solver->events;
}

double exact_solver_event_time(const struct stepper *stepper)
{
    const struct exact_solver *solver = stepper->self;
    return solver->event_time;
}

const struct stepper_type exact_stepper = {
    .keeps_state = true,
    .create = create,
    .begin = begin,
    .advance = advance,
    .corner = advance,
    .state = state,
    .measure = measure,
    .work = work,
    .trouble = trouble,
};
