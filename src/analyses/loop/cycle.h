/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steady cycle of one amplitude: found, sampled finely enough, measured. */
#ifndef MASING_ANALYSES_LOOP_CYCLE_H
#define MASING_ANALYSES_LOOP_CYCLE_H

#include "analyses/loop/march.h"

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
