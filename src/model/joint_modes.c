/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/joint_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "model/message.h"
#include "model/modes.h"

static int count_axes(const struct masing_spec *spec)
{
    int n = 0;
    for (int j = 0; j < spec->n_joints; j++) {
        n += spec->joints[j].law->n_axes;
    }
    return n;
}

static double stiffness_of(const struct masing_joint_spec *joint, enum joint_state state)
{
    const struct masing_law *law = joint->law;
    double (*tangent)(const void *) =
        state == JOINT_STUCK ? law->stuck_stiffness : law->free_stiffness;
    double stiffness = tangent ? tangent(joint->parameters) : 0;
    return isfinite(stiffness) ? stiffness : 0;
}

/* axes [n_dofs * n_axes] and their stiffnesses [n_axes] */
static void fill_axes(const struct masing_spec *spec, enum joint_state state, double *axes,
                      double *stiffness)
{
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *joint = &spec->joints[j];
        for (int a = 0; a < joint->law->n_axes; a++) {
            const struct masing_combination *axis = &joint->axes[a];
            for (int t = 0; t < axis->n_terms; t++) {
                axes[axis->terms[t].dof] += axis->terms[t].weight;
            }
            axes += spec->structure.n_dofs;
            *stiffness++ = stiffness_of(joint, state);
        }
    }
}

/*
 * Joint forces f = k (B^T q - R f) with R the flexibility of massless DOFs between the axes:
 * coupled [n_axes * n_axes] = (1 + k R)^-1 k, scratch of the same size.
 */
static enum masing_status couple(const struct structure *structure, int n_axes,
                                 const double *axes, const double *stiffness, double *coupled,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_dofs = structure->n_dofs;
    size_t n = (size_t)n_axes;
    double *product = memory_array((size_t)n_dofs * n, sizeof *product);
    double *matrix = memory_array(n * n, sizeof *matrix);
    int *pivots = memory_array(n, sizeof *pivots);
    TRY_ALLOCATED(product);
    TRY_ALLOCATED(matrix);
    TRY_ALLOCATED(pivots);
    if (structure->flexibility) {
        dense_multiply(n_dofs, n_axes, n_dofs, structure->flexibility, axes, product);
        dense_multiply_transposed(n_axes, n_axes, n_dofs, axes, product, matrix);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            matrix[i + j * n] = stiffness[i] * matrix[i + j * n] + (i == j ? 1 : 0);
        }
        coupled[j + j * n] = stiffness[j];
    }
    TRY(lu_factor(n_axes, matrix, pivots));
    lu_solve(n_axes, matrix, pivots, coupled, n_axes);
done:
    free(product);
    free(matrix);
    free(pivots);
    return status;
}

/* stiffness [n_modes * n_modes] = diag(omega^2) + B (1 + k R)^-1 k B^T, exactly symmetric */
static enum masing_status assemble(const struct masing_spec *spec,
                                   const struct structure *structure, enum joint_state state,
                                   double *stiffness, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_axes = count_axes(spec), n_dofs = structure->n_dofs, n_modes = structure->n_modes;
    size_t n = (size_t)n_modes;
    double *axes = memory_array((size_t)n_dofs * (size_t)n_axes, sizeof *axes);
    double *spring = memory_array((size_t)n_axes, sizeof *spring);
    double *coupled = memory_array((size_t)n_axes * (size_t)n_axes, sizeof *coupled);
    double *modal = memory_array(2 * n * (size_t)n_axes, sizeof *modal);
    TRY_ALLOCATED(axes);
    TRY_ALLOCATED(spring);
    TRY_ALLOCATED(coupled);
    TRY_ALLOCATED(modal);
    double *weighted = modal + n * (size_t)n_axes;
    fill_axes(spec, state, axes, spring);
    TRY(couple(structure, n_axes, axes, spring, coupled, error));
    dense_multiply_transposed(n_modes, n_axes, n_dofs, structure->shapes, axes, modal);
    dense_multiply(n_modes, n_axes, n_axes, modal, coupled, weighted);
    dense_add_outer(n_modes, n_modes, n_axes, weighted, modal, stiffness);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            double mean = 0.5 * (stiffness[i + j * n] + stiffness[j + i * n]);
            stiffness[i + j * n] = stiffness[j + i * n] = mean;
        }
        stiffness[j + j * n] += structure->omega[j] * structure->omega[j];
    }
done:
    free(axes);
    free(spring);
    free(coupled);
    free(modal);
    return status;
}

enum masing_status joint_modes(const struct masing_spec *spec,
                               const struct structure *structure, enum joint_state state,
                               double shift, double *omega_squared, double *shapes,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    struct modes modes = {0};
    double *stiffness = memory_array(n * n, sizeof *stiffness);
    double *mass = memory_array(n * n, sizeof *mass);
    TRY_ALLOCATED(stiffness);
    TRY_ALLOCATED(mass);
    for (size_t k = 0; k < n; k++) {
        mass[k + k * n] = 1;
    }
    TRY(assemble(spec, structure, state, stiffness, error));
    TRY(modes_create((int)n, mass, stiffness, shift, shapes != NULL, &modes, error));
    memcpy(omega_squared, modes.omega_squared, n * sizeof *omega_squared);
    if (shapes) {
        memcpy(shapes, modes.shapes, n * n * sizeof *shapes);
    }
done:
    if (status == MASING_SINGULAR) {
        status = model_refuse(spec, spec->joints[0].place, error,
                              "the stiffness of the joints cancels that of the structure");
    }
    free(stiffness);
    free(mass);
    modes_clear(&modes);
    return status;
}
