/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mass may be singular although no row of it is zero: exported ones of elements with hidden
 * nodes or few points of integration. Along coordinates in which it is diagonal, the motions
 * without inertia are massless DOFs: x = turn z.
 */
#ifndef MASING_MODEL_SINGULAR_MASS_H
#define MASING_MODEL_SINGULAR_MASS_H

#include "base/arena.h"
#include "model/model.h"

struct singular_mass {
    struct arena arena;              /* of all arrays, cleared by the caller */
    double *turn, *mass, *stiffness; /* [n_dofs * n_dofs]; the matrices are those of z */
};

/* MASING_SINGULAR, without a message: the mass is not even semidefinite. */
enum masing_status singular_mass_turn(int n, const double *mass, const double *stiffness,
                                      struct singular_mass *turned, struct masing_error *error);

/* Shapes and flexibility of z become those of the DOFs. */
enum masing_status singular_mass_turn_back(const struct singular_mass *turned,
                                           struct structure *structure,
                                           struct masing_error *error);

#endif
