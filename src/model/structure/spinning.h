/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A structure whose stiffness goes with the square of the shaft's speed, K + Omega^2 B: in the
 * modes at rest, where the frequency is the shaft's, or in those at a speed of its own. Damping
 * is that of the structure at rest.
 */
#ifndef MASING_MODEL_SPINNING_H
#define MASING_MODEL_SPINNING_H

#include "model/model.h"

/* What a specification with per_speed_squared needs: dense matrices, and a speed. */
enum masing_status spinning_check(const struct masing_spec *spec, struct masing_error *error);

/* stiffness [n_dofs * n_dofs] += spin^2 B where the shaft has a speed of its own. */
void spinning_stiffen(const struct masing_spec *spec, double *stiffness);

/* Fills stiffening, Phi^T B Phi, where the frequency is the shaft's. MASING_UNSUPPORTED where B
 * acts on motions that the structure at rest has no stiffness or no mass in. */
enum masing_status spinning_couple(const struct masing_spec *spec, struct structure *structure,
                                   struct masing_error *error);

/* Damping at a speed of its own from that at rest. As damping_create. */
enum masing_status spinning_damping(const struct masing_spec *spec, const double *at,
                                    double *damping, struct structure *structure,
                                    struct masing_error *error);

static inline bool spinning_has_speed(const struct masing_structure_spec *structure)
{
    return structure->per_speed_squared && structure->has_spin;
}

/* Fills cross_stuck and cross_free: natural frequencies at the speeds at which the engine order
 * excites them, or, where it never meets all of them, in the middle of the range. */
enum masing_status spinning_cross(const struct masing_spec *spec, const double *at, int order,
                                  struct structure *structure, struct masing_error *error);

#endif
