/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MASING_ANALYSES_CURVE_JOINT_STATES_H
#define MASING_ANALYSES_CURVE_JOINT_STATES_H

#include "harmonic/basis/basis.h"
#include "harmonic/joints/joint_response.h"
#include "masing/motion_field.h"

/* states [n_joints] of joints at the point that they were evaluated at last, with their losses
 * [n_joints], J per period. */
void joint_states_fill(int n_joints, struct joint_response *const *responses,
                       const double *losses, const struct basis *basis,
                       struct masing_joint_state *states);

#endif
