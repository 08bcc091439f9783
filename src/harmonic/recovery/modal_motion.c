/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/recovery/modal_motion.h"

#include <complex.h>

#include "base/arena.h"
#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

struct scratch {
    struct arena arena;     /* of all arrays */
    double *participation;  /* [n_in][n_modes] modes at the ports */
    double complex *q;      /* [n_modes] */
    double complex *matrix; /* [n_modes * n_modes], coupled damping only */
    int *pivots;            /* [n_modes] */
};

static enum masing_status scratch_create(const struct balance *balance, struct scratch *scratch,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = balance->structure;
    size_t n = (size_t)structure->n_modes;
    struct arena *arena = &scratch->arena;
    scratch->participation = arena_doubles(arena, (size_t)balance->n_in * n);
    scratch->q = arena_array(arena, n, sizeof *scratch->q);
    scratch->pivots = arena_array(arena, n, sizeof(int));
    if (structure->damping_matrix) {
        scratch->matrix = arena_array(arena, n * n, sizeof *scratch->matrix);
    }
    TRY_ALLOCATED(!arena->has_failed);
    dense_multiply_transposed(structure->n_modes, balance->n_in, structure->n_dofs,
                              structure->shapes, balance->in_patterns, scratch->participation);
done:
    return status;
}

/* omega_m^2 (1 + i eta) - w^2 + i w d, the diagonal part of the dynamic stiffness. */
static double complex stiffness(const struct structure *structure, size_t mode, double w)
{
    double square = structure->omega[mode] * structure->omega[mode];
    return square - w * w +
           I * (structure->loss_factor * square + w * structure->modal_damping[mode]);
}

/* q = Z^-1 q. Rigid-body modes at harmonic 0 come from the unknowns: zero here. */
static enum masing_status divide(const struct structure *structure, double w,
                                 struct scratch *scratch)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    if (!scratch->matrix || w == 0.0) {
        for (size_t m = 0; m < n; m++) {
            bool is_free = w == 0.0 && m < (size_t)structure->n_rigid;
            scratch->q[m] = is_free ? 0.0 : scratch->q[m] / stiffness(structure, m, w);
        }
        return MASING_OK;
    }
    for (size_t m = 0; m < n; m++) {
        for (size_t i = 0; i < n; i++) {
            scratch->matrix[m * n + i] = I * w * structure->damping_matrix[m * n + i];
        }
        scratch->matrix[m * n + m] = stiffness(structure, m, w);
    }
    TRY(lu_factor_complex((int)n, scratch->matrix, scratch->pivots));
    lu_solve_complex((int)n, scratch->matrix, scratch->pivots, scratch->q, 1);
done:
    return status;
}

/* One harmonic, the joint forces being those of balance->force; sine NULL for harmonic 0. */
static enum masing_status move_harmonic(const struct balance *balance, const double *y,
                                        double omega, int k, struct scratch *scratch,
                                        double *cosine, double *sine)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = balance->structure;
    size_t n = (size_t)structure->n_modes, n_in = (size_t)balance->n_in;
    const double *force = balance->force + 2 * (size_t)k * n_in;
    for (size_t m = 0; m < n; m++) {
        scratch->q[m] = 0.0;
        for (size_t in = 0; in < n_in; in++) {
            scratch->q[m] +=
                scratch->participation[in * n + m] * (force[2 * in] + I * force[2 * in + 1]);
        }
    }
    TRY(divide(structure, balance->basis->harmonics[k] * omega, scratch));
    for (size_t m = 0; m < n; m++) {
        cosine[m] = creal(scratch->q[m]);
        if (sine) {
            sine[m] = -cimag(scratch->q[m]);
        }
    }
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        if (mode->harmonic_index == k) {
            cosine[mode->mode] = y[mode->position];
            if (sine) {
                sine[mode->mode] = y[mode->position + 1];
            }
        }
    }
done:
    return status;
}

enum masing_status modal_motion(struct balance *balance, const double *y, double omega,
                                double *modal, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct basis *basis = balance->basis;
    size_t n = (size_t)balance->structure->n_modes;
    struct scratch scratch = {0};
    TRY(scratch_create(balance, &scratch, error));
    TRY(balance_settle(balance, y, omega, false));
    for (int k = 0; k < basis->n_harmonics; k++) {
        double *cosine = modal + (size_t)basis->position[k] * n;
        TRY(move_harmonic(balance, y, omega, k, &scratch, cosine,
                          basis->harmonics[k] > 0 ? cosine + n : NULL));
    }
done:
    arena_clear(&scratch.arena);
    return status;
}

enum masing_status modal_motion_size(struct balance *balance, const double *y, double omega,
                                     int harmonic_index, double *size,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)balance->structure->n_modes;
    struct scratch scratch = {0};
    double *cosine = arena_doubles(&scratch.arena, 2 * n);
    TRY(scratch_create(balance, &scratch, error));
    TRY(balance_settle(balance, y, omega, false));
    TRY(move_harmonic(balance, y, omega, harmonic_index, &scratch, cosine,
                      balance->basis->harmonics[harmonic_index] > 0 ? cosine + n : NULL));
    *size = 0.0;
    for (size_t i = 0; i < 2 * n; i++) {
        *size += cosine[i] * cosine[i];
    }
done:
    arena_clear(&scratch.arena);
    return status;
}
