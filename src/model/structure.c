/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "model/beam_element.h"
#include "model/condense.h"
#include "model/damping.h"
#include "model/joint_modes.h"
#include "model/matrix.h"
#include "model/message.h"
#include "model/modes.h"

/* --- modes given instead of matrices ------------------------------------------------------ */

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

/* Fills modes and, where the shapes determine it, the mass. shift: for modes_create later on.
 */
static enum masing_status take_modal_data(const struct masing_spec *spec,
                                          struct structure *structure, double *shift,
                                          struct masing_error *error)
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

/* --- the structure ------------------------------------------------------------------------ */

/* Modes are wanted most accurately where the sweep is; but never beyond the structure's own. */
static double spectral_shift(const struct masing_spec *spec, int n, const double *mass,
                             const double *stiffness)
{
    double highest = 0, sweep = fmax(spec->omega_from, spec->omega_to);
    for (int i = 0; i < n; i++) {
        size_t diagonal = (size_t)i * (size_t)(n + 1);
        highest = fmax(highest, stiffness[diagonal] / mass[diagonal]);
    }
    if (!(highest > 0)) {
        return sweep > 0 ? sweep * sweep : 1;
    }
    return sweep > 0 ? fmin(sweep * sweep, highest) : 1e-6 * highest;
}

/* DOF with the largest share of a shape's gross stiffness, to say where something is wrong */
static int largest_dof(int n, const double *stiffness, const double *shape)
{
    int largest = 0;
    for (int i = 0; i < n; i++) {
        size_t d = (size_t)(n + 1);
        if (fabs(stiffness[(size_t)i * d]) * shape[i] * shape[i] >
            fabs(stiffness[(size_t)largest * d]) * shape[largest] * shape[largest]) {
            largest = i;
        }
    }
    return largest;
}

static enum masing_status refuse_unstable(const struct masing_spec *spec, int dof,
                                          double omega_squared, struct masing_error *error)
{
    return model_refuse(spec, spec->structure.stiffness_place, error,
                        "stiffness: negative (eigenvalue %.6g (rad/s)^2) in a motion that is "
                        "largest at DOF %s, expected a positive semidefinite matrix",
                        omega_squared, model_dof_text(spec, dof).text);
}

static enum masing_status take_modes(const struct condensed *condensed,
                                     const struct modes *modes, struct structure *structure,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_dofs, n_modes = (size_t)modes->n;
    structure->n_modes = modes->n;
    structure->n_rigid = modes->n_rigid;
    structure->n_nearly_rigid = modes->n_nearly_rigid;
    structure->omega = memory_array(n_modes, sizeof *structure->omega);
    structure->shapes = memory_array(n * n_modes, sizeof *structure->shapes);
    TRY_ALLOCATED(structure->omega);
    TRY_ALLOCATED(structure->shapes);
    for (size_t k = 0; k < n_modes; k++) {
        structure->omega[k] = sqrt(modes->omega_squared[k]);
    }
    condensed_expand(condensed, (int)n, modes->n, modes->shapes, structure->shapes);
    if (condensed->n_massless > 0) {
        size_t n_m = (size_t)condensed->n_massless;
        structure->flexibility = memory_array(n * n, sizeof *structure->flexibility);
        TRY_ALLOCATED(structure->flexibility);
        for (size_t j = 0; j < n_m; j++) {
            for (size_t i = 0; i < n_m; i++) {
                size_t row = (size_t)condensed->massless[i];
                size_t column = (size_t)condensed->massless[j];
                structure->flexibility[row + column * n] = condensed->flexibility[i + j * n_m];
            }
        }
    }
done:
    return status;
}

/* Modal form of M and K (both checked symmetric); the shift comes back for later use. */
static enum masing_status solve_modes(const struct masing_spec *spec, const double *stiffness,
                                      struct structure *structure, double *shift,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct condensed condensed = {0};
    struct modes modes = {0};
    TRY(condensed_create(spec, structure->mass, stiffness, &condensed, error));
    int n = condensed.n_kept;
    *shift = spectral_shift(spec, n, condensed.mass, condensed.stiffness);
    TRY(modes_create(n, condensed.mass, condensed.stiffness, *shift, true, &modes, error));
    if (modes.omega_squared[0] < 0) {
        int dof = largest_dof(n, condensed.stiffness, modes.shapes);
        status = refuse_unstable(spec, condensed.kept[dof], modes.omega_squared[0], error);
        goto done;
    }
    TRY(take_modes(&condensed, &modes, structure, error));
    if (spec->structure.n_beam_elements > 0) {
        TRY(beam_element_frequencies(&spec->structure, stiffness, structure, error));
    }
done:
    if (status == MASING_SINGULAR) {
        status = refuse_unstable(spec, condensed.kept[modes.failed_dof], -INFINITY, error);
    }
    condensed_clear(&condensed);
    modes_clear(&modes);
    return status;
}

static enum masing_status from_matrices(const struct masing_spec *spec,
                                        struct structure *structure, double *shift,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_structure_spec *given = &spec->structure;
    double *stiffness = NULL;
    if (!given->stiffness) {
        status = model_refuse(spec, given->place, error,
                              "structure: mass without stiffness, expected both");
        goto done;
    }
    TRY(matrix_symmetric_copy(spec, "mass", given->mass_place, given->mass, &structure->mass,
                              error));
    TRY(matrix_symmetric_copy(spec, "stiffness", given->stiffness_place, given->stiffness,
                              &stiffness, error));
    TRY(solve_modes(spec, stiffness, structure, shift, error));
done:
    free(stiffness);
    return status;
}

/* omega [n_modes] with the joints as springs; 0 where the structure is then unstable */
static enum masing_status joint_frequencies(const struct masing_spec *spec,
                                            const struct structure *structure,
                                            enum joint_state state, double shift,
                                            double **omega, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    *omega = memory_copy(structure->omega, n, sizeof **omega);
    TRY_ALLOCATED(*omega);
    if (spec->n_joints > 0) {
        TRY(joint_modes(spec, structure, state, shift, *omega, NULL, error));
        for (size_t k = 0; k < n; k++) {
            (*omega)[k] = sqrt(fmax((*omega)[k], 0));
        }
    }
done:
    return status;
}

enum masing_status structure_create(const struct masing_spec *spec, struct structure **result,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double shift = 0;
    struct structure *structure = memory_array(1, sizeof *structure);
    TRY_ALLOCATED(structure);
    if (spec->structure.n_dofs < 1) {
        status = model_refuse(spec, spec->structure.place, error,
                              "structure: no DOFs, expected at least one");
        goto done;
    }
    structure->n_dofs = spec->structure.n_dofs;
    TRY(spec->structure.mass ? from_matrices(spec, structure, &shift, error)
                             : take_modal_data(spec, structure, &shift, error));
    TRY(damping_create(spec, shift, structure, error));
    TRY(joint_frequencies(spec, structure, JOINT_STUCK, shift, &structure->omega_stuck, error));
    TRY(joint_frequencies(spec, structure, JOINT_FREE, shift, &structure->omega_free, error));
done:
    if (status != MASING_OK) {
        structure_destroy(structure);
        structure = NULL;
    }
    *result = structure;
    return status;
}

void structure_destroy(struct structure *structure)
{
    if (structure) {
        free(structure->omega);
        free(structure->shapes);
        free(structure->modal_damping);
        free(structure->damping_matrix);
        free(structure->mass);
        free(structure->flexibility);
        free(structure->omega_stuck);
        free(structure->omega_free);
        free(structure);
    }
}

size_t structure_uncoupled_modes(const struct structure *structure)
{
    size_t n = (size_t)structure->n_modes, first = n;
    for (size_t j = 0; structure->damping_matrix && j < n; j++) {
        for (size_t i = 0; i < j && i < first; i++) {
            if (structure->damping_matrix[j * n + i] != 0.0 ||
                structure->damping_matrix[i * n + j] != 0.0) {
                first = i;
            }
        }
    }
    return first;
}

enum masing_status structure_inertia(const struct structure *structure, const double *direction,
                                     double *force, struct masing_error *error)
{
    if (!structure->mass) {
        return masing_error_set(error, MASING_INVALID,
                                "an acceleration needs the mass matrix, which modal data give "
                                "only with as many independent shapes as DOFs");
    }
    dense_multiply(structure->n_dofs, 1, structure->n_dofs, structure->mass, direction, force);
    return MASING_OK;
}
