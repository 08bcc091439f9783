/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a structure a model needs: DOFs at which joints, loads and outputs are, sums of many
 * DOFs that they take, directions in which the base is accelerated. */
#ifndef MASING_ANALYSES_REDUCE_NEEDS_H
#define MASING_ANALYSES_REDUCE_NEEDS_H

#include <stdbool.h>

#include "masing/reduce.h"

struct needs {
    int n_dofs, n_kept;
    bool *is_kept; /* [n_dofs] */
    int n;
    double *combinations; /* [n][n_dofs] sums, or directions */
    int *are_directions;  /* [n] 0 or 1 */
    size_t capacity[2];
};

/* Sparse matrices, DOFs with names. Clear it also after a failure. MASING_INVALID for names of
 * `keep` that there are not. */
enum masing_status needs_create(const struct masing_spec *spec,
                                const struct masing_reduce_options *options,
                                struct needs *needs, struct masing_error *error);
void needs_clear(struct needs *needs);

/* DOFs of one entry of `keep` (keep.c). */
enum masing_status needs_keep(const struct masing_spec *spec, const char *entry,
                              struct needs *needs, struct masing_error *error);
void needs_add_dof(struct needs *needs, int dof);

#endif
