/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A structure of a few coordinates (Craig and Bampton 1968, MacNeal 1971) in place of its DOFs:
 * joints and loads act where the reduction kept the DOFs, and outputs of any DOF become sums of
 * the coordinates.
 */
#ifndef MASING_MODEL_REDUCED_COORDINATES_H
#define MASING_MODEL_REDUCED_COORDINATES_H

#include "masing/model.h"

/*
 * Makes the coordinates the DOFs of the specification; joints, loads and outputs go with them,
 * and the shapes are gone. Nothing where there is no reduced structure. MASING_INVALID where
 * something acts on what was not kept; MASING_NO_MEMORY.
 */
enum masing_status reduced_coordinates_take(struct masing_spec *spec,
                                            struct masing_error *error);

/* The structure and its arrays; NULL is fine. */
void reduced_coordinates_destroy(struct masing_reduced_structure *reduced);

/* Matrices and `reduced` of another specification, owned by @p to, after a failure as well. */
enum masing_status reduced_coordinates_copy(const struct masing_structure_spec *from,
                                            struct masing_structure_spec *to,
                                            struct masing_error *error);

#endif
