/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the Masing family: its two ways of following a path. */
#ifndef MASING_LAWS_MASING_ENGINE_H
#define MASING_LAWS_MASING_ENGINE_H

#include "laws/masing/return_points.h"
#include "masing/law.h"

/*
 * Reversals that enclose less than this part of the reach (or of the largest excursion, where
 * that is smaller) are no loop: round-off would otherwise pile them up.
 */
static const double MERGE = 1e-12;

/* Displacement along the backbone from which on the joint slips. */
static inline double engine_slip_onset(const struct masing_law *law, const void *parameters)
{
    return law->slip_onset ? law->slip_onset(parameters) : law->reach(parameters);
}

/* Doubles of scratch for periodic_path_follow. */
size_t periodic_path_workspace_size(int n_samples);

/* Steady state of a periodic path; fills fx, branch and turnings of `tangents`, not fv. */
enum masing_status periodic_path_follow(const struct masing_law *law, const void *parameters,
                                        const struct masing_path *path,
                                        struct masing_forces *forces,
                                        struct masing_tangents *tangents, double *workspace);

/* Open path from a state; likewise, and the changes with the parameters if the path asks for
 * them, with a workspace for those. */
enum masing_status open_path_follow(const struct masing_law *law, const void *parameters,
                                    const struct masing_path *path,
                                    struct return_points *memory, struct masing_forces *forces,
                                    struct masing_tangents *tangents, double *workspace);

#endif
