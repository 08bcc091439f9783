/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/periodic/variation.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/lu.h"

/* More doubles of one joint's memory are not followed: hardly any is ever in use. */
enum { MOST_MEMORIES = 128 };

static enum masing_status measure(struct variation *variation, int most_states,
                                  struct masing_error *error)
{
    size_t capacity = 2 * (size_t)variation->n_modes + (size_t)variation->n_axes;
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        size_t size = masing_law_state_size(joint->law, joint->parameters);
        variation->size[j] = size;
        capacity += size < MOST_MEMORIES ? size : MOST_MEMORIES;
    }
    variation->capacity = (int)capacity;
    return capacity <= (size_t)most_states
               ? MASING_OK
               : masing_error_set(error, MASING_UNSUPPORTED,
                                  "structure and joints have up to %zu states, more than %d",
                                  capacity, most_states);
}

/* Arrays of so many doubles. */
static void add_arrays(struct arena *arena, size_t size, double **arrays[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        *arrays[i] = arena_doubles(arena, size);
    }
}

static void allocate(struct variation *v, struct arena *arena)
{
    size_t n = (size_t)v->capacity, n_axes = (size_t)v->n_axes, n_joints = (size_t)v->n_joints;
    size_t n_z = 2 * (size_t)v->n_modes, rows = n_z > n_axes ? n_z : n_axes, largest = 1;
    double **of_axes[] = {&v->x, &v->v, &v->f, &v->last_v};
    double **squares[] = {&v->fx, &v->fv, &v->last_fx, &v->last_fv, &v->matrix, &v->inverse};
    double **columns[] = {&v->force, &v->u, &v->w, &v->held, &v->zero};
    add_arrays(arena, n_axes, of_axes, sizeof of_axes / sizeof *of_axes);
    add_arrays(arena, n_axes * n_axes, squares, sizeof squares / sizeof *squares);
    add_arrays(arena, n_axes * n, columns, sizeof columns / sizeof *columns);
    v->largest = arena_doubles(arena, 2 * n_joints);
    v->z = arena_doubles(arena, n_z * n);
    v->scratch = arena_doubles(arena, rows * n);
    v->map = arena_doubles(arena, n * n);
    v->memories = arena_array(arena, n, sizeof *v->memories);
    v->pivots = arena_array(arena, n_axes, sizeof *v->pivots);
    v->kept = arena_array(arena, n, sizeof *v->kept);
    v->start = arena_array(arena, n_joints, sizeof *v->start);
    v->state = arena_array(arena, n_joints, sizeof *v->state);
    v->next = arena_array(arena, n_joints, sizeof *v->next);
    v->change = arena_array(arena, n_joints, sizeof *v->change);
    for (size_t j = 0; j < n_joints && !arena->has_failed; j++) {
        v->state[j] = arena_doubles(arena, v->size[j]);
        v->next[j] = arena_doubles(arena, v->size[j]);
        v->change[j] = arena_doubles(arena, v->size[j] * n);
        largest = v->size[j] > largest ? v->size[j] : largest;
    }
    v->trial = arena_doubles(arena, largest * n);
}

enum masing_status variation_create(const struct masing_model *model, int n_modes,
                                    int most_states, struct arena *arena,
                                    struct variation **variation, struct masing_error *error)
{
    struct variation *made = arena_array(arena, 1, sizeof *made);
    NEED_ALLOCATED(made);
    made->model = model;
    made->n_modes = n_modes;
    made->n_axes = model->n_axes;
    made->n_joints = model->spec.n_joints;
    made->size = arena_array(arena, (size_t)made->n_joints, sizeof *made->size);
    NEED_ALLOCATED(made->size);
    NEED(measure(made, most_states, error));
    for (int level = 0; level < VARIATION_LEVELS; level++) {
        NEED(propagator_create(model, n_modes, arena, &made->levels[level], error));
    }
    made->propagator = made->levels[0];
    allocate(made, arena);
    NEED_ALLOCATED(!arena->has_failed);
    *variation = made;
    return MASING_OK;
}

/* The entries of a state that are coordinates: those that do not repeat the motion. */
static bool list_memories(struct variation *variation, int j)
{
    const struct joint *joint = &variation->model->joints[j];
    int fixed = 2 * variation->n_modes + variation->n_axes;
    double one[MASING_MAX_AXES], *copies = variation->trial;
    for (int a = 0; a < MASING_MAX_AXES; a++) {
        one[a] = 1.0;
    }
    size_t used = masing_law_state_used(joint->law, joint->parameters, variation->state[j]);
    for (size_t i = 0; i < used; i++) {
        copies[i] = NAN;
    }
    masing_law_state_moved(joint->law, joint->parameters, 1, one, one, copies);
    for (size_t i = 0; i < used; i++) {
        if (!isnan(copies[i]) || variation->holds_memories) {
            continue;
        }
        if (fixed + variation->n_memories == variation->capacity) {
            return false;
        }
        variation->memories[variation->n_memories++] =
            (struct variation_memory){.joint = j, .entry = i};
    }
    variation->start[j] = used;
    return true;
}

/* y [n_axes][n] += matrix [n_axes][n_axes] / divisor x [n_axes][n] */
static void add_product(const struct variation *variation, const double *matrix, double divisor,
                        const double *x, double *y)
{
    size_t n = (size_t)variation->n, n_axes = (size_t)variation->n_axes;
    for (size_t a = 0; a < n_axes; a++) {
        for (size_t b = 0; b < n_axes; b++) {
            double factor = matrix[a * n_axes + b] / divisor;
            for (size_t k = 0; factor != 0.0 && k < n; k++) {
                y[a * n + k] += factor * x[b * n + k];
            }
        }
    }
}

/* A joint's step, differentiated along displacements u and velocities w [n_axes][n] of all. */
static enum masing_status step_along(struct variation *variation, int j, const double *u,
                                     const double *w, double *dstate)
{
    const struct joint *joint = &variation->model->joints[j];
    size_t axis = (size_t)joint->first_axis, first = axis * (size_t)variation->n;
    const struct masing_step step = {.law = joint->law,
                                     .parameters = joint->parameters,
                                     .x = variation->x + axis,
                                     .v = variation->v + axis,
                                     .state = variation->state[j],
                                     .next_state = variation->next[j],
                                     .f = variation->f,
                                     .n = variation->n,
                                     .dx = u + first,
                                     .dv = w + first,
                                     .dstate = dstate,
                                     .df = variation->held + first};
    return masing_law_take(&step);
}

/* Changes of a joint's states over the step, along the present columns. */
static enum masing_status change_joint(struct variation *variation, int j)
{
    return step_along(variation, j, variation->u, variation->w, variation->change[j]);
}

/* Choose the coordinates at the present states, and start one column with each; x and v are
 * those of the beginning. */
static enum masing_status begin(struct variation *variation)
{
    size_t n_z = 2 * (size_t)variation->n_modes, n_axes = (size_t)variation->n_axes;
    variation->n_memories = 0;
    for (int j = 0; j < variation->n_joints; j++) {
        if (variation->size[j] > 0 && !list_memories(variation, j)) {
            return MASING_NOT_CONVERGED;
        }
    }
    size_t n = n_z + n_axes + (size_t)variation->n_memories;
    variation->n = (int)n;
    memset(variation->z, 0, n_z * n * sizeof(double));
    memset(variation->force, 0, n_axes * n * sizeof(double));
    for (size_t i = 0; i < n_z; i++) {
        variation->z[i * n + i] = 1.0;
    }
    for (size_t a = 0; a < n_axes; a++) {
        variation->force[a * n + n_z + a] = 1.0;
    }
    propagator_project(variation->propagator, variation->n, variation->z, variation->u,
                       variation->w);
    /* what the forces do through the flexibility */
    add_product(variation, variation->propagator->flexibility, -1.0, variation->force,
                variation->u);
    for (int j = 0; j < variation->n_joints; j++) {
        memset(variation->change[j], 0, variation->start[j] * n * sizeof(double));
    }
    for (size_t m = 0; m < (size_t)variation->n_memories; m++) {
        const struct variation_memory *memory = &variation->memories[m];
        variation->change[memory->joint][memory->entry * n + n_z + n_axes + m] = 1.0;
    }
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        size_t first = (size_t)joint->first_axis * n;
        if (variation->size[j] > 0) {
            masing_law_state_moved(joint->law, joint->parameters, variation->n,
                                   variation->u + first, variation->w + first,
                                   variation->change[j]);
        }
        if (variation->size[j] > 0 && variation->holds_memories) {
            /* the force that a state keeps goes with the motion all the same: as after a step
             * that leads nowhere */
            NEED(change_joint(variation, j));
        }
    }
    return MASING_OK;
}

/* The row of a coordinate at the end of the period. */
static const double *row_of(const struct variation *variation, size_t i)
{
    size_t n = (size_t)variation->n, n_z = 2 * (size_t)variation->n_modes;
    size_t n_axes = (size_t)variation->n_axes;
    if (i < n_z) {
        return variation->z + i * n;
    }
    if (i < n_z + n_axes) {
        return variation->force + (i - n_z) * n;
    }
    const struct variation_memory *memory = &variation->memories[i - n_z - n_axes];
    return variation->change[memory->joint] + memory->entry * n;
}

static bool is_held(const double *row, size_t i, size_t n)
{
    bool is_unit = row[i] == 1.0;
    for (size_t k = 0; is_unit && k < n; k++) {
        is_unit = k == i || row[k] == 0.0;
    }
    return is_unit;
}

/* Read the columns: fills the map. */
static enum masing_status end(struct variation *variation)
{
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        if (variation->size[j] == 0 || variation->holds_memories) {
            continue;
        }
        size_t n = (size_t)variation->n, before = variation->start[j];
        size_t used = masing_law_state_used(joint->law, joint->parameters, variation->state[j]);
        if (used != before && !variation->is_periodic) {
            return MASING_NOT_CONVERGED; /* something was forgotten or learnt */
        }
        if (used < before) { /* what is forgotten does not change any more */
            memset(variation->change[j] + used * n, 0, (before - used) * n * sizeof(double));
        }
    }
    size_t n = (size_t)variation->n, first = n - (size_t)variation->n_memories, n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i < first || !is_held(row_of(variation, i), i, n)) {
            variation->kept[n_kept++] = i;
        }
    }
    for (size_t row = 0; row < n_kept; row++) {
        const double *values = row_of(variation, variation->kept[row]);
        for (size_t column = 0; column < n_kept; column++) {
            variation->map[row + column * n_kept] = values[variation->kept[column]];
        }
    }
    for (size_t i = first; i < n_kept; i++) {
        variation->memories[i - first] = variation->memories[variation->kept[i] - first];
    }
    variation->n_memories = (int)(n_kept - first);
    variation->n = (int)n_kept;
    return MASING_OK;
}

/* Part of a tangent's largest size that counts as a jump. */
static const double TANGENT_JUMP = 0.25;
/* Least of what a step of a force's own axis is resisted by, in parts of the structure. */
static const double LEAST_STIFFENING = 0.75;

static void swap_states(struct variation *variation, int joint)
{
    double *state = variation->state[joint];
    variation->state[joint] = variation->next[joint];
    variation->next[joint] = state;
}

static enum masing_status step_joint(struct variation *variation, int j, double *fx, double *fv)
{
    const struct joint *joint = &variation->model->joints[j];
    return masing_law_step(joint->law, joint->parameters, variation->x + joint->first_axis,
                           variation->v + joint->first_axis, variation->state[j],
                           variation->next[j], variation->f, fx, fv);
}

enum masing_status variation_move(struct variation *variation,
                                  const struct variation_motion *motion, int step,
                                  bool only_settling)
{
    motion->place(motion->context, step, variation->x, variation->v);
    for (int j = 0; j < variation->n_joints; j++) {
        if (!only_settling || variation->model->joints[j].law->family->settling_periods > 0) {
            NEED(step_joint(variation, j, variation->fx, variation->fv));
            swap_states(variation, j);
        }
    }
    return MASING_OK;
}

/* Forces at the end of the step as far as the states alone change them, and the matrix
 * I + fx S + fv R of what the motion does. */
static enum masing_status hold_ends(struct variation *variation)
{
    size_t n = (size_t)variation->n, n_axes = (size_t)variation->n_axes;
    const struct propagator *propagator = variation->propagator;
    memset(variation->matrix, 0, n_axes * n_axes * sizeof(double));
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        size_t first = (size_t)joint->first_axis, n_own = (size_t)joint->n_axes;
        double *fx = variation->fx + first * n_axes, *fv = variation->fv + first * n_axes;
        NEED(step_joint(variation, j, fx, fv));
        memset(variation->held + first * n, 0, n_own * n * sizeof(double));
        if (variation->size[j] > 0) {
            size_t used =
                masing_law_state_used(joint->law, joint->parameters, variation->state[j]);
            memcpy(variation->trial, variation->change[j], used * n * sizeof(double));
            NEED(step_along(variation, j, variation->zero, variation->zero, variation->trial));
        }
        for (size_t a = 0; a < n_own; a++) {
            for (size_t b = 0; b < n_axes; b++) {
                double sum = first + a == b ? 1.0 : 0.0;
                for (size_t c = 0; c < n_own; c++) {
                    sum +=
                        fx[a * n_own + c] * propagator->displacement[(first + c) * n_axes + b] +
                        fv[a * n_own + c] * propagator->velocity[(first + c) * n_axes + b];
                }
                variation->matrix[first + a + b * n_axes] = sum;
            }
        }
    }
    return MASING_OK;
}

/* force := matrix^-1 force: the inverse of a small matrix for many columns. */
static enum masing_status solve(struct variation *variation)
{
    size_t n = (size_t)variation->n, n_axes = (size_t)variation->n_axes;
    double *force = variation->force, *inverse = variation->inverse;
    NEED(lu_factor(variation->n_axes, variation->matrix, variation->pivots));
    memset(inverse, 0, n_axes * n_axes * sizeof(double));
    for (size_t a = 0; a < n_axes; a++) {
        inverse[a * (n_axes + 1)] = 1.0;
    }
    lu_solve(variation->n_axes, variation->matrix, variation->pivots, inverse,
             variation->n_axes);
    memcpy(variation->scratch, force, n_axes * n * sizeof(double));
    memset(force, 0, n_axes * n * sizeof(double));
    for (size_t a = 0; a < n_axes; a++) {
        for (size_t b = 0; b < n_axes; b++) {
            double factor = inverse[a + b * n_axes];
            const double *from = variation->scratch + b * n;
            for (size_t k = 0; factor != 0.0 && k < n; k++) {
                force[a * n + k] += factor * from[k];
            }
        }
    }
    return MASING_OK;
}

/* Forces at the end of the step, whose part without the joints is in u, w. */
static enum masing_status couple(struct variation *variation)
{
    size_t n = (size_t)variation->n, n_axes = (size_t)variation->n_axes;
    double *force = variation->force;
    memcpy(force, variation->held, n_axes * n * sizeof(double));
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        size_t first = (size_t)joint->first_axis, n_own = (size_t)joint->n_axes;
        const double *fx = variation->fx + first * n_axes, *fv = variation->fv + first * n_axes;
        for (size_t a = 0; a < n_own; a++) {
            for (size_t c = 0; c < n_own; c++) {
                double by_x = fx[a * n_own + c], by_v = fv[a * n_own + c];
                const double *u = variation->u + (first + c) * n;
                const double *w = variation->w + (first + c) * n;
                for (size_t k = 0; k < n; k++) {
                    force[(first + a) * n + k] += by_x * u[k] + by_v * w[k];
                }
            }
        }
    }
    return solve(variation);
}

/* A step of which the held ends are known. */
static enum masing_status step(struct variation *variation)
{
    const struct propagator *propagator = variation->propagator;
    size_t n = (size_t)variation->n, n_axes = (size_t)variation->n_axes;
    propagator_free(propagator, variation->n, variation->z, variation->force,
                    variation->scratch);
    propagator_project(propagator, variation->n, variation->z, variation->u, variation->w);
    memcpy(variation->scratch, variation->force, n_axes * n * sizeof(double));
    /* velocities of what has no mass are those of the step: the old forces' share */
    add_product(variation, propagator->flexibility, propagator->step, variation->scratch,
                variation->w);
    NEED(couple(variation));
    add_product(variation, propagator->displacement, -1.0, variation->force, variation->u);
    add_product(variation, propagator->velocity, -1.0, variation->force, variation->w);
    propagator_force(propagator, variation->n, variation->force, variation->z);
    for (int j = 0; j < variation->n_joints; j++) {
        if (variation->size[j] > 0) {
            NEED(change_joint(variation, j));
            swap_states(variation, j);
        }
    }
    return MASING_OK;
}

/* A joint that remembers turned: just before, it may have slipped for less than a step. */
static bool has_turned(const struct variation *variation, int j)
{
    const struct joint *joint = &variation->model->joints[j];
    bool has = false;
    for (int a = 0; variation->size[j] > 0 && a < joint->n_axes; a++) {
        int axis = joint->first_axis + a;
        has = has || (variation->v[axis] > 0.0) != (variation->last_v[axis] > 0.0);
    }
    return has;
}

/* Whether a joint's tangents differ by a good part of what they have ever been from those a
 * step before. */
static bool has_jumped(struct variation *variation, int j)
{
    const struct joint *joint = &variation->model->joints[j];
    size_t n_own = (size_t)joint->n_axes;
    size_t at = (size_t)joint->first_axis * (size_t)variation->n_axes;
    const double *now[] = {variation->fx + at, variation->fv + at};
    const double *last[] = {variation->last_fx + at, variation->last_fv + at};
    bool has = false;
    for (int kind = 0; kind < 2; kind++) {
        double *largest = &variation->largest[2 * j + kind];
        for (size_t i = 0; i < n_own * n_own; i++) {
            *largest = fmax(*largest, fmax(fabs(now[kind][i]), fabs(last[kind][i])));
        }
        for (size_t i = 0; i < n_own * n_own; i++) {
            has = has || fabs(now[kind][i] - last[kind][i]) > TANGENT_JUMP * *largest;
        }
    }
    return has;
}

/*
 * Forces that fall as the motion grows, by a good part within the step: motions part, and the
 * step's end, where I + fx S + fv R is nearly singular or worse, tells nothing of how far.
 */
static bool parts_quickly(const struct variation *variation)
{
    bool parts = false;
    for (int a = 0; a < variation->n_axes; a++) {
        parts = parts || variation->matrix[a * (variation->n_axes + 1)] < LEAST_STIFFENING;
    }
    return parts;
}

static void accept_place(struct variation *variation)
{
    double *fx = variation->fx, *fv = variation->fv;
    variation->fx = variation->last_fx;
    variation->fv = variation->last_fv;
    variation->last_fx = fx;
    variation->last_fv = fv;
    memcpy(variation->last_v, variation->v, (size_t)variation->n_axes * sizeof(double));
}

/* From one place of the motion to another, in parts where a tangent jumps in between. */
static enum masing_status go(struct variation *variation, const struct variation_motion *motion,
                             double from, double to, int level)
{
    if (progress_is_cancelled(motion->progress)) {
        return MASING_NOT_FINITE;
    }
    motion->place(motion->context, to, variation->x, variation->v);
    variation->propagator = variation->levels[level];
    enum masing_status status = hold_ends(variation);
    bool is_split = status == MASING_OK && parts_quickly(variation);
    for (int j = 0; j < variation->n_joints && status == MASING_OK; j++) {
        bool has = has_jumped(variation, j) || has_turned(variation, j);
        is_split = is_split || has;
    }
    is_split = is_split && level + 1 < VARIATION_LEVELS;
    if (is_split) {
        double part = (to - from) / VARIATION_SPLIT;
        for (int i = 0; i < VARIATION_SPLIT && status == MASING_OK; i++) {
            status = go(variation, motion, from + i * part,
                        i + 1 < VARIATION_SPLIT ? from + (i + 1) * part : to, level + 1);
        }
        return status;
    }
    if (status == MASING_OK) {
        status = step(variation);
    }
    accept_place(variation);
    return status;
}

enum masing_status variation_follow(struct variation *variation,
                                    const struct variation_motion *motion)
{
    double time_step = motion->time_step;
    for (int level = 0; level < VARIATION_LEVELS; level++) {
        NEED(propagator_set(variation->levels[level], time_step));
        time_step /= VARIATION_SPLIT;
    }
    /* tangents at the beginning: of steps that lead nowhere */
    memset(variation->largest, 0, 2 * (size_t)variation->n_joints * sizeof(double));
    motion->place(motion->context, 0.0, variation->x, variation->v);
    for (int j = 0; j < variation->n_joints; j++) {
        size_t at = (size_t)variation->model->joints[j].first_axis * (size_t)variation->n_axes;
        NEED(step_joint(variation, j, variation->fx + at, variation->fv + at));
    }
    accept_place(variation);
    NEED(begin(variation));
    for (int i = 0; i < motion->n_steps; i++) {
        NEED(go(variation, motion, i, i + 1, 0));
    }
    return end(variation);
}
