/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The equations of the static state of a structure with joints. */
#ifndef MASING_MODEL_STATIC_EQUATIONS_H
#define MASING_MODEL_STATIC_EQUATIONS_H

#include "base/arena.h"
#include "model/model.h"

/* A row of the joints' tangents. */
struct tangent {
    int first, count; /* axes of the same joint */
    double values[MASING_MAX_AXES];
};

/*
 * Equations of the static state, joints on their virgin curves. In the displacements w of the
 * joints' axes and the rigid-body coordinates q that joints resist:
 *   w + H g(w) - w_linear - B^T q = 0,   p - B g(w) = 0,
 * H the elastic compliance between the axes, B the rigid-body modes at the axes, p the static
 * loads on them.
 */
struct equilibrium {
    const struct masing_model *model;
    struct arena arena;      /* of all arrays */
    int n_axes, n_rigid, n;  /* n = n_axes + n_rigid unknowns (w, q) */
    double *compliance;      /* H [n_axes * n_axes] */
    double *linear;          /* w_linear [n_axes] */
    double *rigid;           /* B^T [n_axes * n_rigid], each column of unit length */
    double *motions;         /* [n_dofs * n_rigid] of the DOFs in these rigid-body modes */
    double *shares;          /* [rigid modes * n_rigid] of the structure's modes in them */
    double *push;            /* p [n_rigid], scaled alike */
    double *force;           /* g [n_axes] */
    double *last_digits;     /* [n_axes] of it, see OF_LAST_DIGITS */
    double *gross, *digits;  /* [n_axes] of the residual's terms */
    double *ends;            /* [n_axes] motion of the axes' ends under the loads, m */
    struct tangent *tangent; /* [n_axes] */
    double *reaction;        /* f [n_axes] of the descent, w = w_linear + B^T q - H f */
    double *change;          /* [n_axes] a step of it */
    double *residual, *trial, *unknowns, *step; /* [n] */
    double *loads;                              /* [n] w_linear and p of all loads */
    double *jacobian;                           /* [n * n] */
    int *pivots, *active; /* [n_active] ascending axes that change forces */
    int n_active;
    double *states;                 /* of one joint: before and after */
    double length, load, stiffness; /* scales: of w, of p and g, of the joints' tangents */
};

/* All but the states. Refuses loads along a rigid-body motion that no joint resists. */
enum masing_status equilibrium_create(struct equilibrium *e, struct masing_error *error);

/* Residual, force and tangent at some unknowns [n]; norm: the residual's largest part relative
 * to the terms it is the sum of. */
enum masing_status equilibrium_evaluate(struct equilibrium *e, const double *unknowns,
                                        double *norm);

/* Whether nothing acts: no static load, and no force of a joint at rest. */
enum masing_status equilibrium_find_rest(struct equilibrium *e, bool *is_at_rest);

#endif
