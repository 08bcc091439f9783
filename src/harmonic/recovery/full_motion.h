/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The motion of all DOFs of the structure, as it was given, at a solution of the balance: from
 * the forces of joints and loads at the ports by one product or, where the structure was
 * condensed, by its modes and one solution per term of the series; where it was reduced, from
 * the coordinates by the shapes.
 */
#ifndef MASING_HARMONIC_RECOVERY_FULL_MOTION_H
#define MASING_HARMONIC_RECOVERY_FULL_MOTION_H

#include "harmonic/balance/balance.h"

struct full_motion;

/* MASING_UNSUPPORTED where a condensed structure has damping that couples its modes. */
enum masing_status full_motion_create(const struct balance *balance,
                                      struct full_motion **motion, struct masing_error *error);
void full_motion_destroy(struct full_motion *motion);

int full_motion_dofs(const struct full_motion *motion);
/* [n_dofs], or NULL: 1, 2, ... */
char *const *full_motion_names(const struct full_motion *motion);

/*
 * coefficients [n_dofs][n_coefficients], m or rad, relative to a base that moves, at a solution
 * that the balance is settled at. MASING_SINGULAR on an undamped pole.
 */
enum masing_status full_motion_evaluate(struct full_motion *motion, const double *y,
                                        double omega, double *coefficients,
                                        struct masing_error *error);

#endif
