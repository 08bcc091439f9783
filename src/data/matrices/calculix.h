/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matrices as CalculiX stores them (*FREQUENCY, SOLVER=MATRIXSTORAGE): JOB.sti, JOB.mas and
 * JOB.dof. */
#ifndef MASING_DATA_CALCULIX_H
#define MASING_DATA_CALCULIX_H

#include "data/matrices/node_matrices.h"

/*
 * Of the DOFs lines `node.direction`, which are no decimal numbers; of the matrices lines `row
 * column value`, the upper triangle by columns, from 1. MASING_IO, MASING_INVALID
 * "FILE:LINE:COLUMN: ...", MASING_NO_MEMORY; *matrices is owned by the caller.
 */
enum masing_status calculix_read(const char *dof_file, const char *stiffness_file,
                                 const char *mass_file, struct node_matrices *matrices,
                                 struct masing_error *error);

#endif
