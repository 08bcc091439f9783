/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/modes.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"

/* K + shift M is definite enough when no pivot falls below this part of its diagonal. */
static const double WEAK_PIVOT = 1e-11;
enum { MAX_SHIFTS = 24 };
static const double SHIFT_GROWTH = 100;

/*
 * A rigid-body mode's omega^2 is round-off of phi^T K phi, whose terms sum to the gross
 * stiffness s = sum |phi_i K_ij phi_j|. Rounding alone explains MODES_ROUND_OFF s; a matrix
 * that was computed or printed less accurately explains up to COARSE_MATRIX s, if the mode
 * stands far below the first elastic one.
 */
static const double COARSE_MATRIX = 1e-10;
static const double RIGID_BODY_GAP = 1e-4;

static void add_scaled(size_t count, const double *a, double factor, const double *b, double *c)
{
    for (size_t i = 0; i < count; i++) {
        c[i] = a[i] + factor * b[i];
    }
}

/* The smallest shift of the series shift, 100 shift, ... that serves; < 0: none does. */
static double find_shift(int n, const double *mass, const double *stiffness, double shift,
                         double *matrix, double *diagonal, int *failed_dof)
{
    for (int i = 0; i < MAX_SHIFTS; i++, shift *= SHIFT_GROWTH) {
        add_scaled((size_t)n * (size_t)n, stiffness, shift, mass, matrix);
        *failed_dof = cholesky_weak_row(n, matrix, WEAK_PIVOT, diagonal);
        if (*failed_dof < 0) {
            return shift;
        }
    }
    return -1;
}

static double gross_stiffness(int n, const double *stiffness, const double *shape)
{
    double sum = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            sum += fabs(shape[i] * stiffness[(size_t)j * (size_t)n + (size_t)i] * shape[j]);
        }
    }
    return sum;
}

static void count_rigid(struct modes *modes, const double *stiffness)
{
    int n = modes->n, n_certain = 0;
    for (int k = 0; k < n; k++) {
        double square = fabs(modes->omega_squared[k]);
        double gross = gross_stiffness(n, stiffness, modes->shapes + (size_t)k * (size_t)n);
        if (square > COARSE_MATRIX * gross) {
            break;
        }
        bool stands_apart = k + 1 < n && square <= RIGID_BODY_GAP * modes->omega_squared[k + 1];
        if (square <= MODES_ROUND_OFF * gross) {
            modes->n_rigid = k + 1;
            n_certain++;
        } else if (stands_apart) {
            modes->n_rigid = k + 1;
        }
    }
    modes->n_nearly_rigid = modes->n_rigid - n_certain;
    for (int k = 0; k < modes->n_rigid; k++) {
        modes->omega_squared[k] = 0;
    }
}

/* Columns of psi, descending in omega, become mass-normalised shapes, ascending in omega^2. */
static void take_shapes(struct modes *modes, const double *psi, const double *mass_psi,
                        const double *stiffness_psi, double largest)
{
    int n = modes->n;
    for (int k = 0; k < n; k++) {
        size_t from = (size_t)(n - 1 - k) * (size_t)n, to = (size_t)k * (size_t)n;
        double m = dense_dot(n, psi + from, mass_psi + from);
        m = fmax(m, DBL_EPSILON * DBL_EPSILON * largest);
        modes->omega_squared[k] = dense_dot(n, psi + from, stiffness_psi + from) / m;
        for (int i = 0; i < n; i++) {
            modes->shapes[to + (size_t)i] = psi[from + (size_t)i] / sqrt(m);
        }
    }
}

static void swap_modes(struct modes *modes, int i, int j)
{
    double old = modes->omega_squared[i];
    modes->omega_squared[i] = modes->omega_squared[j];
    modes->omega_squared[j] = old;
    for (int d = 0; modes->shapes && d < modes->n; d++) {
        double *row = modes->shapes + d;
        double entry = row[(size_t)i * (size_t)modes->n];
        row[(size_t)i * (size_t)modes->n] = row[(size_t)j * (size_t)modes->n];
        row[(size_t)j * (size_t)modes->n] = entry;
    }
}

/* Insertion: only modes that are equal to within round-off are out of order. */
static void sort(struct modes *modes)
{
    for (int i = 1; i < modes->n; i++) {
        for (int j = i; j > 0 && modes->omega_squared[j] < modes->omega_squared[j - 1]; j--) {
            swap_modes(modes, j, j - 1);
        }
    }
}

static enum masing_status finish_shapes(struct modes *modes, const double *mass,
                                        const double *stiffness, const double *psi,
                                        double largest, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = modes->n;
    size_t square = (size_t)n * (size_t)n;
    double *products = memory_array(2 * square, sizeof *products);
    modes->shapes = memory_array(square, sizeof *modes->shapes);
    TRY_ALLOCATED(products && modes->shapes);
    dense_multiply(n, n, n, mass, psi, products);
    dense_multiply(n, n, n, stiffness, psi, products + square);
    take_shapes(modes, psi, products, products + square, largest);
    sort(modes);
    count_rigid(modes, stiffness);
done:
    free(products);
    return status;
}

/* Of the shift, (rad/s)^2: a mode without shape whose omega^2 is below is a rigid-body motion.
 */
static const double ZERO_FREQUENCY = 1e-11;

static void take_values(struct modes *modes, const double *mu, double shift)
{
    for (int k = 0; k < modes->n; k++) {
        double value = mu[modes->n - 1 - k];
        double square = 1 / fmax(value, DBL_EPSILON * DBL_EPSILON * mu[modes->n - 1]) - shift;
        modes->omega_squared[k] = fabs(square) <= ZERO_FREQUENCY * shift ? 0 : square;
    }
}

enum masing_status modes_create(int n, const double *mass, const double *stiffness,
                                double shift, bool with_shapes, struct modes *modes,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t square = (size_t)n * (size_t)n;
    double *psi = memory_array(square, sizeof *psi);
    double *shifted = memory_array(square, sizeof *shifted);
    double *mu = memory_array((size_t)n, sizeof *mu);
    *modes = (struct modes){.n = n, .failed_dof = -1};
    modes->omega_squared = memory_array((size_t)n, sizeof *modes->omega_squared);
    TRY_ALLOCATED(psi && shifted && mu && modes->omega_squared);
    shift = find_shift(n, mass, stiffness, shift, shifted, mu, &modes->failed_dof);
    TRY(shift < 0 ? MASING_SINGULAR : MASING_OK);
    memcpy(psi, mass, square * sizeof *psi);
    add_scaled(square, stiffness, shift, mass, shifted);
    TRY(eigen_symmetric_generalised(n, with_shapes, psi, shifted, mu));
    if (with_shapes) {
        TRY(finish_shapes(modes, mass, stiffness, psi, mu[n - 1], error));
    } else {
        take_values(modes, mu, shift);
    }
done:
    free(psi);
    free(shifted);
    free(mu);
    if (status != MASING_OK) {
        modes_clear(modes);
    }
    return status;
}

void modes_clear(struct modes *modes)
{
    int failed_dof = modes->failed_dof;
    free(modes->omega_squared);
    free(modes->shapes);
    *modes = (struct modes){.failed_dof = failed_dof};
}
