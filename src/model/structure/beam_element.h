/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Euler-Bernoulli beam element: deflection w (m) and rotation r = dw/dx (rad) at both ends,
 * cubic between them, exact for loads at nodes.
 */
#ifndef MASING_MODEL_BEAM_ELEMENT_H
#define MASING_MODEL_BEAM_ELEMENT_H

#include "model/model.h"

enum { BEAM_ELEMENT_DOFS = 4 }; /* w, r at the start, w, r at the end */

struct beam_element {
    double stiffness[BEAM_ELEMENT_DOFS][BEAM_ELEMENT_DOFS];
    double mass[BEAM_ELEMENT_DOFS][BEAM_ELEMENT_DOFS]; /* consistent */
};

struct beam_element beam_element(const struct masing_beam_element *element);

/* Add its matrices to those of n DOFs; either may be NULL. */
void beam_element_add(const struct masing_beam_element *element, int n, double *mass,
                      double *stiffness);

/*
 * Better omega of the elastic modes of a structure with beam elements; stiffness [n_dofs *
 * n_dofs] contains them. phi^T K phi of a low mode of n elements is a sum of terms n^4 times as
 * large, and loses as many digits; the shapes keep theirs, and so do the elements' energies.
 */
enum masing_status beam_element_frequencies(const struct masing_structure_spec *spec,
                                            const double *stiffness,
                                            struct structure *structure,
                                            struct masing_error *error);

#endif
