/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each contact element of a joint does over a period: marched once more along a solution,
 * with velocities, which the law needs for losses. Done at few points, never inside the
 * iteration.
 */
#ifndef MASING_HARMONIC_JOINTS_JOINT_ELEMENTS_H
#define MASING_HARMONIC_JOINTS_JOINT_ELEMENTS_H

#include "harmonic/joints/joint_response.h"

/* Room for any one joint of a model whose solutions are sampled by @p basis. */
struct joint_elements {
    const struct basis *basis; /* lent */
    double *x, *v, *f;         /* [n_samples][n_axes] */
    double *state, *workspace;
    struct masing_element *elements; /* [n] of the last joint */
    int n, capacity;
};

/* Elements of a joint; 0: its law is no contact. */
int joint_elements_count(const struct joint *joint);

/* @p made is NULL where no joint of the model has elements. */
enum masing_status joint_elements_create(const struct masing_model *model,
                                         const struct basis *basis,
                                         struct joint_elements **made,
                                         struct masing_error *error);
void joint_elements_destroy(struct joint_elements *elements);

/*
 * Fill elements->elements for a joint that was evaluated at a solution. The samples are those
 * of the balance, so that losses add up to the work of the joint's Fourier coefficients.
 * origin [n_axes]: where its sliders start.
 */
enum masing_status joint_elements_evaluate(struct joint_elements *elements,
                                           const struct joint_response *response, double omega,
                                           const double *origin);

#endif
