/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The linear structure without joints in modal form, and its response at ports.
 *
 * M phi = phi, K phi = omega^2 M phi, phi^T M phi = I. Massless DOFs are condensed exactly;
 * what is left of them is the residual flexibility at the ports. A port is a weighted sum of
 * DOFs (or a complex load pattern): forces go in there and displacements come out.
 */
#ifndef MASING_MODEL_STRUCTURE_H
#define MASING_MODEL_STRUCTURE_H

#include <stddef.h>

#include "masing/model.h"

struct structure {
    int n_dofs;
    int n_modes;        /* n_dofs less massless ones, or as given */
    int n_rigid;        /* the first n_rigid modes have omega == 0 exactly */
    int n_nearly_rigid; /* rigid modes whose omega was more than rounding explains */
    double *omega;      /* [n_modes] ascending, rad/s */
    double *shapes;     /* [n_dofs * n_modes] column-major; massless DOFs follow the others */
    double *modal_damping;  /* [n_modes] diagonal of phi^T C phi, 1/s (2 zeta omega) */
    double *damping_matrix; /* [n_modes * n_modes] all of it where it is coupled, else NULL */
    double loss_factor;     /* structural: K (1 + i eta); 0 otherwise */
    double *mass;        /* [n_dofs * n_dofs] or NULL for modal data; for base accelerations */
    double *flexibility; /* [n_dofs * n_dofs] of the massless DOFs, or NULL */
    double shift;        /* for modes_create: of the size of the eigenvalues, rad^2/s^2 */
    double *omega_stuck; /* [n_modes] with the joints' stuck stiffness added, ascending */
    double *omega_free;  /* [n_modes] with their free one; both 0 in an unstable motion */
};

/* Modes of the structure, its mass and flexibility: what a static state needs. */
enum masing_status structure_create(const struct masing_spec *spec,
                                    struct structure **structure, struct masing_error *error);

/* The rest: damping (`modes: stuck` by the joints' tangents), omega_stuck and omega_free.
 * Parameters of joints must be checked before. at [n_axes]: the joints' static displacements,
 * or NULL for zero. */
enum masing_status structure_couple(const struct masing_spec *spec, const double *at,
                                    struct structure *structure, struct masing_error *error);
/*
 * Fills modal_damping, damping_matrix and loss_factor where the modes are known. damping:
 * [n_dofs * n_dofs], symmetric, overwritten; NULL: none. at as for structure_couple.
 */
enum masing_status damping_create(const struct masing_spec *spec, const double *at,
                                  double *damping, struct structure *structure,
                                  struct masing_error *error);

void structure_destroy(struct structure *structure);

/* How many of the first modes the damping leaves to themselves: all, or those before the first
 * that it couples to another. */
size_t structure_uncoupled_modes(const struct structure *structure);

/* Modes up to a frequency, rad/s, none of equal ones parted; rigid-body modes always. */
int structure_count_modes(const struct structure *structure, double omega);

/* M d, for base and static accelerations: [n_dofs]. MASING_INVALID where the mass is unknown.
 */
enum masing_status structure_inertia(const struct structure *structure, const double *direction,
                                     double *force, struct masing_error *error);

#endif
