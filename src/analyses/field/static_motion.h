/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MASING_ANALYSES_FIELD_STATIC_MOTION_H
#define MASING_ANALYSES_FIELD_STATIC_MOTION_H

#include "model/model.h"

/* Displacements of all DOFs of the structure as it was given, in the static state. */
struct static_motion {
    int n_dofs;
    char *const *dof_names; /* [n_dofs] lent by the model, or NULL: 1, 2, ... */
    double *displacement;   /* [n_dofs] m or rad; NULL: nothing moves */
};

/* Takes as long as a condensed structure took to be condensed. */
enum masing_status static_motion_find(const struct masing_model *model,
                                      struct static_motion *motion, struct masing_error *error);
void static_motion_clear(struct static_motion *motion);

#endif
