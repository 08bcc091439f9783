/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/stuck_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/joints.h"
#include "model/message.h"

/* Damping between two modes that is this small beside their own is none. */
static const double ROUNDING = 1e-10;

static enum masing_status find(const struct masing_model *model, enum joint_state state,
                               double *squares, double *shapes, struct masing_error *error)
{
    const struct masing_spec *spec = &model->spec;
    double shift = fmax(spec->omega_from, spec->omega_to);
    enum masing_status status =
        joint_modes(spec, model->structure, state, shift * shift, squares, shapes, error);
    if (status != MASING_OK) {
        status = masing_error_set(error, status, "the modes with the joints %s: %s",
                                  state == JOINT_STUCK ? "stuck" : "free",
                                  masing_status_name(status));
    }
    return status;
}

enum masing_status free_shapes(const struct masing_model *model, double *shapes,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *squares = memory_array((size_t)model->structure->n_modes, sizeof *squares);
    TRY_ALLOCATED(squares);
    TRY(find(model, JOINT_FREE, squares, shapes, error));
done:
    free(squares);
    return status;
}

enum masing_status stuck_modes_create(const struct masing_model *model,
                                      struct stuck_modes **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    size_t n = (size_t)structure->n_modes;
    struct stuck_modes *modes = memory_array(1, sizeof *modes);
    TRY_ALLOCATED(modes);
    if (structure->flexibility) {
        TRY(masing_error_set(error, MASING_UNSUPPORTED,
                             "modes of a structure with massless DOFs are not supported yet; "
                             "give every DOF some mass"));
    }
    modes->n = (int)n;
    modes->omega = memory_copy(structure->omega_stuck, n, sizeof *modes->omega);
    modes->free = memory_copy(structure->omega_free, n, sizeof *modes->free);
    modes->square = memory_array(n, sizeof *modes->square);
    modes->shapes = memory_array(n * n, sizeof *modes->shapes);
    TRY_ALLOCATED(modes->omega && modes->free && modes->square && modes->shapes);
    TRY(find(model, JOINT_STUCK, modes->square, modes->shapes, error));
    while (modes->n_rigid < modes->n && modes->omega[modes->n_rigid] == 0.0) {
        modes->square[modes->n_rigid++] = 0.0; /* or what rounding leaves of it */
    }
done:
    if (status != MASING_OK) {
        stuck_modes_destroy(modes);
        modes = NULL;
    }
    *created = modes;
    return status;
}

void stuck_modes_destroy(struct stuck_modes *modes)
{
    if (modes) {
        free(modes->omega);
        free(modes->free);
        free(modes->square);
        free(modes->shapes);
        free(modes);
    }
}

enum masing_status stuck_modes_check(const struct stuck_modes *modes,
                                     const struct masing_model *model, int number,
                                     struct masing_place place, const char *what,
                                     struct masing_error *error)
{
    int count = stuck_modes_count(modes);
    if (number >= 1 && number <= count) {
        return MASING_OK;
    }
    return model_refuse(&model->spec, place, error,
                        "%s: %d, expected 1 to %d: so many modes does the structure have with "
                        "its joints stuck, rigid-body modes not counted",
                        what, number, count);
}

/* phi_a^T C phi_b */
static double damping_between(const struct stuck_modes *modes, const struct masing_model *model,
                              int a, int b)
{
    const struct structure *structure = model->structure;
    size_t n = (size_t)modes->n;
    const double *left = modes->shapes + (size_t)a * n, *right = modes->shapes + (size_t)b * n;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (!structure->damping_matrix) {
            sum += left[i] * right[i] * structure->modal_damping[i];
            continue;
        }
        for (size_t j = 0; j < n; j++) {
            sum += left[i] * structure->damping_matrix[i + j * n] * right[j];
        }
    }
    return sum;
}

double stuck_modes_damping(const struct stuck_modes *modes, const struct masing_model *model,
                           int index)
{
    return damping_between(modes, model, index, index) / (2.0 * modes->omega[index]);
}

bool stuck_modes_are_apart(const struct stuck_modes *modes, const struct masing_model *model,
                           int a, int b)
{
    if (model->spec.n_joints > 0) {
        return false;
    }
    double own = damping_between(modes, model, a, a) + damping_between(modes, model, b, b);
    return fabs(damping_between(modes, model, a, b)) <= ROUNDING * own;
}
