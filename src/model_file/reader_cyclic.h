/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both boundaries of a sector that is given by its matrices, and how they are joined. */
#ifndef MASING_MODEL_FILE_READER_CYCLIC_H
#define MASING_MODEL_FILE_READER_CYCLIC_H

#include "model_file/reader.h"

/* What becomes of a DOF of matrices whose boundaries are joined: a sum of DOFs that stay, of
 * its own sector or of the following one. */
struct joined_dof {
    int n, dofs[3];
    double weights[3];
    bool is_next;
};

/* Of boundaries by sets of the mesh's nodes: what each DOF of `high` is of those of `low`, by
 * their indices before any are taken out (cyclic_boundary.c). joined [n_dofs], zeros. */
enum masing_status match_boundaries(struct reader *reader, struct tree_node *section,
                                    struct joined_dof *joined);

/* Matrices and names become those of the DOFs that stay (cyclic_join.c); joined [n_dofs] in the
 * tree's memory is for these from then on. */
enum masing_status join_structure(struct reader *reader, struct joined_dof *joined);
/* Joints, loads and outputs that were read over all DOFs as well. */
enum masing_status join_the_rest(struct reader *reader, const struct joined_dof *joined, int n);

#endif
