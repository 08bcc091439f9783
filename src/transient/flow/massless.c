/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/flow/flow_solver.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "transient/coupling.h"
#include "transient/flexible.h"

struct massless {
    struct flow_solver *solver; /* lent */
    struct flexible *flexible;
    struct coupling *coupling;
    const double *y;               /* lent for the time of a solve */
    double *x_free, *v_free;       /* [n_axes] */
    double *partial, *along;       /* [n_axes] tangents, see masing_flow_tangent */
    double *last_free, *last_x;    /* [n_axes] the solution before, if there is one */
    double *last_f;                /* [n_axes] */
    double *before, *last_partial; /* [n_axes] there with the states of now */
    double *step, *gone;           /* [n_axes] scratch */
    double *monitors;              /* [monitors of all joints] scratch */
    double reach;                  /* largest displacement so far */
    bool has_last;
    const char *trouble;
};

/* A DOF jumped that went farther than so many times what the tangents at both ends lead to;
 * below the second part of the largest displacement so far no jump is distinguished. */
static const double JUMP_FACTOR = 4.0, SMALLEST_JUMP = 1e-9;

/* Force and tangents of the joint on the i-th axis at displacements of the joints. */
static void evaluate_axis(struct massless *massless, int i, const double *x)
{
    const struct flow_solver *solver = massless->solver;
    struct joints *joints = solver->parts.joints;
    int j = massless->flexible->joints[i], axis = massless->flexible->axes[i];
    struct masing_flow_point point = flow_solver_point(solver, j, massless->y);
    struct masing_flow_tangent tangent;
    point.x = x + axis;
    point.law->family->flow->tangent(&point, &tangent);
    joints->f[axis] = tangent.force;
    *joints_tangent(joints, j) = massless->partial[axis] = tangent.partial;
    massless->along[axis] = tangent.along;
}

/* Of all of them, for the coupling. */
static enum masing_status evaluate(void *context, const double *x, const double *v)
{
    struct massless *massless = context;
    (void)v;
    for (int i = 0; i < massless->flexible->n; i++) {
        evaluate_axis(massless, i, x);
    }
    return MASING_OK;
}

static enum masing_status allocate(struct massless *massless, struct masing_error *error)
{
    const struct flow_solver *solver = massless->solver;
    struct arena *arena = solver->parts.arena;
    double **vectors[] = {&massless->x_free, &massless->v_free,       &massless->partial,
                          &massless->along,  &massless->last_free,    &massless->last_x,
                          &massless->last_f, &massless->last_partial, &massless->step,
                          &massless->gone,   &massless->before};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = arena_doubles(arena, (size_t)solver->n_axes);
    }
    massless->monitors = arena_doubles(arena, (size_t)solver->monitor_start[solver->n_joints]);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

enum masing_status massless_create(struct flow_solver *solver, struct massless **created,
                                   struct masing_error *error)
{
    struct flexible *flexible = NULL;
    *created = NULL;
    NEED(flexible_create(&solver->parts, &flexible, error));
    if (!flexible) {
        return MASING_OK;
    }
    struct massless *massless = arena_array(solver->parts.arena, 1, sizeof *massless);
    NEED_ALLOCATED(massless);
    massless->solver = solver;
    massless->flexible = flexible;
    for (int i = 0; i < flexible->n; i++) {
        const struct joint *joint = &solver->parts.model->joints[flexible->joints[i]];
        if (!joint->law->family->flow->tangent) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "joint '%s' acts on a DOF without mass, where "
                                    "integration.method: accurate does not support the law %s: "
                                    "newmark does",
                                    joint->name, joint->law->name);
        }
    }
    NEED(allocate(massless, error));
    NEED(coupling_create(solver->parts.joints, flexible->compliance, 0.0, solver->parts.arena,
                         &massless->coupling, error));
    massless->coupling->evaluate = evaluate;
    massless->coupling->context = massless;
    *created = massless;
    return MASING_OK;
}

enum masing_status massless_begin(struct massless *massless, const double *y)
{
    struct flow_solver *solver = massless->solver;
    const struct ports *ports = solver->parts.ports;
    const struct joints *joints = solver->parts.joints;
    enum masing_status status = flexible_start(massless->flexible);
    massless->has_last = false;
    massless->reach = 0.0;
    massless->trouble = NULL;
    coupling_reset(massless->coupling);
    memcpy(solver->x, joints->x, (size_t)solver->n_axes * sizeof(double));
    ports_project(solver->n_axes, solver->n_modes, ports->shapes, y + solver->n_modes,
                  solver->v);
    flexible_add_loads(massless->flexible, 0.0, 1, solver->v);
    return status;
}

/* Largest of those on DOFs without mass. */
static double largest(const struct massless *massless, const double *x)
{
    double size = 0.0;
    for (int i = 0; i < massless->flexible->n; i++) {
        size = fmax(size, fabs(x[massless->flexible->axes[i]]));
    }
    return size;
}

/* How far tangents lead along a step of the free displacements. */
static double predict(struct massless *massless, const double *partial)
{
    size_t size = (size_t)massless->solver->n_axes * sizeof(double);
    double free_step = largest(massless, massless->step);
    if (!flexible_set(massless->flexible, partial)) {
        return free_step;
    }
    memcpy(massless->gone, massless->step, size);
    flexible_follow(massless->flexible, massless->gone);
    return fmax(free_step, largest(massless, massless->gone));
}

/* What the forces did along the way from the solution before, where they were `before`. */
static double work_since(const struct massless *massless, const double *before)
{
    double work = 0.0;
    for (int i = 0; i < massless->flexible->n; i++) {
        int axis = massless->flexible->axes[i];
        work += (massless->solver->parts.joints->f[axis] - before[axis]) *
                (massless->coupling->x[axis] - massless->last_x[axis]);
    }
    return work;
}

/* The free displacements of the step from the solution before, with what new internal states do
 * there: forces and tangents are those at its displacements, then again those at the new ones.
 */
static void find_step(struct massless *massless)
{
    const struct flexible *flexible = massless->flexible;
    size_t n_axes = (size_t)massless->solver->n_axes;
    const double *f = massless->solver->parts.joints->f;
    evaluate(massless, massless->last_x, NULL);
    memcpy(massless->before, f, n_axes * sizeof(double));
    memcpy(massless->last_partial, massless->partial, n_axes * sizeof(double));
    evaluate(massless, massless->coupling->x, NULL);
    for (size_t a = 0; a < n_axes; a++) {
        massless->step[a] = massless->x_free[a] - massless->last_free[a];
        for (int i = 0; i < flexible->n; i++) {
            size_t b = (size_t)flexible->axes[i];
            massless->step[a] -= flexible->compliance[a * n_axes + b] *
                                 (massless->before[b] - massless->last_f[b]);
        }
    }
}

/*
 * Whether the DOFs went on continuously from the solution before. Where the forces did not fall
 * there is no other way; where they did, a jump is longer than what the tangents lead to.
 */
static bool is_continuous(struct massless *massless)
{
    double size = 0.0;
    for (int i = 0; i < massless->flexible->n; i++) {
        int axis = massless->flexible->axes[i];
        size = fmax(size, fabs(massless->coupling->x[axis] - massless->last_x[axis]));
    }
    if (!massless->has_last || size <= SMALLEST_JUMP * massless->reach ||
        work_since(massless, massless->last_f) >= 0.0) {
        return true;
    }
    find_step(massless);
    return work_since(massless, massless->before) >= 0.0 ||
           size <= JUMP_FACTOR * fmax(predict(massless, massless->last_partial),
                                      predict(massless, massless->partial));
}

static void keep(struct massless *massless)
{
    size_t size = (size_t)massless->solver->n_axes * sizeof(double);
    memcpy(massless->last_free, massless->x_free, size);
    memcpy(massless->last_x, massless->coupling->x, size);
    memcpy(massless->last_f, massless->solver->parts.joints->f, size);
    massless->reach = fmax(massless->reach, largest(massless, massless->coupling->x));
    massless->has_last = true;
}

enum masing_status massless_follow(struct massless *massless, double time, const double *y)
{
    struct flow_solver *solver = massless->solver;
    struct flexible *flexible = massless->flexible;
    massless->y = y;
    memcpy(massless->x_free, solver->x, (size_t)solver->n_axes * sizeof(double));
    flexible_add_loads(flexible, solver->parts.omega * time, 0, massless->x_free);
    flexible_add_loads(flexible, solver->parts.omega * time, 1, solver->v);
    enum masing_status status = coupling_find(massless->coupling, massless->x_free, solver->v);
    bool is_good = status == MASING_OK && flexible_set(flexible, massless->partial) &&
                   is_continuous(massless) && flexible_set(flexible, massless->along);
    massless->trouble = is_good || status == MASING_NOT_FINITE ? NULL : FLEXIBLE_JUMPS;
    if (!is_good) {
        return status != MASING_OK ? status : MASING_NOT_CONVERGED;
    }
    for (int i = 0; i < flexible->n; i++) {
        solver->x[flexible->axes[i]] = massless->coupling->x[flexible->axes[i]];
    }
    memcpy(massless->v_free, solver->v, (size_t)solver->n_axes * sizeof(double));
    flexible_follow(flexible, solver->v);
    keep(massless);
    return MASING_OK;
}

const char *massless_trouble(const struct massless *massless)
{
    return massless->trouble;
}

/* Joints that turn at one event. */
enum { MOST_TURNS = 1000 };
void massless_accelerate(struct massless *massless, double time)
{
    struct flow_solver *solver = massless->solver;
    flexible_add_loads(massless->flexible, solver->parts.omega * time, 2, solver->a);
    flexible_follow(massless->flexible, solver->a);
}

/* Whether a joint's motion is not that of its interval: its direction is not, or, if `passed`,
 * it has passed another end. */
static bool is_over(const struct massless *massless, int j, const double *y, bool passed)
{
    const struct flow_solver *solver = massless->solver;
    const struct masing_flow *flow = solver->parts.model->joints[j].law->family->flow;
    const struct masing_flow_point point = flow_solver_point(solver, j, y);
    double *value = massless->monitors;
    bool is_over = false;
    flow->monitors(&point, value);
    for (int g = 0; g < solver->monitor_start[j + 1] - solver->monitor_start[j]; g++) {
        bool is_reversal = g == 0 && flow->first_is_reversal;
        is_over =
            is_over || (is_reversal ? value[g] < -solver->rest[j] : passed && value[g] < 0.0);
    }
    return is_over;
}

/* The joint on the i-th axis begins anew: velocities jump, displacements do not. Tangents of
 * the others stay, for at a corner the last digit of a displacement decides about them. */
static enum masing_status turn(struct massless *massless, int i, double *y)
{
    struct flow_solver *solver = massless->solver;
    int j = massless->flexible->joints[i];
    struct masing_flow_point point = flow_solver_point(solver, j, y);
    point.law->family->flow->leave(&point);
    point.a = point.v;
    point.law->family->flow->enter(&point, y + 2 * solver->n_modes + solver->z_start[j]);
    evaluate_axis(massless, i, massless->coupling->x);
    memcpy(solver->v, massless->v_free, (size_t)solver->n_axes * sizeof(double));
    if (!flexible_set(massless->flexible, massless->along)) {
        massless->trouble = FLEXIBLE_JUMPS;
        return MASING_NOT_CONVERGED;
    }
    flexible_follow(massless->flexible, solver->v);
    return MASING_OK;
}

/* Turning always the first that goes the wrong way ends, see the exact solver. */
enum masing_status massless_settle(struct massless *massless, double time, double *y)
{
    struct flow_solver *solver = massless->solver;
    const double *shapes = solver->parts.ports->shapes;
    int n_turns = 0, n = massless->flexible->n;
    ports_project(solver->n_axes, solver->n_modes, shapes, y, solver->x);
    ports_project(solver->n_axes, solver->n_modes, shapes, y + solver->n_modes, solver->v);
    NEED(massless_follow(massless, time, y));
    for (int i = 0; i < n; i++) {
        if (is_over(massless, massless->flexible->joints[i], y, n_turns < n)) {
            if (n_turns++ == MOST_TURNS) {
                massless->trouble = FLEXIBLE_JUMPS;
                return MASING_NOT_CONVERGED;
            }
            NEED(turn(massless, i, y));
            i = -1; /* from the first again */
        }
    }
    return MASING_OK;
}
