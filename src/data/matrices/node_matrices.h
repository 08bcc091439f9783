/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stiffness and mass of a finite element program over directions of nodes: what all readers of
 * such files make. A reader lists entries over the table of DOFs that both matrices share.
 */
#ifndef MASING_DATA_NODE_MATRICES_H
#define MASING_DATA_NODE_MATRICES_H

#include <stdbool.h>

#include "data/matrices/entries.h"

struct node_matrices {
    int n;
    struct node_dof *dofs; /* [n], owned */
    int n_held;
    struct node_dof *held; /* [n_held], owned: held by boundary conditions, and left out */
    int n_rows;            /* of the files where rows have nothing but numbers, else 0 */
    struct masing_sparse stiffness, mass;
};

void node_matrices_clear(struct node_matrices *matrices);

/* DOFs in the order in which they are met. */
struct node_table {
    int n;
    size_t capacity, held_capacity;
    struct node_dof *dofs;
    bool *is_held;
    size_t n_slots;
    int *slots; /* [n_slots] 1 + index of a DOF, 0: empty */
};

/* MASING_NO_MEMORY, or MASING_INVALID of more DOFs than can be. */
enum masing_status node_table_add(struct node_table *table, struct node_dof dof, int *index,
                                  struct masing_error *error);
void node_table_clear(struct node_table *table);

/* One matrix as it is read. */
struct node_matrix {
    struct entry_list list;
    int n_rows; /* as the file says; 0: it does not */
};

/*
 * Ordered by node and direction, without the DOFs that are held. The lists are renumbered.
 * Errors: entries as entry_list_fold, sizes that differ, mass that is tied to others at a DOF
 * that has no stiffness, no entry at all.
 */
enum masing_status node_matrices_make(struct node_table *table, struct node_matrix *stiffness,
                                      struct node_matrix *mass, struct node_matrices *matrices,
                                      struct masing_error *error);

/*
 * Refuses what cannot be stiffness and mass: the same numbers in both, a mass that does not
 * resist a translation or two of whose DOFs have more in common than each has, DOFs that all
 * swing slower than 1e-3 rad/s by themselves, multipliers of constraints among the DOFs.
 */
enum masing_status node_matrices_check(const struct node_matrices *matrices,
                                       const char *stiffness_file, const char *mass_file,
                                       struct masing_error *error);

#endif
