/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Natural modes of M x'' + K x = 0, M positive definite, K any symmetric matrix.
 *
 * Solved as M psi = mu (K + shift M) psi, mu = 1 / (omega^2 + shift): the spectrum is turned
 * over, so that round-off falls on the highest modes instead of the lowest ones, and rigid-body
 * motion does no harm.
 */
#ifndef MASING_MODEL_MODES_H
#define MASING_MODEL_MODES_H

#include <float.h>
#include <stdbool.h>

#include "masing/status.h"

/* Of a sum as phi^T K phi, relative to the sum of its terms' sizes. */
#define MODES_ROUND_OFF (64 * DBL_EPSILON)

struct modes {
    int n;                 /* DOFs and modes */
    int n_rigid;           /* the first ones; their omega_squared is exactly 0 */
    int n_nearly_rigid;    /* those of them that round-off alone does not explain */
    double *omega_squared; /* [n] ascending, (rad/s)^2; negative: unstable */
    double *shapes;        /* [n * n] column-major, phi^T M phi = 1 */
    int failed_dof;        /* of MASING_SINGULAR: where the stiffness is negative */
};

/*
 * shift > 0: where accuracy is wanted, (rad/s)^2; enlarged as far as K + shift M needs it to be
 * positive definite. Without shapes, which stay NULL, frequencies next to 0 are set to 0.
 * MASING_SINGULAR: K + shift M never becomes positive definite (M is not, in effect).
 */
enum masing_status modes_create(int n, const double *mass, const double *stiffness,
                                double shift, bool with_shapes, struct modes *modes,
                                struct masing_error *error);
void modes_clear(struct modes *modes);

/* The first n modes are rigid-body motions, if they stand apart from the next one. */
void modes_set_rigid(struct modes *modes, int n);

/*
 * How many of the first modes are rigid-body motions, by what rounding leaves of sums that
 * cancel: gross(context, mode) is sum |phi_i K_ij phi_j|, asked for in order. n_nearly: those
 * that rounding alone does not explain.
 */
int modes_count_rigid(int n, const double *omega_squared,
                      double (*gross)(const void *context, int mode), const void *context,
                      int *n_nearly);

#endif
