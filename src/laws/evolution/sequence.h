/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of an evolution law along the samples of a path. Step i leads to sample i, from
 * sample i - 1 (periodic: cyclic; open, i = 0: from where the state was).
 */
#ifndef MASING_LAWS_EVOLUTION_SEQUENCE_H
#define MASING_LAWS_EVOLUTION_SEQUENCE_H

#include "laws/evolution/leg.h"

struct sequence {
    const struct masing_law *law;
    const void *parameters;
    const struct masing_path *path;
    double origin;
    double longest;             /* periodic: implicit steps, see leg_step */
    double x_before, v_before;  /* open: where the motion was before sample 0 */
    double *z;                  /* [n_samples] state at each sample */
    struct leg_effect *effects; /* [n_samples] of each step */
    double *changes;            /* [n_samples][n_parameters] dz of each step by parameters */
    struct turning *turnings;   /* [n_samples] periodic: by ascending sample of their step */
    int n_turnings, next_turning;
};

size_t sequence_workspace_size(int n_samples, int n_parameters);

/* Lay out in the workspace and find the turning points of a periodic path. */
void sequence_create(struct sequence *sequence, double *workspace);

/* Take step i from state *z; with_gradient fills effects[i] and changes[i], else only decay. */
enum masing_status sequence_step(struct sequence *sequence, int i, double *z,
                                 bool with_gradient);

#endif
