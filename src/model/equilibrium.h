/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The equations of the static state of a structure with joints. */
#ifndef MASING_MODEL_EQUILIBRIUM_H
#define MASING_MODEL_EQUILIBRIUM_H

#include "model/model.h"

/*
 * Equations of the static state, joints on their virgin curves. In the displacements w of the
 * joints' axes and the rigid-body coordinates q that joints resist:
 *   w + H g(w) - w_linear - B^T q = 0,   p - B g(w) = 0,
 * H the elastic compliance between the axes, B the rigid-body modes at the axes, p the static
 * loads on them.
 */
struct equilibrium {
    int n_axes, n_rigid, n; /* n = n_axes + n_rigid unknowns (w, q) */
    double *memory;         /* of the following */
    double *compliance;     /* H [n_axes * n_axes] */
    double *linear;         /* w_linear [n_axes] */
    double *rigid;          /* B^T [n_axes * n_rigid], each column of unit length */
    double *motions;        /* [n_dofs * n_rigid] of the DOFs in these rigid-body modes */
    double *push;           /* p [n_rigid], scaled alike */
    double *force;          /* g [n_axes] */
    double *last_digits;    /* [n_axes] of it, see OF_LAST_DIGITS */
    double *tangent;        /* [n_axes * n_axes] column-major, block diagonal */
    double *reaction;       /* f [n_axes] of the descent, w = w_linear + B^T q - H f */
    double *change;         /* [n_axes] a step of it */
    double *residual, *trial, *unknowns, *step; /* [n] */
    double *loads;                              /* [n] w_linear and p of all loads */
    double *jacobian;                           /* [n * n] */
    int *pivots;
    double *scratch;                /* of one joint */
    double length, load, stiffness; /* scales: of w, of p and g, of the joints' tangents */
};

/* Whether nothing acts: no static load, and no force of a joint at rest. */
enum masing_status equilibrium_is_at_rest(const struct masing_model *model, bool *is_at_rest,
                                          struct masing_error *error);

/* Structure, joints and static_force of the model must be there. Cleared by the caller also
 * when it fails. Refuses loads along a rigid-body motion that no joint resists. */
enum masing_status equilibrium_create(const struct masing_model *model, struct equilibrium *e,
                                      struct masing_error *error);
void equilibrium_clear(struct equilibrium *e);

/* Residual, force and tangent at some unknowns [n]; norm: the residual's largest part relative
 * to the terms it is the sum of. */
enum masing_status equilibrium_evaluate(const struct masing_model *model,
                                        const double *unknowns, struct equilibrium *e,
                                        double *norm);

#endif
