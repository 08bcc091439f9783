/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joints as linear springs about the static state, on a structure in its modal coordinates q:
 * the axes' displacements are w = B^T q - R f under the springs' forces f = k w, R being the
 * flexibility between the axes of what the modes leave out (massless DOFs, or modes that are
 * not there). Only axes with a spring count, so that n_axes is less where joints slip.
 */
#ifndef MASING_MODEL_SPRINGS_H
#define MASING_MODEL_SPRINGS_H

#include "model/joints.h"

struct spring_axis {
    const struct masing_combination *over; /* lent from the specification */
    int axis;                              /* among all axes of the joints */
    int first, count;                      /* those of its joint, here */
    double tangent[MASING_MAX_AXES];       /* [count] */
};

struct springs {
    struct arena arena;
    const struct structure *structure;
    int n_axes;
    struct spring_axis *axes;
    double *modal; /* [n_axes * n_modes] B^T of the modes */
    double *lu;    /* factors of 1 + R k, R that of motions at rest; NULL: there is none */
    int *pivots;
    struct joint_spin spin; /* shares of the structure's stiffening in its modes */
};

/* at [n_axes of the joints]: the static displacements, or NULL for zero. MASING_SINGULAR: the
 * springs cancel the structure's stiffness. To be cleared after a failure, too. */
enum masing_status springs_create(const struct masing_spec *spec,
                                  const struct structure *structure, const double *at,
                                  enum joint_state state, struct springs *springs,
                                  struct masing_error *error);
void springs_clear(struct springs *springs);

/* forces [n_axes * n_columns] = k w */
void springs_forces(const struct springs *springs, int n_columns, const double *w,
                    double *forces);

/* w [n_axes * n_columns]: what the axes would do without R becomes what they do with it. */
void springs_yield(const struct springs *springs, int n_columns, double *w);

/* Of the arrays of springs_deform */
size_t springs_rows(const struct springs *springs);
/* motion [n_dofs * n_columns] = F B f, F any flexibility in tiles; it and the scratch loads
 * have room for springs_rows in each column. */
void springs_deform(const struct springs *springs, const double *flexibility, int n_columns,
                    const double *forces, double *loads, double *motion);

/* w [n_axes * n_columns] of motions [n_dofs * n_columns] */
void springs_displacements(const struct springs *springs, int n_columns, const double *motion,
                           double *w);

/* As joint_modes. */
enum masing_status springs_modes(const struct springs *springs, double shift,
                                 double *omega_squared, double *shapes,
                                 struct masing_error *error);

/* What errors of the shapes, which an iteration leaves in those of a large structure, may let
 * springs hold of a rigid-body motion that does not move them, 1/s^2. */
double springs_rounding(const struct springs *springs);

/*
 * The frequencies' squares [n_modes], ascending, that were found without the inertia of modes
 * that are not there: with it, as far as their series reaches, but for the first n_rigid.
 */
enum masing_status springs_refine(const struct springs *springs, int n_rigid, double *squares,
                                  struct masing_error *error);

#endif
