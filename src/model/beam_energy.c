/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/beam_energy.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/beam_element.h"

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
    *entries = memory_array(n_entries, sizeof **entries);
    TRY_ALLOCATED(*entries);
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

enum masing_status beam_energy_frequencies(const struct masing_structure_spec *spec,
                                           const double *stiffness, struct structure *structure,
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
            square += beam_element_energy(&spec->beam_elements[e], shape);
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
