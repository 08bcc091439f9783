/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/exact/exact_solver.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/first_root.h"
#include "transient/exact/patterns.h"

struct exact_solver {
    struct stepper_parts parts;
    struct flexible *flexible; /* joints on DOFs without mass, or NULL */
    struct series *series;
    struct patterns *patterns; /* NULL where there are DOFs without mass */
    int n_modes, n_axes;
    struct masing_flow_line *lines; /* [n_axes]; joint j has one axis, j */
    double *regime, *stiffness;     /* [n_axes] */
    double *root;                   /* [n_axes][MASING_FLOW_MONITORS] parts of a series */
    double *margin;                 /* likewise: of monitors, see note_margins */
    double *q, *v;                  /* [n_modes] unless the state is in a basis */
    double *x, *w;                  /* [n_axes] displacements and velocities of the joints */
    struct work work;
    bool is_measured, is_complete; /* the modal state is in the parts */
    double time, event_time;
    long events, steps_in_bases;
    const char *trouble;
};

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

/* The state in the parts. */
static void complete(void *self)
{
    struct exact_solver *solver = self;
    const struct stepper_parts *parts = &solver->parts;
    size_t size = (size_t)solver->n_modes * sizeof(double);
    if (solver->is_complete) {
        return;
    }
    if (solver->patterns && solver->patterns->is_in) {
        patterns_state(solver->patterns, solver->q, solver->v);
    }
    memcpy(parts->modal->q, solver->q, size);
    memcpy(parts->modal->v, solver->v, size);
    modal_state_accelerate(parts->modal, parts->force, parts->joints->f);
    solver->is_complete = true;
}

/* What bases know of the loads, and that the state is in one. */
static void forget(struct exact_solver *solver)
{
    struct patterns *patterns = solver->patterns;
    if (patterns && patterns->is_in) {
        patterns_leave(patterns, solver->q, solver->v);
    }
    if (patterns) {
        patterns_forget(patterns);
    }
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
        solver->stiffness[axis] = solver->lines[axis].stiffness;
    }
    if (solver->flexible && !flexible_set(solver->flexible, solver->stiffness)) {
        solver->trouble = FLEXIBLE_JUMPS;
        return MASING_NOT_CONVERGED;
    }
    double rate = series_rate(solver->series);
    if (!isfinite(rate) || !(rate > 0.0)) {
        return MASING_NOT_FINITE;
    }
    series_prepare(solver->series, solver->time, rate, 1.0 / rate);
    series_expand(solver->series, solver->q, solver->v);
    return MASING_OK;
}

/* Against the direction of its interval. */
static bool goes_wrong_way(const struct exact_solver *solver, int j)
{
    return series_is_massless(solver->series, j) &&
           solver->parts.model->joints[j].law->family->flow->first_is_reversal &&
           solver->lines[j].monitor_slope[0] * series_heading(solver->series, j) < 0.0;
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
        enter(solver, j, solver->x[j], 0.0, series_heading(solver->series, j));
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
    if (solver->patterns) {
        patterns_forget(solver->patterns);
    }
    solver->is_complete = true;
    memcpy(solver->q, parts->modal->q, (size_t)solver->n_modes * sizeof(double));
    memcpy(solver->v, parts->modal->v, (size_t)solver->n_modes * sizeof(double));
    solver->events = solver->steps_in_bases = 0;
    solver->time = 0.0;
    memset(solver->series->fastest, 0, (size_t)solver->n_axes * sizeof(double));
    memset(solver->series->farthest, 0, (size_t)solver->n_axes * sizeof(double));
    project(solver);
    if (solver->flexible) {
        /* where the joints stand under the loads, and velocities as if they had no forces */
        NEED(flexible_start(solver->flexible));
        for (int axis = 0; axis < solver->n_axes; axis++) {
            solver->x[axis] = series_is_massless(solver->series, axis) ? parts->joints->x[axis]
                                                                       : solver->x[axis];
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
        bool moves_at_once = series_is_massless(solver->series, j);
        enter(solver, j, solver->x[j], moves_at_once ? 0.0 : solver->w[j],
              moves_at_once ? series_heading(solver->series, j)
                            : series_direction(solver->series, j, 0.0));
    }
    return settle_directions(solver);
}

/* Where the monitors of a joint fall to zero within the series. */
static double find_roots(struct exact_solver *solver, int j)
{
    const double *x = solver->series->terms_x + (size_t)j * SERIES_ROOM;
    const double *w = solver->series->terms_w + (size_t)j * SERIES_ROOM;
    const struct masing_flow_point point = point_of(solver, j, x, w);
    const struct masing_flow *flow = point.law->family->flow;
    double value[MASING_FLOW_MONITORS], polynomial[SERIES_ROOM], first = INFINITY;
    bool rests =
        series_is_massless(solver->series, j) && series_heading(solver->series, j) == 0.0;
    flow->monitors(&point, value);
    for (int g = 0; g < MASING_FLOW_MONITORS; g++) {
        double slope = solver->lines[j].monitor_slope[g];
        double *root = &solver->root[j * MASING_FLOW_MONITORS + g];
        const double *motion = g == 0 && flow->first_is_reversal ? w : x;
        *root = INFINITY;
        if (slope != 0.0 && !rests) {
            polynomial[0] =
                value[g] + (motion == w ? VELOCITY_ROUNDING * solver->series->fastest[j]
                                        : DISPLACEMENT_ROUNDING * solver->series->farthest[j]);
            for (int k = 1; k <= solver->series->order; k++) {
                polynomial[k] = slope * motion[k];
            }
            *root = first_root(solver->series->order, polynomial);
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

/* Prepare the series over as much of a time as it is good for: that, or not finite. */
static double prepare(struct exact_solver *solver, double rest)
{
    double rate = series_rate(solver->series), n_parts = fmax(ceil(rest * rate), 1.0);
    double length = n_parts > 1.0 ? rest / n_parts : rest;
    if (isfinite(n_parts)) {
        series_prepare(solver->series, solver->time, rate, length);
    }
    return isfinite(n_parts) ? length : NAN;
}

/* The first event within the series' axes, or its end, as a part of it. */
static double first_event(struct exact_solver *solver, bool *is_event)
{
    double first = INFINITY;
    for (int j = 0; j < solver->n_axes; j++) {
        first = fmin(first, find_roots(solver, j));
    }
    *is_event = first <= 1.0;
    return *is_event ? first : 1.0;
}

static void pass_events(struct exact_solver *solver, double part)
{
    if (solver->patterns) {
        patterns_change(solver->patterns);
    }
    for (int j = 0; j < solver->n_axes; j++) {
        pass_event(solver, j, part);
    }
}

/* By a series to the first event within it, or to its end: the time that was gone. */
static enum masing_status go(struct exact_solver *solver, double rest, double *gone,
                             bool *is_event)
{
    double length = prepare(solver, rest), sum = 0.0;
    NEED(isfinite(length) ? MASING_OK : MASING_NOT_FINITE);
    series_expand(solver->series, solver->q, solver->v);
    double part = first_event(solver, is_event);
    series_state(solver->series, part, solver->q, solver->v);
    project(solver);
    for (int axis = 0; axis < solver->n_axes; axis++) {
        if (series_is_massless(solver->series, axis)) {
            series_axis(solver->series, axis, part, &solver->x[axis], &solver->w[axis]);
        }
    }
    for (int k = 0; k < solver->n_modes; k++) {
        sum += solver->q[k] + solver->v[k];
    }
    NEED(isfinite(sum) ? MASING_OK : MASING_NOT_FINITE);
    if (solver->is_measured) {
        series_add_work(solver->series, part, &solver->work);
    }
    if (*is_event) {
        pass_events(solver, part);
    }
    *gone = *is_event ? part * length : length;
    return MASING_OK;
}

/* What a basis shows of the axes. */
static void see_axes(struct exact_solver *solver)
{
    for (int axis = 0; axis < solver->n_axes; axis++) {
        solver->x[axis] = solver->patterns->seen[axis * PATTERN_ORDERS];
        solver->w[axis] = solver->patterns->seen[axis * PATTERN_ORDERS + 1];
    }
}

/* What monitors are beside their slope times the motion, for as long as no interval ends. */
static void note_margins(struct exact_solver *solver)
{
    for (int j = 0; j < solver->n_axes; j++) {
        const struct masing_flow_point point =
            point_of(solver, j, &solver->x[j], &solver->w[j]);
        const struct masing_flow *flow = point.law->family->flow;
        double *margin = solver->margin + j * MASING_FLOW_MONITORS;
        flow->monitors(&point, margin);
        for (int g = 0; g < MASING_FLOW_MONITORS; g++) {
            bool is_reversal = g == 0 && flow->first_is_reversal;
            margin[g] -=
                solver->lines[j].monitor_slope[g] * (is_reversal ? solver->w[j] : solver->x[j]);
        }
    }
}

/* Whether a monitor is positive all over a step: that cubic of the values and rates at its ends
 * is by more than it may be wrong, whose smallest coefficient of Bernstein is a bound of it. */
static bool stays_positive(double margin, double slope, const double *begin, const double *end,
                           double length, double error)
{
    double third = slope * length / 3.0;
    double from = margin + slope * begin[0], to = margin + slope * end[0];
    double low = fmin(fmin(from, from + third * begin[1]), fmin(to, to - third * end[1]));
    return low > fabs(slope) * error;
}

/* Over the step that a basis has just gone. */
static bool has_no_event(const struct exact_solver *solver, double length)
{
    const struct patterns *patterns = solver->patterns;
    double factor = length * length * length * length / 384.0;
    bool is_so = true;
    for (int at = 0; is_so && at < solver->n_axes * MASING_FLOW_MONITORS; at++) {
        int j = at / MASING_FLOW_MONITORS, g = at % MASING_FLOW_MONITORS;
        const struct masing_law *law = solver->parts.model->joints[j].law;
        double slope = solver->lines[j].monitor_slope[g];
        int order = g == 0 && law->family->flow->first_is_reversal;
        is_so =
            slope == 0.0 || stays_positive(solver->margin[at], slope,
                                           patterns->seen_before + j * PATTERN_ORDERS + order,
                                           patterns->seen + j * PATTERN_ORDERS + order, length,
                                           factor * patterns->bends[2 * j + order]);
    }
    return is_so;
}

/* The same in a basis; where an event may be, its axes' series find it. */
static enum masing_status go_in_basis(struct exact_solver *solver, double rest, double *gone,
                                      bool *is_event)
{
    struct patterns *patterns = solver->patterns;
    *gone = rest;
    *is_event = false;
    patterns_advance(patterns, rest);
    solver->steps_in_bases++;
    if (has_no_event(solver, rest)) {
        see_axes(solver);
        return MASING_OK;
    }
    patterns_retreat(patterns);
    double length = prepare(solver, rest);
    NEED(isfinite(length) ? MASING_OK : MASING_NOT_FINITE);
    patterns_expand(patterns, solver->series);
    double part = first_event(solver, is_event);
    *gone = *is_event ? part * length : length;
    patterns_advance(patterns, *gone);
    see_axes(solver);
    if (*is_event) {
        patterns_leave(patterns, solver->q, solver->v);
        pass_events(solver, part);
    } else {
        patterns_bound(patterns);
    }
    return MASING_OK;
}

/* On to the first event, or for as long as one series or basis goes. */
static enum masing_status pass(struct exact_solver *solver, double rest, double *gone,
                               bool *is_event)
{
    struct patterns *patterns = solver->patterns;
    if (patterns && !patterns->is_in &&
        patterns_enter(patterns, solver->time, solver->q, solver->v, solver->x, solver->w)) {
        note_margins(solver);
    }
    return patterns && patterns->is_in ? go_in_basis(solver, rest, gone, is_event)
                                       : go(solver, rest, gone, is_event);
}

/* What the joints show, and the state unless it is to be had when it is asked for. */
static enum masing_status leave_in_parts(struct exact_solver *solver)
{
    const struct stepper_parts *parts = &solver->parts;
    memcpy(parts->joints->x, solver->x, (size_t)solver->n_axes * sizeof(double));
    for (int a = 0; a < solver->n_axes; a++) {
        const struct masing_flow_line *line = &solver->lines[a];
        parts->joints->f[a] =
            line->stiffness * solver->x[a] + line->damping * solver->w[a] + line->level;
    }
    solver->is_complete = false;
    if (solver->patterns && solver->patterns->is_in) {
        return dense_is_finite((size_t)solver->n_axes, solver->x) ? MASING_OK
                                                                  : MASING_NOT_FINITE;
    }
    complete(solver);
    return modal_state_is_finite(parts->modal) ? MASING_OK : MASING_NOT_FINITE;
}

static enum masing_status advance(void *self, double time)
{
    struct exact_solver *solver = self;
    double rest = time - solver->time;
    int n_events = 0;
    for (int i = 0; i < MOST_PARTS && rest > 0.0; i++) {
        double gone = 0.0;
        bool is_event;
        NEED(pass(solver, rest, &gone, &is_event));
        rest = is_event || gone < rest ? rest - gone : 0.0;
        solver->time = time - fmax(rest, 0.0);
        solver->events += is_event;
        n_events += is_event;
        if (is_event) {
            solver->event_time = solver->time;
            NEED(settle_directions(solver));
        }
        if (n_events > STEPPER_MOST_EVENTS) {
            solver->trouble = STEPPER_CHATTER;
            return MASING_NOT_CONVERGED;
        }
    }
    solver->trouble = "the fastest vibration has far more periods than a step can follow; a "
                      "joint or a spring may be too stiff";
    NEED(leave_in_parts(solver));
    return rest > 0.0 ? MASING_NOT_CONVERGED : MASING_OK;
}

/* The loads may be others from here on. */
static enum masing_status corner(void *self, double time)
{
    struct exact_solver *solver = self;
    NEED(advance(self, time));
    forget(solver);
    return MASING_OK;
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
    struct patterns *patterns = solver->patterns;
    if (patterns && patterns->is_in) { /* which may not do for this */
        patterns_leave(patterns, solver->q, solver->v);
    }
    if (patterns) {
        patterns_measure(patterns, &solver->work);
    }
    solver->is_measured = true;
    solver->work = (struct work){0};
    return MASING_OK;
}

static struct work work(const void *self)
{
    const struct exact_solver *solver = self;
    if (solver->patterns) {
        patterns_add_work(solver->patterns);
    }
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
    struct arena *arena = solver->parts.arena;
    size_t n = (size_t)solver->n_modes, n_axes = (size_t)solver->n_axes;
    solver->q = arena_doubles(arena, n);
    solver->v = arena_doubles(arena, n);
    solver->x = arena_doubles(arena, n_axes);
    solver->w = arena_doubles(arena, n_axes);
    solver->regime = arena_doubles(arena, n_axes);
    solver->stiffness = arena_doubles(arena, n_axes);
    solver->lines = arena_array(arena, n_axes, sizeof *solver->lines);
    solver->root = arena_doubles(arena, n_axes * MASING_FLOW_MONITORS);
    solver->margin = arena_doubles(arena, n_axes * MASING_FLOW_MONITORS);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static enum masing_status create(const struct stepper_parts *parts, struct stepper *stepper,
                                 struct masing_error *error)
{
    NEED(refuse(parts, error));
    struct exact_solver *solver = arena_array(parts->arena, 1, sizeof *solver);
    NEED_ALLOCATED(solver);
    stepper->self = solver;
    *solver = (struct exact_solver){
        .parts = *parts, .n_modes = parts->ports->n_modes, .n_axes = parts->ports->n_axes};
    NEED(flexible_create(&solver->parts, &solver->flexible, error));
    NEED(allocate(solver, error));
    NEED(
        series_create(&solver->parts, solver->flexible, solver->lines, &solver->series, error));
    return patterns_create(&solver->parts, solver->lines, &solver->patterns, error);
}

static void destroy(void *self)
{
    if (self) {
        patterns_destroy(((struct exact_solver *)self)->patterns);
    }
}

static double squared_speed(const void *self, double least)
{
    const struct exact_solver *solver = self;
    bool is_in = solver->patterns && solver->patterns->is_in;
    return is_in ? patterns_squared_speed(solver->patterns, least) : NAN;
}

static double output(const void *self, int i, int order)
{
    const struct exact_solver *solver = self;
    bool is_in = solver->patterns && solver->patterns->is_in;
    return is_in ? patterns_port(solver->patterns, solver->n_axes + i, order) : NAN;
}

long exact_solver_events(const struct stepper *stepper)
{
    return ((const struct exact_solver *)stepper->self)->events;
}

double exact_solver_event_time(const struct stepper *stepper)
{
    return ((const struct exact_solver *)stepper->self)->event_time;
}

long exact_solver_steps_in_bases(const struct stepper *stepper)
{
    return ((const struct exact_solver *)stepper->self)->steps_in_bases;
}

const struct stepper_type exact_stepper = {
    .keeps_state = true,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .advance = advance,
    .complete = complete,
    .squared_speed = squared_speed,
    .output = output,
    .corner = corner,
    .state = state,
    .measure = measure,
    .work = work,
    .trouble = trouble,
};
