/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the joints and the linear structure meet at the end of a time step:
 *   x = x_free - S y,   y = g(x, v),   v = v_free + (2/h) (x - x_free),
 * solved for the joint forces y by Newton's method with the laws' consistent tangents.
 *
 * With S = R R^T, u = R^T y, and g the gradient of a convex potential G (joints whose force
 * does not fall with displacement) this is where the convex function |u|^2/2 + G(x_free - R u)
 * is smallest. Along a direction dy its slope is dy . S (y - g), so that a line search needs no
 * potential, and Newton's method with it converges from anywhere, for singular S also.
 */
#ifndef MASING_TRANSIENT_COUPLING_H
#define MASING_TRANSIENT_COUPLING_H

#include "base/arena.h"
#include "transient/joints.h"

struct coupling {
    int n_axes;
    struct joints *joints; /* lent */
    /* where forces and tangents come from, into the joints; NULL: joints_evaluate */
    enum masing_status (*evaluate)(void *context, const double *x, const double *v);
    void *context;
    const double *compliance;      /* [n_axes][n_axes] S, m/N, lent */
    double rate;                   /* 2/h, 1/s: dv/dx at the end of a step */
    const double *x_free, *v_free; /* [n_axes] lent for the time of a solve */
    double *y, *x, *v;             /* [n_axes] the iterate */
    double *residual;              /* [n_axes] y - g(x, v) */
    double *dy, *dx;               /* [n_axes] Newton's direction; dx = -S dy */
    double *y_start, *x_start;     /* [n_axes] where a line begins */
    double *weight;                /* [n_axes] 1/sqrt(S_ii) brings axes on one scale; 0 for an
                                      axis that no force moves */
    double reach;                  /* largest sum of weighted displacements so far */
    double *tangent;               /* the blocks that the factors were made from */
    double *matrix;                /* [n_axes * n_axes] column-major, factorised */
    int *pivots;
    bool has_factors;
    bool has_past;    /* a point has been accepted: */
    double *straight; /* [n_axes] forces here by the tangents there */
    double *bend;     /* [n_axes] what those there were wrong by, as seen from the one before */
    double *bend_x;   /* [n_axes] S bend */
    long iterations;  /* Newton directions so far */
    long searches;    /* of which were too long */
};

enum masing_status coupling_create(struct joints *joints, const double *compliance, double rate,
                                   struct arena *arena, struct coupling **coupling,
                                   struct masing_error *error);

/* Forget the past. */
void coupling_reset(struct coupling *coupling);

/* Solve; leaves the displacement in coupling->x and the forces in the joints, whose tried
 * states are accepted. MASING_NOT_CONVERGED, MASING_NOT_FINITE, or what a law says: nothing is
 * accepted. */
enum masing_status coupling_solve(struct coupling *coupling, const double *x_free,
                                  const double *v_free);

/* The same without accepting, from the joints' forces as they stand. */
enum masing_status coupling_find(struct coupling *coupling, const double *x_free,
                                 const double *v_free);

#endif
