/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map over one period of small motions beside a solution: structure and joints, what the
 * joints remember included. The joints follow the solution step by step, each law
 * differentiating its own step; in between the structure moves freely.
 *
 * A small motion consists of modal coordinates and velocities, the joints' force changes at the
 * beginning, and the doubles of their states. What a state merely repeats of the displacement
 * is no coordinate of its own.
 */
#ifndef MASING_STABILITY_VARIATION_H
#define MASING_STABILITY_VARIATION_H

#include "harmonic/balance.h"
#include "stability/propagator.h"

enum { VARIATION_MOST_STEPS = 8192 };

/* A double of a joint's state that is a coordinate. */
struct variation_memory {
    int joint;
    size_t entry; /* of its state */
};

struct variation {
    const struct masing_model *model;
    struct propagator *propagator;
    int n_modes, n_axes, n_joints;
    int capacity;   /* largest number of coordinates */
    double *cosine; /* [VARIATION_MOST_STEPS] over one period */
    double **state; /* [n_joints] of the solution, and one step on: */
    double **next;
    double **change; /* [n_joints][state_size][n] of the states */
    size_t *size;    /* [n_joints] state_size */
    size_t *start;   /* [n_joints] states in use at the beginning of the period */
    double *trial;   /* [largest state_size][n] */
    int n, n_memories;
    struct variation_memory *memories; /* [capacity] */
    double *x, *v;                     /* [n_axes] of the solution */
    double *f, *fx, *fv;               /* [n_axes] one joint; [n_axes][n_axes] all joints */
    double *z, *scratch;               /* [2 n_modes][n] */
    double *force, *u, *w, *held; /* [n_axes][n] changes of forces, displacements, velocities;
                                     forces at held ends */
    double *zero;                 /* [n_axes][n] */
    double *matrix;               /* [n_axes^2] column-major */
    int *pivots;
    double *map; /* [capacity^2] column-major */
};

/* MASING_UNSUPPORTED where a law cannot be differentiated, or beyond most_states coordinates.
 */
enum masing_status variation_create(const struct masing_model *model, int n_modes,
                                    int most_states, struct variation **variation,
                                    struct masing_error *error);
void variation_destroy(struct variation *variation);

/*
 * The map at a solution that the balance is settled at, with so many steps (a power of two):
 * variation->map [n * n], coordinates 2 n_modes, n_axes forces, n_memories. Memories that are
 * merely held (their row is that of the identity) are left out.
 * MASING_NOT_CONVERGED: the states are not periodic at this step, or there are too many.
 */
enum masing_status variation_evaluate(struct variation *variation,
                                      const struct balance *balance, double omega, int n_steps);

#endif
