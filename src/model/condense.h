/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact static condensation of the DOFs without mass (zero rows and columns of M):
 *   x_m = recovery x_r + flexibility f_m,  recovery = -K_mm^-1 K_mr,  flexibility = K_mm^-1.
 */
#ifndef MASING_MODEL_CONDENSE_H
#define MASING_MODEL_CONDENSE_H

#include <stdbool.h>

#include "masing/model.h"

struct condensed {
    int n_kept, n_massless;
    int *kept, *massless; /* DOFs, ascending */
    double *mass;         /* [n_kept * n_kept] */
    double *stiffness;    /* [n_kept * n_kept] K_rr + K_rm recovery */
    double *recovery;     /* [n_massless * n_kept] */
    double *flexibility;  /* [n_massless * n_massless] */
};

/* mass, stiffness [n_dofs * n_dofs]. Also refuses a mass that is not positive definite and
 * massless DOFs without stiffness of their own. */
enum masing_status condensed_create(const struct masing_spec *spec, const double *mass,
                                    const double *stiffness, struct condensed *condensed,
                                    struct masing_error *error);
void condensed_clear(struct condensed *condensed);

/* shapes [n_dofs * n_modes] of all DOFs from those of the kept ones, [n_kept * n_modes] */
void condensed_expand(const struct condensed *condensed, int n_dofs, int n_modes,
                      const double *kept_shapes, double *shapes);

#endif
