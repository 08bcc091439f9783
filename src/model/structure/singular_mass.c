/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/singular_mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/symmetric.h"

/* Of the largest: masses, each DOF's own being 1, that rounding of text leaves of 0. */
static const double NO_MASS = 1e-10;

enum masing_status singular_mass_turn(int n, const double *mass, const double *stiffness,
                                      struct singular_mass *turned, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t rows = (size_t)n, square = rows * rows;
    double *values = arena_doubles(&turned->arena, rows);
    double *scale = arena_doubles(&turned->arena, rows);
    turned->turn = arena_doubles(&turned->arena, square);
    turned->mass = arena_doubles(&turned->arena, square);
    turned->stiffness = arena_doubles(&turned->arena, square);
    TRY_ALLOCATED(!turned->arena.has_failed);
    for (size_t i = 0; i < rows; i++) {
        double own = mass[i * (rows + 1)];
        scale[i] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
    for (size_t at = 0; at < square; at++) {
        turned->turn[at] = scale[at % rows] * mass[at] * scale[at / rows];
    }
    TRY(eigen_symmetric(n, true, turned->turn, values));
    TRY(values[0] < -NO_MASS * values[n - 1] ? MASING_SINGULAR : MASING_OK);
    for (size_t at = 0; at < square; at++) {
        turned->turn[at] *= scale[at % rows];
    }
    dense_multiply(n, n, n, stiffness, turned->turn, turned->mass);
    dense_multiply_transposed(n, n, n, turned->turn, turned->mass, turned->stiffness);
    memset(turned->mass, 0, square * sizeof *turned->mass);
    for (size_t i = 0; i < rows; i++) {
        turned->mass[i * (rows + 1)] = values[i] > NO_MASS * values[n - 1] ? values[i] : 0.0;
        for (size_t j = 0; j < i; j++) {
            double *upper = &turned->stiffness[j + i * rows];
            double *lower = &turned->stiffness[i + j * rows];
            *upper = *lower = 0.5 * (*upper + *lower);
        }
    }
done:
    return status;
}

enum masing_status singular_mass_turn_back(const struct singular_mass *turned,
                                           struct structure *structure,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = structure->n_dofs;
    size_t rows = (size_t)n, most = rows * rows;
    double *product = memory_array(2 * most, sizeof *product), *full = product + most;
    double *flexibility = NULL;
    TRY_ALLOCATED(product);
    dense_multiply(n, structure->n_modes, n, turned->turn, structure->shapes, product);
    memcpy(structure->shapes, product, rows * (size_t)structure->n_modes * sizeof *product);
    if (structure->flexibility) {
        TRY_ALLOCATED(flexibility = arena_doubles(&structure->arena, symmetric_size(rows)));
        symmetric_expand(rows, structure->flexibility, full);
        dense_multiply(n, n, n, turned->turn, full, product);
        dense_multiply_by_transposed(n, n, n, product, n, turned->turn, n, full, n);
        symmetric_pack(rows, full, flexibility);
        structure->flexibility = flexibility;
    }
done:
    free(product);
    return status;
}
