/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The joints of a model: their axes, and modes of the structure with springs in their place. */
#ifndef MASING_MODEL_JOINTS_H
#define MASING_MODEL_JOINTS_H

#include "model/model.h"

/* What results call an axis: "damper" for a joint of one axis, "contact_normal" for one of
 * several; "contact_2" where the law does not name them. */
void joint_axis_text(const struct masing_joint_spec *joint, int axis, char *text, size_t size);

/* Displacement along an axis where the DOFs move by x [n_dofs]. */
double axis_value(const struct masing_combination *axis, const double *x);

/* axes [n_axes][n_modes] of shapes [n_dofs * n_modes], column-major. */
void axis_shapes(const struct masing_model *model, int n_modes, const double *shapes,
                 double *axes);

/* A joint as a linear spring about the static state, stuck or in full slip: tangent
 * [n_axes][n_axes], symmetric. What is not finite counts as zero. */
void joint_stiffness(const struct joint *joint, bool is_stuck, double *tangent);

/* The same of a specification; at [axes of the joint], or NULL for zero. */
void joint_spec_stiffness(const struct masing_joint_spec *joint, const double *at,
                          bool is_stuck, double *tangent);

/* All joints: matrix [n_axes * n_axes], blocks on the diagonal, symmetric. at [n_axes]: the
 * static displacements, or NULL for zero. */
void joint_stiffness_matrix(const struct masing_spec *spec, const double *at, bool is_stuck,
                            int n_axes, double *matrix);

enum joint_state { JOINT_STUCK, JOINT_FREE };

/*
 * omega_squared [n_modes] ascending, or NULL; shapes [n_modes * n_modes] orthonormal, in the
 * modal coordinates of the structure without joints, or NULL. at [n_axes]: the static
 * displacements, or NULL for zero. shift as for modes_create.
 */
enum masing_status joint_modes(const struct masing_spec *spec,
                               const struct structure *structure, const double *at,
                               enum joint_state state, double shift, double *omega_squared,
                               double *shapes, struct masing_error *error);

/* omega [n_modes], rad/s, ascending; 0 where the structure is then unstable. at as above. */
enum masing_status joint_frequencies(const struct masing_spec *spec,
                                     const struct structure *structure, const double *at,
                                     enum joint_state state, double *omega,
                                     struct masing_error *error);

/* The same with shares of the structure's stiffening: added to the stiffness, rad^2/s^2, and
 * taken from the inertia. With 1 / h^2 for the latter they are the frequencies h Omega at which
 * engine order h meets them; MASING_SINGULAR where it does not meet all. */
struct joint_spin {
    double stiffness, inertia;
};
enum masing_status joint_frequencies_spinning(const struct masing_spec *spec,
                                              const struct structure *structure,
                                              const double *at, enum joint_state state,
                                              const struct joint_spin *spin, double *omega,
                                              struct masing_error *error);

/* --- modes with the joints stuck --- */

/* About the static state, as all that speaks of stuck joints: they number the modes of an
 * analysis. */
struct stuck_modes {
    int n;          /* modes of the structure */
    int n_rigid;    /* of them with the joints stuck */
    double *omega;  /* [n] rad/s, joints stuck, ascending; 0 for rigid-body modes; the other
                       arrays follow it */
    double *square; /* [n] of the same, negative in an unstable motion */
    double *free;   /* [n] rad/s, joints free, ascending */
    double *shapes; /* [n * n] column-major, joints stuck, orthonormal, in the modal coordinates
                       of the structure without joints */
};

/* MASING_UNSUPPORTED where there are massless DOFs. */
enum masing_status stuck_modes_create(const struct masing_model *model,
                                      struct stuck_modes **modes, struct masing_error *error);
void stuck_modes_destroy(struct stuck_modes *modes);

/* Elastic modes, which are numbered from 1: mode `number` has the index n_rigid + number - 1.
 */
static inline int stuck_modes_count(const struct stuck_modes *modes)
{
    return modes->n - modes->n_rigid;
}

/* "..., expected 1 to N: so many modes ..." for a number that is not one of these. */
enum masing_status stuck_modes_check(const struct stuck_modes *modes,
                                     const struct masing_model *model, int number,
                                     struct masing_place place, const char *what,
                                     struct masing_error *error);

/* Damping ratio that the structure gives to the mode at an index. */
double stuck_modes_damping(const struct stuck_modes *modes, const struct masing_model *model,
                           int index);

/* Whether two modes (indices) never act on each other: linear, and not coupled by damping. */
bool stuck_modes_are_apart(const struct stuck_modes *modes, const struct masing_model *model,
                           int a, int b);

/*
 * The coordinate in which a nonlinear mode's amplitude is told, so that it means the same with
 * static loads and without: the shape [n_modes], and omega, of the mode with memoryless joints,
 * which cannot stick, at zero displacement that comes nearest to a stuck mode. False: no such
 * joint is displaced, and it is the stuck mode itself; nothing is filled then.
 */
enum masing_status unpressed_mode(const struct masing_model *model, const double *stuck,
                                  double *shape, double *omega, bool *is_other,
                                  struct masing_error *error);

/* shapes [n * n] with the joints free. */
enum masing_status free_shapes(const struct masing_model *model, double *shapes,
                               struct masing_error *error);

#endif
