/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "transient/shooting_parts.h"

/* The map of small motions takes at most so many steps per period. */
enum { MOST_MAP_STEPS = 1024, MOST_STATES = 1500 };
/* and leaves out modes beyond so many times the frequency of the load, where there are more. */
static const double REMOTE = 20.0;
enum { FEWEST_MAP_MODES = 24 };

static enum masing_status allocate(struct shooting *shooting, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct integrator *integrator = shooting->integrator;
    size_t n_modes = (size_t)integrator->ports->n_modes;
    size_t n_axes = (size_t)integrator->ports->n_axes;
    size_t capacity = (size_t)shooting->variation->capacity, states = shooting_states(shooting);
    size_t samples = ((size_t)shooting->n_steps + 1) * n_axes;
    struct {
        double **vector;
        size_t size;
    } vectors[] = {{&shooting->x, samples},          {&shooting->v, samples},
                   {&shooting->dq, n_modes},         {&shooting->dv, n_modes},
                   {&shooting->q0, n_modes},         {&shooting->v0, n_modes},
                   {&shooting->f0, n_axes},          {&shooting->q1, n_modes},
                   {&shooting->v1, n_modes},         {&shooting->f1, n_axes},
                   {&shooting->joints0, states},     {&shooting->joints1, states},
                   {&shooting->moved, states},       {&shooting->residual, capacity},
                   {&shooting->real, capacity},      {&shooting->imaginary, capacity},
                   {&shooting->change, 2 * n_axes},  {&shooting->matrix, capacity * capacity},
                   {&shooting->good.q, n_modes},     {&shooting->good.v, n_modes},
                   {&shooting->good.x, n_axes},      {&shooting->good.f, n_axes},
                   {&shooting->good.joints, states}, {&shooting->scale, capacity},
                   {&shooting->left, capacity},      {&shooting->right, capacity},
                   {&shooting->scratch, capacity},   {&shooting->factor, capacity * capacity}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i].vector = memory_array(vectors[i].size, sizeof(double));
        TRY_ALLOCATED(*vectors[i].vector);
    }
    shooting->pivots = memory_array(capacity, sizeof(int));
    shooting->is_neutral = memory_array(n_axes, sizeof(bool));
    TRY_ALLOCATED(shooting->pivots && shooting->is_neutral);
done:
    return status;
}

/* Modes far above the load die away by themselves within the few periods that shooting takes,
 * unless there are hardly more of them than of the others. */
static int count_map_modes(const struct integrator *integrator)
{
    const double *omega = integrator->model->structure->omega;
    int n = integrator->ports->n_modes;
    while (n > FEWEST_MAP_MODES && omega[n - 1] > REMOTE * integrator->omega) {
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
                         &made->variation, error));
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
    if (!shooting) {
        return;
    }
    variation_destroy(shooting->variation);
    eigen_general_destroy(shooting->eigen);
    rigid_body_clear(&shooting->rigid);
    double *vectors[] = {
        shooting->dq,     shooting->dv,       shooting->x,           shooting->v,
        shooting->q0,     shooting->v0,       shooting->f0,          shooting->q1,
        shooting->v1,     shooting->f1,       shooting->joints0,     shooting->joints1,
        shooting->moved,  shooting->residual, shooting->real,        shooting->imaginary,
        shooting->change, shooting->matrix,   shooting->good.q,      shooting->good.v,
        shooting->good.x, shooting->good.f,   shooting->good.joints, shooting->scale,
        shooting->left,   shooting->right,    shooting->scratch,     shooting->factor};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        free(vectors[i]);
    }
    free(shooting->pivots);
    free(shooting->is_neutral);
    free(shooting);
}
