/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map of small motions beside a motion: structure and joints, what the
 * joints remember included. The joints follow the motion step by step, each law
 * differentiating its own step; in between the structure moves freely.
 *
 * A small motion consists of modal coordinates and velocities, the joints' force changes at the
 * beginning, and the doubles of their states. What a state merely repeats of the displacement
 * is no coordinate of its own.
 */
#ifndef MASING_TRANSIENT_PERIODIC_VARIATION_H
#define MASING_TRANSIENT_PERIODIC_VARIATION_H

#include "base/progress.h"
#include "transient/periodic/propagator.h"

/* Steps in which a tangent jumps or a joint turns are split, and split again: a corner that is
 * passed between two steps would leave an error of first order. */
enum { VARIATION_LEVELS = 3, VARIATION_SPLIT = 16 };

/* A double of a joint's state that is a coordinate. */
struct variation_memory {
    int joint;
    size_t entry; /* of its state */
};

struct variation {
    const struct masing_model *model;
    struct propagator *levels[VARIATION_LEVELS]; /* over a step, and over parts of it */
    const struct propagator *propagator;         /* of the step under way */
    int n_modes, n_axes, n_joints;
    int capacity;   /* largest number of coordinates */
    double **state; /* [n_joints] of the motion, and one step on: */
    double **next;
    double **change; /* [n_joints][state_size][n] of the states */
    size_t *size;    /* [n_joints] state_size */
    size_t *start;   /* [n_joints] states in use at the beginning of the period */
    double *trial;   /* [largest state_size][n] */
    /* set by the caller: memories are no coordinates but stay as they are; the motion is known
     * to be periodic, so that those in use at one of its ends only are loops within loops of
     * the same size, of which rounding decides how many are remembered, and none of which
     * matters to what comes */
    bool holds_memories, is_periodic;
    int n, n_memories;
    struct variation_memory *memories; /* [capacity] */
    double *x, *v;                     /* [n_axes] of the motion */
    double *f, *fx, *fv;               /* [n_axes] one joint; [n_axes][n_axes] all joints */
    double *last_fx, *last_fv;         /* [n_axes][n_axes] a step before */
    double *last_v;                    /* [n_axes] likewise */
    double *largest;                   /* [2][n_joints] tangents so far */
    double *z, *scratch;               /* [2 n_modes][n] */
    double *force, *u, *w, *held; /* [n_axes][n] changes of forces, displacements, velocities;
                                     forces at held ends */
    double *zero;                 /* [n_axes][n] */
    double *matrix, *inverse;     /* [n_axes^2] column-major */
    int *pivots;
    size_t *kept; /* [capacity] coordinates that are not merely held */
    double *map;  /* [capacity^2] column-major */
};

/* MASING_UNSUPPORTED where a law cannot be differentiated, or beyond most_states coordinates.
 */
enum masing_status variation_create(const struct masing_model *model, int n_modes,
                                    int most_states, struct arena *arena,
                                    struct variation **variation, struct masing_error *error);

/* The motion of the joints that is followed: displacements and velocities [n_axes] after a
 * number of steps, which need not be whole. */
struct variation_motion {
    const void *context;
    void (*place)(const void *context, double step, double *x, double *v);
    double time_step; /* s */
    int n_steps;
    const struct masing_progress *progress; /* where it is cancelled: MASING_NOT_FINITE */
};

/* Move the states of the joints on to a place of the motion, without anything beside it.
 * @p only_settling: of those laws alone that are steady after so many periods from rest. */
enum masing_status variation_move(struct variation *variation,
                                  const struct variation_motion *motion, int step,
                                  bool only_settling);

/*
 * The map from the present states, which are those at step 0, to the last step, where they are
 * left: variation->map [n * n], coordinates 2 n_modes, n_axes forces, n_memories. Memories that
 * are merely held (their row is that of the identity) are left out, of the list as well.
 * MASING_NOT_CONVERGED: another number of memories is in use at the end, or there are too many;
 * not where they are held.
 */
enum masing_status variation_follow(struct variation *variation,
                                    const struct variation_motion *motion);

#endif
