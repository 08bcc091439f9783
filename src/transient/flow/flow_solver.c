/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/flow/flow_solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"

/* Internal steps within one step. */
enum { MOST_INTERNAL_STEPS = 200000 };
/* Sizes below this part of the largest coordinate are not resolved relatively. */
static const double RESOLVED_SHARE = 1e-3;
/* What loads may do is forgotten by this part whenever tolerances are set, down to this part.
 */
static const double LOAD_SIZE_DECAY = 0.1, LEAST_LOAD_SIZE = 1e-9;
/* Errors of work add up over a period, and are that much smaller than those of a step. */
static const double WORK_ACCURACY = 0.01, WORK_ROUNDING = 100.0 * DBL_EPSILON;
/* The tolerance of work while it is not measured. */
static const double UNMEASURED_TOLERANCE = 1e300;
/* An event this close before the end of a step, in parts of that time, is there. */
static const double EVENT_AT_END = 8.0 * DBL_EPSILON;

/* Displacements and velocities of the joints at a state y. */
enum masing_status flow_solver_project(struct flow_solver *solver, double time, const double *y)
{
    const struct ports *ports = solver->parts.ports;
    int n = solver->n_modes;
    ports_project(solver->n_axes, n, ports->shapes, y, solver->x);
    ports_project(solver->n_axes, n, ports->shapes, y + n, solver->v);
    return solver->massless ? massless_follow(solver->massless, time, y) : MASING_OK;
}

struct masing_flow_point flow_solver_point(const struct flow_solver *solver, int j,
                                           const double *y)
{
    const struct joint *joint = &solver->parts.model->joints[j];
    return (struct masing_flow_point){.law = joint->law,
                                      .parameters = joint->parameters,
                                      .state = joints_state(solver->parts.joints, j),
                                      .regime = solver->regime + solver->regime_start[j],
                                      .x = solver->x + joint->first_axis,
                                      .v = solver->v + joint->first_axis,
                                      .z = y + 2 * solver->n_modes + solver->z_start[j]};
}

/* The powers at a state whose other rates are known. */
static void evaluate_powers(struct flow_solver *solver, double time, const double *v,
                            double *power)
{
    const struct forcing *forcing = solver->parts.forcing;
    bool has_flexibility = solver->parts.ports->flexibility;
    int n = solver->n_modes;
    power[0] = power[1] = power[2] = 0.0;
    if (!solver->is_measured) {
        return;
    }
    for (int k = 0; k < n; k++) {
        power[0] += solver->force[k] * v[k];
        power[2] += solver->damping[k] * v[k];
    }
    if (has_flexibility) {
        forcing_derivative(forcing, solver->parts.omega, solver->parts.omega * time, 1,
                           solver->force);
    }
    for (int axis = 0; axis < solver->n_axes; axis++) {
        power[0] += has_flexibility ? solver->f[axis] * solver->force[n + axis] : 0.0;
        power[1] += solver->f[axis] * solver->v[axis];
    }
}

/* Rates of the state; solver->x, v, f are those at y. */
static enum masing_status evaluate(struct flow_solver *solver, double time, const double *y,
                                   double *rate)
{
    const struct ports *ports = solver->parts.ports;
    const struct modal_state *modal = solver->parts.modal;
    int n = solver->n_modes;
    enum masing_status status = flow_solver_project(solver, time, y);
    for (int j = 0; j < solver->n_joints && status == MASING_OK; j++) {
        const struct joint *joint = &solver->parts.model->joints[j];
        const struct masing_flow_point point = flow_solver_point(solver, j, y);
        double *z_rate = rate + 2 * n + solver->z_start[j];
        status = joint->law->family->flow->rate(&point, solver->f + joint->first_axis, z_rate);
    }
    if (status != MASING_OK) {
        return status;
    }
    forcing_at(solver->parts.forcing, solver->parts.omega * time, solver->force);
    modal_state_damping(modal, y + n, solver->damping);
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        double a = solver->force[k] - solver->damping[k] - modal->stiffness[k] * y[k];
        for (int axis = 0; axis < solver->n_axes; axis++) {
            a -= ports->shapes[axis * n + k] * solver->f[axis];
        }
        rate[k] = y[n + k];
        rate[n + k] = a;
        sum += a;
    }
    evaluate_powers(solver, time, y + n, rate + 2 * n + solver->n_z);
    return isfinite(sum) ? MASING_OK : MASING_NOT_FINITE;
}

static int find_rates(realtype time, N_Vector y, N_Vector rate, void *context)
{
    struct flow_solver *solver = context;
    enum masing_status status =
        evaluate(solver, time, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
    solver->why = status;
    return status == MASING_OK ? 0 : status > 0 ? 1 : -1;
}

/* Accelerations of the joints follow from the forces. */
enum masing_status flow_solver_accelerate(struct flow_solver *solver, double time,
                                          const double *y)
{
    double *rate = N_VGetArrayPointer(solver->rate);
    enum masing_status status = evaluate(solver, time, y, rate);
    ports_project(solver->n_axes, solver->n_modes, solver->parts.ports->shapes,
                  rate + solver->n_modes, solver->a);
    return status;
}

static struct masing_flow_size size_of(const struct joint *joint)
{
    const struct masing_flow *flow = joint->law->family->flow;
    struct masing_flow_size size = flow->size;
    if (flow->measure) {
        flow->measure(joint->law, joint->parameters, &size);
    }
    return size;
}

/* Sizes of internal states: what the law says, or what a motion of that speed does. */
static void estimate_states(struct flow_solver *solver, int j, double speed)
{
    const struct joint *joint = &solver->parts.model->joints[j];
    int first = 2 * solver->n_modes + solver->z_start[j];
    double *rate = N_VGetArrayPointer(solver->rate) + first, v[MASING_MAX_AXES];
    struct masing_flow_point point =
        flow_solver_point(solver, j, N_VGetArrayPointer(solver->y));
    struct masing_flow_size size = size_of(joint);
    for (int a = 0; a < MASING_MAX_AXES; a++) {
        v[a] = speed;
    }
    point.v = v;
    joint->law->family->flow->rate(&point, solver->f + joint->first_axis, rate);
    for (int i = 0; i < size.n_states; i++) {
        solver->size[first + i] = size.state_size > 0.0
                                      ? size.state_size
                                      : RESOLVED_SHARE * fabs(rate[i]) / solver->parts.omega;
    }
}

/* Sizes that loads give to coordinates until they have moved, and to joints at all, where
 * they have not moved yet: the speed. */
static double estimate_sizes(struct flow_solver *solver)
{
    const struct modal_state *modal = solver->parts.modal;
    const struct forcing *forcing = solver->parts.forcing;
    const double *shapes = solver->parts.ports->shapes;
    int n = solver->n_modes;
    double omega2 = solver->parts.omega * solver->parts.omega, q = 0.0, v = 0.0;
    double soon2 = omega2 * pow(solver->parts.forcing->n_steps / TWO_PI, 2.0);
    memset(solver->span, 0, (size_t)solver->n_axes * sizeof(double));
    for (int k = 0; k < n; k++) {
        double stiffness = modal->stiffness[k];
        double load = fabs(forcing->constant[k]), rate2 = fmax(stiffness, soon2);
        for (int term = 0; term < forcing->n_terms; term++) { /* of any phase */
            int at = term * (n + forcing->n_ports) + k;
            load += fabs(forcing->cosine[at]) + fabs(forcing->sine[at]);
        }
        double size = load / fmax(stiffness, omega2);
        double own = fmax(fabs(modal->q[k]), fabs(modal->v[k]) / sqrt(stiffness + omega2));
        q = fmax(q, fmax(load / rate2, own));
        v = fmax(v, fmax(load / sqrt(rate2), fabs(modal->v[k])));
        for (int axis = 0; axis < solver->n_axes; axis++) {
            solver->span[axis] += fabs(shapes[axis * n + k]) * fmax(size, own);
        }
    }
    for (int k = 0; k < n; k++) {
        solver->size[k] = RESOLVED_SHARE * q;
        solver->size[n + k] = RESOLVED_SHARE * v;
        solver->largest[k] = solver->largest[n + k] = 0.0;
    }
    solver->least[0] = LEAST_LOAD_SIZE * RESOLVED_SHARE * q;
    solver->least[1] = LEAST_LOAD_SIZE * RESOLVED_SHARE * v;
    return v;
}

/* The structure's energy in a state. */
static double energy_of(const struct flow_solver *solver, const double *q, const double *v)
{
    double energy = 0.0;
    for (int k = 0; k < solver->n_modes; k++) {
        energy += 0.5 * (v[k] * v[k] + solver->parts.modal->stiffness[k] * q[k] * q[k]);
    }
    return energy;
}

/* Absolute tolerances follow the largest sizes so far. */
static void set_tolerances(struct flow_solver *solver)
{
    const double *y = N_VGetArrayPointer(solver->y);
    double *tolerance = N_VGetArrayPointer(solver->tolerance), largest[3] = {0.0, 0.0, 0.0};
    int n = solver->n_modes, n_y = 2 * n + solver->n_z;
    for (int i = 0; i < n_y; i++) {
        int kind = i < n ? 0 : i < 2 * n ? 1 : 2;
        if (kind < 2) { /* a load moves what stops hold by far less than it would a free body */
            solver->largest[i] = fmax(solver->largest[i], fabs(y[i]));
            double guess = fmax(LOAD_SIZE_DECAY * solver->size[i], solver->least[kind]);
            solver->size[i] = fmax(solver->largest[i], guess);
        }
        solver->size[i] = fmax(solver->size[i], fabs(y[i]));
        largest[kind] = fmax(largest[kind], solver->size[i]);
    }
    for (int i = 0; i < n_y; i++) {
        int kind = i < n ? 0 : i < 2 * n ? 1 : 2;
        double size =
            kind < 2 ? fmax(solver->size[i], RESOLVED_SHARE * largest[kind]) : solver->size[i];
        tolerance[i] = solver->accuracy * fmax(size, DBL_MIN / solver->accuracy);
    }
    double of_work = solver->is_measured
                         ? WORK_ACCURACY * solver->accuracy *
                               energy_of(solver, solver->size, solver->size + solver->n_modes)
                         : UNMEASURED_TOLERANCE;
    for (int i = 0; i < FLOW_WORK; i++) {
        tolerance[n_y + i] = fmax(of_work, DBL_MIN);
    }
}

/* From rest energies grow by many digits before anything starts the solver anew. */
static int find_weights(N_Vector y, N_Vector weights, void *context)
{
    const struct flow_solver *solver = context;
    const double *state = N_VGetArrayPointer(y);
    const double *tolerance = N_VGetArrayPointer(solver->tolerance);
    double *weight = N_VGetArrayPointer(weights);
    int n_y = 2 * solver->n_modes + solver->n_z;
    double energy = energy_of(solver, state, state + solver->n_modes);
    double of_work = WORK_ACCURACY * solver->accuracy * energy;
    for (int i = 0; i < n_y; i++) {
        weight[i] = 1.0 / (solver->accuracy * fabs(state[i]) + tolerance[i]);
    }
    for (int i = n_y; i < n_y + FLOW_WORK; i++) {
        double round_off = WORK_ROUNDING * fabs(state[i]);
        weight[i] = 1.0 / fmax(tolerance[i], fmax(of_work, round_off));
    }
    return 0;
}

/* Begin anew at the time that was reached last. */
static enum masing_status restart(struct flow_solver *solver, double time)
{
    set_tolerances(solver);
    flow_solver_set_rest(solver);
    return CVodeReInit(solver->cvode, time, solver->y) == CV_SUCCESS ? MASING_OK
                                                                     : MASING_INTERNAL;
}

static enum masing_status begin(void *self)
{
    struct flow_solver *solver = self;
    const struct modal_state *modal = solver->parts.modal;
    double *y = N_VGetArrayPointer(solver->y);
    int n = solver->n_modes;
    memset(y, 0, (size_t)(2 * n + solver->n_z + FLOW_WORK) * sizeof(double));
    memcpy(y, modal->q, (size_t)n * sizeof(double));
    memcpy(y + n, modal->v, (size_t)n * sizeof(double));
    memset(solver->size, 0, (size_t)(2 * n + solver->n_z) * sizeof(double));
    solver->n_overdue = 0;
    double speed = estimate_sizes(solver);
    flow_solver_set_rest(solver);
    /* a first regime by the velocities alone, so that there are accelerations */
    enum masing_status status = solver->massless ? massless_begin(solver->massless, y)
                                                 : flow_solver_project(solver, 0.0, y);
    memset(solver->a, 0, (size_t)solver->n_axes * sizeof(double));
    size_t states = joints_state_size(solver->parts.joints) * sizeof(double);
    memcpy(solver->parts.joints->next, solver->parts.joints->state, states);
    for (int j = 0; j < solver->n_joints; j++) {
        flow_solver_begin_interval(solver, j, NULL, 0.0);
    }
    if (status == MASING_OK) {
        status = evaluate(solver, 0.0, y, N_VGetArrayPointer(solver->rate));
    }
    memcpy(solver->parts.joints->state, solver->parts.joints->next, states);
    if (status == MASING_OK) {
        status = flow_solver_enter(solver, 0.0, NULL);
    }
    for (int j = 0; j < solver->n_joints; j++) {
        estimate_states(solver, j, speed);
    }
    solver->is_begun = status == MASING_OK;
    return status == MASING_OK ? restart(solver, 0.0) : status;
}

/* Leave the state at a time in the parts: the intervals go on, what the joints remember up to
 * here stands beside them. */
static enum masing_status hand_over(struct flow_solver *solver, double time)
{
    struct modal_state *modal = solver->parts.modal;
    struct joints *joints = solver->parts.joints;
    const double *y = N_VGetArrayPointer(solver->y);
    double *rate = N_VGetArrayPointer(solver->rate);
    size_t n = (size_t)solver->n_modes;
    enum masing_status status = evaluate(solver, time, y, rate);
    set_tolerances(solver);
    solver->time = time;
    memcpy(modal->q, y, n * sizeof(double));
    memcpy(modal->v, y + n, n * sizeof(double));
    memcpy(modal->a, rate + n, n * sizeof(double));
    memcpy(joints->x, solver->x, (size_t)solver->n_axes * sizeof(double));
    memcpy(joints->f, solver->f, (size_t)solver->n_axes * sizeof(double));
    return status;
}

static enum masing_status advance(void *self, double time)
{
    struct flow_solver *solver = self;
    double reached = 0.0;
    for (int event = 0; event < STEPPER_MOST_EVENTS; event++) {
        solver->why = MASING_OK;
        int result = CVode(solver->cvode, time, solver->y, &reached, CV_NORMAL);
        if (result == CV_SUCCESS) {
            bool is_any;
            enum masing_status arrived = flow_solver_end_overdue(solver, time, &is_any);
            arrived = is_any && arrived == MASING_OK ? restart(solver, time) : arrived;
            return arrived == MASING_OK ? hand_over(solver, time) : arrived;
        }
        if (result != CV_ROOT_RETURN) {
            solver->trouble =
                result == CV_TOO_MUCH_WORK
                    ? "the solver's own steps have become too many; something may "
                      "be far faster than the loads, or integration.accuracy too "
                      "fine"
                    : "the solver could not keep integration.accuracy; the "
                      "motion may have no bounds";
            return solver->why != MASING_OK ? solver->why : MASING_NOT_CONVERGED;
        }
        enum masing_status status = CVodeGetRootInfo(solver->cvode, solver->roots) == CV_SUCCESS
                                        ? flow_solver_enter(solver, reached, solver->roots)
                                        : MASING_INTERNAL;
        if (status == MASING_OK) {
            status = restart(solver, reached);
        }
        if (status != MASING_OK) {
            return status;
        }
        if (time - reached <=
            EVENT_AT_END * time) { /* CVODE cannot begin so close to the end */
            return hand_over(solver, time);
        }
    }
    solver->trouble = STEPPER_CHATTER;
    return MASING_NOT_CONVERGED;
}

static enum masing_status corner(void *self, double time)
{
    enum masing_status status = advance(self, time);
    return status == MASING_OK ? restart(self, time) : status;
}

/* The joints' own states are those of the present intervals, which are left here. */
static enum masing_status state(const void *self, double *memory, double *velocities)
{
    const struct flow_solver *solver = self;
    const struct joints *joints = solver->parts.joints;
    if (velocities) {
        memcpy(velocities, solver->v, (size_t)solver->n_axes * sizeof(double));
    }
    if (memory) {
        memcpy(memory, joints->state, joints_state_size(joints) * sizeof(double));
    }
    for (int j = 0; memory && j < solver->n_joints; j++) {
        struct masing_flow_point point =
            flow_solver_point(solver, j, N_VGetArrayPointer(solver->y));
        point.state = memory + joints->state_start[j];
        point.law->family->flow->leave(&point);
    }
    return MASING_OK;
}

/* Where it begins anew, work becomes as accurate as the motion. */
static enum masing_status measure(void *self)
{
    struct flow_solver *solver = self;
    double *work = N_VGetArrayPointer(solver->y) + 2 * solver->n_modes + solver->n_z;
    solver->is_measured = true;
    if (!solver->is_begun) {
        return MASING_OK;
    }
    memset(work, 0, FLOW_WORK * sizeof(double)); /* tolerances are relative, too */
    return restart(solver, solver->time);
}

static struct work work(const void *self)
{
    const struct flow_solver *solver = self;
    const double *work = N_VGetArrayPointer(solver->y) + 2 * solver->n_modes + solver->n_z;
    return (struct work){.loads = work[0],
                         .joints = work[1],
                         .damping = work[2],
                         .doubt = fabs(work[0] - work[1] - work[2])};
}

static const char *trouble(const void *self)
{
    const struct flow_solver *solver = self;
    const char *own = solver->massless ? massless_trouble(solver->massless) : NULL;
    return own ? own : solver->trouble;
}

/* The library does not print. */
static void keep_quiet(int code, const char *module, const char *function, char *message,
                       void *context)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)context;
}

static enum masing_status refuse(const struct stepper_parts *parts, struct masing_error *error)
{
    for (int j = 0; j < parts->model->spec.n_joints; j++) {
        const struct joint *joint = &parts->model->joints[j];
        if (!joint->law->family->flow) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "integration.method: accurate does not support the law %s "
                                    "of joint '%s' yet: newmark does",
                                    joint->law->name, joint->name);
        }
    }
    return MASING_OK;
}

static enum masing_status allocate(struct flow_solver *solver, struct masing_error *error)
{
    struct arena *arena = solver->parts.arena;
    size_t n_modes = (size_t)solver->n_modes, n_axes = (size_t)solver->n_axes;
    size_t n_joints = (size_t)solver->n_joints;
    solver->z_start = arena_array(arena, n_joints + 1, sizeof(int));
    solver->monitor_start = arena_array(arena, n_joints + 1, sizeof(int));
    solver->regime_start = arena_array(arena, n_joints + 1, sizeof(int));
    NEED_ALLOCATED(!arena->has_failed);
    for (int j = 0; j < solver->n_joints; j++) {
        const struct joint *joint = &solver->parts.model->joints[j];
        struct masing_flow_size size = size_of(joint);
        solver->z_start[j + 1] = solver->z_start[j] + size.n_states;
        solver->monitor_start[j + 1] = solver->monitor_start[j] + size.n_monitors;
        solver->regime_start[j + 1] = solver->regime_start[j] + size.n_regime;
        solver->needs_acceleration =
            solver->needs_acceleration || size.monitors_by_acceleration;
    }
    solver->n_z = solver->z_start[n_joints];
    size_t n_monitors = (size_t)solver->monitor_start[n_joints];
    solver->regime = arena_doubles(arena, (size_t)solver->regime_start[n_joints]);
    solver->roots = arena_array(arena, n_monitors, sizeof(int));
    solver->monitors = arena_doubles(arena, n_monitors);
    solver->rest = arena_doubles(arena, n_joints);
    solver->size = arena_doubles(arena, 2 * n_modes + (size_t)solver->n_z);
    solver->largest = arena_doubles(arena, 2 * n_modes);
    solver->force = arena_doubles(arena, n_modes + (size_t)solver->parts.ports->n_ports);
    solver->damping = arena_doubles(arena, n_modes);
    double **of_axes[] = {&solver->x, &solver->v, &solver->a, &solver->f, &solver->span};
    for (size_t i = 0; i < sizeof of_axes / sizeof *of_axes; i++) {
        *of_axes[i] = arena_doubles(arena, n_axes);
    }
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static enum masing_status create_cvode(struct flow_solver *solver, struct masing_error *error)
{
    sunindextype n = 2 * (sunindextype)solver->n_modes + solver->n_z + FLOW_WORK;
    bool is_good = SUNContext_Create(NULL, &solver->sundials) == 0;
    if (is_good) {
        solver->y = N_VNew_Serial(n, solver->sundials);
        solver->rate = N_VNew_Serial(n, solver->sundials);
        solver->tolerance = N_VNew_Serial(n, solver->sundials);
        solver->cvode = CVodeCreate(CV_ADAMS, solver->sundials);
    }
    is_good = is_good && solver->y && solver->rate && solver->tolerance && solver->cvode;
    if (is_good) {
        N_VConst(0.0, solver->y);
        N_VConst(1.0, solver->tolerance);
        solver->iteration = SUNNonlinSol_FixedPoint(solver->y, 0, solver->sundials);
    }
    is_good = is_good && solver->iteration &&
              CVodeSetErrHandlerFn(solver->cvode, keep_quiet, NULL) == CV_SUCCESS &&
              CVodeInit(solver->cvode, find_rates, 0.0, solver->y) == CV_SUCCESS &&
              CVodeWFtolerances(solver->cvode, find_weights) == CV_SUCCESS &&
              CVodeSetNonlinearSolver(solver->cvode, solver->iteration) == CV_SUCCESS &&
              CVodeSetUserData(solver->cvode, solver) == CV_SUCCESS &&
              CVodeSetMaxNumSteps(solver->cvode, MOST_INTERNAL_STEPS) == CV_SUCCESS &&
              CVodeRootInit(solver->cvode, solver->monitor_start[solver->n_joints],
                            flow_solver_monitors) == CV_SUCCESS &&
              CVodeSetNoInactiveRootWarn(solver->cvode) == CV_SUCCESS;
    NEED_ALLOCATED(is_good ? solver->cvode : NULL);
    return MASING_OK;
}

static enum masing_status create(const struct stepper_parts *parts, struct stepper *stepper,
                                 struct masing_error *error)
{
    NEED(refuse(parts, error));
    struct flow_solver *solver = arena_array(parts->arena, 1, sizeof *solver);
    NEED_ALLOCATED(solver);
    stepper->self = solver;
    stepper->accuracy = parts->model->spec.integration.accuracy;
    solver->parts = *parts;
    solver->n_modes = parts->ports->n_modes;
    solver->n_axes = parts->ports->n_axes;
    solver->n_joints = parts->model->spec.n_joints;
    NEED(allocate(solver, error));
    /* CVODE's norm of errors is a mean square over all of y */
    double n = 2.0 * solver->n_modes + solver->n_z;
    solver->accuracy = stepper->accuracy * (n > 0.0 ? sqrt(n / (n + FLOW_WORK)) : 1.0);
    NEED(massless_create(solver, &solver->massless, error));
    return create_cvode(solver, error);
}

static void destroy(void *self)
{
    struct flow_solver *solver = self;
    if (!solver) {
        return;
    }
    CVodeFree(&solver->cvode);
    if (solver->iteration) {
        SUNNonlinSolFree(solver->iteration);
    }
    N_VDestroy(solver->y);
    N_VDestroy(solver->rate);
    N_VDestroy(solver->tolerance);
    SUNContext_Free(&solver->sundials);
}

const struct stepper_type flow_stepper = {
    .keeps_state = true,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .advance = advance,
    .corner = corner,
    .state = state,
    .measure = measure,
    .work = work,
    .trouble = trouble,
};
