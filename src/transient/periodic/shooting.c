/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/periodic/shooting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "transient/rigid_body.h"
#include "transient/periodic/variation.h"

/* A state of the motion, one array. */
struct shooting_state {
    double *q, *v;  /* [n_modes] */
    double *x, *f;  /* [n_axes] */
    double *joints; /* [all state sizes] */
};

struct shooting {
    struct arena arena;
    struct integrator *integrator; /* lent */
    struct variation *variation;
    struct eigen_general *eigen;
    struct rigid_body rigid;
    int n_periods, n_steps;           /* n_steps of all periods */
    int stride;                       /* steps of the integration per step of the map */
    size_t n_states;                  /* [all state sizes] */
    double *x, *v;                    /* [n_steps + 1][n_axes] the motion */
    struct shooting_state begin, end; /* of the last try */
    struct shooting_state
        good;                 /* the end of one of the tries that were marched or came closer */
    double good_change;       /* squared, that its try made: how far from periodic it is */
    double *dq, *dv;          /* [n_modes] step of the state at the beginning */
    double *residual;         /* [capacity] what a period changes, then the Newton step */
    double *real, *imaginary; /* [capacity] */
    double *matrix, *factor;  /* [capacity^2] */
    int *pivots;              /* [capacity] */
    double *scale;            /* [capacity] units of the coordinates in the matrix */
    double *left, *right;     /* [capacity] singular vectors */
    double *scratch;          /* [capacity] */
    double *moved;            /* [n_states] scratch */
    double *change;           /* [2][n_axes] of displacements and velocities */
    double speed;             /* largest squared speed of the last try */
    int n_neutral;            /* directions that the last equations left open */
    bool *is_neutral;         /* [n_axes] those that these directions move */
    double open;              /* squared residual along them, which no step mends */
    bool is_updated;          /* the next try begins with a Newton step */
};

/* The map of small motions takes at most so many steps per period. */
enum { MOST_MAP_STEPS = 1024, MOST_STATES = 1500 };
/* and leaves out modes beyond so many times the frequency of the load, where there are more. */
static const double MAP_CUTOFF = 20.0;
enum { FEWEST_MAP_MODES = 24 };

static struct shooting_state allocate_state(struct shooting *shooting)
{
    const struct ports *ports = shooting->integrator->ports;
    size_t n_modes = (size_t)ports->n_modes, n_axes = (size_t)ports->n_axes;
    double *rest = arena_doubles(&shooting->arena, 2 * (n_modes + n_axes) + shooting->n_states);
    return rest ? (struct shooting_state){.q = rest,
                                          .v = rest + n_modes,
                                          .x = rest + 2 * n_modes,
                                          .f = rest + 2 * n_modes + n_axes,
                                          .joints = rest + 2 * (n_modes + n_axes)}
                : (struct shooting_state){0};
}

static enum masing_status allocate(struct shooting *shooting, struct masing_error *error)
{
    struct arena *arena = &shooting->arena;
    const struct ports *ports = shooting->integrator->ports;
    size_t n_axes = (size_t)ports->n_axes, capacity = (size_t)shooting->variation->capacity;
    size_t samples = ((size_t)shooting->n_steps + 1) * n_axes;
    double **of_capacity[] = {&shooting->residual, &shooting->real, &shooting->imaginary,
                              &shooting->scale,    &shooting->left, &shooting->right,
                              &shooting->scratch};
    for (size_t i = 0; i < sizeof of_capacity / sizeof *of_capacity; i++) {
        *of_capacity[i] = arena_doubles(arena, capacity);
    }
    shooting->n_states = joints_state_size(shooting->integrator->joints);
    shooting->begin = allocate_state(shooting);
    shooting->end = allocate_state(shooting);
    shooting->good = allocate_state(shooting);
    shooting->x = arena_doubles(arena, samples);
    shooting->v = arena_doubles(arena, samples);
    shooting->dq = arena_doubles(arena, (size_t)ports->n_modes);
    shooting->dv = arena_doubles(arena, (size_t)ports->n_modes);
    shooting->moved = arena_doubles(arena, shooting->n_states);
    shooting->change = arena_doubles(arena, 2 * n_axes);
    shooting->matrix = arena_doubles(arena, capacity * capacity);
    shooting->factor = arena_doubles(arena, capacity * capacity);
    shooting->pivots = arena_array(arena, capacity, sizeof(int));
    shooting->is_neutral = arena_array(arena, n_axes, sizeof(bool));
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

/* Modes far above the load die away by themselves within the few periods that shooting takes,
 * unless there are hardly more of them than of the others. */
static int count_map_modes(const struct integrator *integrator)
{
    const double *omega = integrator->model->structure->omega;
    int n = integrator->ports->n_modes;
    while (n > FEWEST_MAP_MODES && omega[n - 1] > MAP_CUTOFF * integrator->omega) {
        n--;
    }
    return n;
}

enum masing_status shooting_create(struct integrator *integrator, int n_periods,
                                   struct shooting **shooting, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct shooting *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->integrator = integrator;
    made->n_periods = n_periods;
    made->n_steps = n_periods * integrator->n_steps;
    made->stride = 1;
    while (integrator->n_steps / made->stride > MOST_MAP_STEPS &&
           integrator->n_steps % (2 * made->stride) == 0) {
        made->stride *= 2;
    }
    TRY(variation_create(integrator->model, count_map_modes(integrator), MOST_STATES,
                         &made->arena, &made->variation, error));
    int capacity = made->variation->capacity;
    TRY(rigid_body_create(integrator, &made->rigid, error));
    TRY(eigen_general_create(capacity, false, &made->eigen, error));
    TRY(allocate(made, error));
    *shooting = made;
    made = NULL;
done:
    shooting_destroy(made);
    return status;
}

void shooting_destroy(struct shooting *shooting)
{
    if (shooting) {
        eigen_general_destroy(shooting->eigen);
        rigid_body_clear(&shooting->rigid);
        arena_clear(&shooting->arena);
        free(shooting);
    }
}

/* The equations of a Newton step of shooting, (I - map) update = residual, without the motions
 * that they leave open: a body that no joint holds, sliders that slip together with what they
 * act on. */

/* Directions that a period changes by less than this part are neutral. */
static const double NEUTRAL_CHANGE = 1e-7;
/* On the diagonal: keeps pivots from being exactly zero. */
static const double PIVOT_SHIFT = 1e-13;
/* Of the axes, those that a neutral direction moves by this part of the one it moves most. */
static const double NEUTRAL_AXIS = 1e-6;
enum { MOST_NEUTRAL = 16, BALANCING_SWEEPS = 3, INVERSE_ITERATIONS = 3 };

/* What the period changed of the modal coordinates. */
static void fill_change(struct shooting *shooting)
{
    for (int k = 0; k < shooting->integrator->ports->n_modes; k++) {
        shooting->dq[k] = shooting->end.q[k] - shooting->begin.q[k];
        shooting->dv[k] = shooting->end.v[k] - shooting->begin.v[k];
    }
}

/* I - map, and what the period changed of each coordinate of it. */
static void fill_equations(struct shooting *shooting)
{
    const struct variation *variation = shooting->variation;
    const struct shooting_state *begin = &shooting->begin, *end = &shooting->end;
    size_t n_modes = (size_t)variation->n_modes, n = (size_t)variation->n;
    double *residual = shooting->residual, *forces = residual + 2 * n_modes;
    fill_change(shooting);
    memcpy(residual, shooting->dq, n_modes * sizeof(double));
    memcpy(residual + n_modes, shooting->dv, n_modes * sizeof(double));
    for (int a = 0; a < variation->n_axes; a++) {
        forces[a] = end->f[a] - begin->f[a];
    }
    for (int m = 0; m < variation->n_memories; m++) {
        const struct variation_memory *memory = &variation->memories[m];
        size_t at = shooting->integrator->joints->state_start[memory->joint] + memory->entry;
        forces[variation->n_axes + m] = end->joints[at] - begin->joints[at];
    }
    for (size_t i = 0; i < n * n; i++) {
        shooting->matrix[i] = -variation->map[i];
    }
    for (size_t i = 0; i < n; i++) {
        shooting->matrix[i * (n + 1)] += 1.0 + PIVOT_SHIFT;
    }
}

/* Of each row what it takes from displacements that no joint sees. */
static void drop_free_columns(const struct shooting *shooting, double *matrix)
{
    const struct rigid_body *rigid = &shooting->rigid;
    size_t n = (size_t)shooting->variation->n, n_rigid = (size_t)rigid->n;
    double *row = shooting->scratch;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n_rigid; k++) {
            row[k] = matrix[k * n + i];
        }
        rigid_body_keep_seen(rigid, row);
        for (size_t k = 0; k < n_rigid; k++) {
            matrix[k * n + i] = row[k];
        }
    }
}

/*
 * Displacements z that no joint sees are arbitrary: nothing depends on them. Because z' + d z
 * and what damping adds of the rest follow from the loads alone, z' is periodic where z and the
 * rest are. So z stays as it is, in place of the equations for z'; those for z decide about z'.
 */
static void hold_free(struct shooting *shooting)
{
    const struct rigid_body *rigid = &shooting->rigid;
    size_t n = (size_t)shooting->variation->n, n_modes = (size_t)shooting->variation->n_modes;
    size_t n_rigid = (size_t)rigid->n;
    if (rigid->n_seen == rigid->n) {
        return;
    }
    drop_free_columns(shooting, shooting->matrix);
    for (size_t j = 0; j < n; j++) {
        rigid_body_keep_seen(rigid, shooting->matrix + j * n + n_modes);
    }
    rigid_body_keep_seen(rigid, shooting->residual + n_modes);
    for (int i = 0; i < rigid->n - rigid->n_seen; i++) {
        const double *vector = rigid->free + (size_t)i * n_rigid;
        for (size_t k = 0; k < n_rigid; k++) {
            for (size_t j = 0; j < n_rigid; j++) {
                shooting->matrix[j * n + n_modes + k] +=
                    shooting->integrator->omega * vector[k] * vector[j];
            }
        }
    }
}

/* Row and column of a coordinate in a unit that is so many times larger. */
static void rescale(struct shooting *shooting, size_t i, double factor)
{
    size_t n = (size_t)shooting->variation->n;
    for (size_t j = 0; j < n; j++) {
        shooting->matrix[j * n + i] /= factor;
        shooting->matrix[i * n + j] *= factor;
    }
    shooting->residual[i] /= factor;
    shooting->scale[i] *= factor;
}

/* The unit of a coordinate that makes its row as large as its column (Osborne 1960). */
static double balancing_factor(const struct shooting *shooting, size_t i)
{
    size_t n = (size_t)shooting->variation->n;
    double row = 0.0, column = 0.0;
    for (size_t j = 0; j < n; j++) {
        double of_row = shooting->matrix[j * n + i], of_column = shooting->matrix[i * n + j];
        row += j == i ? 0.0 : of_row * of_row;
        column += j == i ? 0.0 : of_column * of_column;
    }
    double ratio = row > 0.0 && column > 0.0 ? sqrt(row / column) : row > 0.0 ? row : 1.0;
    return isfinite(ratio) ? sqrt(ratio) : 1.0;
}

/* Displacements and velocities in the units of periodic.c, forces and memories in those that
 * they act with: singular values mean something then. */
static void scale(struct shooting *shooting)
{
    const struct variation *variation = shooting->variation;
    const double *stiffness = shooting->integrator->modal->stiffness;
    double omega = shooting->integrator->omega;
    size_t n = (size_t)variation->n, n_modes = (size_t)variation->n_modes;
    for (size_t i = 0; i < n; i++) {
        shooting->scale[i] = 1.0;
    }
    for (size_t k = 0; k < n_modes; k++) {
        rescale(shooting, k, 1.0 / sqrt(fmax(stiffness[k], omega * omega)));
    }
    for (int sweep = 0; sweep < BALANCING_SWEEPS; sweep++) {
        for (size_t i = 2 * n_modes; i < n; i++) {
            rescale(shooting, i, balancing_factor(shooting, i));
        }
    }
}

static double normalise(size_t n, double *vector)
{
    double size = sqrt(dense_dot((int)n, vector, vector));
    for (size_t i = 0; i < n; i++) {
        vector[i] /= size;
    }
    return size;
}

/* The smallest singular value, its vectors in left and right, by inverse iteration. */
static double smallest_singular(const struct shooting *shooting)
{
    int n = shooting->variation->n;
    double *left = shooting->left, *right = shooting->right, size = 0.0;
    for (int i = 0; i < n; i++) {
        right[i] = 1.0 + 0.3 * sin(1.0 + i); /* along nothing in particular */
    }
    for (int i = 0; i < INVERSE_ITERATIONS; i++) {
        memcpy(left, right, (size_t)n * sizeof(double));
        lu_solve_transposed(n, shooting->factor, shooting->pivots, left, 1);
        normalise((size_t)n, left);
        memcpy(right, left, (size_t)n * sizeof(double));
        lu_solve(n, shooting->factor, shooting->pivots, right, 1);
        size = normalise((size_t)n, right);
    }
    return 1.0 / size;
}

/* No step along the direction; what the residual has of it no step can mend. */
static void deflate(struct shooting *shooting)
{
    size_t n = (size_t)shooting->variation->n;
    double part = dense_dot((int)n, shooting->left, shooting->residual);
    for (size_t i = 0; i < n; i++) {
        shooting->residual[i] -= part * shooting->left[i];
    }
    shooting->open += part * part;
    dense_add_outer((int)n, (int)n, 1, shooting->left, shooting->right, shooting->matrix);
    shooting->n_neutral++;
    const struct ports *ports = shooting->integrator->ports;
    double largest = 0.0, *moved = shooting->change;
    for (int a = 0; a < ports->n_axes; a++) { /* the axes that it moves */
        const double *row = ports->shapes + (size_t)a * (size_t)ports->n_modes;
        moved[a] = 0.0;
        for (int k = 0; k < shooting->variation->n_modes; k++) {
            moved[a] += row[k] * shooting->scale[k] * shooting->right[k];
        }
        largest = fmax(largest, fabs(moved[a]));
    }
    for (int a = 0; a < ports->n_axes; a++) {
        shooting->is_neutral[a] =
            shooting->is_neutral[a] || fabs(moved[a]) > NEUTRAL_AXIS * largest;
    }
}

/* Where all joints that hold a body slip nothing may decide where it stands: the smallest step
 * of those that lead to a periodic motion. */
static enum masing_status solve(struct shooting *shooting)
{
    size_t n = (size_t)shooting->variation->n;
    int most = shooting->rigid.n_seen > 0 ? MOST_NEUTRAL : 0;
    shooting->n_neutral = 0;
    shooting->open = 0.0;
    memset(shooting->is_neutral, 0, (size_t)shooting->variation->n_axes * sizeof(bool));
    enum masing_status status;
    bool has_neutral;
    do {
        memcpy(shooting->factor, shooting->matrix, n * n * sizeof(double));
        status = lu_factor((int)n, shooting->factor, shooting->pivots);
        has_neutral = status == MASING_OK && shooting->n_neutral < most &&
                      smallest_singular(shooting) < NEUTRAL_CHANGE;
        if (has_neutral) {
            deflate(shooting);
        }
    } while (has_neutral);
    if (status == MASING_OK) {
        lu_solve((int)n, shooting->factor, shooting->pivots, shooting->residual, 1);
        for (size_t i = 0; i < n; i++) {
            shooting->residual[i] *= shooting->scale[i];
        }
    }
    return status;
}

/* The step from what the last try changed and the map; modes that the map leaves out go on from
 * where the period ended. MASING_SINGULAR. */
static enum masing_status find_step(struct shooting *shooting)
{
    size_t n = (size_t)shooting->variation->n_modes;
    fill_equations(shooting);
    hold_free(shooting);
    scale(shooting);
    NEED(solve(shooting));
    memcpy(shooting->dq, shooting->residual, n * sizeof(double));
    memcpy(shooting->dv, shooting->residual + n, n * sizeof(double));
    return MASING_OK;
}

/* Modulus of the largest multiplier besides those of 1 that belong to neutral directions; NAN.
 * Overwrites the map. */
static double largest_multiplier(struct shooting *shooting)
{
    const struct variation *variation = shooting->variation;
    double largest = 0.0, *real = shooting->real, *imaginary = shooting->imaginary;
    if (shooting->rigid.n_seen < shooting->rigid.n) {
        drop_free_columns(shooting, variation->map);
    }
    if (eigen_general_solve(shooting->eigen, variation->n, variation->map, real, imaginary,
                            NULL) != MASING_OK) {
        return NAN;
    }
    for (int i = 0; i < variation->n; i++) {
        bool is_neutral =
            shooting->rigid.n > 0 && hypot(real[i] - 1.0, imaginary[i]) < NEUTRAL_CHANGE;
        largest = is_neutral ? largest : fmax(largest, hypot(real[i], imaginary[i]));
    }
    return largest;
}

/* Tries without Newton: at first, and after many Newton steps that did not help. */
enum { FEWEST_MARCHED = 2, MOST_MARCHED = 64 };
/* So often Newton steps may fail to help: then there may be nothing of these periods. */
enum { MOST_LOST = 6 };
/* A Newton step longer than this part of the shortest so far has not become better. */
static const double PROGRESS = 0.5;
/* One longer than this, relative to the motion, leads nowhere: a resonance from rest grows by
 * less before damping limits it. */
static const double LONGEST_STEP = 1e4;

static void record(struct shooting *shooting, int step)
{
    const struct integrator *integrator = shooting->integrator;
    size_t n_axes = (size_t)integrator->ports->n_axes, at = (size_t)step * n_axes;
    memcpy(shooting->x + at, integrator->joints->x, n_axes * sizeof(double));
    integrator_joint_velocities(integrator, shooting->v + at);
    shooting->speed =
        fmax(shooting->speed, integrator_squared_speed(integrator, shooting->speed));
}

/* The state of the integrator but for what the joints remember. */
static void keep(const struct shooting *shooting, const struct shooting_state *state)
{
    const struct integrator *integrator = shooting->integrator;
    size_t n_modes = (size_t)integrator->ports->n_modes * sizeof(double);
    size_t n_axes = (size_t)integrator->ports->n_axes * sizeof(double);
    const struct modal_state *modal = integrator_modal(integrator);
    memcpy(state->q, modal->q, n_modes);
    memcpy(state->v, modal->v, n_modes);
    memcpy(state->x, integrator->joints->x, n_axes);
    memcpy(state->f, integrator->joints->f, n_axes);
}

/* Square of dq, dv in the norm by which motions are called periodic, see periodic.c. */
static double square_of(const struct shooting *shooting)
{
    const struct modal_state *modal = shooting->integrator->modal;
    double omega2 = shooting->integrator->omega * shooting->integrator->omega, sum = 0.0;
    const double *dq = shooting->dq, *dv = shooting->dv;
    for (int k = 0; k < modal->n_modes; k++) {
        sum += dv[k] * dv[k] + fmax(modal->stiffness[k], omega2) * dq[k] * dq[k];
    }
    return sum;
}

/* One try: the state at both ends and the motion in between. */
static enum masing_status shoot(struct shooting *shooting,
                                const struct periodic_observer *observer,
                                struct periodic_result *result)
{
    struct integrator *integrator = shooting->integrator;
    keep(shooting, &shooting->begin);
    NEED(joints_catch_up(integrator->joints));
    memcpy(shooting->begin.joints, integrator->joints->state,
           shooting->n_states * sizeof(double));
    shooting->speed = 0.0;
    record(shooting, 0);
    for (int i = 1; i <= shooting->n_steps; i++) {
        result->is_cancelled = result->is_cancelled || periodic_is_over(observer, i);
        if (result->is_cancelled) {
            return MASING_OK;
        }
        NEED(integrator_step(integrator));
        record(shooting, i);
        if (i % integrator->n_steps == 0) {
            result->cycles++;
            result->is_cancelled =
                observer->period &&
                observer->period(observer->context, result->cycles, result->distance);
        }
    }
    keep(shooting, &shooting->end);
    return integrator_joint_states(integrator, shooting->end.joints);
}

/* Between the steps of the integration by Hermite's cubic. */
static void place(const void *context, double step, double *x, double *v)
{
    const struct shooting *shooting = context;
    const struct integrator *integrator = shooting->integrator;
    size_t n_axes = (size_t)integrator->ports->n_axes;
    double place = step * shooting->stride, whole = fmin(floor(place), shooting->n_steps - 1);
    double h = integrator->period / integrator->n_steps, s = place - whole, r = 1.0 - s;
    const double *x0 = shooting->x + (size_t)whole * n_axes, *x1 = x0 + n_axes;
    const double *v0 = shooting->v + (size_t)whole * n_axes, *v1 = v0 + n_axes;
    for (size_t a = 0; a < n_axes; a++) {
        double slope = (x1[a] - x0[a]) / h;
        x[a] = r * x0[a] + s * x1[a] + h * s * r * (r * (v0[a] - slope) - s * (v1[a] - slope));
        v[a] =
            slope + r * (r - 2.0 * s) * (v0[a] - slope) - s * (2.0 * r - s) * (v1[a] - slope);
    }
}

static enum masing_status follow(struct shooting *shooting,
                                 const struct periodic_observer *observer, bool holds_memories)
{
    const struct integrator *integrator = shooting->integrator;
    struct variation *variation = shooting->variation;
    const struct masing_progress progress = {.context = observer->context,
                                             .is_cancelled = observer->is_over};
    const struct variation_motion motion = {.context = shooting,
                                            .place = place,
                                            .time_step = integrator->period /
                                                         integrator->n_steps * shooting->stride,
                                            .n_steps = shooting->n_steps / shooting->stride,
                                            .progress = &progress};
    for (int j = 0; j < variation->n_joints; j++) {
        memcpy(variation->state[j], shooting->begin.joints + integrator->joints->state_start[j],
               variation->size[j] * sizeof(double));
    }
    variation->holds_memories = holds_memories;
    return variation_follow(variation, &motion);
}

/* A motion that still decays without slip turns inside of what it did before, and remembers
 * more and more of it: there memories are held. */
static enum masing_status map(struct shooting *shooting,
                              const struct periodic_observer *observer)
{
    enum masing_status status = follow(shooting, observer, false);
    return status == MASING_NOT_CONVERGED ? follow(shooting, observer, true) : status;
}

/* The Newton step as a change of the joints' displacements and velocities; where memories are
 * held, the motion goes on with those at its end, and the change is from there. */
static void project_update(const struct shooting *shooting, double *dx, double *dv)
{
    const struct variation *variation = shooting->variation;
    const struct ports *ports = shooting->integrator->ports;
    const double *update = shooting->residual;
    size_t n = (size_t)variation->n_modes, n_axes = (size_t)variation->n_axes;
    ports_project(ports->n_axes, ports->n_modes, ports->shapes, shooting->dq, dx);
    ports_project(ports->n_axes, ports->n_modes, ports->shapes, shooting->dv, dv);
    for (size_t a = 0; a < n_axes && ports->flexibility; a++) {
        for (size_t b = 0; b < n_axes; b++) {
            dx[a] -= ports->flexibility[b * (size_t)ports->n_ports + a] * update[2 * n + b];
        }
    }
    for (size_t a = 0; a < n_axes && variation->holds_memories; a++) {
        size_t last = (size_t)shooting->n_steps * n_axes + a;
        dx[a] += shooting->x[a] - shooting->x[last];
        dv[a] += shooting->v[a] - shooting->v[last];
    }
}

/* The joints where the next try begins: what they remember, and their copies of the motion. */
static void update_joints(struct shooting *shooting, const double *dx, const double *dv)
{
    const struct variation *variation = shooting->variation;
    struct joints *joints = shooting->integrator->joints;
    int first = 2 * variation->n_modes + variation->n_axes;
    const struct shooting_state *from =
        variation->holds_memories ? &shooting->end : &shooting->begin;
    memset(shooting->moved, 0, shooting->n_states * sizeof(double));
    for (int j = 0; j < joints->n_joints; j++) {
        const struct joint *joint = &joints->joint[j];
        masing_law_state_moved(joint->law, joint->parameters, 1, dx + joint->first_axis,
                               dv + joint->first_axis,
                               shooting->moved + joints->state_start[j]);
    }
    for (int m = 0; m < variation->n_memories; m++) {
        size_t at = joints->state_start[variation->memories[m].joint];
        shooting->moved[at + variation->memories[m].entry] = shooting->residual[first + m];
    }
    for (size_t i = 0; i < shooting->n_states; i++) {
        joints->state[i] = from->joints[i] + shooting->moved[i];
    }
    for (int a = 0; a < joints->n_axes; a++) {
        joints->x[a] = from->x[a] + dx[a];
    }
    joints_replaced(joints);
}

/* Begin where the last try began, moved by the update. */
static enum masing_status begin_updated(struct shooting *shooting)
{
    struct integrator *integrator = shooting->integrator;
    struct modal_state *modal = integrator->modal;
    size_t n = (size_t)modal->n_modes, n_axes = (size_t)integrator->ports->n_axes;
    double *dx = shooting->change, *dv = dx + n_axes;
    project_update(shooting, dx, dv);
    for (size_t k = 0; k < n; k++) {
        modal->q[k] = shooting->begin.q[k] + shooting->dq[k];
        modal->v[k] = shooting->begin.v[k] + shooting->dv[k];
    }
    update_joints(shooting, dx, dv);
    ports_project((int)n_axes, (int)n, integrator->ports->shapes, modal->v, dv);
    /* the forces there, and nothing else: the joints do not move */
    enum masing_status status = joints_evaluate(integrator->joints, integrator->joints->x, dv);
    integrator_begin(integrator);
    shooting->is_updated = true;
    return status;
}

/* Go on from the end of the best try. */
static void begin_good(struct shooting *shooting)
{
    struct integrator *integrator = shooting->integrator;
    const struct shooting_state *good = &shooting->good;
    size_t n_modes = (size_t)integrator->ports->n_modes * sizeof(double);
    size_t n_axes = (size_t)integrator->ports->n_axes * sizeof(double);
    memcpy(integrator->modal->q, good->q, n_modes);
    memcpy(integrator->modal->v, good->v, n_modes);
    memcpy(integrator->joints->x, good->x, n_axes);
    memcpy(integrator->joints->f, good->f, n_axes);
    memcpy(integrator->joints->state, good->joints, shooting->n_states * sizeof(double));
    joints_replaced(integrator->joints);
    integrator_begin(integrator);
    shooting->is_updated = false;
}

/* The end of the last try is where to go on from, if nothing better is known. */
static void note_end(struct shooting *shooting, bool always)
{
    const struct ports *ports = shooting->integrator->ports;
    size_t n_axes = (size_t)ports->n_axes, n_modes = (size_t)ports->n_modes;
    fill_change(shooting);
    double change = square_of(shooting);
    if (always || change <= shooting->good_change) {
        shooting->good_change = change;
        memcpy(shooting->good.q, shooting->end.q,
               (2 * (n_modes + n_axes) + shooting->n_states) * sizeof(double));
    }
}

/* How long to march before the next Newton step. */
struct patience {
    int n_marched;   /* tries since then */
    int to_march;    /* tries without Newton that are to come */
    int n_lost;      /* times that Newton steps did not help */
    double smallest; /* update so far */
    int n_good;      /* updates in a row within the tolerance */
};

static void lose_patience(struct patience *patience)
{
    patience->n_marched =
        patience->n_marched * 2 < MOST_MARCHED ? patience->n_marched * 2 : MOST_MARCHED;
    patience->to_march = patience->n_marched;
    patience->n_lost++;
    patience->smallest = INFINITY;
}

/* A Newton step from the last try, if it promises something. */
static enum masing_status correct(struct shooting *shooting, double tolerance,
                                  const struct periodic_observer *observer,
                                  struct patience *patience, struct periodic_result *result)
{
    enum masing_status status = map(shooting, observer);
    result->is_cancelled = observer->is_over && observer->is_over(observer->context);
    if (result->is_cancelled) {
        return MASING_OK;
    }
    if (status == MASING_OK) {
        status = find_step(shooting);
    }
    if (status < 0) {
        return status;
    }
    /* relative size of the update, and of what it leaves open */
    double sum = square_of(shooting) + shooting->open;
    double size = status != MASING_OK ? INFINITY
                  : sum == 0.0        ? 0.0
                                      : sqrt(sum / shooting->speed);
    bool is_better = size <= PROGRESS * patience->smallest || size <= tolerance;
    if (!(size <= LONGEST_STEP) || !is_better) {
        lose_patience(patience);
        result->distance = INFINITY;
        begin_good(shooting);
        return MASING_OK;
    }
    patience->smallest = size;
    result->distance = size;
    result->n_updates++;
    if (result->n_history < PERIODIC_HISTORY) {
        result->history[result->n_history++] = size;
    }
    patience->n_good = size <= tolerance ? patience->n_good + 1 : 0;
    result->order = shooting->n_periods;
    result->is_steady = patience->n_good > (shooting->variation->holds_memories ? 1 : 0);
    result->largest_multiplier = result->is_steady ? largest_multiplier(shooting) : NAN;
    return begin_updated(shooting);
}

enum masing_status shooting_run(struct shooting *shooting, double tolerance, int max_cycles,
                                const struct periodic_observer *observer,
                                struct periodic_result *result)
{
    struct patience patience = {
        .n_marched = FEWEST_MARCHED, .to_march = FEWEST_MARCHED, .smallest = INFINITY};
    result->distance = INFINITY;
    shooting->good_change = INFINITY;
    shooting->is_updated = false;
    while (!result->is_steady && !result->is_cancelled && patience.n_lost < MOST_LOST &&
           result->cycles < max_cycles) {
        enum masing_status status = shoot(shooting, observer, result);
        if (status > 0 && shooting->is_updated) {
            lose_patience(&patience); /* no motion is there: go on from one that is */
            begin_good(shooting);
            continue;
        }
        NEED(status);
        if (result->is_cancelled) {
            break;
        }
        note_end(shooting, patience.to_march > 0);
        if (patience.to_march > 0) {
            patience.to_march--;
            begin_good(shooting);
            continue;
        }
        NEED(correct(shooting, tolerance, observer, &patience, result));
    }
    return MASING_OK;
}

enum masing_status shooting_find_neutral(struct shooting *shooting, bool *is_neutral)
{
    const struct periodic_observer observer = {0};
    struct periodic_result result = {0};
    size_t size = (size_t)shooting->integrator->ports->n_axes * sizeof(bool);
    memset(is_neutral, 0, size);
    NEED(shoot(shooting, &observer, &result));
    enum masing_status status = map(shooting, &observer);
    status = status == MASING_OK ? find_step(shooting) : status;
    if (status == MASING_OK) {
        memcpy(is_neutral, shooting->is_neutral, size);
    }
    return status > 0 ? MASING_OK : status; /* there is no answer then */
}
