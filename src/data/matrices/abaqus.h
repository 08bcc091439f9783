/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matrices as Abaqus writes them: *MATRIX OUTPUT in the formats MATRIX INPUT and COORDINATE,
 * and substructures (*SUBSTRUCTURE MATRIX OUTPUT), which CalculiX writes as well. After public
 * descriptions; not tried with files of Abaqus's own.
 */
#ifndef MASING_DATA_ABAQUS_H
#define MASING_DATA_ABAQUS_H

#include "data/matrices/node_matrices.h"

/*
 * DOFs with 1e36 on the diagonal of the stiffness are held by a boundary condition. Rows of the
 * coordinate format have no directions. Both files may be one of a substructure. MASING_IO,
 * MASING_INVALID "FILE:LINE:COLUMN: ...", MASING_NO_MEMORY; *matrices is owned by the caller.
 */
enum masing_status abaqus_read(const char *stiffness_file, const char *mass_file,
                               struct node_matrices *matrices, struct masing_error *error);

#endif
