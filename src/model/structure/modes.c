/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/modes.h"

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

int modes_count_rigid(int n, const double *omega_squared,
                      double (*gross)(const void *context, int mode), const void *context,
                      int *n_nearly)
{
    int n_rigid = 0, n_certain = 0;
    for (int k = 0; k < n; k++) {
        double square = fabs(omega_squared[k]), all = gross(context, k);
        if (square > COARSE_MATRIX * all) {
            break;
        }
        bool stands_apart = k + 1 < n && square <= RIGID_BODY_GAP * omega_squared[k + 1];
        if (square <= MODES_ROUND_OFF * all) {
            n_rigid = k + 1;
            n_certain++;
        } else if (stands_apart) {
            n_rigid = k + 1;
        }
    }
    *n_nearly = n_rigid - n_certain;
    return n_rigid;
}

/* Shapes and stiffness [n * n] */
void modes_set_rigid(struct modes *modes, int n)
{
    bool stands_apart = n <= modes->n;
    for (int k = 0; k < n && stands_apart; k++) {
        stands_apart = n == modes->n || fabs(modes->omega_squared[k]) <=
                                            RIGID_BODY_GAP * modes->omega_squared[n];
    }
    if (stands_apart && n > modes->n_rigid) {
        memset(modes->omega_squared, 0, (size_t)n * sizeof *modes->omega_squared);
        modes->n_rigid = n;
        modes->n_nearly_rigid = 0;
    }
}

/* floor: (rad/s)^2, what the last digits of shapes are worth. A DOF that nothing holds has no
 * terms at all but those of other DOFs, where its shape is rounding. */
struct gross {
    size_t n;
    const double *shapes, *stiffness;
    double floor;
};

static double dense_gross(const void *context, int mode)
{
    const struct gross *gross = context;
    size_t n = gross->n;
    const double *shape = gross->shapes + (size_t)mode * n;
    double sum = gross->floor;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            sum += fabs(shape[i] * gross->stiffness[j * n + i] * shape[j]);
        }
    }
    return sum;
}

static void count_rigid(struct modes *modes, const double *stiffness)
{
    const double highest = fabs(modes->omega_squared[modes->n - 1]);
    const struct gross gross = {(size_t)modes->n, modes->shapes, stiffness,
                                DBL_EPSILON * highest};
    modes->n_rigid = modes_count_rigid(modes->n, modes->omega_squared, dense_gross, &gross,
                                       &modes->n_nearly_rigid);
    for (int k = 0; k < modes->n_rigid; k++) {
        modes->omega_squared[k] = 0;
    }
}

/* Insertion: only modes that are equal to within round-off are out of order. */
static void sort(struct modes *modes)
{
    size_t n = (size_t)modes->n;
    double *square = modes->omega_squared;
    for (size_t i = 1; i < n; i++) {
        for (size_t j = i; j > 0 && square[j] < square[j - 1]; j--) {
            double *before = modes->shapes + (j - 1) * n, *shape = before + n;
            double old = square[j];
            square[j] = square[j - 1];
            square[j - 1] = old;
            for (size_t d = 0; d < n; d++) {
                old = shape[d];
                shape[d] = before[d];
                before[d] = old;
            }
        }
    }
}

/* Columns of psi, descending in omega, become mass-normalised shapes, ascending in omega^2. */
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
    for (int k = 0; k < n; k++) {
        size_t from = (size_t)(n - 1 - k) * (size_t)n, to = (size_t)k * (size_t)n;
        double m = dense_dot(n, psi + from, products + from);
        m = fmax(m, DBL_EPSILON * DBL_EPSILON * largest);
        modes->omega_squared[k] = dense_dot(n, psi + from, products + square + from) / m;
        for (size_t i = 0; i < (size_t)n; i++) {
            modes->shapes[to + i] = psi[from + i] / sqrt(m);
        }
    }
    sort(modes);
    count_rigid(modes, stiffness);
done:
    free(products);
    return status;
}

/* Of the shift, (rad/s)^2: a mode without shape whose omega^2 is below is a rigid-body motion.
 */
static const double ZERO_FREQUENCY = 1e-11;

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
    /* the smallest of shift, 100 shift, ... that serves */
    for (int i = 0;; i++, shift *= SHIFT_GROWTH) {
        add_scaled(square, stiffness, shift, mass, shifted);
        modes->failed_dof = cholesky_weak_row(n, shifted, WEAK_PIVOT, mu);
        if (modes->failed_dof < 0) {
            break;
        }
        TRY(i + 1 < MAX_SHIFTS ? MASING_OK : MASING_SINGULAR);
    }
    memcpy(psi, mass, square * sizeof *psi);
    add_scaled(square, stiffness, shift, mass, shifted);
    TRY(eigen_symmetric_generalised(n, with_shapes, psi, shifted, mu));
    if (with_shapes) {
        TRY(finish_shapes(modes, mass, stiffness, psi, mu[n - 1], error));
    }
    for (int k = 0; !with_shapes && k < n; k++) {
        double value = fmax(mu[n - 1 - k], DBL_EPSILON * DBL_EPSILON * mu[n - 1]);
        double omega_squared = 1 / value - shift;
        modes->omega_squared[k] =
            fabs(omega_squared) <= ZERO_FREQUENCY * shift ? 0 : omega_squared;
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
