/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rigid-body motion of the structure, split into what the joints resist and what they do not:
 * nothing depends on the displacement of the latter, which must not drift.
 */
#ifndef MASING_TRANSIENT_RIGID_BODY_H
#define MASING_TRANSIENT_RIGID_BODY_H

#include "linalg/svd.h"
#include "transient/integrator.h"

struct rigid_body {
    int n, n_seen; /* rigid-body modes; combinations of them that joints see */
    double *free;  /* [n - n_seen][n] combinations that no joint sees, orthonormal */
    struct svd svd;
    double *sizes; /* [n_axes] of the joints' axes, see rigid_body_create */
    double *rest;  /* [rows of svd] scratch */
};

/* n is 0 where the structure is held. Clear it also after a failure. */
enum masing_status rigid_body_create(const struct integrator *integrator,
                                     struct rigid_body *rigid, struct masing_error *error);
void rigid_body_clear(struct rigid_body *rigid);

/* x [n] less its part in what no joint sees */
void rigid_body_keep_seen(const struct rigid_body *rigid, double *x);

/* Set the rigid-body coordinates so that the joints stand at x [n_axes], given the elastic
 * coordinates and the joints' forces (least squares, smallest solution). */
void rigid_body_place(struct rigid_body *rigid, struct integrator *integrator, const double *x);

/* What no joint resists moves as its loads alone make it move, with zero mean. */
enum masing_status rigid_body_release(const struct rigid_body *rigid,
                                      struct integrator *integrator,
                                      struct masing_error *error);

/* Integrate so many periods more and take the mean of what no joint resists away: damping or
 * the way to the periodic motion may have moved it. */
enum masing_status rigid_body_centre(struct integrator *integrator, int n_periods,
                                     struct masing_error *error);

#endif
