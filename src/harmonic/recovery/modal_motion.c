/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/recovery/modal_motion.h"

#include "base/arena.h"
#include "base/check.h"
#include "linalg/lu.h"

/* omega_m^2 (1 + i eta) + rest - w^2 + i w d, the diagonal part of the dynamic stiffness.
 * Statically the stiffness is real, and rigid bodies have none. */
static double complex stiffness(const struct structure *structure, size_t mode, double w)
{
    double square = structure->omega[mode] * structure->omega[mode];
    double eta = w > 0.0 ? structure->loss_factor : 0.0;
    double rest = w > 0.0 ? structure_rest(structure, mode) : 0.0;
    return square + rest - w * w + I * (eta * square + w * structure->modal_damping[mode]);
}

enum masing_status modal_motion_respond(const struct structure *structure, double w,
                                        double speed, double complex *q,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    size_t n = (size_t)structure->n_modes;
    bool is_coupled = structure->stiffening || (structure->damping_matrix && w != 0.0);
    if (!is_coupled) {
        for (size_t m = 0; m < n; m++) {
            bool is_free = w == 0.0 && m < (size_t)structure->n_rigid;
            q[m] = is_free ? 0.0 : q[m] / stiffness(structure, m, w);
        }
        return MASING_OK;
    }
    double complex elastic = 1.0 + I * (w > 0.0 ? structure->loss_factor : 0.0);
    double complex *matrix = arena_array(&scratch, n * n, sizeof *matrix);
    int *pivots = arena_array(&scratch, n, sizeof *pivots);
    TRY_ALLOCATED(matrix && pivots);
    for (size_t m = 0; m < n; m++) {
        for (size_t i = 0; i < n && structure->damping_matrix; i++) {
            matrix[m * n + i] = i != m ? I * w * structure->damping_matrix[m * n + i] : 0.0;
        }
        for (size_t i = 0; i < n && structure->stiffening; i++) {
            matrix[m * n + i] += elastic * speed * speed * structure->stiffening[m * n + i];
        }
        bool is_free = w == 0.0 && m < (size_t)structure->n_rigid;
        matrix[m * n + m] += is_free ? 1.0 : stiffness(structure, m, w);
        q[m] = is_free ? 0.0 : q[m];
    }
    TRY(lu_factor_complex((int)n, matrix, pivots));
    lu_solve_complex((int)n, matrix, pivots, q, 1);
done:
    arena_clear(&scratch);
    return status;
}

/* One harmonic, the joint forces being those of balance->force: cosines [n_modes] and, above
 * harmonic 0, sines behind them. q [n_modes] is scratch. */
static enum masing_status move_harmonic(const struct balance *balance, const double *y,
                                        double omega, int k, double complex *q, double *modal,
                                        struct masing_error *error)
{
    int copies;
    const double *force = balance->force + 2 * (size_t)k * (size_t)balance->n_in;
    bool has_sine = balance->basis->harmonics[k] > 0;
    const struct structure *structure =
        compliance_push_modes(balance->compliance, k, force, q, &copies);
    size_t n = (size_t)structure->n_modes;
    NEED(
        modal_motion_respond(structure, balance->basis->harmonics[k] * omega, omega, q, error));
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        if (mode->harmonic_index == k) {
            q[mode->mode] = y[mode->position] - I * (has_sine ? y[mode->position + 1] : 0.0);
        }
    }
    for (size_t m = 0; m < n; m++) {
        modal[m] = creal(q[m]);
        if (has_sine) {
            modal[n + m] = -cimag(q[m]);
        }
    }
    return MASING_OK;
}

enum masing_status modal_motion(struct balance *balance, const double *y, double omega,
                                double *modal, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct basis *basis = balance->basis;
    size_t n = (size_t)balance->structure->n_modes;
    struct arena scratch = {0};
    double complex *q = arena_array(&scratch, n, sizeof *q);
    TRY_ALLOCATED(q);
    TRY(balance_settle(balance, y, omega, false));
    for (int k = 0; k < basis->n_harmonics; k++) {
        TRY(move_harmonic(balance, y, omega, k, q, modal + (size_t)basis->position[k] * n,
                          error));
    }
done:
    arena_clear(&scratch);
    return status;
}

enum masing_status modal_motion_size(struct balance *balance, const double *y, double omega,
                                     int harmonic_index, double *size,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int copies;
    const double *force = balance->force + 2 * (size_t)harmonic_index * (size_t)balance->n_in;
    const struct structure *structure =
        compliance_push_modes(balance->compliance, harmonic_index, force, NULL, &copies);
    size_t n = (size_t)structure->n_modes;
    struct arena scratch = {0};
    double complex *q = arena_array(&scratch, n, sizeof *q);
    double *modal = arena_doubles(&scratch, 2 * n);
    TRY_ALLOCATED(q && modal);
    TRY(balance_settle(balance, y, omega, false));
    TRY(move_harmonic(balance, y, omega, harmonic_index, q, modal, error));
    *size = 0.0;
    for (size_t i = 0; i < 2 * n; i++) {
        *size += modal[i] * modal[i] / copies;
    }
done:
    arena_clear(&scratch);
    return status;
}
