/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bases of reduced structures over DOFs that are kept as coordinates.
 *
 * Fixed interface (Craig and Bampton 1968): static displacements for unit displacements of the
 * kept DOFs, and modes with these held. Free interface (MacNeal 1971, Rubin 1975): modes of the
 * whole, and static displacements for unit forces on the kept DOFs without what the modes have
 * of them, combined so that the kept DOFs are coordinates. Both with displacements under
 * patterns of forces, as modes of the space that they span beside the other modes: what acts
 * over many DOFs has its exact static displacements, too.
 */
#ifndef MASING_ANALYSES_REDUCE_BASIS_H
#define MASING_ANALYSES_REDUCE_BASIS_H

#include "analyses/reduce/component.h"

struct reduction_basis_request {
    const struct masing_sparse *stiffness, *mass;
    const bool *is_kept; /* [n_dofs] */
    int n_patterns;
    const double *patterns; /* [n_dofs * n_patterns] forces */
    bool is_free;
    struct mode_choice choice;
};

struct reduction_basis {
    int n_dofs, n; /* coordinates: kept DOFs, then modes, then those of patterns */
    int n_kept, n_modes, n_residual;
    int *kept;                /* [n_kept] */
    double *shapes;           /* [n_dofs * n] column-major */
    double *stiffness, *mass; /* [n * n] */
    double last;              /* rad/s, of the highest mode, 0 where there is none */
    int n_rigid;              /* rigid-body motions of the whole, without stiffness */
    int n_movable;            /* rigid-body motions with the kept DOFs held (fixed interface) */
    int movable_dof;          /* that moves most in one of them; -1 */
    int weak;                 /* of MASING_SINGULAR: a DOF */
    bool has_all;             /* of MASING_SINGULAR: the modes hold all that this DOF does */
};

/* Clear it also after a failure. MASING_SINGULAR, MASING_NOT_CONVERGED, MASING_NO_MEMORY. */
enum masing_status reduction_basis_create(const struct reduction_basis_request *request,
                                          struct reduction_basis *basis,
                                          struct masing_error *error);
void reduction_basis_clear(struct reduction_basis *basis);

/* product [n * n] = shapes^T A shapes of a sparse matrix [n_dofs], symmetric */
enum masing_status reduction_basis_project(const struct reduction_basis *basis,
                                           const struct masing_sparse *matrix, double *product,
                                           struct masing_error *error);

#endif
