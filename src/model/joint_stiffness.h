/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joints as linear springs: stuck, or in full slip. What is not finite counts as zero. */
#ifndef MASING_MODEL_JOINT_STIFFNESS_H
#define MASING_MODEL_JOINT_STIFFNESS_H

#include "model/model.h"

/* tangent [n_axes][n_axes], symmetric */
void joint_stiffness(const struct joint *joint, bool is_stuck, double *tangent);

/* Largest diagonal entry of it, by size. */
double joint_stiffest(const struct joint *joint, bool is_stuck);

/* All joints: matrix [n_axes * n_axes], blocks on the diagonal, symmetric. */
void joint_stiffness_matrix(const struct masing_spec *spec, bool is_stuck, int n_axes,
                            double *matrix);

#endif
