/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time integration of a free decay, and the modal velocities that come out of it. */
#ifndef MASING_ANALYSES_RINGDOWN_MOTION_H
#define MASING_ANALYSES_RINGDOWN_MOTION_H

#include "analyses/integrate/history.h"
#include "analyses/ringdown/plan.h"

struct ringdown_motion {
    const struct ringdown_plan *plan; /* lent */
    struct integrator *integrator;
    double *velocity; /* [plan->n_modes][n_samples] from the end of the impulse on */
    int n_samples;    /* room for them */
    int n_done;       /* that were integrated */
    double start;     /* s, of the first one */
    const struct masing_progress *progress; /* may be NULL */
    double progress_from, progress_to;      /* shares of all that is to be done */
    struct history *history;                /* a row per step; or NULL */
};

enum masing_status ringdown_motion_create(const struct ringdown_plan *plan,
                                          struct ringdown_motion **motion,
                                          struct masing_error *error);
void ringdown_motion_destroy(struct ringdown_motion *motion);

/*
 * From rest through an impulse of this amplitude, or from the initial state, to the end.
 * MASING_STOPPED with a reason where it ends early: n_done velocities are there.
 */
enum masing_status ringdown_motion_run(struct ringdown_motion *motion, double amplitude,
                                       struct masing_error *error);

#endif
