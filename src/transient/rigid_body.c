/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/rigid_body.h"

#include <complex.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

/* Motions of which the joints see less than this, relative to the others, are free. */
static const double unseen = 1e-12;

/* A^T A = V diag(sizes) V^T, A [n_axes][n_rigid] being the rigid-body modes at the axes. */
struct split {
    int n;           /* rigid-body modes */
    double *vectors; /* [n * n] column-major */
    double *sizes;   /* [n] ascending */
};

static void split_clear(struct split *split)
{
    free(split->vectors);
    free(split->sizes);
}

static enum masing_status split_create(const struct integrator *integrator, struct split *split,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct ports *ports = integrator->ports;
    size_t n = (size_t)integrator->model->structure->n_rigid;
    split->n = (int)n;
    split->vectors = memory_array(n * n, sizeof(double));
    split->sizes = memory_array(n, sizeof(double));
    TRY_ALLOCATED(split->vectors);
    TRY_ALLOCATED(split->sizes);
    for (int axis = 0; axis < ports->n_axes; axis++) {
        const double *row = ports->shapes + (size_t)axis * (size_t)ports->n_modes;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                split->vectors[i * n + j] += row[i] * row[j];
            }
        }
    }
    status = eigen_symmetric(split->n, true, split->vectors, split->sizes);
    if (status != MASING_OK) {
        masing_error_set(error, status, "rigid-body modes: %s", masing_status_name(status));
    }
done:
    return status;
}

static bool is_seen(const struct split *split, int i)
{
    double largest = split->sizes[split->n - 1];
    return largest > 0.0 && split->sizes[i] > unseen * largest;
}

enum masing_status rigid_body_place(struct integrator *integrator, const double *x,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct ports *ports = integrator->ports;
    double *q = integrator->newmark->q;
    struct split split = {0};
    double *pull = memory_array((size_t)integrator->model->structure->n_rigid, sizeof(double));
    TRY_ALLOCATED(pull);
    TRY(split_create(integrator, &split, error));
    for (int k = 0; k < split.n; k++) {
        q[k] = 0.0;
    }
    for (int axis = 0; axis < ports->n_axes; axis++) {
        const double *row = ports->shapes + (size_t)axis * (size_t)ports->n_modes;
        double rest = x[axis] - dense_dot(ports->n_modes, row, q);
        for (int k = 0; k < split.n; k++) {
            pull[k] += row[k] * rest;
        }
    }
    for (int i = 0; i < split.n; i++) {
        const double *vector = split.vectors + (size_t)i * (size_t)split.n;
        double part =
            is_seen(&split, i) ? dense_dot(split.n, vector, pull) / split.sizes[i] : 0;
        for (int k = 0; k < split.n; k++) {
            q[k] += part * vector[k];
        }
    }
done:
    split_clear(&split);
    free(pull);
    return status;
}

/* Periodic motion of the rule itself for one rigid-body mode, displacement and velocity at time
 * 0: at the frequency that the rule takes a harmonic for, see integrator_create. */
static void find_periodic(const struct integrator *integrator, int mode, double *q, double *v)
{
    const struct forcing *forcing = integrator->forcing;
    const double *damping = integrator->model->structure->modal_damping;
    size_t width = (size_t)(forcing->n_modes + forcing->n_ports);
    for (int term = 0; term < forcing->n_terms; term++) {
        size_t at = (size_t)term * width + (size_t)mode;
        double w = integrator_rule_frequency(integrator, forcing->harmonics[term]);
        double complex force = forcing->cosine[at] - I * forcing->sine[at];
        double complex x = force / (-w * w + I * damping[mode] * w);
        *q += creal(x);
        *v += creal(I * w * x);
    }
}

/* to += vector (vector . from) */
static void add_projection(int n, const double *vector, const double *from, double *to)
{
    double part = dense_dot(n, vector, from);
    for (int k = 0; k < n; k++) {
        to[k] += part * vector[k];
    }
}

enum masing_status rigid_body_release(struct integrator *integrator, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct split split = {0};
    size_t n = (size_t)integrator->model->structure->n_rigid;
    double *q = memory_array(n, sizeof(double)), *v = memory_array(n, sizeof(double));
    TRY_ALLOCATED(q);
    TRY_ALLOCATED(v);
    TRY(split_create(integrator, &split, error));
    for (int k = 0; k < split.n; k++) {
        find_periodic(integrator, k, &q[k], &v[k]);
    }
    for (int i = 0; i < split.n; i++) {
        if (!is_seen(&split, i)) {
            const double *vector = split.vectors + (size_t)i * n;
            add_projection(split.n, vector, q, integrator->newmark->q);
            add_projection(split.n, vector, v, integrator->newmark->v);
        }
    }
done:
    split_clear(&split);
    free(q);
    free(v);
    return status;
}
