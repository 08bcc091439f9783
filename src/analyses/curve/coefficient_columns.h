/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of Fourier coefficients, see MASING_COLUMNS_COEFFICIENTS. */
#ifndef MASING_ANALYSES_CURVE_COEFFICIENT_COLUMNS_H
#define MASING_ANALYSES_CURVE_COEFFICIENT_COLUMNS_H

#include "analyses/curve/row_table.h"
#include "harmonic/basis/basis.h"
#include "masing/model.h"

struct coefficient_columns {
    const struct masing_spec *spec; /* lent; NULL: there are none */
    int n_signals;                  /* outputs or DOFs */
    bool are_dofs;
    char *const *dof_names; /* lent; NULL: 1, 2, ... */
    double *orders;         /* [n_harmonics] */
    double *values;         /* [n_signals][n_harmonics][2] of a row */
};

/* What the columns of a choice MASING_COLUMNS_* need; clear it also after a failure. */
enum masing_status coefficient_columns_create(const struct masing_spec *spec, unsigned columns,
                                              struct coefficient_columns *coefficients,
                                              struct masing_error *error);
void coefficient_columns_clear(struct coefficient_columns *coefficients);

/* values from real coefficients [n_signals][n_coefficients] */
void coefficient_columns_fill(const struct coefficient_columns *coefficients,
                              const struct basis *basis, const double *from);

/* Part of a walk; values: of the row, as above. */
void coefficient_columns_walk(struct row_table *table,
                              const struct coefficient_columns *coefficients,
                              const double *values);

#endif
