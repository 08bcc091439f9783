/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Euler-Bernoulli beam element: deflection w (m) and rotation r = dw/dx (rad) at both ends,
 * cubic between them, exact for loads at nodes.
 */
#ifndef MASING_MODEL_BEAM_ELEMENT_H
#define MASING_MODEL_BEAM_ELEMENT_H

enum { BEAM_ELEMENT_DOFS = 4 }; /* w, r at the start, w, r at the end */

struct beam_element {
    double stiffness[BEAM_ELEMENT_DOFS][BEAM_ELEMENT_DOFS];
    double mass[BEAM_ELEMENT_DOFS][BEAM_ELEMENT_DOFS]; /* consistent */
};

/* bending_stiffness: E I, N m^2; mass_per_length: rho A, kg/m; length > 0, m */
struct beam_element beam_element(double bending_stiffness, double mass_per_length,
                                 double length);

#endif
