/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Newmark's rule (1959) with the damping of Hilber, Hughes and Taylor (1977) for the modal
 * equations q'' = r, see modal_state.h, in two halves: the motion without the joints' new
 * forces, then their effect:
 *   a_new = (1 + alpha) r_new - alpha r_old,  beta = (1 - alpha)^2/4,  gamma = 1/2 - alpha.
 * Without the joints the rule is unconditionally stable for alpha in [-1/3, 0]. With alpha = 0
 * it is that of average acceleration and loses no energy of its own; below, it damps what has
 * few steps per period.
 */
#ifndef MASING_TRANSIENT_NEWMARK_NEWMARK_H
#define MASING_TRANSIENT_NEWMARK_NEWMARK_H

#include "transient/stepper.h"

struct newmark {
    struct modal_state *modal; /* lent: the state; its a are the r above */
    double step;               /* s */
    double alpha, beta, gamma;
    double *inverse;       /* [n_modes] of 1 + (1 + alpha) (gamma h d + beta h^2 omega^2) */
    double *factor;        /* [n][n] Cholesky factor for the n others, or NULL */
    double *response;      /* [n_axes][n_modes] acceleration per unit force on an axis */
    double *compliance;    /* [n_axes][n_axes] beta h^2 axes response^T: displacement at the end
                              of the step per unit joint force */
    double *a;             /* [n_modes] the rule's accelerations */
    double *q_old, *v_old; /* [n_modes] one step ago */
};

/* MASING_INVALID where damping feeds in more energy than a step of this length can take. */
enum masing_status newmark_create(struct modal_state *modal, double step, double alpha,
                                  struct arena *arena, struct newmark **newmark,
                                  struct masing_error *error);

/* Begin with the accelerations of the balance. */
void newmark_begin(struct newmark *newmark);

/* Advance the state under modal forces [n_modes], joint forces zero at the new time. */
void newmark_predict(struct newmark *newmark, const double *force);

/* Add the effect of the joint forces [n_axes] at the new time. */
void newmark_correct(struct newmark *newmark, const double *joint_force);

/* What the model file calls newmark, and hht where the method says so. */
extern const struct stepper_type newmark_stepper;

/* Newton's directions that the joints' equations have taken. */
long newmark_stepper_iterations(const struct stepper *stepper);

#endif
