/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A joint marched along its motion; the steady cycle of one amplitude: found, sampled finely
 * enough, measured. */
#ifndef MASING_ANALYSES_LOOP_CYCLE_H
#define MASING_ANALYSES_LOOP_CYCLE_H

#include <stddef.h>

#include "masing/loop.h"

/*
 * How a joint of several axes is moved: along a line in the tangential plane of a contact, or
 * round a circle in it. All other axes stay where they are, the normal one at the preload. A
 * joint of one axis is moved along that.
 */
struct loop_plane {
    int n_axes;
    bool is_circle;
    /* Unit vectors over the axes that are there: of the displacement, and of the second one of
     * a circle, which is a quarter of a period ahead. */
    double first[MASING_MAX_AXES], second[MASING_MAX_AXES];
};

struct loop_march {
    const struct masing_law *law;
    const void *parameters;
    struct loop_plane plane;
    int capacity;    /* samples that the arrays have room for */
    double *samples; /* what the arrays of samples are parts of */
    double *x, *v;   /* [capacity + 1] motion, m and m/s */
    double *f;       /* [capacity + 1] N */
    double *steady;  /* [capacity + 1] N, of the periodic solution */
    /* Of a circle, else NULL: likewise along its second direction, a quarter of a period ahead.
     */
    double *x2, *v2, *f2, *steady2;
    double *joint_x, *joint_v, *joint_f; /* [capacity + 1][n_axes], several axes only */
    double *workspace;
    /* [state_size]: of an open march; at the start of the periodic one; for use in between */
    double *state, *found, *scratch;
    size_t state_size; /* doubles */
};

/* Clear it also after a failure. path: NULL for none. Errors: MASING_INVALID for a path that
 * the joint cannot take, MASING_UNSUPPORTED for a law of several axes that is no contact. */
enum masing_status loop_march_create(const struct masing_law *law, const void *parameters,
                                     const struct masing_loop_path *path,
                                     struct loop_march *march, struct masing_error *error);
void loop_march_clear(struct loop_march *march);

/* Make room for so many samples of a period; what the arrays hold is lost. */
enum masing_status loop_march_reserve(struct loop_march *march, int n_samples,
                                      struct masing_error *error);

/* Sliders at zero displacement. */
void loop_march_rest(struct loop_march *march);

/* Go on from march->state over samples first .. first + count - 1; fills f there. */
enum masing_status loop_march_open(struct loop_march *march, int first, int count,
                                   double time_step, double *slip_share);

/* Prescribed periodic motion of a joint: amplitude sum_h s_h sin(h t) + c_h cos(h t). */
struct loop_motion {
    int n_terms;
    const struct masing_motion_term *terms;
};

struct loop_cycle {
    struct loop_march *march; /* lent */
    const struct loop_motion *motion;
    double amplitude, omega;
    int n_rows;    /* the samples are a multiple of these */
    int n_samples; /* per period, chosen by loop_cycle_solve */
    struct masing_loop_measures *measures;
    double uncertainty; /* relative, of loss and largest force, by halving the step */
};

/*
 * Solve for the periodic motion and refine the samples until the measures hold; leaves x, v and
 * steady of the march filled, and march->found at the start of the cycle. Of several solutions
 * it is the one that the virgin joint comes to.
 */
enum masing_status loop_cycle_solve(struct loop_cycle *cycle, struct masing_error *error);

/* Time between two samples, s. */
double loop_cycle_step(const struct loop_cycle *cycle);

#endif
