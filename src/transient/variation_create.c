/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "transient/variation.h"

/* More doubles of one joint's memory are not followed: hardly any is ever in use. */
enum { MOST_MEMORIES = 128 };

static enum masing_status measure(struct variation *variation, int most_states,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t capacity = 2 * (size_t)variation->n_modes + (size_t)variation->n_axes;
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        const struct masing_family *family = joint->law->family;
        if (!family->step_change || !family->state_used || !family->state_moved) {
            TRY(masing_error_set(error, MASING_UNSUPPORTED,
                                 "the law %s of joint %s cannot differentiate its steps",
                                 joint->law->name, joint->name));
        }
        size_t size = family->state_size(joint->law, joint->parameters);
        variation->size[j] = size;
        capacity += size < MOST_MEMORIES ? size : MOST_MEMORIES;
    }
    if (capacity > (size_t)most_states) {
        TRY(masing_error_set(error, MASING_UNSUPPORTED,
                             "structure and joints have up to %zu states, more than %d",
                             capacity, most_states));
    }
    variation->capacity = (int)capacity;
done:
    return status;
}

static enum masing_status allocate_joints(struct variation *variation,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_joints = (size_t)variation->n_joints, largest = 1;
    variation->state = memory_array(n_joints, sizeof *variation->state);
    variation->next = memory_array(n_joints, sizeof *variation->next);
    variation->change = memory_array(n_joints, sizeof *variation->change);
    variation->start = memory_array(n_joints, sizeof *variation->start);
    TRY_ALLOCATED(variation->state && variation->next && variation->change && variation->start);
    for (size_t j = 0; j < n_joints; j++) {
        size_t size = variation->size[j];
        variation->state[j] = memory_array(size, sizeof(double));
        variation->next[j] = memory_array(size, sizeof(double));
        variation->change[j] = memory_array(size * (size_t)variation->capacity, sizeof(double));
        TRY_ALLOCATED(variation->state[j] && variation->next[j] && variation->change[j]);
        largest = size > largest ? size : largest;
    }
    variation->trial = memory_array(largest * (size_t)variation->capacity, sizeof(double));
    TRY_ALLOCATED(variation->trial);
done:
    return status;
}

static enum masing_status allocate(struct variation *variation, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)variation->capacity, n_axes = (size_t)variation->n_axes;
    size_t n_z = 2 * (size_t)variation->n_modes, rows = n_z > n_axes ? n_z : n_axes;
    struct {
        double **vector;
        size_t size;
    } vectors[] = {
        {&variation->x, n_axes},
        {&variation->v, n_axes},
        {&variation->f, n_axes},
        {&variation->fx, n_axes * n_axes},
        {&variation->fv, n_axes * n_axes},
        {&variation->last_fx, n_axes * n_axes},
        {&variation->last_fv, n_axes * n_axes},
        {&variation->last_v, n_axes},
        {&variation->largest, 2 * (size_t)variation->n_joints},
        {&variation->z, n_z * n},
        {&variation->scratch, rows * n},
        {&variation->force, n_axes * n},
        {&variation->u, n_axes * n},
        {&variation->w, n_axes * n},
        {&variation->held, n_axes * n},
        {&variation->zero, n_axes * n},
        {&variation->matrix, n_axes * n_axes},
        {&variation->inverse, n_axes * n_axes},
        {&variation->map, n * n},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i].vector = memory_array(vectors[i].size, sizeof(double));
        TRY_ALLOCATED(*vectors[i].vector);
    }
    variation->memories = memory_array(n, sizeof *variation->memories);
    variation->pivots = memory_array(n_axes, sizeof *variation->pivots);
    variation->kept = memory_array(n, sizeof *variation->kept);
    TRY_ALLOCATED(variation->memories && variation->pivots && variation->kept);
done:
    return status;
}

enum masing_status variation_create(const struct masing_model *model, int n_modes,
                                    int most_states, struct variation **variation,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct variation *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->model = model;
    made->n_modes = n_modes;
    made->n_axes = model->n_axes;
    made->n_joints = model->spec.n_joints;
    made->size = memory_array((size_t)made->n_joints, sizeof *made->size);
    TRY_ALLOCATED(made->size);
    TRY(measure(made, most_states, error));
    for (int level = 0; level < VARIATION_LEVELS; level++) {
        TRY(propagator_create(model, n_modes, &made->levels[level], error));
    }
    made->propagator = made->levels[0];
    TRY(allocate_joints(made, error));
    TRY(allocate(made, error));
    *variation = made;
    made = NULL;
done:
    variation_destroy(made);
    return status;
}

static void release_joints(double **list, int n_joints)
{
    for (int j = 0; list && j < n_joints; j++) {
        free(list[j]);
    }
    free(list);
}

void variation_destroy(struct variation *variation)
{
    if (!variation) {
        return;
    }
    for (int level = 0; level < VARIATION_LEVELS; level++) {
        propagator_destroy(variation->levels[level]);
    }
    release_joints(variation->state, variation->n_joints);
    release_joints(variation->next, variation->n_joints);
    release_joints(variation->change, variation->n_joints);
    double *vectors[] = {
        variation->trial,   variation->x,       variation->v,      variation->f,
        variation->fx,      variation->fv,      variation->z,      variation->scratch,
        variation->force,   variation->u,       variation->w,      variation->held,
        variation->zero,    variation->matrix,  variation->map,    variation->last_fx,
        variation->last_fv, variation->largest, variation->last_v, variation->inverse};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        free(vectors[i]);
    }
    free(variation->size);
    free(variation->start);
    free(variation->memories);
    free(variation->kept);
    free(variation->pivots);
    free(variation);
}
