/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Newmark's rule (1959) with the damping of Hilber, Hughes and Taylor (1977) for the modal
 * equations q'' = r, r = p - axes^T g - D q' - diag(omega^2) q, in two halves: the motion
 * without the joints' new forces, then their effect:
 *   a_new = (1 + alpha) r_new - alpha r_old,  beta = (1 - alpha)^2/4,  gamma = 1/2 - alpha.
 * Without the joints the rule is unconditionally stable for alpha in [-1/3, 0]. With alpha = 0
 * it is that of average acceleration and loses no energy of its own; below, it damps what has
 * few steps per period.
 */
#ifndef MASING_TRANSIENT_NEWMARK_H
#define MASING_TRANSIENT_NEWMARK_H

#include <complex.h>

#include "model/structure.h"

struct newmark {
    int n_modes, n_axes;
    double step; /* s */
    double alpha, beta, gamma;
    const double *axes;    /* [n_axes][n_modes] lent */
    const double *damping; /* [n_modes] 1/s lent, the diagonal */
    const double *matrix;  /* [n_modes][n_modes] full modal damping, lent, or NULL */
    int n_uncoupled;       /* first modes whose damping is the diagonal */
    double *stiffness;     /* [n_modes] omega^2 */
    double *inverse;       /* [n_modes] of 1 + (1 + alpha) (gamma h d + beta h^2 omega^2) */
    double *factor;        /* [n][n] Cholesky factor for the n others, or NULL */
    double *response;      /* [n_axes][n_modes] acceleration per unit force on an axis */
    double *compliance;    /* [n_axes][n_axes] beta h^2 axes response^T: displacement at the end
                              of the step per unit joint force */
    double *q, *v, *a;     /* [n_modes] the state */
    double *balance;       /* [n_modes] r, the accelerations that balance it */
    double *q_old, *v_old; /* [n_modes] one step ago */
    double *damping_force; /* [n_modes] scratch */
};

/* MASING_UNSUPPORTED for a structure that has no motion in time. */
enum masing_status newmark_can_integrate(const struct structure *structure,
                                         struct masing_error *error);

/* MASING_UNSUPPORTED for structural damping, which has no causal form in time. */
enum masing_status newmark_create(const struct structure *structure, int n_axes,
                                  const double *axes, double step, double alpha,
                                  struct newmark **newmark, struct masing_error *error);
void newmark_destroy(struct newmark *newmark);

/* Advance the state under modal forces [n_modes], joint forces zero at the new time. */
void newmark_predict(struct newmark *newmark, const double *force);

/* Add the effect of the joint forces [n_axes] at the new time. */
void newmark_correct(struct newmark *newmark, const double *joint_force);

/* The step that takes the frequency omega, with n_steps per period, for itself. */
double newmark_prewarped_step(double alpha, double omega, int n_steps);

/* A harmonic motion: the factors from complex displacement to velocity and acceleration. */
struct newmark_rates {
    double complex velocity, acceleration; /* i w and -w^2 of the equation itself */
};

/* Those of the rule's own motions of which so many radians pass in a step: with them in place
 * of the equation's own ones it is solved exactly. */
struct newmark_rates newmark_rates(double alpha, double step, double angle);

/* Displacement and velocity from which the harmonic motion x of a mode without stiffness goes
 * on after newmark_accelerate, which begins damped rules with the acceleration of the balance
 * instead of their own. */
void newmark_begin_harmonic(const struct newmark *newmark, struct newmark_rates rates,
                            double angle, double complex x, double *q, double *v);

/* dv/dx at the end of a step, 1/s */
double newmark_velocity_rate(const struct newmark *newmark);

/* The state that another method has stepped to. */
void newmark_place(struct newmark *newmark, const double *q, const double *v);

/* Accelerations that balance the state q, v under these forces. */
void newmark_accelerate(struct newmark *newmark, const double *force,
                        const double *joint_force);

/* D v [n_modes], the modal damping forces at a velocity. */
void newmark_damping(const struct newmark *newmark, const double *v, double *force);

/* ports [n_ports] = shapes [n_ports][n_modes] x [n_modes] */
void newmark_project(int n_ports, int n_modes, const double *shapes, const double *x,
                     double *ports);

#endif
