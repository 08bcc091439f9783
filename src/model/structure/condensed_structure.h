/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a structure was before a few coordinates took its place. A large sparse one that was
 * condensed to its ports (sparse_structure.h): from forces at the ports the motion of all its
 * DOFs follows, by the same modes and the same series. A reduced one (reduced_coordinates.h):
 * its DOFs follow from the coordinates by the shapes.
 */
#ifndef MASING_MODEL_CONDENSED_STRUCTURE_H
#define MASING_MODEL_CONDENSED_STRUCTURE_H

#include "masing/model.h"

struct condensed_structure {
    int n_dofs;
    char **dof_names; /* [n_dofs] owned, or NULL */
    /* of a reduced one, owned: [n_dofs][n_coordinates]; NULL: condensed to ports, as follows */
    double *shapes;
    int n_coordinates;
    struct masing_sparse mass, stiffness; /* owned */
    int n_ports;
    struct masing_combination *ports; /* [n_ports] owned, over the DOFs */
    double shift, scale;              /* rad^2/s^2 */
    int n_modes, n_terms;
};

void condensed_structure_destroy(struct condensed_structure *condensed); /* NULL is fine */

/* Of a reduced one: values [n_dofs][n_columns] = shapes coordinates [n_coordinates][n_columns].
 */
void condensed_structure_expand(const struct condensed_structure *reduced, int n_columns,
                                const double *coordinates, double *values);

/* Modes of all DOFs and the factor for the series, which take as long as the condensation. */
struct condensed_field;
/*
 * at_ports [n_modes][n_ports]: the modes as the condensation found them. MASING_INTERNAL where
 * they are not found again.
 */
enum masing_status condensed_field_create(const struct condensed_structure *condensed,
                                          const double *at_ports,
                                          struct condensed_field **field,
                                          struct masing_error *error);
void condensed_field_destroy(struct condensed_field *field);

/* The mode [n_dofs] of that number, mass-normalised. */
const double *condensed_field_mode(const struct condensed_field *field, int mode);

/*
 * motion [n_columns][n_dofs][2] (real, imaginary) += what forces [n_columns][n_ports][2] do
 * through the modes that are not computed: the terms of the series, each times its factor,
 * factors [n_columns][n_terms][2]. MASING_NO_MEMORY.
 */
enum masing_status condensed_field_add_series(const struct condensed_field *field,
                                              int n_columns, const double *forces,
                                              const double *factors, double *motion,
                                              struct masing_error *error);

#endif
