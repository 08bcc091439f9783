/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The structure with its joints replaced by linear springs, in modal coordinates. */
#ifndef MASING_MODEL_JOINT_MODES_H
#define MASING_MODEL_JOINT_MODES_H

#include "model/structure.h"

enum joint_state { JOINT_STUCK, JOINT_FREE };

/*
 * omega_squared [n_modes] ascending; shapes [n_modes * n_modes] orthonormal, in the modal
 * coordinates of the structure without joints, or NULL. shift as for modes_create.
 */
enum masing_status joint_modes(const struct masing_spec *spec,
                               const struct structure *structure, enum joint_state state,
                               double shift, double *omega_squared, double *shapes,
                               struct masing_error *error);

#endif
