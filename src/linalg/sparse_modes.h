/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lowest modes of a large sparse pair of matrices (ARPACK: Lehoucq, Sorensen and Yang
 * 1998), in the shift-invert mode about -shift. */
#ifndef MASING_LINALG_SPARSE_MODES_H
#define MASING_LINALG_SPARSE_MODES_H

#include <stdbool.h>

#include "linalg/sparse_factor.h"

struct sparse_modes {
    int n;                 /* modes */
    double *omega_squared; /* [n] ascending, rad^2/s^2; about zero for rigid-body modes */
    double *shapes;        /* [n_dofs * n], phi^T M phi = 1 */
    double *momenta;       /* [n_dofs * n] M phi */
};

/*
 * K phi = omega^2 M phi, the first n of them, fewer than n_dofs; the mass may be singular. The
 * factor is that of K + shift M. MASING_NOT_CONVERGED, MASING_NO_MEMORY; nothing is left then.
 */
enum masing_status sparse_modes_create(const struct masing_sparse *stiffness,
                                       const struct masing_sparse *mass, double shift,
                                       struct sparse_factor *factor, int n,
                                       struct sparse_modes *modes, struct masing_error *error);
void sparse_modes_clear(struct sparse_modes *modes);

/*
 * The squares of the lowest modes may be what is left of sums that cancel, a few digits or
 * none: those modes among themselves once more, by sums of more digits. What one rounding of
 * each entry explains, that of decimals as they are read, is exactly zero. momenta may be NULL.
 * MASING_NO_MEMORY.
 */
enum masing_status sparse_modes_settle(const struct masing_sparse *stiffness,
                                       struct sparse_modes *modes, struct masing_error *error);

/* columns [n_dofs * n_columns] less what the modes have of them: M-orthogonal to all of them.
 * n_passes: one where there is no more of them than rounding left, or two: again for what
 * rounding leaves. scratch [modes->n * n_columns] */
void sparse_modes_deflate(const struct sparse_modes *modes, int n_dofs, int n_columns,
                          int n_passes, double *columns, double *scratch);

/*
 * Lanczos's method may miss one of several equal modes: whether one is missing below the last,
 * of the matrices, shift and factor that the modes were found with. MASING_NO_MEMORY.
 */
enum masing_status sparse_modes_find_missed(const struct masing_sparse *stiffness,
                                            const struct masing_sparse *mass, double shift,
                                            struct sparse_factor *factor,
                                            const struct sparse_modes *modes, bool *is_missed,
                                            struct masing_error *error);

#endif
