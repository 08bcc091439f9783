/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/beam_element.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

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

/* Twice the energy of a deflection [n], exact up to the rounding of differences: with the
 * change of the rotation and how far the chord is from its mean: both vanish in rigid-body
 * motion, where the entries of the matrix only cancel. */
static double energy(const struct masing_beam_element *element, const double *shape)
{
    double u[BEAM_ELEMENT_DOFS], h = element->length;
    for (int i = 0; i < BEAM_ELEMENT_DOFS; i++) {
        u[i] = element->dofs[i] >= 0 ? shape[element->dofs[i]] : 0.0;
    }
    double bent = h * (u[3] - u[1]), skew = 2.0 * (u[2] - u[0]) - h * (u[1] + u[3]);
    return element->bending_stiffness / (h * h * h) * (bent * bent + 3.0 * skew * skew);
}

/* --- frequencies -------------------------------------------------------------------------- */

struct entry {
    int row, column;
    double value;
};

/* What springs and the like add to the elements' stiffness. */
static enum masing_status find_rest(const struct masing_structure_spec *spec,
                                    const double *stiffness, struct entry **entries, int *count,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)spec->n_dofs, n_entries = 0;
    double *beams = memory_array(n * n, sizeof *beams);
    TRY_ALLOCATED(beams);
    for (int e = 0; e < spec->n_beam_elements; e++) {
        beam_element_add(&spec->beam_elements[e], spec->n_dofs, NULL, beams);
    }
    for (size_t i = 0; i < n * n; i++) {
        n_entries += stiffness[i] != beams[i];
    }
    TRY_ALLOCATED(*entries = memory_array(n_entries, sizeof **entries));
    for (size_t i = 0; i < n * n; i++) {
        if (stiffness[i] != beams[i]) {
            (*entries)[(*count)++] =
                (struct entry){(int)(i % n), (int)(i / n), stiffness[i] - beams[i]};
        }
    }
done:
    free(beams);
    return status;
}

enum masing_status beam_element_frequencies(const struct masing_structure_spec *spec,
                                            const double *stiffness,
                                            struct structure *structure,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct entry *rest = NULL;
    int n_rest = 0;
    TRY(find_rest(spec, stiffness, &rest, &n_rest, error));
    for (int k = structure->n_rigid; k < structure->n_modes; k++) {
        const double *shape = structure->shapes + (size_t)k * (size_t)structure->n_dofs;
        double square = 0.0;
        for (int e = 0; e < spec->n_beam_elements; e++) {
            square += energy(&spec->beam_elements[e], shape);
        }
        for (int i = 0; i < n_rest; i++) {
            square += shape[rest[i].row] * rest[i].value * shape[rest[i].column];
        }
        if (square > 0.0) {
            structure->omega[k] = sqrt(square);
        }
        /* equal ones may change their order by as much as rounding */
        if (k > 0) {
            structure->omega[k] = fmax(structure->omega[k], structure->omega[k - 1]);
        }
    }
done:
    free(rest);
    return status;
}
