/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/beam_element.h"

#include <stddef.h>

struct beam_element beam_element(const struct masing_beam_element *given)
{
    double length = given->length;
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
                given->bending_stiffness * stiffness[i][j] * arm / (length * length * length);
            element.mass[i][j] = given->mass_per_length * length * mass[i][j] * arm / 420;
        }
    }
    return element;
}

void beam_element_add(const struct masing_beam_element *given, int n, double *mass,
                      double *stiffness)
{
    struct beam_element element = beam_element(given);
    for (int i = 0; i < BEAM_ELEMENT_DOFS; i++) {
        for (int j = 0; j < BEAM_ELEMENT_DOFS; j++) {
            int row = given->dofs[i], column = given->dofs[j];
            size_t place = (size_t)row + (size_t)column * (size_t)n;
            if (row >= 0 && column >= 0 && mass) {
                mass[place] += element.mass[i][j];
            }
            if (row >= 0 && column >= 0 && stiffness) {
                stiffness[place] += element.stiffness[i][j];
            }
        }
    }
}

/* With the change of the rotation and how far the chord is from its mean: both vanish in
 * rigid-body motion, where the entries of the matrix only cancel. */
double beam_element_energy(const struct masing_beam_element *element, const double *shape)
{
    double u[BEAM_ELEMENT_DOFS], h = element->length;
    for (int i = 0; i < BEAM_ELEMENT_DOFS; i++) {
        u[i] = element->dofs[i] >= 0 ? shape[element->dofs[i]] : 0.0;
    }
    double bent = h * (u[3] - u[1]), skew = 2.0 * (u[2] - u[0]) - h * (u[1] + u[3]);
    return element->bending_stiffness / (h * h * h) * (bent * bent + 3.0 * skew * skew);
}
