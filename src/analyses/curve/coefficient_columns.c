/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/coefficient_columns.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "masing/response.h"
#include "model/structure/condensed_structure.h"

enum masing_status coefficient_columns_create(const struct masing_spec *spec, unsigned columns,
                                              struct coefficient_columns *coefficients,
                                              struct masing_error *error)
{
    const struct condensed_structure *condensed = spec->structure.condensed;
    size_t n_harmonics = (size_t)spec->n_harmonics;
    *coefficients = (struct coefficient_columns){.n_signals = spec->n_outputs};
    if (!(columns & MASING_COLUMNS_COEFFICIENTS)) {
        return MASING_OK;
    }
    coefficients->spec = spec;
    if (columns & MASING_COLUMNS_DOFS) {
        coefficients->are_dofs = true;
        coefficients->n_signals = condensed ? condensed->n_dofs : spec->structure.n_dofs;
        coefficients->dof_names = condensed ? condensed->dof_names : spec->structure.dof_names;
    }
    coefficients->orders = memory_array(n_harmonics, sizeof(double));
    coefficients->values =
        memory_array(2 * n_harmonics * (size_t)coefficients->n_signals, sizeof(double));
    NEED_ALLOCATED(coefficients->orders && coefficients->values);
    for (size_t k = 0; k < n_harmonics; k++) {
        coefficients->orders[k] = spec->harmonics[k];
    }
    return MASING_OK;
}

void coefficient_columns_clear(struct coefficient_columns *coefficients)
{
    free(coefficients->orders);
    free(coefficients->values);
    *coefficients = (struct coefficient_columns){0};
}

/* c_h = a_h - i b_h */
void coefficient_columns_fill(const struct coefficient_columns *coefficients,
                              const struct basis *basis, const double *from)
{
    double *to = coefficients->values;
    for (int i = 0; i < coefficients->n_signals; i++, from += basis->n_coefficients) {
        for (int k = 0; k < basis->n_harmonics; k++, to += 2) {
            const double *c = from + basis->position[k];
            to[0] = c[0];
            to[1] = basis->harmonics[k] > 0 ? 0.0 - c[1] : 0.0;
        }
    }
}

void coefficient_columns_walk(struct row_table *table,
                              const struct coefficient_columns *coefficients,
                              const double *values)
{
    const struct masing_spec *spec = coefficients->spec;
    size_t n = spec ? 2 * (size_t)spec->n_harmonics : 0;
    if (!spec) {
        return;
    }
    ROW_VALUES(table, MASING_COLUMN_LIST, coefficients->orders, n / 2, MASING_COLUMN_ORDERS);
    for (int i = 0; i < coefficients->n_signals; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i + 1);
        const char *name = !coefficients->are_dofs   ? spec->outputs[i].name
                           : coefficients->dof_names ? coefficients->dof_names[i]
                                                     : number;
        ROW_VALUES(table, MASING_COLUMN_COMPLEX, values + (size_t)i * n, n,
                   MASING_COLUMN_COEFFICIENTS "%s", name);
    }
}
