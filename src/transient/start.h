/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a time integration starts: at rest, or on a motion that is known already. */
#ifndef MASING_TRANSIENT_START_H
#define MASING_TRANSIENT_START_H

#include "transient/integrator.h"

/*
 * At rest in the static state, sliders as the model's `start` says. The part of the rigid-body
 * motion that no joint resists starts on its periodic motion instead, which has zero mean: from
 * rest it would drift away for ever.
 */
enum masing_status start_at_rest(struct integrator *integrator, struct masing_error *error);

/* Modal coordinates q [n_modes] of values at DOFs, phi^T M u: with the shapes of a structure,
 * which may be a reduced one, and the mass of the whole. MASING_INVALID where that is unknown.
 */
enum masing_status start_project(const struct structure *whole, const struct structure *shapes,
                                 const struct masing_combination *values, double *q,
                                 struct masing_error *error);

/* A periodic motion as Fourier coefficients, in the order of its harmonics: a0 for harmonic 0,
 * a_h and b_h for the others. */
struct start_motion {
    int n_harmonics;
    const int *harmonics; /* [n_harmonics] >= 0 */
    const double *modal;  /* [n_coefficients][n_modes] modal coordinates */
    const double *axes;   /* [n_coefficients][n_axes] displacements of the joints */
    const double *origin; /* [n_axes] where the sliders stood before the motion */
};

/* On the motion at time 0; the joints' states are those after following it from the origin for
 * some periods. */
enum masing_status start_on_motion(struct integrator *integrator,
                                   const struct start_motion *motion,
                                   struct masing_error *error);

#endif
