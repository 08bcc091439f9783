/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/periodic/propagator.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/exponential.h"
#include "model/joints.h"
#include "transient/oscillator.h"

void propagator_flexibility(const struct masing_model *model, int n_modes, double *flexibility)
{
    const struct structure *structure = model->structure;
    size_t n_dofs = (size_t)structure->n_dofs, n_axes = (size_t)model->n_axes;
    for (size_t a = 0; a < n_axes; a++) {
        for (size_t b = 0; b < n_axes; b++) {
            const struct masing_combination *axis = &model->axes[a];
            double sum = structure_flexibility_between(structure, axis, &model->axes[b]);
            for (int k = n_modes; k < structure->n_modes; k++) {
                const double *shape = structure->shapes + (size_t)k * n_dofs;
                sum += axis_value(axis, shape) * axis_value(&model->axes[b], shape) /
                       (structure->omega[k] * structure->omega[k]);
            }
            flexibility[a * n_axes + b] = sum;
        }
    }
}

static enum masing_status allocate(struct propagator *propagator,
                                   const struct structure *structure, struct arena *arena,
                                   struct masing_error *error)
{
    size_t n = (size_t)propagator->n_modes, n_axes = (size_t)propagator->n_axes;
    propagator->damping = arena_doubles(arena, propagator->is_coupled ? n * n : n);
    propagator->axes = arena_doubles(arena, n_axes * n);
    propagator->drive = arena_doubles(arena, 2 * n_axes * n);
    propagator->flexibility = arena_doubles(arena, n_axes * n_axes);
    propagator->displacement = arena_doubles(arena, n_axes * n_axes);
    propagator->velocity = arena_doubles(arena, n_axes * n_axes);
    if (propagator->is_coupled) {
        propagator->matrix = arena_doubles(arena, 4 * n * n);
        propagator->effect = arena_doubles(arena, 2 * n * n);
        propagator->exponent = arena_doubles(arena, 9 * n * n);
        propagator->scratch = arena_doubles(arena, 36 * n * n);
        propagator->pivots = arena_array(arena, 3 * n, sizeof(int));
    } else {
        for (int i = 0; i < 4; i++) {
            propagator->free[i] = arena_doubles(arena, n);
        }
        propagator->forced[0] = arena_doubles(arena, n);
        propagator->forced[1] = arena_doubles(arena, n);
    }
    NEED_ALLOCATED(!arena->has_failed);
    for (size_t k = 0; k < (propagator->is_coupled ? n : 1); k++) {
        const double *from = propagator->is_coupled
                                 ? structure->damping_matrix + k * (size_t)structure->n_modes
                                 : structure->modal_damping;
        memcpy(propagator->damping + k * n, from, n * sizeof(double));
    }
    return MASING_OK;
}

enum masing_status propagator_create(const struct masing_model *model, int n_modes,
                                     struct arena *arena, struct propagator **propagator,
                                     struct masing_error *error)
{
    struct propagator *made = arena_array(arena, 1, sizeof *made);
    NEED_ALLOCATED(made);
    made->n_modes = n_modes;
    made->n_axes = model->n_axes;
    made->omega = model->structure->omega;
    made->is_coupled = model->structure->damping_matrix != NULL;
    NEED(allocate(made, model->structure, arena, error));
    axis_shapes(model, n_modes, model->structure->shapes, made->axes);
    propagator_flexibility(model, n_modes, made->flexibility);
    *propagator = made;
    return MASING_OK;
}

/* One mode: q'' + d q' + omega^2 q = 0 over a step h, and under a constant force. */
static void set_mode(struct propagator *propagator, size_t k, double h)
{
    double omega = propagator->omega[k];
    const struct oscillator_step step =
        oscillator_step(omega * omega, propagator->damping[k], h);
    for (int i = 0; i < 4; i++) {
        propagator->free[i][k] = step.free[i];
    }
    propagator->forced[0][k] = step.forced;
    propagator->forced[1][k] = step.free[1];
}

/* exp of [[0, I, 0], [-omega^2, -D, I], [0, 0, 0]] h holds both matrices. */
static enum masing_status set_coupled(struct propagator *propagator, double h)
{
    int n_modes = propagator->n_modes;
    size_t n = (size_t)n_modes, rows = 3 * n;
    double *a = propagator->exponent;
    memset(a, 0, rows * rows * sizeof(double));
    for (size_t k = 0; k < n; k++) {
        a[k + (n + k) * rows] = h;
        a[n + k + k * rows] = -h * propagator->omega[k] * propagator->omega[k];
        a[n + k + (2 * n + k) * rows] = h;
        for (size_t i = 0; i < n; i++) {
            a[n + i + (n + k) * rows] = -h * propagator->damping[i + k * n];
        }
    }
    enum masing_status status =
        matrix_exponential(3 * n_modes, a, propagator->scratch, propagator->pivots);
    for (size_t k = 0; k < rows; k++) {
        double *to = k < 2 * n ? propagator->matrix + k * 2 * n
                               : propagator->effect + (k - 2 * n) * 2 * n;
        memcpy(to, a + k * rows, 2 * n * sizeof(double));
    }
    return status;
}

static void set_drive(struct propagator *propagator)
{
    size_t n = (size_t)propagator->n_modes, n_axes = (size_t)propagator->n_axes;
    for (size_t a = 0; a < n_axes; a++) {
        const double *shape = propagator->axes + a * n;
        double *drive = propagator->drive + a * 2 * n;
        for (size_t i = 0; i < 2 * n; i++) {
            double sum = 0.0;
            for (size_t k = 0; propagator->is_coupled && k < n; k++) {
                sum += propagator->effect[i + k * 2 * n] * shape[k];
            }
            drive[i] = 0.5 * (propagator->is_coupled
                                  ? sum
                                  : propagator->forced[i / n][i % n] * shape[i % n]);
        }
    }
}

enum masing_status propagator_set(struct propagator *propagator, double step)
{
    enum masing_status status = MASING_OK;
    if (propagator->step == step) {
        return MASING_OK;
    }
    propagator->step = step;
    if (propagator->is_coupled) {
        status = set_coupled(propagator, step);
    } else {
        for (size_t k = 0; k < (size_t)propagator->n_modes; k++) {
            set_mode(propagator, k, step);
        }
    }
    set_drive(propagator);
    size_t n = (size_t)propagator->n_modes, n_axes = (size_t)propagator->n_axes;
    for (size_t i = 0; i < n_axes * n_axes; i++) {
        propagator->displacement[i] = propagator->flexibility[i];
        propagator->velocity[i] = 0.0;
    }
    for (size_t b = 0; b < n_axes; b++) {
        const double *drive = propagator->drive + b * 2 * n;
        for (size_t k = 0; k < n; k++) {
            for (size_t a = 0; a < n_axes; a++) {
                double shape = propagator->axes[a * n + k];
                propagator->displacement[a * n_axes + b] += shape * drive[k];
                propagator->velocity[a * n_axes + b] += shape * drive[n + k];
            }
        }
    }
    for (size_t i = 0; i < n_axes * n_axes; i++) {
        propagator->velocity[i] += propagator->flexibility[i] / step;
    }
    return status;
}

void propagator_force(const struct propagator *propagator, int n, const double *f, double *z)
{
    size_t n_modes = (size_t)propagator->n_modes, columns = (size_t)n;
    for (size_t a = 0; a < (size_t)propagator->n_axes; a++) {
        for (size_t i = 0; i < 2 * n_modes; i++) {
            double effect = propagator->drive[a * 2 * n_modes + i];
            double *row = z + i * columns;
            const double *force = f + a * columns;
            for (size_t k = 0; k < columns; k++) {
                row[k] -= effect * force[k];
            }
        }
    }
}

void propagator_free(const struct propagator *propagator, int n, double *z, const double *f,
                     double *scratch)
{
    size_t n_modes = (size_t)propagator->n_modes, columns = (size_t)n;
    if (propagator->is_coupled) {
        /* row-major columns are the transposed matrix in column-major order */
        int rows = 2 * propagator->n_modes;
        dense_multiply_by_transposed(n, rows, rows, z, n, propagator->matrix, rows, scratch, n);
        memcpy(z, scratch, 2 * n_modes * columns * sizeof(double));
    } else {
        for (size_t i = 0; i < n_modes; i++) {
            double *q = z + i * columns, *v = z + (n_modes + i) * columns;
            for (size_t k = 0; k < columns; k++) {
                double before = q[k];
                q[k] = propagator->free[0][i] * before + propagator->free[1][i] * v[k];
                v[k] = propagator->free[2][i] * before + propagator->free[3][i] * v[k];
            }
        }
    }
    propagator_force(propagator, n, f, z);
}

void propagator_project(const struct propagator *propagator, int n, const double *z, double *u,
                        double *v)
{
    size_t n_modes = (size_t)propagator->n_modes, columns = (size_t)n;
    size_t n_axes = (size_t)propagator->n_axes;
    memset(u, 0, n_axes * columns * sizeof(double));
    memset(v, 0, n_axes * columns * sizeof(double));
    for (size_t a = 0; a < n_axes; a++) {
        for (size_t i = 0; i < n_modes; i++) {
            double weight = propagator->axes[a * n_modes + i];
            const double *q = z + i * columns, *p = z + (n_modes + i) * columns;
            for (size_t k = 0; k < columns; k++) {
                u[a * columns + k] += weight * q[k];
                v[a * columns + k] += weight * p[k];
            }
        }
    }
}
