/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the structured derivative of a Masing law to that along seed directions. */
#ifndef MASING_LAWS_MASING_TANGENTS_H
#define MASING_LAWS_MASING_TANGENTS_H

#include "masing/law.h"

/* Doubles of scratch that tangents_expand needs. */
size_t tangents_workspace_size(int max_turnings, int n_directions);

/* df [n_samples][n_directions] along path->dx. */
void tangents_expand(const struct masing_tangents *tangents, const struct masing_path *path,
                     double *workspace, double *df);

#endif
