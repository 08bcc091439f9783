/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which DOFs of a structure move the nodes of its mesh. */
#ifndef MASING_ANALYSES_FIELD_NODE_DOFS_H
#define MASING_ANALYSES_FIELD_NODE_DOFS_H

#include "data/mesh/mesh.h"

/* Instead of a DOF: the node is held, or nothing is known of how it moves. */
enum { NODE_HELD = -1, NODE_UNKNOWN = -2 };

/*
 * dofs [n_sectors][n_nodes][3]: the DOF of the displacement along x, y and z, by names NODE.x,
 * NODE.y and NODE.z, of several sectors SECTOR.NODE.x, or one of the words above.
 * MASING_NO_MEMORY.
 */
enum masing_status node_dofs_find(const struct mesh *mesh, int n_sectors, int n_dofs,
                                  char *const *names, int **dofs, struct masing_error *error);

#endif
