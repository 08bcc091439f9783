/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/spinning.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "linalg/dense.h"
#include "linalg/symmetric.h"
#include "model/joints.h"
#include "model/message.h"
#include "model/structure/modes.h"

enum masing_status spinning_check(const struct masing_spec *spec, struct masing_error *error)
{
    const struct masing_structure_spec *given = &spec->structure;
    size_t n = (size_t)given->n_dofs;
    if (given->has_spin && !isfinite(given->spin)) {
        return model_refuse(spec, given->speed_place, error,
                            "spin_hz: %g, expected a finite number", given->spin / TWO_PI);
    }
    if (!given->per_speed_squared) {
        return MASING_OK;
    }
    if (!given->has_spin && !spec->is_of_shaft) {
        return model_refuse(spec, given->speed_place, error,
                            "per_speed_squared: the speed is not known, expected "
                            "'frequency_of: shaft' or 'spin_hz'");
    }
    bool has_mass = given->mass || given->sparse_mass.n > 0;
    if (!has_mass || given->reduced || given->n_beam_elements > 0) {
        return model_refuse(spec, given->speed_place, error,
                            "per_speed_squared: expected a structure of masses and springs, or "
                            "of mass and stiffness over dofs; others are not supported yet");
    }
    for (size_t i = 0; i < n * n; i++) {
        double own = given->per_speed_squared[i];
        double other = given->per_speed_squared[i % n * n + i / n];
        if (!isfinite(own) || fabs(own - other) > 1e-9 * (fabs(own) + fabs(other))) {
            return model_refuse(spec, given->speed_place, error,
                                "per_speed_squared: row %zu, column %zu: %g, expected a "
                                "symmetric matrix of finite numbers",
                                i % n + 1, i / n + 1, own);
        }
    }
    return MASING_OK;
}

void spinning_stiffen(const struct masing_spec *spec, double *stiffness)
{
    const struct masing_structure_spec *given = &spec->structure;
    size_t n = (size_t)given->n_dofs;
    double square = given->spin * given->spin;
    for (size_t i = 0; spinning_has_speed(given) && i < n * n; i++) {
        double other = given->per_speed_squared[i % n * n + i / n];
        stiffness[i] += square * 0.5 * (given->per_speed_squared[i] + other);
    }
}

/* --- in the modes at rest ----------------------------------------------------------------- */

/* What B does in a motion that has none of it, in parts of the sum's terms. */
static const double ROUNDED = 1e-9;

/* The DOFs that follow at once have neither inertia nor B of their own. */
static enum masing_status check_massless(const struct masing_spec *spec,
                                         const struct structure *structure,
                                         struct masing_error *error)
{
    const struct masing_structure_spec *given = &spec->structure;
    size_t n = (size_t)structure->n_dofs;
    for (size_t i = 0; structure->flexibility && i < n; i++) {
        if (structure->flexibility[symmetric_place(n, i, i)] != 0.0 &&
            !dense_is_zero(n, given->per_speed_squared + i * n)) {
            return model_refuse(spec, given->speed_place, error,
                                "per_speed_squared acts on DOF %s, which has no mass; expected "
                                "a mass there, or 'spin_hz'",
                                model_dof_text(spec, (int)i).text);
        }
    }
    return MASING_OK;
}

/* Rigid-body motions keep their means as unknowns: B is not felt by them, or refused. */
static enum masing_status part_rigid(const struct masing_spec *spec,
                                     struct structure *structure, struct masing_error *error)
{
    const struct masing_structure_spec *given = &spec->structure;
    size_t n = (size_t)structure->n_modes, n_dofs = (size_t)structure->n_dofs;
    for (size_t r = 0; r < (size_t)structure->n_rigid; r++) {
        const double *shape = structure->shapes + r * n_dofs;
        for (size_t k = 0; k < n; k++) {
            const double *other = structure->shapes + k * n_dofs;
            double gross = 0.0, scale = 0.0;
            for (size_t i = 0; i < n_dofs * n_dofs; i++) {
                double b = fabs(given->per_speed_squared[i]);
                gross += b * fabs(shape[i % n_dofs] * other[i / n_dofs]);
                scale = fmax(scale, b);
            }
            double most = scale * dense_max_norm(n_dofs, shape) * dense_max_norm(n_dofs, other);
            if (fabs(structure->stiffening[r + k * n]) > ROUNDED * fmax(gross, 1e-3 * most)) {
                return masing_error_set(
                    error, MASING_UNSUPPORTED,
                    "per_speed_squared acts on motion that nothing holds at rest, which is not "
                    "supported yet: give a spring that holds it, or 'spin_hz'");
            }
            structure->stiffening[r + k * n] = structure->stiffening[k + r * n] = 0.0;
        }
    }
    return MASING_OK;
}

enum masing_status spinning_couple(const struct masing_spec *spec, struct structure *structure,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_structure_spec *given = &spec->structure;
    struct arena scratch = {0};
    int n_dofs = structure->n_dofs, n_modes = structure->n_modes;
    size_t n = (size_t)n_modes;
    if (!given->per_speed_squared || given->has_spin) {
        return MASING_OK;
    }
    double *product = arena_doubles(&scratch, (size_t)n_dofs * n);
    structure->stiffening = arena_doubles(&structure->arena, n * n);
    TRY_ALLOCATED(product && structure->stiffening);
    TRY(check_massless(spec, structure, error));
    dense_multiply(n_dofs, n_modes, n_dofs, given->per_speed_squared, structure->shapes,
                   product);
    dense_multiply_transposed(n_modes, n_modes, n_dofs, structure->shapes, product,
                              structure->stiffening);
    for (size_t i = 0; i < n * n; i++) {
        if (i % n < i / n) {
            double *one = &structure->stiffening[i];
            double *other = &structure->stiffening[i % n * n + i / n];
            *one = *other = 0.5 * (*one + *other);
        }
    }
    TRY(part_rigid(spec, structure, error));
done:
    arena_clear(&scratch);
    return status;
}

/* --- damping at a speed of its own -------------------------------------------------------- */

/* matrix [n * n] = T^T C T with T = Phi_rest^T M Phi: damping at rest in the modes at speed. */
static void turn_damping(const struct structure *rest, const struct structure *structure,
                         double *scratch, double *matrix)
{
    int n_dofs = structure->n_dofs, n = structure->n_modes;
    size_t size = (size_t)n * (size_t)n;
    double *inertia = scratch, *turn = inertia + (size_t)n_dofs * (size_t)n;
    double *damped = turn + size;
    dense_multiply(n_dofs, n, n_dofs, structure->mass, structure->shapes, inertia);
    dense_multiply_transposed(n, n, n_dofs, rest->shapes, inertia, turn);
    for (size_t i = 0; i < size && !rest->damping_matrix; i++) {
        damped[i] = rest->modal_damping[i % (size_t)n] * turn[i];
    }
    if (rest->damping_matrix) {
        dense_multiply(n, n, n, rest->damping_matrix, turn, damped);
    }
    dense_multiply_transposed(n, n, n, turn, damped, matrix);
}

static bool is_diagonal(size_t n, const double *matrix)
{
    for (size_t i = 0; i < n * n; i++) {
        double own = matrix[i % n * (n + 1)], other = matrix[i / n * (n + 1)];
        if (i % n != i / n && fabs(matrix[i]) > MODES_ROUND_OFF * (double)n * (own + other)) {
            return false;
        }
    }
    return true;
}

enum masing_status spinning_damping(const struct masing_spec *spec, const double *at,
                                    double *damping, struct structure *structure,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0}, *arena = &structure->arena;
    struct structure *rest = NULL;
    struct masing_spec resting = *spec;
    size_t n = (size_t)structure->n_modes;
    resting.structure.per_speed_squared = NULL;
    double *matrix = arena_doubles(arena, n * n);
    double *work = arena_doubles(&scratch, n * (size_t)structure->n_dofs + 2 * n * n);
    structure->modal_damping = arena_doubles(arena, n);
    TRY_ALLOCATED(!arena->has_failed && work);
    TRY(structure_create(&resting, &rest, error));
    TRY(damping_create(&resting, at, damping, rest, error));
    turn_damping(rest, structure, work, matrix);
    for (size_t i = 0; i < n * n; i++) {
        if (i % n < i / n) {
            double *one = &matrix[i], *other = &matrix[i % n * n + i / n];
            *one = *other = 0.5 * (*one + *other);
        }
    }
    for (size_t k = 0; k < n; k++) {
        structure->modal_damping[k] = matrix[k * (n + 1)];
    }
    structure->damping_matrix = is_diagonal(n, matrix) ? NULL : matrix;
    structure->loss_factor = rest->loss_factor;
done:
    structure_destroy(rest);
    arena_clear(&scratch);
    return status;
}

/* --- where engine orders meet ------------------------------------------------------------- */

static enum masing_status cross(const struct masing_spec *spec, const double *at, int order,
                                enum joint_state state, const struct structure *structure,
                                double *omega, struct masing_error *error)
{
    const struct joint_spin meeting = {.inertia = 1.0 / ((double)order * order)};
    double middle = 0.5 * (spec->omega_from + spec->omega_to);
    const struct joint_spin there = {.stiffness = middle * middle};
    enum masing_status status =
        joint_frequencies_spinning(spec, structure, at, state, &meeting, omega, NULL);
    return status == MASING_OK || status == MASING_NO_MEMORY
               ? status
               : joint_frequencies_spinning(spec, structure, at, state, &there, omega, error);
}

enum masing_status spinning_cross(const struct masing_spec *spec, const double *at, int order,
                                  struct structure *structure, struct masing_error *error)
{
    size_t n = (size_t)structure->n_modes;
    if (!structure->stiffening || structure->cross_stuck || order < 1) {
        return MASING_OK;
    }
    double *stuck = arena_doubles(&structure->arena, n);
    double *released = arena_doubles(&structure->arena, n);
    NEED_ALLOCATED(!structure->arena.has_failed);
    NEED(cross(spec, at, order, JOINT_STUCK, structure, stuck, error));
    NEED(cross(spec, at, order, JOINT_FREE, structure, released, error));
    structure->cross_stuck = stuck;
    structure->cross_free = released;
    return MASING_OK;
}
