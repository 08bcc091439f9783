/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A structure with fewer modes that responds alike to given forces. The lowest modes stay. The
 * others are replaced by modes of the space that K^-1 b and K^-1 M K^-1 b span, b being what
 * the forces do to the modes that go: residual vectors (Dickens, Nakagawa and Wittbrodt 1997),
 * and a second block of the same Krylov space. Static displacements are exact, and receptances
 * are to the order (omega/omega_far)^8, omega_far being the lowest frequency that goes.
 */
#ifndef MASING_MODEL_REDUCED_STRUCTURE_H
#define MASING_MODEL_REDUCED_STRUCTURE_H

#include "model/model.h"

/* Residual modes per force, at most. */
enum { REDUCED_BLOCKS = 2 };

struct reduced_structure {
    struct structure *structure; /* its omega_stuck, omega_free and mass are NULL */
    int n_near;                  /* modes that stayed */
    int n_far;                   /* those that went */
    int n_residual;              /* modes in their place, behind the others */
    double *basis; /* [n_far * n_residual] orthonormal: these modes as combinations
                      of those that went, column-major */
};

/* forces [n_forces][n_modes] modal ones; n_near >= n_rigid, below n_modes. */
enum masing_status reduced_structure_create(const struct structure *structure, int n_near,
                                            int n_forces, const double *forces,
                                            struct reduced_structure *reduced,
                                            struct masing_error *error);
void reduced_structure_clear(struct reduced_structure *reduced);

/* Modal coordinates of the reduced structure that come closest to those of the full one. */
void reduced_structure_coordinates(const struct reduced_structure *reduced, const double *full,
                                   double *coordinates);

#endif
