/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "transient/variation_parts.h"

/* The entries of a state that are coordinates: those that do not repeat the motion. */
static bool list_memories(struct variation *variation, int j)
{
    const struct joint *joint = &variation->model->joints[j];
    const struct masing_family *family = joint->law->family;
    int fixed = 2 * variation->n_modes + variation->n_axes;
    double one[MASING_MAX_AXES], *copies = variation->trial;
    for (int a = 0; a < MASING_MAX_AXES; a++) {
        one[a] = 1.0;
    }
    size_t used = family->state_used(joint->law, joint->parameters, variation->state[j]);
    for (size_t i = 0; i < used; i++) {
        copies[i] = NAN;
    }
    family->state_moved(joint->law, joint->parameters, 1, one, one, copies);
    for (size_t i = 0; i < used; i++) {
        if (!isnan(copies[i])) {
            continue;
        }
        if (variation->holds_memories) {
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

static void set_unit(double *rows, size_t row, size_t column, size_t n)
{
    rows[row * n + column] = 1.0;
}

/* Displacements of the joints: what the forces do through the flexibility. */
static void add_flexibility(struct variation *variation)
{
    size_t n = (size_t)variation->n, n_axes = (size_t)variation->n_axes;
    for (size_t a = 0; a < n_axes; a++) {
        for (size_t b = 0; b < n_axes; b++) {
            double flexibility = variation->propagator->flexibility[a * n_axes + b];
            for (size_t k = 0; flexibility != 0.0 && k < n; k++) {
                variation->u[a * n + k] -= flexibility * variation->force[b * n + k];
            }
        }
    }
}

/* Where memories are held the force that a state keeps goes with the motion all the same: as
 * after a step that leads nowhere. */
static enum masing_status follow_forces(struct variation *variation)
{
    enum masing_status status = MASING_OK;
    for (int j = 0; j < variation->n_joints && status == MASING_OK; j++) {
        const struct joint *joint = &variation->model->joints[j];
        size_t first = (size_t)joint->first_axis * (size_t)variation->n;
        if (variation->size[j] == 0) {
            continue;
        }
        const struct masing_step_change change = {variation->n, variation->u + first,
                                                  variation->w + first, variation->change[j],
                                                  variation->held + first};
        status = joint->law->family->step_change(
            joint->law, joint->parameters, variation->x + joint->first_axis,
            variation->v + joint->first_axis, variation->state[j], variation->next[j], &change);
    }
    return status;
}

enum masing_status variation_begin(struct variation *variation)
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
        set_unit(variation->z, i, i, n);
    }
    for (size_t a = 0; a < n_axes; a++) {
        set_unit(variation->force, a, n_z + a, n);
    }
    propagator_project(variation->propagator, variation->n, variation->z, variation->u,
                       variation->w);
    add_flexibility(variation);
    for (int j = 0; j < variation->n_joints; j++) {
        if (variation->size[j] > 0) {
            memset(variation->change[j], 0, variation->start[j] * n * sizeof(double));
        }
    }
    for (size_t m = 0; m < (size_t)variation->n_memories; m++) {
        const struct variation_memory *memory = &variation->memories[m];
        set_unit(variation->change[memory->joint], memory->entry, n_z + n_axes + m, n);
    }
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        size_t first = (size_t)joint->first_axis * n;
        if (variation->size[j] > 0) {
            joint->law->family->state_moved(joint->law, joint->parameters, variation->n,
                                            variation->u + first, variation->w + first,
                                            variation->change[j]);
        }
    }
    return variation->holds_memories ? follow_forces(variation) : MASING_OK;
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

enum masing_status variation_end(struct variation *variation)
{
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        if (variation->size[j] > 0 && !variation->holds_memories &&
            joint->law->family->state_used(joint->law, joint->parameters,
                                           variation->state[j]) != variation->start[j]) {
            return MASING_NOT_CONVERGED; /* something was forgotten or learnt */
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
