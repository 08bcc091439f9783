/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/beam_element.h"

struct beam_element beam_element(double bending_stiffness, double mass_per_length,
                                 double length)
{
    static const double stiffness[BEAM_ELEMENT_DOFS][BEAM_ELEMENT_DOFS] = {
        {12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}};
    static const double mass[BEAM_ELEMENT_DOFS][BEAM_ELEMENT_DOFS] = {
        {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
    const double arms[BEAM_ELEMENT_DOFS] = {1, length, 1, length};
    struct beam_element element;
    for (int i = 0; i < BEAM_ELEMENT_DOFS; i++) {
        for (int j = 0; j < BEAM_ELEMENT_DOFS; j++) {
            double arm = arms[i] * arms[j];
            element.stiffness[i][j] =
                bending_stiffness * stiffness[i][j] * arm / (length * length * length);
            element.mass[i][j] = mass_per_length * length * mass[i][j] * arm / 420;
        }
    }
    return element;
}
