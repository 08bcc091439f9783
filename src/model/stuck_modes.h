/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The linear modes between which a mode of a structure with friction joints moves. */
#ifndef MASING_MODEL_STUCK_MODES_H
#define MASING_MODEL_STUCK_MODES_H

#include "model/model.h"

struct stuck_modes {
    int n;          /* modes of the structure */
    int n_rigid;    /* of them with the joints stuck */
    double *omega;  /* [n] rad/s, joints stuck, ascending; 0 for rigid-body modes */
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

/* shapes [n * n] with the joints free. */
enum masing_status free_shapes(const struct masing_model *model, double *shapes,
                               struct masing_error *error);

#endif
