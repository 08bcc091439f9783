/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One implicit step along a part of a leg: tried first, and recorded if it is to count. */
#ifndef MASING_LAWS_EVOLUTION_LEG_STEP_H
#define MASING_LAWS_EVOLUTION_LEG_STEP_H

#include "laws/evolution/leg.h"
#include "laws/evolution/radau.h"

/* A leg on the way of being followed. */
struct follower {
    const struct masing_law *law;
    const void *parameters;
    const struct leg *leg;
    const struct masing_path *path;
    struct masing_branch branch;
    bool with_gradient;
    struct leg_effect *effect;
    double *change;
};

/* Where a stage lies; on a curved leg with the weights of the stencil's samples. */
struct stage {
    double c; /* fraction of the leg */
    double weights[STENCIL], travel[STENCIL];
};

/* An implicit step from fraction c to c + length of the leg that may yet be recorded. */
struct attempt {
    double start, length; /* fractions of the leg */
    struct stage stages[RADAU_STAGES];
    struct radau_input input;
    struct radau_output output;
};

enum masing_status leg_step_try(const struct follower *follower, double c, double length,
                                double z, struct attempt *attempt);

/* Append the attempt to the follower's effect and changes; *z becomes its end. */
void leg_step_record(const struct follower *follower, const struct attempt *attempt, double *z);

#endif
