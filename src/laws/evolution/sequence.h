/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An evolution law along the samples of a path, step by step. */
#ifndef MASING_LAWS_EVOLUTION_SEQUENCE_H
#define MASING_LAWS_EVOLUTION_SEQUENCE_H

#include "laws/evolution/linear_run.h"
#include "laws/evolution/segment.h"

/* Room for a law that is smoothed: path and parameters in place of those given. */
struct softened {
    struct masing_path path;
    void *parameters;
    const void **dp; /* [n_parameters] */
    char *tangents;  /* [n_parameters][size], from one to the next */
    size_t size;
};

/*
 * The state of an evolution law along the samples of a path. Step i leads to sample i, from
 * sample i - 1 (periodic: cyclic; open, i = 0: from where the state was).
 */
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
    struct masing_rate *rates;     /* [n_samples] the force's derivatives at each sample */
    double *dz;                    /* [n_directions + n_parameters] scratch */
    struct linear_samples samples; /* of laws that are linear in their state */
    double decay; /* periodic: 1 - what is left of a change of the state after the period */
    bool with_gradient;
    struct softened soft;
    double
        *rest; /* of the workspace, that of legs; the arrays that they do without are there */
};

static inline int neighbour(const struct sequence *sequence, int i, int offset)
{
    int n = sequence->path->n_samples, at = i + offset;
    return at < 0 ? at + n : at >= n ? at - n : at;
}

static inline bool has_velocity(const struct sequence *sequence)
{
    return sequence->law->needs_velocity && sequence->path->v;
}

static inline double *changes_of(const struct sequence *sequence, int i)
{
    return sequence->changes + (size_t)i * (size_t)sequence->path->n_parameters;
}

static inline double velocity(const struct sequence *sequence, int i)
{
    const struct masing_path *path = sequence->path;
    return sequence->law->needs_velocity && path->v ? path->v[i] : 0.0;
}

/*
 * From the effects of the steps to derivatives of the forces at the samples, along the path's
 * directions and parameters: df [n_samples][n_directions], dfp [n_samples][n_parameters]. A
 * periodic state closes: dz_0 = dz_N.
 */
void sequence_expand_directions(const struct sequence *sequence, double *df);
void sequence_expand_parameters(const struct sequence *sequence, double *dfp);

#endif
