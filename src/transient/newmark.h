/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Average-acceleration Newmark rule (Newmark 1959, beta = 1/4, gamma = 1/2) for the modal
 * equations q'' + D q' + diag(omega^2) q = p - axes^T g, in two halves: the motion without the
 * joints' new forces, then their effect. Without the joints the rule is unconditionally stable
 * and loses no energy of its own.
 */
#ifndef MASING_TRANSIENT_NEWMARK_H
#define MASING_TRANSIENT_NEWMARK_H

#include "model/structure.h"

struct newmark {
    int n_modes, n_axes;
    double step;           /* s */
    const double *axes;    /* [n_axes][n_modes] lent */
    const double *damping; /* [n_modes] 1/s lent; NULL where the matrix is used */
    const double *matrix;  /* [n_modes][n_modes] full modal damping, lent, or NULL */
    double *stiffness;     /* [n_modes] omega^2 */
    double *inverse;       /* [n_modes] of 1 + h d/2 + h^2 omega^2/4 */
    double *factor;        /* [n_modes][n_modes] Cholesky factor, full damping only */
    double *response;      /* [n_axes][n_modes] acceleration per unit force on an axis */
    double *compliance;    /* [n_axes][n_axes] h^2/4 axes response^T: displacement at the end of
                              the step per unit joint force */
    double *q, *v, *a;     /* [n_modes] the state */
    double *q_old, *v_old; /* [n_modes] one step ago */
    double *damping_force; /* [n_modes] scratch */
};

/* MASING_UNSUPPORTED for a structure that has no motion in time. */
enum masing_status newmark_can_integrate(const struct structure *structure,
                                         struct masing_error *error);

/* MASING_UNSUPPORTED for structural damping, which has no causal form in time. */
enum masing_status newmark_create(const struct structure *structure, int n_axes,
                                  const double *axes, double step, struct newmark **newmark,
                                  struct masing_error *error);
void newmark_destroy(struct newmark *newmark);

/* Advance the state under modal forces [n_modes], joint forces zero at the new time. */
void newmark_predict(struct newmark *newmark, const double *force);

/* Add the effect of the joint forces [n_axes] at the new time. */
void newmark_correct(struct newmark *newmark, const double *joint_force);

/* Accelerations that balance the state q, v under these forces. */
void newmark_accelerate(struct newmark *newmark, const double *force,
                        const double *joint_force);

/* D v [n_modes], the modal damping forces at a velocity. */
void newmark_damping(const struct newmark *newmark, const double *v, double *force);

/* ports [n_ports] = shapes [n_ports][n_modes] x [n_modes] */
void newmark_project(int n_ports, int n_modes, const double *shapes, const double *x,
                     double *ports);

#endif
