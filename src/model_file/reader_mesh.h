/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a mesh beside the matrices names (read_mesh.c), and contacts of its surfaces
 * (read_surfaces.c). */
#ifndef MASING_MODEL_FILE_READER_MESH_H
#define MASING_MODEL_FILE_READER_MESH_H

#include "data/mesh/mesh.h"
#include "model_file/reader.h"

extern const char *const mesh_directions[3]; /* x, y, z behind a node's name */

enum { MESH_ABSENCE = 400 };

/* Why a name NODE.AXIS is no DOF, as the deck tells: "is constrained (...)"; NULL: it does not.
 */
const char *reader_mesh_absence(const struct reader *reader, const char *name,
                                char text[MESH_ABSENCE]);

/* The DOFs of a node (an index), MASING_GROUND where the deck holds it; refused where they are
 * not there for another reason, or are not along x, y and z. */
enum masing_status reader_mesh_dofs(struct reader *reader, const char *place, const char *what,
                                    int node, int dofs[3]);

/* x, y, z or [dx, dy, dz] as a unit vector. */
enum masing_status reader_direction(struct reader *reader, struct tree_node *node,
                                    double direction[3]);
/* The same of all nodes, as a vector over the DOFs; owned by the caller. */
enum masing_status reader_whole_direction(struct reader *reader, struct tree_node *node,
                                          double **pattern);

/* Nodes (indices) of a set or a surface by the name that a node holds; they live as long as the
 * mesh and the tree. */
enum masing_status reader_set_nodes(struct reader *reader, const struct tree_node *node,
                                    int *n_nodes, const int **nodes);

/* `{set: NAME, direction: ...}` in the place of a DOF: the mean over the nodes, or each. */
bool reader_is_set(const struct tree_node *node);
enum masing_status reader_set(struct reader *reader, const struct tree_node *node,
                              enum weights_meaning meaning,
                              struct masing_combination *combination);
/* `set` and `direction` that stand in an entry itself go to a mapping `dof` in it. */
enum masing_status reader_fold_set(struct reader *reader, struct tree_node *map);

/*
 * The contacts that `surfaces` of a joint's entry stands for, as rows of `pairs`, and those
 * nodes that have none; all owned by the caller, after a failure as well.
 */
struct surface_contacts {
    int n;
    struct masing_surface_pair *pairs; /* [n] */
    int n_unmatched, *unmatched;       /* numbers of nodes */
    bool has_areas;
};
enum masing_status read_surfaces(struct reader *reader, struct tree_node *joint,
                                 struct surface_contacts *contacts);

#endif
