/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derivative of a Masing law's forces by its parameters, at a held path. */
#ifndef MASING_LAWS_MASING_CHANGES_H
#define MASING_LAWS_MASING_CHANGES_H

#include "masing/law.h"

/* Doubles of scratch: one per turning point and parameter. */
size_t changes_workspace_size(int max_turnings, int n_parameters);

/*
 * Change of a force on a branch: base + factor sign B_p(u), with base that of the turning point
 * that it starts from (NULL: none), factor 2 on a branch and 1 on the virgin curve.
 * out [path->n_parameters]
 */
void changes_on_branch(const struct masing_law *law, const void *parameters,
                       const struct masing_path *path, const double *base, double x_start,
                       double x, double *out);
void changes_on_virgin(const struct masing_law *law, const void *parameters,
                       const struct masing_path *path, double origin, double x, double *out);

/* dfp [n_samples][n_parameters] of a periodic path from what was found along it. */
void changes_of_period(const struct masing_law *law, const void *parameters,
                       const struct masing_path *path, const struct masing_tangents *tangents,
                       double *workspace, double *dfp);

#endif
