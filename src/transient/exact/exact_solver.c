/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/exact/exact_solver.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "linalg/first_root.h"
#include "transient/flexible.h"

/*
 * The motion of the modal equations with joints whose forces are f = k x + c v + level, over a
 * length of time: the exponential of their matrix times the state, as its Taylor series
 * (Al-Mohy and Higham 2011), loads and levels being states of their own. The length is at most
 * that over which the series has full accuracy without losing digits; it also gives the joints'
 * motion as polynomials, in which events are found.
 */

enum { MOST_ORDER = 20, ROOM = MOST_ORDER + 1 };

struct exact_solver {
    struct stepper_parts parts;
    struct flexible *flexible; /* joints on DOFs without mass, or NULL */
    int n_modes, n_axes, n_terms;
    struct masing_flow_line *lines; /* [n_axes]; joint j has one axis, j */
    double *regime;                 /* [n_axes] */
    double *root;                   /* [n_axes][MASING_FLOW_MONITORS] parts of a series */
    double *q, *v;                  /* [n_modes] */
    double *x, *w;                  /* [n_axes] displacements and velocities of the joints */
    double *power_q, *power_v, *power_damping; /* [n_modes] scratch */
    double *power_force;                       /* [n_modes + n_ports] scratch */
    struct work work;
    bool is_measured;
    double time, event_time;
    long events;
    const char *trouble;
    double damping_bound; /* of the structure, 1/s */
    double *axis_square;  /* [n_axes] sums of squares of the axes' modal shapes */
    int order;            /* of the series */
    double length;        /* s */
    /* its coefficients of s/length; [ROOM][n_modes] or [n_axes][ROOM] */
    double *terms_q, *terms_v; /* modal coordinates and velocities */
    double *terms_x, *terms_w; /* the joints' displacements and velocities */
    double *loads;             /* [ROOM + 1][n_axes] what loads do to the joints through DOFs
                                  without mass */
    double speed, reach;       /* of those joints, what their w and x are sums of */
    /* [n_axes] likewise of all joints, the largest of all series so far; displacements */
    double *fastest, *farthest;
    double *cosines, *sines, *damping, *force, *column; /* scratch */
};

static bool is_massless(const struct exact_solver *solver, int axis)
{
    return solver->flexible && solver->parts.ports->is_massless[axis];
}

/* Of the loads' fundamental at the beginning of the series. */
static double phase_of(const struct exact_solver *solver)
{
    double turns = solver->time * solver->parts.omega / TWO_PI;
    return TWO_PI * (turns - floor(turns));
}

/* Terms below this are left out; a derivative below this part of its terms is none. */
static const double NEGLIGIBLE_TERM = 1e-19, DERIVATIVE_ROUNDING = 1e-13;
/* Velocities below this part of what they are the sum of are none, either. */
static const double SPEED_ROUNDING = 1e-12;
/* Fewest terms: where hardly anything is stiff, a constant force still accelerates. */
enum { FEWEST_ORDER = 6 };

/* What joints add to the stiffness at most: of those on DOFs without mass K (I + F K)^-1. */
static double bound_added(const struct exact_solver *solver)
{
    double added = 0.0;
    for (int axis = 0; axis < solver->n_axes; axis++) {
        double *column = solver->column, size = solver->axis_square[axis];
        if (!is_massless(solver, axis)) {
            added += fabs(solver->lines[axis].stiffness) * size;
            continue;
        }
        memset(column, 0, (size_t)solver->n_axes * sizeof(double));
        column[axis] = 1.0;
        flexible_follow(solver->flexible, column);
        for (int b = 0; b < solver->n_axes; b++) {
            added += fabs(solver->lines[b].stiffness * column[b]) *
                     sqrt(size * solver->axis_square[b]);
        }
    }
    return added;
}

/* A bound of the matrix where velocities are measured in w times displacements, w^2 bounding
 * the stiffness. */
static double rate_of(const struct exact_solver *solver)
{
    const struct stepper_parts *parts = &solver->parts;
    double stiffness = 0.0, rate = solver->damping_bound, load = parts->omega;
    for (int k = 0; k < solver->n_modes; k++) {
        stiffness = fmax(stiffness, parts->modal->stiffness[k]);
    }
    for (int axis = 0; axis < solver->n_axes; axis++) {
        rate += fabs(solver->lines[axis].damping) * solver->axis_square[axis];
    }
    for (int term = 0; term < solver->n_terms; term++) {
        load = fmax(load, parts->omega * parts->forcing->harmonics[term]);
    }
    return fmax(rate + sqrt(stiffness + bound_added(solver)), load);
}

/* Coefficient k of a mode's load, or of a port's displacement by loads. */
static double load_of(const struct exact_solver *solver, size_t at, int k)
{
    const struct forcing *forcing = solver->parts.forcing;
    size_t width = (size_t)(forcing->n_modes + forcing->n_ports);
    double sum = k == 0 ? forcing->constant[at] : 0.0;
    for (size_t term = 0; term < (size_t)solver->n_terms; term++) {
        sum += solver->cosines[term] * forcing->cosine[term * width + at] +
               solver->sines[term] * forcing->sine[term * width + at];
    }
    return sum;
}

/* x and w of the axes on DOFs without mass: there coefficients k of what the modes and loads do
 * come in, without the joints' forces. */
static void follow_forces(struct exact_solver *solver, int k)
{
    struct flexible *flexible = solver->flexible;
    size_t n_axes = (size_t)solver->n_axes;
    double *x = solver->column, *w = solver->force;
    for (size_t i = 0; i < n_axes; i++) {
        x[i] = solver->terms_x[i * ROOM + (size_t)k];
        w[i] = solver->terms_w[i * ROOM + (size_t)k];
        if (!solver->parts.ports->is_massless[i]) {
            continue;
        }
        x[i] += solver->loads[(size_t)k * n_axes + i];
        w[i] += (k + 1) / solver->length * solver->loads[((size_t)k + 1) * n_axes + i];
        for (size_t b = 0; k == 0 && b < n_axes; b++) {
            x[i] -= flexible->compliance[i * n_axes + b] * solver->lines[b].level;
        }
    }
    flexible_follow(flexible, x);
    flexible_follow(flexible, w);
    for (size_t i = 0; i < n_axes; i++) {
        solver->terms_x[i * ROOM + (size_t)k] = x[i];
        solver->terms_w[i * ROOM + (size_t)k] = w[i];
    }
}

/* Coefficients k of the joints' motions; their forces. */
static void expand_joints(struct exact_solver *solver, int k)
{
    const struct ports *ports = solver->parts.ports;
    size_t n = (size_t)solver->n_modes;
    const double *q = solver->terms_q + (size_t)k * n, *v = solver->terms_v + (size_t)k * n;
    for (int axis = 0; axis < solver->n_axes; axis++) {
        const double *shape = ports->shapes + (size_t)axis * n;
        double x = 0.0, w = 0.0, size = 0.0, reach = 0.0;
        for (size_t i = 0; i < n; i++) {
            x += shape[i] * q[i];
            w += shape[i] * v[i];
            size += fabs(shape[i] * v[i]);
            reach += fabs(shape[i] * q[i]);
        }
        solver->terms_x[axis * ROOM + k] = x;
        solver->terms_w[axis * ROOM + k] = w;
        solver->fastest[axis] = fmax(solver->fastest[axis], size);
        solver->farthest[axis] = fmax(solver->farthest[axis], reach);
        if (ports->is_massless[axis]) {
            solver->speed = fmax(solver->speed, size);
            solver->reach = fmax(solver->reach, reach);
        }
    }
    if (solver->flexible) {
        follow_forces(solver, k);
    }
    for (int axis = 0; axis < solver->n_axes; axis++) {
        solver->force[axis] = solver->lines[axis].stiffness * solver->terms_x[axis * ROOM + k] +
                              solver->lines[axis].damping * solver->terms_w[axis * ROOM + k] +
                              (k == 0 ? solver->lines[axis].level : 0.0);
    }
}

/* Coefficients k + 1 of the state from those k. */
static void expand_state(struct exact_solver *solver, int k)
{
    const struct stepper_parts *parts = &solver->parts;
    size_t n = (size_t)solver->n_modes;
    double factor = solver->length / (k + 1);
    const double *q = solver->terms_q + (size_t)k * n, *v = solver->terms_v + (size_t)k * n;
    modal_state_damping(parts->modal, v, solver->damping);
    for (size_t i = 0; i < n; i++) {
        double a =
            load_of(solver, i, k) - (solver->damping[i] + parts->modal->stiffness[i] * q[i]);
        for (size_t axis = 0; axis < (size_t)solver->n_axes; axis++) {
            a -= parts->ports->shapes[axis * n + i] * solver->force[axis];
        }
        solver->terms_q[((size_t)k + 1) * n + i] = factor * v[i];
        solver->terms_v[((size_t)k + 1) * n + i] = factor * a;
    }
}

/* cos' = -w sin, sin' = w cos */
static void advance_loads(struct exact_solver *solver, int k)
{
    for (int term = 0; term < solver->n_terms; term++) {
        double factor = solver->parts.omega * solver->parts.forcing->harmonics[term] *
                        solver->length / (k + 1);
        double cosine = solver->cosines[term];
        solver->cosines[term] = -factor * solver->sines[term];
        solver->sines[term] = factor * cosine;
    }
}

/* cos and sin of the loads' harmonics at the beginning. */
static void begin_loads(struct exact_solver *solver)
{
    for (int term = 0; term < solver->n_terms; term++) {
        double angle = solver->parts.forcing->harmonics[term] * phase_of(solver);
        solver->cosines[term] = cos(angle);
        solver->sines[term] = sin(angle);
    }
}

/* What they do to joints on DOFs without mass, one coefficient more than of the motion. */
static void expand_loads(struct exact_solver *solver)
{
    size_t n_axes = (size_t)solver->n_axes;
    solver->speed = solver->reach = 0.0;
    begin_loads(solver);
    for (int k = 0; k <= solver->order + 1; k++) {
        for (size_t axis = 0; axis < n_axes; axis++) {
            double sum = load_of(solver, (size_t)solver->n_modes + axis, k);
            solver->loads[(size_t)k * n_axes + axis] = sum;
            solver->speed = fmax(solver->speed, k / solver->length * fabs(sum));
            solver->reach = fmax(solver->reach, fabs(sum));
        }
        advance_loads(solver, k);
    }
}

/* Expand from the state over a length, for the lines that hold. */
static void expand(struct exact_solver *solver, double rate, double length)
{
    size_t size = (size_t)solver->n_modes * sizeof(double);
    double term = 1.0;
    solver->length = length;
    solver->order = 0;
    while (solver->order < MOST_ORDER &&
           (solver->order < FEWEST_ORDER || term > NEGLIGIBLE_TERM)) {
        solver->order++;
        term *= rate * length / solver->order;
    }
    memcpy(solver->terms_q, solver->q, size);
    memcpy(solver->terms_v, solver->v, size);
    if (solver->flexible) {
        expand_loads(solver);
    }
    begin_loads(solver);
    for (int k = 0; k < solver->order; k++) {
        expand_joints(solver, k);
        expand_state(solver, k);
        advance_loads(solver, k);
    }
    expand_joints(solver, solver->order);
    for (int axis = 0; axis < solver->n_axes; axis++) {
        if (is_massless(solver, axis)) {
            solver->fastest[axis] = fmax(solver->fastest[axis], solver->speed);
            solver->farthest[axis] = fmax(solver->farthest[axis], solver->reach);
        }
    }
}

/* The state at a part of the length. */
static void state_at(const struct exact_solver *solver, double part, double *q, double *v)
{
    size_t n = (size_t)solver->n_modes;
    for (size_t i = 0; i < n; i++) {
        double sum_q = 0.0, sum_v = 0.0;
        for (size_t k = (size_t)solver->order + 1; k-- > 0;) {
            sum_q = sum_q * part + solver->terms_q[k * n + i];
            sum_v = sum_v * part + solver->terms_v[k * n + i];
        }
        q[i] = sum_q;
        v[i] = sum_v;
    }
}

/* Displacement and velocity of an axis there. */
static void axis_at(const struct exact_solver *solver, int axis, double part, double *x,
                    double *w)
{
    const double *of_x = solver->terms_x + (size_t)axis * ROOM;
    const double *of_w = solver->terms_w + (size_t)axis * ROOM;
    *x = *w = 0.0;
    for (int k = solver->order; k >= 0; k--) {
        *x = *x * part + of_x[k];
        *w = *w * part + of_w[k];
    }
}

/* The sign with which an axis on a DOF without mass sets out, 0: it stays where it is. */
static double heading_of(const struct exact_solver *solver, int axis)
{
    const double *w = solver->terms_w + (size_t)axis * ROOM;
    for (int k = 0; k <= solver->order; k++) {
        if (fabs(w[k]) > SPEED_ROUNDING * solver->speed) {
            return copysign(1.0, w[k]);
        }
    }
    return 0.0;
}

/* The sign of the first derivative of an axis' velocity there that is not zero. */
static double direction_of(const struct exact_solver *solver, int axis, double part)
{
    double terms[ROOM];
    memcpy(terms, solver->terms_w + (size_t)axis * ROOM, sizeof terms);
    for (int degree = solver->order; degree > 0; degree--) {
        double sum = 0.0, size = 0.0;
        for (int k = 0; k < degree; k++) { /* differentiate */
            terms[k] = (k + 1) * terms[k + 1];
        }
        for (int k = degree - 1; k >= 0; k--) {
            sum = sum * part + terms[k];
            size = size * part + fabs(terms[k]);
        }
        if (fabs(sum) > DERIVATIVE_ROUNDING * size) {
            return copysign(1.0, sum);
        }
    }
    return 0.0;
}

/* Gauss and Legendre's rule of 8 nodes: powers are products of two series over at most the time
 * that one is good for, whose terms from the 16th on are below 1e-9 of the first; the rule
 * leaves less than 1e-8 of those. */
enum { HALF_NODES = 4 };
static const double NODES[HALF_NODES] = {0.18343464249564980494, 0.52553240991632898582,
                                         0.79666647741362673959, 0.96028985649753623168};
static const double WEIGHTS[HALF_NODES] = {0.36268378337836198297, 0.31370664587788728734,
                                           0.22238103445337447054, 0.10122853629037625915};

/* Power at a part of the series, times a weight in seconds. */
static void add_power(struct exact_solver *solver, double part, double weight)
{
    const struct stepper_parts *parts = &solver->parts;
    struct work *total = &solver->work;
    double phase = phase_of(solver) + parts->omega * part * solver->length;
    double *force = solver->power_force;
    state_at(solver, part, solver->power_q, solver->power_v);
    modal_state_damping(parts->modal, solver->power_v, solver->power_damping);
    forcing_at(parts->forcing, phase, force);
    for (int k = 0; k < solver->n_modes; k++) {
        total->loads += weight * force[k] * solver->power_v[k];
        total->damping += weight * solver->power_damping[k] * solver->power_v[k];
    }
    if (parts->ports->flexibility) {
        forcing_derivative(parts->forcing, parts->omega, phase, 1, force);
    }
    for (int axis = 0; axis < solver->n_axes; axis++) {
        const struct masing_flow_line *line = &solver->lines[axis];
        double x, w;
        axis_at(solver, axis, part, &x, &w);
        double f = line->stiffness * x + line->damping * w + line->level;
        total->joints += weight * f * w;
        if (parts->ports->flexibility) {
            total->loads += weight * f * force[solver->n_modes + axis];
        }
    }
}

/* Add what is done from the beginning of the series to a part of its length. */
static void add_work(struct exact_solver *solver, double part)
{
    double half = 0.5 * part;
    for (int i = 0; i < HALF_NODES; i++) {
        double weight = half * solver->length * WEIGHTS[i];
        add_power(solver, half * (1.0 - NODES[i]), weight);
        add_power(solver, half * (1.0 + NODES[i]), weight);
    }
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

static struct masing_flow_point point_of(const struct exact_solver *solver, int j,
                                         const double *x, const double *v)
{
    const struct joint *joint = &solver->parts.model->joints[j];
    return (struct masing_flow_point){.law = joint->law,
                                      .parameters = joint->parameters,
                                      .state = joints_state(solver->parts.joints, j),
                                      .regime = &solver->regime[j],
                                      .x = x,
                                      .v = v};
}

/* End an interval of a joint: what it remembers then. */
static void leave(const struct exact_solver *solver, int j, double x, double v, double *memory)
{
    struct masing_flow_point point = point_of(solver, j, &x, &v);
    point.state = memory;
    point.law->family->flow->leave(&point);
}

/* Begin an interval of a joint. */
static void enter(struct exact_solver *solver, int j, double x, double v, double direction)
{
    struct masing_flow_point point = point_of(solver, j, &x, &v);
    point.a = &direction;
    point.law->family->flow->enter(&point, NULL);
    point.law->family->flow->line(&point, &solver->lines[j]);
}

/* Expand as far as the series reaches, for the lines that hold now. */
static enum masing_status look_ahead(struct exact_solver *solver)
{
    for (int axis = 0; axis < solver->n_axes; axis++) {
        solver->column[axis] = solver->lines[axis].stiffness;
    }
    if (solver->flexible && !flexible_set(solver->flexible, solver->column)) {
        solver->trouble = FLEXIBLE_JUMPS;
        return MASING_NOT_CONVERGED;
    }
    double rate = rate_of(solver);
    if (!isfinite(rate) || !(rate > 0.0)) {
        return MASING_NOT_FINITE;
    }
    expand(solver, rate, 1.0 / rate);
    return MASING_OK;
}

/* Against the direction of its interval. */
static bool goes_wrong_way(const struct exact_solver *solver, int j)
{
    return is_massless(solver, j) &&
           solver->parts.model->joints[j].law->family->flow->first_is_reversal &&
           solver->lines[j].monitor_slope[0] * heading_of(solver, j) < 0.0;
}

/*
 * Where a joint begins another interval the velocities of DOFs without mass jump, and others
 * may have to turn. Turning always the first that goes the wrong way ends where tangents are
 * not negative, since the map from directions is then one with a P-matrix (Murty 1974).
 */
static enum masing_status settle_directions(struct exact_solver *solver)
{
    if (!solver->flexible) {
        return MASING_OK;
    }
    for (int i = 0; i < MOST_TURNS; i++) {
        NEED(look_ahead(solver));
        int j = 0;
        while (j < solver->n_axes && !goes_wrong_way(solver, j)) {
            j++;
        }
        if (j == solver->n_axes) {
            return MASING_OK;
        }
        leave(solver, j, solver->x[j], solver->w[j], joints_state(solver->parts.joints, j));
        enter(solver, j, solver->x[j], 0.0, heading_of(solver, j));
    }
    solver->trouble = FLEXIBLE_JUMPS;
    return MASING_NOT_CONVERGED;
}

/* With regimes by the velocities alone there are forces, and so the directions in which what
 * rests will move. */
static enum masing_status begin(void *self)
{
    struct exact_solver *solver = self;
    const struct stepper_parts *parts = &solver->parts;
    size_t states = joints_state_size(parts->joints) * sizeof(double);
    memcpy(solver->q, parts->modal->q, (size_t)solver->n_modes * sizeof(double));
    memcpy(solver->v, parts->modal->v, (size_t)solver->n_modes * sizeof(double));
    solver->events = 0;
    solver->time = 0.0;
    memset(solver->fastest, 0, (size_t)solver->n_axes * sizeof(double));
    memset(solver->farthest, 0, (size_t)solver->n_axes * sizeof(double));
    project(solver);
    if (solver->flexible) {
        /* where the joints stand under the loads, and velocities as if they had no forces */
        NEED(flexible_start(solver->flexible));
        for (int axis = 0; axis < solver->n_axes; axis++) {
            solver->x[axis] =
                is_massless(solver, axis) ? parts->joints->x[axis] : solver->x[axis];
        }
        flexible_add_loads(solver->flexible, 0.0, 1, solver->w);
    }
    memcpy(parts->joints->next, parts->joints->state, states);
    for (int j = 0; j < solver->n_axes; j++) {
        enter(solver, j, solver->x[j], solver->w[j], 0.0);
    }
    NEED(look_ahead(solver));
    memcpy(parts->joints->state, parts->joints->next, states);
    for (int j = 0; j < solver->n_axes; j++) {
        bool moves_at_once = is_massless(solver, j);
        enter(solver, j, solver->x[j], moves_at_once ? 0.0 : solver->w[j],
              moves_at_once ? heading_of(solver, j) : direction_of(solver, j, 0.0));
    }
    return settle_directions(solver);
}

/* Where the monitors of a joint fall to zero within the series. */
static double find_roots(struct exact_solver *solver, int j)
{
    const double *x = solver->terms_x + (size_t)j * ROOM;
    const double *w = solver->terms_w + (size_t)j * ROOM;
    const struct masing_flow_point point = point_of(solver, j, x, w);
    const struct masing_flow *flow = point.law->family->flow;
    double value[MASING_FLOW_MONITORS], polynomial[ROOM], first = INFINITY;
    bool rests = is_massless(solver, j) && heading_of(solver, j) == 0.0;
    flow->monitors(&point, value);
    for (int g = 0; g < MASING_FLOW_MONITORS; g++) {
        double slope = solver->lines[j].monitor_slope[g];
        double *root = &solver->root[j * MASING_FLOW_MONITORS + g];
        const double *motion = g == 0 && flow->first_is_reversal ? w : x;
        *root = INFINITY;
        if (slope != 0.0 && !rests) {
            polynomial[0] =
                value[g] + (motion == w ? VELOCITY_ROUNDING * solver->fastest[j]
                                        : DISPLACEMENT_ROUNDING * solver->farthest[j]);
            for (int k = 1; k <= solver->order; k++) {
                polynomial[k] = slope * motion[k];
            }
            *root = first_root(solver->order, polynomial);
            first = fmin(first, *root);
        }
    }
    return first;
}

/* End a joint's interval, if one of its monitors fired by this part of the series, and begin
 * another. */
static void pass_event(struct exact_solver *solver, int j, double part)
{
    const double *root = solver->root + (size_t)j * MASING_FLOW_MONITORS;
    const struct masing_flow_point here = point_of(solver, j, &solver->x[j], &solver->w[j]);
    double v = solver->w[j], direction = direction_of(solver, j, part);
    double slope[MASING_FLOW_MONITORS];
    int ended[MASING_FLOW_MONITORS];
    bool is_over = false;
    memcpy(slope, solver->lines[j].monitor_slope, sizeof slope);
    for (int m = 0; m < MASING_FLOW_MONITORS; m++) {
        ended[m] = root[m] <= part + SAME_EVENT ? -1 : 0;
        is_over = is_over || ended[m];
    }
    if (!is_over) {
        return;
    }
    if (here.law->family->flow->first_is_reversal) {
        v = ended[0] ? 0.0 : v;
        direction = ended[0] ? -slope[0] : direction;
        slope[0] = 0.0;
    }
    double x = joint_settle_on_limits(&here, MASING_FLOW_MONITORS, ended, slope);
    leave(solver, j, x, v, here.state);
    enter(solver, j, x, v, direction);
}

/* To the first event within the series, or to its end: the part of it that was gone. */
static enum masing_status go(struct exact_solver *solver, double *part, bool *is_event)
{
    enum masing_status status = MASING_OK;
    double first = INFINITY, sum = 0.0;
    for (int j = 0; j < solver->n_axes; j++) {
        first = fmin(first, find_roots(solver, j));
    }
    *is_event = first <= 1.0;
    *part = *is_event ? first : 1.0;
    state_at(solver, *part, solver->q, solver->v);
    project(solver);
    for (int axis = 0; axis < solver->n_axes; axis++) {
        if (is_massless(solver, axis)) {
            axis_at(solver, axis, *part, &solver->x[axis], &solver->w[axis]);
        }
    }
    for (int k = 0; k < solver->n_modes; k++) {
        sum += solver->q[k] + solver->v[k];
    }
    if (!isfinite(sum)) {
        return MASING_NOT_FINITE;
    }
    if (solver->is_measured) {
        add_work(solver, *part);
    }
    for (int j = 0; *is_event && j < solver->n_axes && status == MASING_OK; j++) {
        pass_event(solver, j, *part);
    }
    return status;
}

static enum masing_status advance(void *self, double time)
{
    struct exact_solver *solver = self;
    const struct stepper_parts *parts = &solver->parts;
    double rest = time - solver->time;
    int n_events = 0;
    for (int i = 0; i < MOST_PARTS && rest > 0.0; i++) {
        double rate = rate_of(solver), part;
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
    memcpy(parts->modal->q, solver->q, (size_t)solver->n_modes * sizeof(double));
    memcpy(parts->modal->v, solver->v, (size_t)solver->n_modes * sizeof(double));
    memcpy(parts->joints->x, solver->x, (size_t)solver->n_axes * sizeof(double));
    for (int a = 0; a < solver->n_axes; a++) {
        const struct masing_flow_line *line = &solver->lines[a];
        parts->joints->f[a] =
            line->stiffness * solver->x[a] + line->damping * solver->w[a] + line->level;
    }
    modal_state_accelerate(parts->modal, parts->force, parts->joints->f);
    return rest > 0.0 ? MASING_NOT_CONVERGED : MASING_OK;
}

/* The joints' own states are those of the present intervals, which are left here. */
static enum masing_status state(const void *self, double *memory, double *velocities)
{
    const struct exact_solver *solver = self;
    const struct joints *joints = solver->parts.joints;
    if (velocities) {
        memcpy(velocities, solver->w, (size_t)solver->n_axes * sizeof(double));
    }
    if (memory) {
        memcpy(memory, joints->state, joints_state_size(joints) * sizeof(double));
    }
    for (int j = 0; memory && j < solver->n_axes; j++) {
        leave(solver, j, solver->x[j], solver->w[j], memory + joints->state_start[j]);
    }
    return MASING_OK;
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
    return ((const struct exact_solver *)self)->trouble;
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
    const struct stepper_parts *parts = &solver->parts;
    struct arena *arena = parts->arena;
    size_t n = (size_t)solver->n_modes, n_axes = (size_t)solver->n_axes;
    double **of_modes[] = {&solver->q,       &solver->v,       &solver->damping,
                           &solver->power_q, &solver->power_v, &solver->power_damping};
    double **of_axes[] = {&solver->x,       &solver->w,       &solver->regime,
                          &solver->force,   &solver->column,  &solver->axis_square,
                          &solver->fastest, &solver->farthest};
    for (size_t i = 0; i < sizeof of_modes / sizeof *of_modes; i++) {
        *of_modes[i] = arena_doubles(arena, n);
    }
    for (size_t i = 0; i < sizeof of_axes / sizeof *of_axes; i++) {
        *of_axes[i] = arena_doubles(arena, n_axes);
    }
    solver->lines = arena_array(arena, n_axes, sizeof *solver->lines);
    solver->root = arena_doubles(arena, n_axes * MASING_FLOW_MONITORS);
    solver->power_force = arena_doubles(arena, n + (size_t)parts->ports->n_ports);
    solver->terms_q = arena_doubles(arena, ROOM * n);
    solver->terms_v = arena_doubles(arena, ROOM * n);
    solver->terms_x = arena_doubles(arena, ROOM * n_axes);
    solver->terms_w = arena_doubles(arena, ROOM * n_axes);
    solver->loads = arena_doubles(arena, (ROOM + 1) * n_axes);
    solver->cosines = arena_doubles(arena, (size_t)solver->n_terms);
    solver->sines = arena_doubles(arena, (size_t)solver->n_terms);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static enum masing_status create(const struct stepper_parts *parts, struct stepper *stepper,
                                 struct masing_error *error)
{
    struct arena *arena = parts->arena;
    const struct ports *ports = parts->ports;
    NEED(refuse(parts, error));
    struct exact_solver *solver = arena_array(arena, 1, sizeof *solver);
    NEED_ALLOCATED(solver);
    stepper->self = solver;
    *solver = (struct exact_solver){.parts = *parts,
                                    .n_modes = ports->n_modes,
                                    .n_axes = ports->n_axes,
                                    .n_terms = parts->forcing->n_terms};
    NEED(flexible_create(&solver->parts, &solver->flexible, error));
    NEED(allocate(solver, error));
    for (int i = 0; i < solver->n_modes; i++) { /* the largest row sum of the damping */
        const double *matrix = parts->modal->matrix;
        double sum = matrix ? 0.0 : fabs(parts->modal->damping[i]);
        for (int k = 0; matrix && k < solver->n_modes; k++) {
            sum += fabs(matrix[i * solver->n_modes + k]);
        }
        solver->damping_bound = fmax(solver->damping_bound, sum);
    }
    for (int axis = 0; axis < solver->n_axes; axis++) {
        for (int k = 0; k < solver->n_modes; k++) {
            double shape = ports->shapes[axis * solver->n_modes + k];
            solver->axis_square[axis] += shape * shape;
        }
    }
    return MASING_OK;
}

long exact_solver_events(const struct stepper *stepper)
{
    return ((const struct exact_solver *)stepper->self)->events;
}

double exact_solver_event_time(const struct stepper *stepper)
{
    return ((const struct exact_solver *)stepper->self)->event_time;
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
