/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joints on DOFs without mass, which follow their forces without delay:
 *   x + F g(x) = x_free,
 * F being the flexibility of those DOFs between the joints' axes and x_free the displacements
 * without the joints' forces. While the joints have tangents K, dx = (I + F K)^-1 dx_free.
 *
 * With F = R R^T this is R^T K R + I, symmetric. As long as that is positive definite the DOFs
 * rest where their energy is smallest; where it ceases to be, they jump elsewhere.
 */
#ifndef MASING_TRANSIENT_FLEXIBLE_H
#define MASING_TRANSIENT_FLEXIBLE_H

#include "transient/stepper.h"

#define FLEXIBLE_JUMPS                                                                         \
    "the force of a joint falls faster with displacement than what else holds its DOF "        \
    "without mass can take up: the DOF would jump; a mass there makes this a motion"

struct coupling;

struct flexible {
    const struct stepper_parts *parts; /* lent */
    int n, n_axes;                     /* n axes on DOFs without mass */
    int *axes, *joints;                /* [n] these axes and their joints */
    double *compliance;                /* [n_axes][n_axes] F */
    double *root;                      /* [n][n] R, column-major */
    double *stiffness;                 /* [n_axes] K, zero for other axes */
    double *matrix, *scratch;          /* [n][n] factors; [2 n] */
    double *force;                     /* [n_modes + n_ports] scratch */
    double *x, *v;                     /* [n_axes] scratch */
    struct coupling *coupling;         /* of a straight step, for the beginning */
};

/* In the parts' arena; NULL where no joint acts on a DOF without mass. MASING_UNSUPPORTED for
 * joints of several axes there. */
enum masing_status flexible_create(const struct stepper_parts *parts,
                                   struct flexible **flexible, struct masing_error *error);

/* Tangents of the axes' forces, [n_axes] of which those on DOFs without mass count. False:
 * there is no unique motion, see FLEXIBLE_JUMPS. */
bool flexible_set(struct flexible *flexible, const double *stiffness);

/* dx_free [n_axes] becomes dx. */
void flexible_follow(const struct flexible *flexible, double *dx);

/* Displacements and states of the joints become those under the loads at time 0, after one
 * straight step from where they stand, if they are not yet. */
enum masing_status flexible_start(struct flexible *flexible);

/* Add what loads do to the axes through DOFs without mass at a phase of theirs: displacements,
 * or, with an order, their derivatives by time. x [n_axes] */
void flexible_add_loads(struct flexible *flexible, double phase, int order, double *x);

#endif
