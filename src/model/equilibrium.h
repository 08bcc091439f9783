/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Equations of the static state, joints on their virgin curves. In the displacements w of the
 * joints' axes and the rigid-body coordinates q that joints resist:
 *   w + H g(w) - w_linear - B^T q = 0,   p - B g(w) = 0,
 * H the elastic compliance between the axes, B the rigid-body modes at the axes, p the static
 * loads on them.
 */
#ifndef MASING_MODEL_EQUILIBRIUM_H
#define MASING_MODEL_EQUILIBRIUM_H

#include "model/model.h"

struct equilibrium {
    int n_axes, n_rigid, n; /* n = n_axes + n_rigid unknowns (w, q) */
    double *compliance;     /* H [n_axes * n_axes] */
    double *linear;         /* w_linear [n_axes] */
    double *rigid;          /* B^T [n_axes * n_rigid], each column of unit length */
    double *push;           /* p [n_rigid], scaled alike */
    double *force;          /* g [n_axes] */
    double *tangent;        /* [n_axes * n_axes] column-major, block diagonal */
    double *residual, *trial, *unknowns, *step; /* [n] */
    double *jacobian;                           /* [n * n] */
    int *pivots;
    double *product;                /* [n_axes * n_axes] */
    double *scratch;                /* of one joint */
    double length, load, stiffness; /* scales: of w, of p and g, of the joints' tangents */
};

/* Whether nothing acts: no static load, and no force of a joint at rest. */
enum masing_status equilibrium_is_at_rest(const struct masing_model *model, bool *is_at_rest,
                                          struct masing_error *error);

/* Structure, joints and static_force of the model must be there. Cleared by the caller also
 * when it fails. Refuses loads along a rigid-body motion that no joint resists. */
enum masing_status equilibrium_create(const struct masing_model *model,
                                      struct equilibrium *equilibrium,
                                      struct masing_error *error);
void equilibrium_clear(struct equilibrium *equilibrium);

/* Residual, force and tangent at some unknowns [n]; norm: the residual's largest part relative
 * to the terms it is the sum of. */
enum masing_status equilibrium_evaluate(const struct masing_model *model,
                                        const double *unknowns, struct equilibrium *equilibrium,
                                        double *norm);

#endif
