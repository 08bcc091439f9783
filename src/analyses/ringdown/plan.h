/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a free decay is started, integrated and looked at: the settings with defaults resolved.
 */
#ifndef MASING_ANALYSES_RINGDOWN_PLAN_H
#define MASING_ANALYSES_RINGDOWN_PLAN_H

#include "analyses/ringdown/decay_fit.h"
#include "masing/ringdown.h"
#include "model/stuck_modes.h"

struct ringdown_plan {
    const struct masing_model *model; /* lent */
    struct stuck_modes *modes;
    int n_modes;    /* that are looked at */
    int *numbers;   /* [n_modes] from 1 */
    double *filter; /* [n_modes][modes->n] shapes: q_r = shape . modal coordinates */
    bool *is_apart; /* [n_modes][all that vibrate] that never act on each other */
    int n_segments;
    double step;    /* s */
    int n_steps;    /* of the whole decay, the impulse included */
    int n_impulse;  /* steps until the force has ended, 0 without an impulse */
    double impulse; /* rad/s */
    double *force;  /* [modes->n] modal force of an impulse of unit amplitude */
    double *q, *v;  /* [modes->n] initial displacements and velocities; or NULL */
};

enum masing_status ringdown_plan_create(const struct masing_model *model,
                                        struct ringdown_plan **plan,
                                        struct masing_error *error);
void ringdown_plan_destroy(struct ringdown_plan *plan);

/* Shortest record (s) that tells of one of the modes: some periods in each segment. */
double ringdown_plan_shortest(const struct ringdown_plan *plan, int index);

/*
 * Frequencies (Hz) between which one of the modes stays, with a margin: those with the joints
 * free and stuck, where all joints have a concave backbone. False: it may go anywhere.
 */
bool ringdown_plan_range(const struct ringdown_plan *plan, int index, double range[2]);

/* One of the modes that are looked at among all. */
struct decay_modes ringdown_plan_modes(const struct ringdown_plan *plan, int index);

#endif
