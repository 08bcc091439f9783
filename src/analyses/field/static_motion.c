/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The static displacements of all DOFs are the mean of a periodic motion under the static loads
 * and the joints' static forces: harmonic 0 of a balance that has no other.
 */
#include "analyses/field/static_motion.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/recovery/full_motion.h"
#include "linalg/dense.h"

/* The balance's forces and modes in the static state; y [n_unknowns]. */
static void put_state(struct balance *balance, double *y)
{
    const struct masing_model *model = balance->model;
    for (int a = 0; a < balance->n_axes; a++) {
        balance->force[2 * a] = -model->static_reaction[a];
        y[a] = model->static_displacement[a];
    }
    if (balance->is_static) {
        balance->force[2 * (balance->n_in - 1)] = 1.0;
    }
    for (int e = 0; e < balance->n_modes; e++) {
        y[balance->modes[e].position] = model->static_rigid[balance->modes[e].mode];
    }
}

static bool is_at_rest(const struct masing_model *model)
{
    size_t n_axes = (size_t)model->n_axes;
    return dense_is_zero((size_t)model->structure->n_dofs, model->static_force) &&
           dense_is_zero(n_axes, model->static_reaction) &&
           dense_is_zero(n_axes, model->static_displacement);
}

enum masing_status static_motion_find(const struct masing_model *model,
                                      struct static_motion *motion, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int mean = 0;
    /* statics know no damping, stand at no speed, and are the mean of all sectors */
    struct structure structure = *model->structure;
    struct masing_model still = *model;
    const struct balance_settings settings = {.n_threads = 1, .is_matrix_free = true};
    struct balance *balance = NULL;
    struct full_motion *full = NULL;
    double *y = NULL;
    *motion = (struct static_motion){0};
    if (is_at_rest(model)) {
        return MASING_OK;
    }
    structure.damping_matrix = structure.stiffening = NULL;
    still.structure = &structure;
    still.cyclic = NULL;
    still.spec.n_loads = 0;
    still.spec.n_harmonics = 1;
    still.spec.harmonics = &mean;
    TRY(balance_create(&still, &settings, &balance, error));
    TRY(full_motion_create(balance, &full, error));
    y = memory_array((size_t)balance->n_unknowns, sizeof *y);
    motion->n_dofs = full_motion_dofs(full);
    motion->dof_names = full_motion_names(full);
    motion->displacement = memory_array((size_t)motion->n_dofs, sizeof(double));
    TRY_ALLOCATED(y && motion->displacement);
    put_state(balance, y);
    status = full_motion_evaluate(full, y, 1.0, motion->displacement, error);
done:
    free(y);
    full_motion_destroy(full);
    balance_destroy(balance);
    if (status != MASING_OK) {
        static_motion_clear(motion);
    }
    return status;
}

void static_motion_clear(struct static_motion *motion)
{
    free(motion->displacement);
    motion->displacement = NULL;
}
