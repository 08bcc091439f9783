/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/modal_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "model/message.h"

static enum masing_status check_modal_data(const struct masing_spec *spec,
                                           struct masing_error *error)
{
    const struct masing_structure_spec *given = &spec->structure;
    if (given->n_modes < 1 || !given->omega_modes || !given->mode_shapes) {
        return model_refuse(spec, given->place, error,
                            "structure: expected mass and stiffness, or at least one mode");
    }
    for (int k = 0; k < given->n_modes; k++) {
        if (!(given->omega_modes[k] >= 0 && isfinite(given->omega_modes[k]))) {
            return model_refuse(spec, given->place, error,
                                "modes: frequency %d is %g rad/s, expected a number >= 0",
                                k + 1, given->omega_modes[k]);
        }
    }
    for (size_t i = 0; i < (size_t)given->n_modes * (size_t)given->n_dofs; i++) {
        if (!isfinite(given->mode_shapes[i])) {
            return model_refuse(spec, given->place, error,
                                "modes: the shape of mode %d is not finite at DOF %s",
                                (int)(i / (size_t)given->n_dofs) + 1,
                                model_dof_text(spec, (int)(i % (size_t)given->n_dofs)).text);
        }
    }
    return MASING_OK;
}

/* M = phi^-T phi^-1 where the shapes are square and regular; else the mass stays unknown. */
static enum masing_status mass_from_shapes(struct structure *structure,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = structure->n_dofs;
    size_t order = (size_t)n, square = order * order;
    double *lu = memory_copy(structure->shapes, square, sizeof *lu);
    double *inverse = memory_array(square, sizeof *inverse);
    int *pivots = memory_array(order, sizeof *pivots);
    TRY_ALLOCATED(lu);
    TRY_ALLOCATED(inverse);
    TRY_ALLOCATED(pivots);
    if (lu_factor(n, lu, pivots) != MASING_OK) {
        goto done;
    }
    double smallest = INFINITY, largest = 0;
    for (size_t i = 0; i < order; i++) {
        inverse[i + i * order] = 1;
        smallest = fmin(smallest, fabs(lu[i + i * order]));
        largest = fmax(largest, fabs(lu[i + i * order]));
    }
    if (smallest > 1e-10 * largest) {
        lu_solve(n, lu, pivots, inverse, n);
        structure->mass = memory_array(square, sizeof *structure->mass);
        TRY_ALLOCATED(structure->mass);
        dense_multiply_transposed(n, n, n, inverse, inverse, structure->mass);
    }
done:
    free(lu);
    free(inverse);
    free(pivots);
    return status;
}

/* order [n_modes]: indices by ascending frequency, equal ones in the order given */
static void sort_frequencies(const struct masing_structure_spec *given, int *order)
{
    for (int k = 0; k < given->n_modes; k++) {
        int place = k;
        while (place > 0 && given->omega_modes[order[place - 1]] > given->omega_modes[k]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = k;
    }
}

enum masing_status modal_data_take(const struct masing_spec *spec, struct structure *structure,
                                   double *shift, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_structure_spec *given = &spec->structure;
    size_t n = (size_t)given->n_dofs, n_modes = (size_t)given->n_modes;
    int *order = NULL;
    TRY(check_modal_data(spec, error));
    TRY_ALLOCATED(order = memory_array(n_modes, sizeof *order));
    sort_frequencies(given, order);
    structure->n_modes = given->n_modes;
    structure->omega = memory_array(n_modes, sizeof *structure->omega);
    structure->shapes = memory_array(n * n_modes, sizeof *structure->shapes);
    TRY_ALLOCATED(structure->omega);
    TRY_ALLOCATED(structure->shapes);
    for (size_t k = 0; k < n_modes; k++) {
        size_t from = (size_t)order[k];
        structure->omega[k] = given->omega_modes[from];
        structure->n_rigid += structure->omega[k] == 0;
        memcpy(structure->shapes + k * n, given->mode_shapes + from * n,
               n * sizeof *structure->shapes);
    }
    double sweep = fmax(spec->omega_from, spec->omega_to);
    *shift = sweep > 0 ? sweep * sweep : fmax(pow(structure->omega[n_modes - 1], 2), 1);
    if (n_modes == n) {
        TRY(mass_from_shapes(structure, error));
    }
done:
    free(order);
    return status;
}
