/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Euler-Bernoulli beam element: deflection w (m) and rotation r = dw/dx (rad) at both ends,
 * cubic between them, exact for loads at nodes.
 */
#ifndef MASING_MODEL_BEAM_ELEMENT_H
#define MASING_MODEL_BEAM_ELEMENT_H

#include "masing/model.h"

enum { BEAM_ELEMENT_DOFS = 4 }; /* w, r at the start, w, r at the end */

struct beam_element {
    double stiffness[BEAM_ELEMENT_DOFS][BEAM_ELEMENT_DOFS];
    double mass[BEAM_ELEMENT_DOFS][BEAM_ELEMENT_DOFS]; /* consistent */
};

struct beam_element beam_element(const struct masing_beam_element *element);

/* Add its matrices to those of n DOFs; either may be NULL. */
void beam_element_add(const struct masing_beam_element *element, int n, double *mass,
                      double *stiffness);

/* Twice the energy of a deflection [n], exact up to the rounding of differences. */
double beam_element_energy(const struct masing_beam_element *element, const double *shape);

#endif
