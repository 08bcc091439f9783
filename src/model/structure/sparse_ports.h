/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where joints, loads and outputs act on a large structure: few DOFs, and sums of them. */
#ifndef MASING_MODEL_SPARSE_PORTS_H
#define MASING_MODEL_SPARSE_PORTS_H

#include "base/arena.h"
#include "masing/model.h"

/* A pattern of forces, which becomes one over the ports when all of them are known. */
struct sparse_force {
    double **place;                 /* in the specification */
    struct masing_combination over; /* ports, in the arena */
    bool is_none;
};

struct sparse_ports {
    struct masing_spec *spec;
    struct arena arena;
    int n_dofs, n; /* of the structure; ports */
    size_t capacity, names_capacity;
    struct masing_combination *list; /* [n] over the DOFs, the terms in the arena */
    char **names;                    /* [n] owned until the specification has them */
    int *of_dof;                     /* the port that is this DOF alone, or -1 */
    int n_forces;
    struct sparse_force *forces; /* patterns of all loads */
};

/*
 * Joints, loads and outputs of a specification with sparse matrices: the terms of their sums
 * become ports, those of loads are noted. n_space: DOFs that sums may have, those of a sector
 * and of the following one; otherwise n_dofs. Cleared by the caller, also after a failure.
 */
enum masing_status sparse_ports_take(struct masing_spec *spec, int n_space,
                                     struct sparse_ports *ports, struct masing_error *error);
/* Sums are over the DOFs again. */
void sparse_ports_give_back(const struct sparse_ports *ports);
/* Patterns of loads become those over the ports, static accelerations forces. */
enum masing_status sparse_ports_set_loads(const struct sparse_ports *ports,
                                          struct masing_error *error);
void sparse_ports_clear(struct sparse_ports *ports);

#endif
