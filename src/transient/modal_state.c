/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/modal_state.h"

#include <float.h>
#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

void modal_state_coupled_damping(const struct modal_state *modal, const double *v,
                                 double *force)
{
    int n = modal->n_modes, first = modal->n_uncoupled, m = n - first;
    const double *block = modal->matrix + (size_t)first * (size_t)(n + 1);
    dense_multiply_parts(m, 1, m, block, n, v + first, m, force + first, m);
}

void modal_state_accelerate(struct modal_state *modal, const double *force,
                            const double *joint_force)
{
    int n = modal->n_modes;
    modal_state_damping(modal, modal->v, modal->damping_force);
    for (int k = 0; k < n; k++) {
        modal->a[k] = force[k] - modal->damping_force[k] - modal->stiffness[k] * modal->q[k];
        for (int axis = 0; axis < modal->n_axes; axis++) {
            modal->a[k] -=
                modal->axes[(size_t)axis * (size_t)n + (size_t)k] * joint_force[axis];
        }
    }
}

double modal_state_squared_speed(const struct modal_state *modal)
{
    double sum = 0.0;
    for (int k = 0; k < modal->n_modes; k++) {
        sum += modal->v[k] * modal->v[k];
    }
    return sum;
}

bool modal_state_is_finite(const struct modal_state *modal)
{
    unsigned long has_overflown = 0;
    for (int k = 0; k < modal->n_modes; k++) {
        double q = modal->q[k], v = modal->v[k];
        has_overflown |= !(q * q + v * v <= DBL_MAX);
    }
    return !has_overflown;
}

enum masing_status modal_state_check(const struct structure *structure,
                                     struct masing_error *error)
{
    return structure->loss_factor == 0.0
               ? MASING_OK
               : masing_error_set(error, MASING_UNSUPPORTED,
                                  "structural damping (a loss factor) has no causal form in "
                                  "time: give modal ratios or rayleigh damping to integrate");
}

/* Damping of the first modes, as a matrix of these alone. */
static enum masing_status lend_damping(const struct structure *structure, struct arena *arena,
                                       struct modal_state *modal, struct masing_error *error)
{
    size_t n = (size_t)modal->n_modes, all = (size_t)structure->n_modes;
    int n_uncoupled = (int)structure_uncoupled_modes(structure);
    modal->damping = structure->modal_damping;
    modal->matrix = structure->damping_matrix;
    modal->n_uncoupled = n_uncoupled < modal->n_modes ? n_uncoupled : modal->n_modes;
    if (modal->matrix && n < all) {
        double *matrix = arena_doubles(arena, n * n);
        NEED_ALLOCATED(matrix);
        for (size_t k = 0; k < n; k++) {
            memcpy(matrix + k * n, structure->damping_matrix + k * all, n * sizeof(double));
        }
        modal->matrix = matrix;
    }
    return MASING_OK;
}

enum masing_status modal_state_create(const struct structure *structure, int n_modes,
                                      int n_axes, const double *axes, struct arena *arena,
                                      struct modal_state **created, struct masing_error *error)
{
    struct modal_state *modal = arena_array(arena, 1, sizeof *modal);
    NEED_ALLOCATED(modal);
    NEED(modal_state_check(structure, error));
    modal->n_modes = n_modes;
    modal->n_axes = n_axes;
    modal->axes = axes;
    NEED(lend_damping(structure, arena, modal, error));
    double **vectors[] = {&modal->stiffness, &modal->q, &modal->v, &modal->a,
                          &modal->damping_force};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = arena_doubles(arena, (size_t)modal->n_modes);
    }
    NEED_ALLOCATED(!arena->has_failed);
    for (int k = 0; k < modal->n_modes; k++) {
        modal->stiffness[k] = structure->omega[k] * structure->omega[k];
    }
    *created = modal;
    return MASING_OK;
}

enum masing_status modal_stiffness_create(const struct structure *structure, int n_modes,
                                          struct arena *arena,
                                          struct modal_stiffness *stiffness,
                                          struct masing_error *error)
{
    size_t n = (size_t)n_modes, lead = structure_uncoupled_modes(structure);
    *stiffness =
        (struct modal_stiffness){.structure = structure, .n = n, .lead = lead < n ? lead : n};
    size_t m = n - stiffness->lead;
    stiffness->matrix = arena_array(arena, m * m, sizeof *stiffness->matrix);
    stiffness->pivots = arena_array(arena, m, sizeof *stiffness->pivots);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

enum masing_status modal_stiffness_set(struct modal_stiffness *stiffness,
                                       double complex acceleration, double complex velocity)
{
    const struct structure *structure = stiffness->structure;
    size_t m = stiffness->n - stiffness->lead, lead = stiffness->lead;
    stiffness->acceleration = acceleration;
    stiffness->velocity = velocity;
    for (size_t k = 0; k < m; k++) {
        const double *column =
            structure->damping_matrix + (lead + k) * (size_t)structure->n_modes + lead;
        for (size_t i = 0; i < m; i++) {
            stiffness->matrix[k * m + i] = velocity * column[i];
        }
        double omega = structure->omega[lead + k];
        stiffness->matrix[k * (m + 1)] += omega * omega + acceleration;
    }
    return m > 0 ? lu_factor_complex((int)m, stiffness->matrix, stiffness->pivots) : MASING_OK;
}

void modal_stiffness_solve(const struct modal_stiffness *stiffness, double complex *x)
{
    const struct structure *structure = stiffness->structure;
    size_t lead = stiffness->lead;
    for (size_t k = 0; k < lead; k++) {
        x[k] /= structure->omega[k] * structure->omega[k] + stiffness->acceleration +
                stiffness->velocity * structure->modal_damping[k];
    }
    if (lead < stiffness->n) {
        lu_solve_complex((int)(stiffness->n - lead), stiffness->matrix, stiffness->pivots,
                         x + lead, 1);
    }
}
