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

/* What old and new accelerations add to displacement and velocity in a step, s^2 and s. */
struct newmark_weights {
    double step; /* s */
    double q_of_old, q_of_new, v_of_old, v_of_new;
};

struct newmark {
    struct modal_state *modal; /* lent: the state; its a are the r above */
    double alpha;
    struct newmark_weights weights;
    double *inverse;    /* [n_modes] (1 + alpha) / (1 + (1 + alpha) (gamma h d + beta h^2
                           omega^2)) */
    double *from_v;     /* [n_modes] force that velocity and acceleration of a step ago */
    double *from_a;     /* [n_modes] take, with the modes that damping does not couple */
    double *factor;     /* [n][n] Cholesky factor for the n others, or NULL */
    double *response;   /* [n_axes][n_modes] acceleration per unit force on an axis */
    double *compliance; /* [n_axes][n_axes] beta h^2 axes response^T: displacement at the end
                           of the step per unit joint force */
    double *a;          /* [n_modes] the rule's accelerations, r where alpha is 0 */
    double *scratch;    /* [n_modes] */
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
