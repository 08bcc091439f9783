/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Periodic paths of laws whose state follows a map of the travel, leg by leg. */
#ifndef MASING_LAWS_EVOLUTION_LEGS_H
#define MASING_LAWS_EVOLUTION_LEGS_H

#include "laws/turning.h"
#include "masing/law.h"

/* Whether the law has maps for all that a path asks for. */
bool legs_serve(const struct masing_law *law, const struct masing_path *path);

size_t legs_workspace_size(int n_samples, int n_directions, int n_parameters);

/*
 * The steady state, forces and derivatives.
 * @param turnings of the path, by ascending step from 0 on
 * @param guess the state at sample 0, receives what was found; NULL: from rest
 * @param has_maps false: nothing is done, because a state has no map
 */
enum masing_status legs_follow(const struct masing_law *law, const void *parameters,
                               const struct masing_path *path, const struct turning *turnings,
                               int n_turnings, double *guess, struct masing_forces *forces,
                               double *workspace, bool *has_maps);

#endif
