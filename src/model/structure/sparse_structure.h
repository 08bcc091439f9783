/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A structure of large sparse matrices as joints, loads and outputs see it: its lowest modes at
 * the DOFs where they act, and what the other modes add to the receptances there, as a power
 * series about a shift (residual flexibility and its further moments: MacNeal 1971, Rubin
 * 1975). Nothing is lost but what the series leaves out, which is below rounding up to the
 * highest harmonic.
 */
#ifndef MASING_MODEL_SPARSE_STRUCTURE_H
#define MASING_MODEL_SPARSE_STRUCTURE_H

#include "masing/model.h"

/*
 * Replaces sparse matrices by modal data over the DOFs that are needed; joints, loads and
 * outputs go with them. Nothing where the specification has no sparse matrices. Terms and
 * arrays are changed in place. MASING_INVALID, MASING_NOT_CONVERGED, MASING_NO_MEMORY.
 */
enum masing_status sparse_structure_condense(struct masing_spec *spec,
                                             struct masing_error *error);

/* A dense matrix [n * n], owned by the caller, in place of a sparse one. MASING_NO_MEMORY. */
enum masing_status sparse_structure_expand(struct masing_sparse *sparse, double **dense,
                                           struct masing_error *error);

/* Sizes, finite numbers, and no negative ones on the diagonals: MASING_INVALID. */
enum masing_status sparse_structure_check(const struct masing_spec *spec,
                                          struct masing_error *error);

/* The highest frequency of interest, rad/s, harmonics included; 0 where no range is given. */
double sparse_structure_highest(const struct masing_spec *spec);

/* Of the size of the lowest frequencies' squares, as diagonals and the number of rows have it.
 */
double sparse_structure_shift(const struct masing_sparse *stiffness,
                              const struct masing_sparse *mass);

#endif
