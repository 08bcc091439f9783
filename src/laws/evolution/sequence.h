/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of an evolution law along the samples of a path. Step i leads to sample i, from
 * sample i - 1 (periodic: cyclic; open, i = 0: from where the state was).
 */
#ifndef MASING_LAWS_EVOLUTION_SEQUENCE_H
#define MASING_LAWS_EVOLUTION_SEQUENCE_H

#include "laws/evolution/segment.h"

struct sequence {
    const struct masing_law *law;
    const void *parameters;
    const struct masing_path *path;
    double origin;
    double longest;                 /* periodic: implicit steps, see segment_step_length */
    double x_before, v_before;      /* open: where the motion was before sample 0 */
    double *z;                      /* [n_samples] state at each sample */
    struct segment_effect *effects; /* [n_samples] of each step */
    double *changes;          /* [n_samples][n_parameters] dz of each step by parameters */
    struct turning *turnings; /* [n_samples] periodic: by ascending sample of their step */
    int n_turnings, next_turning;
};

size_t sequence_workspace_size(int n_samples, int n_parameters);

/* Lay out in the workspace and find the turning points of a periodic path. */
void sequence_create(struct sequence *sequence, double *workspace);

/* Take step i from state *z; with_gradient fills effects[i] and changes[i], else only decay. */
enum masing_status sequence_step(struct sequence *sequence, int i, double *z,
                                 bool with_gradient);

/*
 * The steady state of a periodic path: states (and effects, with_gradient) of all samples.
 * @param guess first guess of the state at sample 0, receives what was found; NULL: from rest
 * @return MASING_NOT_CONVERGED where the map has no fixed point that Newton's method finds
 */
enum masing_status sequence_follow_period(struct sequence *sequence, double *guess,
                                          bool with_gradient);

/* The force at sample i. */
void sequence_force(const struct sequence *sequence, int i, struct masing_rate *force);

/*
 * From the effects of the steps to derivatives of the forces at the samples, along the path's
 * directions and parameters: df [n_samples][n_directions], dfp [n_samples][n_parameters]. A
 * periodic state closes: dz_0 = dz_N. `rates` [n_samples] are the force's derivatives at each
 * sample; dz [max(n_directions, n_parameters)] is scratch.
 */
void sequence_expand_directions(const struct sequence *sequence,
                                const struct masing_rate *rates, double *dz, double *df);
void sequence_expand_parameters(const struct sequence *sequence,
                                const struct masing_rate *rates, double *dz, double *dfp);

#endif
