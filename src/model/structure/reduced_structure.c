/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/reduced_structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/symmetric.h"

/* What is left of a direction beside the others below this part of it is round-off. */
static const double DEPENDENT = 1e-9;

/* Make a direction orthogonal to those before it, twice, and of length 1; false where nothing
 * is left of it. */
static bool orthonormalise(size_t n, size_t n_before, const double *before, double *direction)
{
    for (int pass = 0; pass < 3; pass++) { /* the first only scales */
        for (size_t j = 0; pass > 0 && j < n_before; j++) {
            const double *other = before + j * n;
            double part = dense_dot((int)n, other, direction);
            for (size_t i = 0; i < n; i++) {
                direction[i] -= part * other[i];
            }
        }
        double length = sqrt(dense_dot((int)n, direction, direction));
        if (!(length > (pass > 0 ? DEPENDENT : 0.0)) || !isfinite(length)) {
            return false;
        }
        double factor = 1.0 / length;
        for (size_t i = 0; i < n; i++) {
            direction[i] *= factor;
        }
    }
    return true;
}

/* The space as orthonormal columns in coordinates of the far modes: how many. */
static size_t span(const struct structure *structure, size_t n_near, size_t n_far,
                   size_t n_forces, const double *forces, double *columns)
{
    size_t n = 0;
    for (int block = 1; block <= REDUCED_BLOCKS; block++) {
        for (size_t j = 0; j < n_forces && n < n_far; j++) {
            double *column = columns + n * n_far;
            for (size_t i = 0; i < n_far; i++) {
                double own = structure->omega[n_near + i] / structure->omega[n_near];
                column[i] = forces[j * (n_near + n_far) + n_near + i] * pow(own, -2.0 * block);
            }
            n += orthonormalise(n_far, n, columns, column);
        }
    }
    return n;
}

/* The structure's modes within the space: basis = columns times eigenvectors, frequencies. */
static enum masing_status find_modes(const struct structure *structure, size_t n_near,
                                     size_t n_far, size_t n, const double *columns,
                                     double *basis, double *omega, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *weighted = memory_array((n_far + n) * n, sizeof(double));
    TRY_ALLOCATED(weighted);
    double *matrix = weighted + n_far * n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n_far; i++) {
            double own = structure->omega[n_near + i];
            weighted[j * n_far + i] = own * own * columns[j * n_far + i];
        }
    }
    dense_multiply_transposed((int)n, (int)n, (int)n_far, columns, weighted, matrix);
    status = eigen_symmetric((int)n, true, matrix, omega);
    if (status != MASING_OK) {
        masing_error_set(error, status, "residual modes: %s", masing_status_name(status));
        goto done;
    }
    dense_multiply((int)n_far, (int)n, (int)n, columns, matrix, basis);
    for (size_t j = 0; j < n; j++) {
        omega[j] = sqrt(omega[j]);
    }
done:
    free(weighted);
    return status;
}

/* matrix [n * n] of the damping of all modes that are there now. Forces of far modes: diagonal,
 * or with rows and columns of the full matrix. */
static void project_damping(const struct structure *structure, size_t n_near, size_t n_far,
                            size_t n_residual, const double *basis, double *product,
                            double *matrix)
{
    size_t n = n_near + n_residual, n_full = (size_t)structure->n_modes;
    const double *full = structure->damping_matrix;
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < n_full; k++) { /* D times mode j */
            double sum = 0.0;
            if (j < n_near) {
                sum = full ? full[j * n_full + k] : k == j ? structure->modal_damping[k] : 0.0;
            } else if (!full) {
                sum = k < n_near ? 0.0
                                 : structure->modal_damping[k] *
                                       basis[(j - n_near) * n_far + k - n_near];
            } else {
                for (size_t i = 0; i < n_far; i++) {
                    sum += full[(n_near + i) * n_full + k] * basis[(j - n_near) * n_far + i];
                }
            }
            product[k] = sum;
        }
        memcpy(matrix + j * n, product, n_near * sizeof(double));
        for (size_t i = 0; i < n_residual; i++) {
            matrix[j * n + n_near + i] =
                dense_dot((int)n_far, basis + i * n_far, product + n_near);
        }
    }
}

/* Damping between modes up to this part of the largest is rounding. */
static const double UNCOUPLED = 1e-14;

static enum masing_status take_damping(const struct structure *structure,
                                       struct reduced_structure *reduced,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct structure *made = reduced->structure;
    size_t n = (size_t)made->n_modes;
    double largest = 0.0, coupling = 0.0;
    double *product = memory_array((size_t)structure->n_modes, sizeof(double));
    double *matrix = arena_doubles(&made->arena, n * n);
    made->modal_damping = arena_doubles(&made->arena, n);
    TRY_ALLOCATED(product && !made->arena.has_failed);
    project_damping(structure, (size_t)reduced->n_near, (size_t)reduced->n_far,
                    (size_t)reduced->n_residual, reduced->basis, product, matrix);
    for (size_t j = 0; j < n; j++) {
        made->modal_damping[j] = matrix[j * n + j];
        largest = fmax(largest, fabs(matrix[j * n + j]));
        for (size_t i = 0; i < j; i++) {
            double mean = 0.5 * (matrix[j * n + i] + matrix[i * n + j]);
            matrix[j * n + i] = matrix[i * n + j] = mean;
            coupling = fmax(coupling, fabs(mean));
        }
    }
    made->damping_matrix = coupling > UNCOUPLED * largest ? matrix : NULL;
done:
    free(product);
    return status;
}

static enum masing_status take_modes(const struct structure *structure, const double *omega,
                                     struct reduced_structure *reduced,
                                     struct masing_error *error)
{
    struct structure *made = reduced->structure;
    size_t n_dofs = (size_t)structure->n_dofs, n_near = (size_t)reduced->n_near;
    size_t n = n_near + (size_t)reduced->n_residual;
    made->n_dofs = structure->n_dofs;
    made->n_modes = (int)n;
    made->n_rigid = structure->n_rigid;
    made->n_nearly_rigid = structure->n_nearly_rigid;
    made->loss_factor = structure->loss_factor;
    made->omega = arena_doubles(&made->arena, n);
    made->shapes = arena_doubles(&made->arena, n_dofs * n);
    NEED_ALLOCATED(!made->arena.has_failed);
    memcpy(made->omega, structure->omega, n_near * sizeof(double));
    memcpy(made->omega + n_near, omega, (n - n_near) * sizeof(double));
    memcpy(made->shapes, structure->shapes, n_dofs * n_near * sizeof(double));
    dense_multiply((int)n_dofs, reduced->n_residual, reduced->n_far,
                   structure->shapes + n_dofs * n_near, reduced->basis,
                   made->shapes + n_dofs * n_near);
    if (structure->flexibility) {
        size_t size = symmetric_size(n_dofs);
        double *flexibility = arena_doubles(&made->arena, size);
        NEED_ALLOCATED(made->flexibility = flexibility);
        memcpy(flexibility, structure->flexibility, size * sizeof *flexibility);
    }
    return MASING_OK;
}

enum masing_status reduced_structure_create(const struct structure *structure, int n_near,
                                            int n_forces, const double *forces,
                                            struct reduced_structure *reduced,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t near = (size_t)n_near, n_far = (size_t)(structure->n_modes - n_near);
    size_t most =
        REDUCED_BLOCKS * (size_t)n_forces < n_far ? REDUCED_BLOCKS * (size_t)n_forces : n_far;
    /* one more: a direction of which nothing is left lies behind the last */
    double *columns = memory_array(n_far * (most + 1), sizeof(double));
    double *omega = memory_array(most, sizeof(double));
    *reduced = (struct reduced_structure){.n_near = n_near, .n_far = (int)n_far};
    reduced->structure = memory_array(1, sizeof *reduced->structure);
    reduced->basis = memory_array(n_far * most, sizeof(double));
    TRY_ALLOCATED(columns && omega && reduced->structure && reduced->basis);
    size_t n = span(structure, near, n_far, (size_t)n_forces, forces, columns);
    reduced->n_residual = (int)n;
    TRY(find_modes(structure, near, n_far, n, columns, reduced->basis, omega, error));
    TRY(take_modes(structure, omega, reduced, error));
    TRY(take_damping(structure, reduced, error));
done:
    free(columns);
    free(omega);
    if (status != MASING_OK) {
        reduced_structure_clear(reduced);
    }
    return status;
}

void reduced_structure_clear(struct reduced_structure *reduced)
{
    structure_destroy(reduced->structure);
    free(reduced->basis);
    *reduced = (struct reduced_structure){0};
}

void reduced_structure_coordinates(const struct reduced_structure *reduced, const double *full,
                                   double *coordinates)
{
    size_t n_near = (size_t)reduced->n_near;
    memcpy(coordinates, full, n_near * sizeof(double));
    dense_multiply_transposed(reduced->n_residual, 1, reduced->n_far, reduced->basis,
                              full + n_near, coordinates + n_near);
}
