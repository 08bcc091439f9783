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

#include <stdbool.h>

#include "masing/model.h"

/*
 * Replaces sparse matrices by modal data over the DOFs that are needed; joints, loads and
 * outputs go with them. Nothing where the specification has no sparse matrices. Terms and
 * arrays are changed in place. MASING_INVALID, MASING_NOT_CONVERGED, MASING_NO_MEMORY.
 */
enum masing_status sparse_structure_condense(struct masing_spec *spec,
                                             struct masing_error *error);

/*
 * The sparse matrices of the structure become modal data over these ports, its DOFs from then
 * on. names [n_ports] go to it where it has names, or NULL. *wants_all: more modes than are
 * found of sparse matrices are needed, as a dense structure has them.
 */
enum masing_status sparse_structure_condense_to(struct masing_spec *spec, int n_ports,
                                                const struct masing_combination *ports,
                                                char **names, bool *wants_all,
                                                struct masing_error *error);

/* Whether what is asked for takes all modes, those of a dense structure. */
bool sparse_structure_needs_all(const struct masing_spec *spec);
/* Refuses that, of structures of more than @p most DOFs; and so many ports, each there so many
 * times, that there is no memory for what is between them. */
enum masing_status sparse_structure_refuse_large(const struct masing_spec *spec, int most,
                                                 int copies, struct masing_error *error);

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
