/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of a file made into a symmetric sparse matrix, each with its line for messages. */
#ifndef MASING_DATA_ENTRIES_H
#define MASING_DATA_ENTRIES_H

#include "linalg/sparse.h"
#include "masing/sparse.h"
#include "masing/status.h"

/* A direction of a node: 1 ... 6 are x y z rx ry rz. Direction 0: a scalar point, or a row that
 * has nothing but a number. Nodes below 0 are internal ones of elements. */
struct node_dof {
    int node, direction;
};

enum { NODE_DOF_TEXT = 32 };

/* "17.z", "17", "internal3.x" */
const char *node_dof_text(struct node_dof dof, char text[NODE_DOF_TEXT]);

enum entry_triangles {
    ENTRIES_ONE_TRIANGLE, /* each pair of places is given once, in either triangle */
    ENTRIES_BOTH,         /* as mirror images that are equal */
    ENTRIES_EITHER,       /* as the file has it, throughout */
};

struct entry_list {
    const char *file; /* for messages */
    size_t n, capacity;
    struct sparse_entry *entries; /* [n], owned */
    int *lines;                   /* [n], owned; NULL: the file has none */
    size_t line_capacity;
    enum entry_triangles triangles;
};

enum masing_status entry_list_add(struct entry_list *list, int row, int column, double value,
                                  int line, struct masing_error *error);
void entry_list_clear(struct entry_list *list);

/*
 * Refuses a place that is given twice, and mirror images that differ by more than 1e-10 of what
 * their diagonals suggest. dofs [n] or NULL: what messages call rows and columns.
 * MASING_INVALID "FILE:LINE:1: ...", MASING_NO_MEMORY.
 */
enum masing_status entry_list_fold(const struct entry_list *list, int n,
                                   const struct node_dof *dofs, struct masing_sparse *sparse,
                                   struct masing_error *error);

#endif
