/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One of N equal sectors around an axis, under loads whose response is a wave that travels: the
 * motion of sector s is that of sector 0, later by r s / N of a period. In harmonic h it is
 *   x_s = x_0 exp(-i theta s),  theta = 2 pi h r / N,
 * which is the nodal diameter h r mod N: its matrices are K_0 + K_1 exp(-i theta) +
 * K_1^T exp(i theta), and an axis of a joint that joins DOFs of two sectors is
 * b_0 + b_1 exp(-i theta).
 *
 * What is real is kept real: in nodal diameter n the amplitudes c and d of
 *   x_s = c cos(theta s) + d sin(theta s)
 * are a structure of twice the DOFs, [c, d], whose modes come in pairs, but where theta is 0 or
 * pi and d is not there. The wave is d = -i c; with -theta, d = i c. A sealed model has the
 * sector's mean, nodal diameter 0, in the place of its structure, axes and outputs: static
 * loads and states belong to it.
 */
#ifndef MASING_MODEL_CYCLIC_H
#define MASING_MODEL_CYCLIC_H

#include "base/arena.h"
#include "model/model.h"

struct cyclic_diameter {
    int number; /* nodal diameter, 1 to N / 2 */
    struct structure *structure;
    struct masing_spec modal; /* of a condensed sector: nothing but its structure, which it
                                 lends */
};

struct cyclic {
    int n_sectors;
    int delay;                          /* r, 0 to N - 1 */
    struct masing_combination *axes;    /* [n_axes] with DOFs of the following sector from
                                           n_dofs on; owned, as those below */
    struct masing_combination *outputs; /* [n_outputs] */
    int n_axes, n_outputs;
    void **parameters; /* [n_joints] of the joints, not sealed; owned */
    int n_joints;
    int n_diameters; /* of the model's harmonics but 0 */
    struct cyclic_diameter *diameters;
    /* A sector of sparse matrices, of which only the motion of ports is there: the DOFs of the
     * model, and of each nodal diameter, are these. */
    struct masing_sparse mass, stiffness; /* [2 n]: with the following sector; or nothing */
    int n_ports;
    struct masing_combination *ports; /* [n_ports] over [2 n]; owned */
};

/* Whether a sector was condensed to ports. */
static inline bool cyclic_is_condensed(const struct cyclic *cyclic)
{
    return cyclic->mass.n > 0;
}

/* The angle between sectors in a nodal diameter; 1 - cosine by itself, which is small for few
 * nodal diameters. */
struct cyclic_angle {
    double cosine, sine, versine;
};
struct cyclic_angle cyclic_angle_of(const struct cyclic *cyclic, int number);

/* Delay that the loads share, 0 without any; 1 where the frequency is the shaft's.
 * MASING_INVALID, naming two loads, where there is none, or a load that has none. */
enum masing_status cyclic_find_delay(const struct masing_spec *spec, int *delay,
                                     struct masing_error *error);

/* Before anything is sealed: what that changes. */
enum masing_status cyclic_begin(struct masing_model *model, struct masing_error *error);
/* Refuses an engine order of a base, which moves all sectors alike. */
enum masing_status cyclic_check_base(const struct masing_spec *spec, int load,
                                     struct masing_error *error);
/* Before the structure is made: the specification becomes that of nodal diameter 0, the model's
 * cyclic gets what that loses. */
enum masing_status cyclic_fold(struct masing_model *model, struct masing_error *error);
/* When the static state is known: the structures of the other nodal diameters. */
enum masing_status cyclic_couple(struct masing_model *model, struct masing_error *error);
void cyclic_destroy(struct cyclic *cyclic);

/* Nodal diameter, 0 to N / 2, of a harmonic; whether its wave travels against it. */
int cyclic_diameter_of(const struct cyclic *cyclic, int harmonic, bool *is_reversed);

/* Whether a nodal diameter has cosines and sines, and its DOFs are twice those of a sector. */
static inline bool cyclic_is_pair(const struct cyclic *cyclic, int number)
{
    return number > 0 && 2 * number != cyclic->n_sectors;
}

/*
 * A real structure of a nodal diameter as a specification: its matrices, damping and joints,
 * which are all there twice in a pair. What it has beside the model's is in the arena. at
 * [axes of its joints]: static displacements.
 */
struct cyclic_spec {
    struct masing_spec spec;
    double *at;
};
enum masing_status cyclic_spec_create(const struct masing_model *model, int number,
                                      struct arena *arena, struct cyclic_spec *made,
                                      struct masing_error *error);

/* A sum of displacements of a sector and the following one as a sum [terms] of the DOFs of a
 * nodal diameter: of the cosine, or, is_sine, of the sine. Room for twice its terms. */
struct masing_combination cyclic_project(const struct masing_model *model, int number,
                                         bool is_sine, const struct masing_combination *sum,
                                         struct masing_term *terms);

/* Motion of a DOF, also of the following sector, in a shape of a nodal diameter: its cosine or,
 * is_sine, its sine. */
double cyclic_motion(const struct cyclic *cyclic, int number, bool is_sine, int n_dofs, int dof,
                     const double *shape);

/* The structure of a nodal diameter, in which a harmonic vibrates (0: none that is known);
 * cleared by the caller. */
enum masing_status cyclic_diameter_create(const struct masing_model *model, int number,
                                          int harmonic, struct cyclic_diameter *diameter,
                                          struct masing_error *error);
void cyclic_diameter_clear(struct cyclic_diameter *diameter);

/* ---- of sparse sectors (cyclic_sparse.c) ---- */

/* Sparse matrices become dense ones where the sector is small, or the modal data of its mean,
 * over ports. */
enum masing_status cyclic_take_sparse(struct masing_model *model, struct masing_error *error);
/* The modal data of a nodal diameter of such a sector, over its ports, in a pair of their
 * cosines and sines: modal, owned by the caller, has them. */
enum masing_status cyclic_condense(const struct masing_model *model, int number,
                                   struct masing_spec *modal, struct masing_error *error);
/* A sum over DOFs, n of each sector, as cyclic_project. */
struct masing_combination cyclic_project_over(const struct cyclic *cyclic, int n, int number,
                                              bool is_sine,
                                              const struct masing_combination *sum,
                                              struct masing_term *terms);
/* One that the model has; NULL: it has none. */
const struct structure *cyclic_structure(const struct masing_model *model, int number);
/* Of such a one what it was before it was condensed; NULL: it was not, or that is not kept. */
const struct condensed_structure *cyclic_condensed(const struct masing_model *model,
                                                   int number);

/* The structure that a harmonic moves in, the model's own where there is one for all; of a
 * harmonic that is not the model's any. */
const struct structure *model_structure_at(const struct masing_model *model, int harmonic);

/* An axis of the joints, an output, over what moves: of one sector with the following one. */
static inline const struct masing_combination *model_axis(const struct masing_model *model,
                                                          int axis)
{
    return model->cyclic ? &model->cyclic->axes[axis] : &model->axes[axis];
}
static inline const struct masing_combination *model_output(const struct masing_model *model,
                                                            int output)
{
    return model->cyclic ? &model->cyclic->outputs[output]
                         : &model->spec.outputs[output].combination;
}

/* MASING_UNSUPPORTED where the structure is one of many sectors: "WHAT not supported ...", with
 * its verb. */
enum masing_status cyclic_refuse(const struct masing_spec *spec, const char *what,
                                 struct masing_error *error);

#endif
