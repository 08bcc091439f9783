/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The joints of a model: their axes, and modes of the structure with springs in their place. */
#ifndef MASING_MODEL_JOINTS_H
#define MASING_MODEL_JOINTS_H

#include "model/model.h"

/* What results call an axis: "damper" for a joint of one axis, "contact_normal" for one of
 * several; "contact_2" where the law does not name them. */
void joint_axis_text(const struct masing_joint_spec *joint, int axis, char *text, size_t size);

/* Displacement along an axis where the DOFs move by x [n_dofs]. */
double axis_value(const struct masing_combination *axis, const double *x);

/* axes [n_axes][n_modes] of shapes [n_dofs * n_modes], column-major. */
void axis_shapes(const struct masing_model *model, int n_modes, const double *shapes,
                 double *axes);

/* axes [n_dofs * n_axes], zeros before: the weights of all axes, column-major. */
void joint_axes(const struct masing_spec *spec, double *axes);

/* A joint as a linear spring, stuck or in full slip: tangent [n_axes][n_axes], symmetric. What
 * is not finite counts as zero. */
void joint_stiffness(const struct joint *joint, bool is_stuck, double *tangent);

/* Largest diagonal entry of it, by size. */
double joint_stiffest(const struct joint *joint, bool is_stuck);

/* All joints: matrix [n_axes * n_axes], blocks on the diagonal, symmetric. */
void joint_stiffness_matrix(const struct masing_spec *spec, bool is_stuck, int n_axes,
                            double *matrix);

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
