/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A structure whose modes are looked at: that of a model, or of a nodal diameter of its
 * sectors. In a pair of cosine and sine both modes of a pair are one wave c - i d that travels;
 * it is kept as [c, d], the motion at two instants a quarter of a period apart.
 */
#ifndef MASING_ANALYSES_CHECK_PART_H
#define MASING_ANALYSES_CHECK_PART_H

#include "base/arena.h"
#include "model/cyclic.h"
#include "model/joints.h"

struct check_part {
    struct arena arena;
    const struct masing_model *model;
    int number;                        /* nodal diameter */
    int copies;                        /* 2: cosine and sine */
    int n_rows;                        /* modes, of pairs one each */
    const struct structure *structure; /* of n_dofs times copies DOFs */
    const struct masing_spec *spec;    /* with the joints that move it */
    const double *at;                  /* [its axes] static displacements */
    struct cyclic_diameter own;        /* where the model has none */
    struct cyclic_spec made;
    const struct masing_combination *axes; /* [n_axes * copies] */
};

/* Whether what is known of its sectors are motions of ports and the lowest modes. */
bool check_is_condensed(const struct masing_model *model);

/* How many a model has. */
int check_part_count(const struct masing_model *model);

/* number: nodal diameter, 0 of an ordinary model. Cleared by the caller also after a failure.
 */
enum masing_status check_part_create(const struct masing_model *model, int number,
                                     struct check_part *part, struct masing_error *error);
void check_part_clear(struct check_part *part);

/*
 * shapes [n_rows][n_dofs * copies] of unit modal mass, the DOF that moves most positive at its
 * largest; motion [n_rows][n_axes] of the joints relative to that DOF; energy [n_rows][n_axes]:
 * k w^2 / omega^2 of the mode, or NULL.
 */
enum masing_status check_part_modes(const struct check_part *part, enum joint_state state,
                                    double *shapes, double *motion, double *energy,
                                    struct masing_error *error);

/* What a sum of displacements, of a sector and the following one, does in a shape. */
double check_part_value(const struct check_part *part, const struct masing_combination *sum,
                        const double *shape, struct masing_term *terms);

#endif
