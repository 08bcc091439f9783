/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matrices of a specification, checked before anything is computed from them. */
#ifndef MASING_MODEL_MATRIX_H
#define MASING_MODEL_MATRIX_H

#include "masing/model.h"

/*
 * A copy of a [n_dofs * n_dofs], exactly symmetric, owned by the caller; refused with the two
 * entries that differ where it is not symmetric to within rounding, or not finite.
 */
enum masing_status matrix_symmetric_copy(const struct masing_spec *spec, const char *name,
                                         struct masing_place place, const double *a,
                                         double **copy, struct masing_error *error);

#endif
