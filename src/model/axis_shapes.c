/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/axis_shapes.h"

double axis_value(const struct masing_combination *axis, const double *x)
{
    double sum = 0.0;
    for (int t = 0; t < axis->n_terms; t++) {
        sum += axis->terms[t].weight * x[axis->terms[t].dof];
    }
    return sum;
}

void axis_shapes(const struct masing_model *model, int n_modes, const double *shapes,
                 double *axes)
{
    size_t n_dofs = (size_t)model->structure->n_dofs, n = (size_t)n_modes;
    for (size_t a = 0; a < (size_t)model->n_axes; a++) {
        for (size_t k = 0; k < n; k++) {
            axes[a * n + k] = axis_value(&model->axes[a], shapes + k * n_dofs);
        }
    }
}
