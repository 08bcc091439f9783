/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modal equations of a motion in time, and its state:
 *   q'' = a,  a = p - axes^T g - D q' - diag(omega^2) q,
 * p being the modal forces of the loads and g the forces of the joints.
 */
#ifndef MASING_TRANSIENT_MODAL_STATE_H
#define MASING_TRANSIENT_MODAL_STATE_H

#include <complex.h>

#include "base/arena.h"
#include "model/model.h"

struct modal_state {
    int n_modes, n_axes;
    const double *axes;    /* [n_axes][n_modes] lent */
    const double *damping; /* [n_modes] 1/s lent, the diagonal */
    const double *matrix;  /* [n_modes][n_modes] full modal damping, lent, or NULL */
    int n_uncoupled;       /* first modes whose damping is the diagonal */
    double *stiffness;     /* [n_modes] omega^2 */
    double *q, *v;         /* [n_modes] */
    double *a;             /* [n_modes] the accelerations that balance it */
    double *damping_force; /* [n_modes] scratch */
};

/* MASING_UNSUPPORTED for a structure that has no motion in time: structural damping has no
 * causal form. */
enum masing_status modal_state_check(const struct structure *structure,
                                     struct masing_error *error);

/* At rest, of the first n_modes modes; axes are lent, as is what the structure holds. Errors as
 * above. */
enum masing_status modal_state_create(const struct structure *structure, int n_modes,
                                      int n_axes, const double *axes, struct arena *arena,
                                      struct modal_state **modal, struct masing_error *error);

/* Accelerations that balance q and v under modal forces [n_modes] and joint forces [n_axes]. */
void modal_state_accelerate(struct modal_state *modal, const double *force,
                            const double *joint_force);

/* Sum of the squared velocities. */
double modal_state_squared_speed(const struct modal_state *modal);

/* Squares, as energies are, overflow first. */
bool modal_state_is_finite(const struct modal_state *modal);

/* The part of D v of the modes that damping couples. */
void modal_state_coupled_damping(const struct modal_state *modal, const double *v,
                                 double *force);

/* D v [n_modes], the modal damping forces at a velocity. Inline: every step needs it. */
static inline void modal_state_damping(const struct modal_state *modal, const double *v,
                                       double *force)
{
    for (int k = 0; k < modal->n_uncoupled; k++) {
        force[k] = modal->damping[k] * v[k];
    }
    if (modal->n_uncoupled < modal->n_modes) {
        modal_state_coupled_damping(modal, v, force);
    }
}

/*
 * Harmonic motions of the first n modes: omega^2 + acceleration + velocity D, with complex
 * factors from displacement to acceleration and velocity, -w^2 and i w of the equation itself.
 */
struct modal_stiffness {
    const struct structure *structure; /* lent */
    size_t n, lead;                    /* modes; first of them that damping does not couple */
    double complex velocity, acceleration;
    double complex *matrix; /* [n - lead][n - lead] factors of those that it couples */
    int *pivots;
};

enum masing_status modal_stiffness_create(const struct structure *structure, int n_modes,
                                          struct arena *arena,
                                          struct modal_stiffness *stiffness,
                                          struct masing_error *error);
enum masing_status modal_stiffness_set(struct modal_stiffness *stiffness,
                                       double complex acceleration, double complex velocity);
/* Forces x [n] become motions. */
void modal_stiffness_solve(const struct modal_stiffness *stiffness, double complex *x);

#endif
