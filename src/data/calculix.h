/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matrices as CalculiX stores them (*FREQUENCY, SOLVER=MATRIXSTORAGE): JOB.sti, JOB.mas and
 * JOB.dof. */
#ifndef MASING_DATA_CALCULIX_H
#define MASING_DATA_CALCULIX_H

#include "masing/sparse.h"
#include "masing/status.h"

struct calculix_dof {
    int node, direction; /* 1, 2, 3: x, y, z */
};

/* Lines `node.direction`, which are no decimal numbers. *dofs [*n] is owned by the caller.
 * MASING_IO, MASING_INVALID "FILE:LINE:COLUMN: ...", MASING_NO_MEMORY. */
enum masing_status calculix_read_dofs(const char *file, int *n, struct calculix_dof **dofs,
                                      struct masing_error *error);

/* Lines `row column value`, the upper triangle by columns, from 1, of n rows as the list of
 * DOFs (dof_file, for messages) has. Errors as above. */
enum masing_status calculix_read_matrix(const char *file, int n, const char *dof_file,
                                        struct masing_sparse *matrix,
                                        struct masing_error *error);

#endif
