/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Some DOFs of a structure, the others held: their lowest modes and their static displacements,
 * small or large. Where it can still move as a rigid body, displacements are those without such
 * a motion.
 */
#ifndef MASING_ANALYSES_REDUCE_COMPONENT_H
#define MASING_ANALYSES_REDUCE_COMPONENT_H

#include <stdbool.h>

#include "linalg/sparse_factor.h"
#include "linalg/sparse_modes.h"

struct component {
    int n;
    int *dofs; /* [n] of the structure, ascending */
    struct masing_sparse mass, stiffness;
    double shift;                 /* of the factor, rad^2/s^2 */
    struct sparse_factor *factor; /* of K + shift M */
    struct sparse_modes modes;    /* mass-normalised; rigid ones first, at exactly 0 */
    int n_rigid;
    double *inner; /* scratch of deflations, [modes.n * COMPONENT_PANEL] */
    double *work;  /* [(16 + 2 COMPONENT_PANEL) n] */
};

/* Columns that are solved at a time. */
enum { COMPONENT_PANEL = 32 };

/* The DOFs that are not held: is_held [n] or NULL. MASING_NO_MEMORY. */
enum masing_status component_create(const struct masing_sparse *stiffness,
                                    const struct masing_sparse *mass, const bool *is_held,
                                    struct component *component, struct masing_error *error);
void component_clear(struct component *component);

/* Which modes are wanted: those up to a frequency, so many at least and at most, and the rigid
 * ones in any case. */
struct mode_choice {
    double up_to; /* rad/s */
    int least, most;
};

/* How many modes of so many DOFs are found at most. */
int component_most_modes(int n);

/*
 * Fills the modes; none may be there, or fewer than wanted: those of what has mass. Equal ones
 * are not parted. MASING_SINGULAR: K + shift M is not positive definite at DOF *weak of the
 * structure. MASING_NOT_CONVERGED, MASING_NO_MEMORY.
 */
enum masing_status component_find_modes(struct component *component,
                                        const struct mode_choice *choice, int *weak,
                                        struct masing_error *error);

/*
 * forces [n * n_columns] become displacements, n_columns <= COMPONENT_PANEL, to rounding and
 * without what the first n_without modes have of them, the rigid ones at least.
 */
enum masing_status component_solve(struct component *component, int n_without, int n_columns,
                                   double *forces, struct masing_error *error);

#endif
