/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Laws that are linear in their state, along sample steps in a row within a periodic path. */
#ifndef MASING_LAWS_EVOLUTION_LINEAR_RUN_H
#define MASING_LAWS_EVOLUTION_LINEAR_RUN_H

#include "base/memory.h"
#include "laws/evolution/segment.h"

/* The law at the samples of a path, in the direction of a step that begins or ends there. */
struct linear_samples {
    struct masing_linear_rates rates; /* [n_samples] */
    double *sign;                     /* [n_samples], 0: not known */
    int *pieces;                      /* [n_samples] of the step to a sample */
};

void linear_samples_lay_out(struct memory_room *room, size_t n, struct linear_samples *samples);

/* A path between whose turning points all steps of one direction are followed at once. */
struct linear_run {
    const struct masing_law *law;
    const void *parameters;
    const struct masing_path *path;
    double origin;
    double longest, remembered; /* see segment_step_length and segment_memory */
    bool with_gradient;
    const struct linear_samples *samples; /* receives the law there */
    struct segment_effect *effects;       /* [n_samples] of the step to each, from any state */
};

/*
 * Steps in direction sign without a turning point or equal samples, the first of them to sample
 * `first`; the sample after n - 1 is 0. Those of no pieces are left: they are too long.
 */
void linear_run_follow(const struct linear_run *run, int first, int n_steps, double sign);

#endif
