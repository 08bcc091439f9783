/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/check.h"
#include "model/message.h"
#include "model/structure/sparse_structure.h"

/* Finite numbers, and no negative ones on the diagonals. */
static enum masing_status check_matrix(const struct masing_spec *spec, const char *name,
                                       struct masing_place place,
                                       const struct masing_sparse *sparse,
                                       struct masing_error *error)
{
    for (int64_t j = 0; j < sparse->n; j++) {
        for (int64_t e = sparse->start[j]; e < sparse->start[j + 1]; e++) {
            double value = sparse->values[e];
            if (!isfinite(value) || (sparse->rows[e] == j && value < 0.0)) {
                return model_refuse(spec, place, error,
                                    "%s: entry (%d,%d) is %g at DOF %s, expected a finite "
                                    "number%s",
                                    name, (int)sparse->rows[e] + 1, (int)j + 1, value,
                                    model_dof_text(spec, (int)j).text,
                                    isfinite(value) ? " that is not negative" : "");
            }
        }
    }
    return MASING_OK;
}

enum masing_status sparse_structure_check(const struct masing_spec *spec,
                                          struct masing_error *error)
{
    const struct masing_structure_spec *given = &spec->structure;
    if (given->sparse_mass.n != given->n_dofs || given->sparse_stiffness.n != given->n_dofs) {
        return model_refuse(
            spec, given->place, error,
            "structure: sparse matrices of %d and %d rows, expected %d, one for "
            "each DOF",
            given->sparse_mass.n, given->sparse_stiffness.n, given->n_dofs);
    }
    NEED(check_matrix(spec, "mass", given->mass_place, &given->sparse_mass, error));
    return check_matrix(spec, "stiffness", given->stiffness_place, &given->sparse_stiffness,
                        error);
}
