/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Masing law along a periodic path. */
#ifndef MASING_LAWS_MASING_PERIODIC_PATH_H
#define MASING_LAWS_MASING_PERIODIC_PATH_H

#include "masing/law.h"

/* Doubles of scratch for periodic_path_follow. */
size_t periodic_path_workspace_size(int n_samples);

/* The steady state; fills fx, branch and turnings of `tangents`, not fv. */
enum masing_status periodic_path_follow(const struct masing_law *law, const void *parameters,
                                        const struct masing_path *path,
                                        struct masing_forces *forces,
                                        struct masing_tangents *tangents, double *workspace);

#endif
