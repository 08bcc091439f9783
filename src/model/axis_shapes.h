/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Motions of all DOFs as the joints' axes see them. */
#ifndef MASING_MODEL_AXIS_SHAPES_H
#define MASING_MODEL_AXIS_SHAPES_H

#include "model/model.h"

/* Displacement along an axis where the DOFs move by x [n_dofs]. */
double axis_value(const struct masing_combination *axis, const double *x);

/* axes [n_axes][n_modes] of shapes [n_dofs * n_modes], column-major. */
void axis_shapes(const struct masing_model *model, int n_modes, const double *shapes,
                 double *axes);

#endif
