/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/flexible.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "transient/coupling.h"

/* Pivots of R^T K R + I at most this part of the diagonal are none. */
static const double WEAKEST_PIVOT = 1e-10;
/* Joints that stand this well where their forces leave them stay there. */
static const double SETTLED_RESIDUAL = 1e-12;

static enum masing_status find_axes(struct flexible *flexible, struct masing_error *error)
{
    const struct masing_model *model = flexible->parts->model;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        for (int i = 0; i < joint->n_axes; i++) {
            int axis = joint->first_axis + i;
            if (!flexible->parts->ports->is_massless[axis]) {
                continue;
            }
            if (joint->n_axes > 1) {
                return masing_error_set(error, MASING_UNSUPPORTED,
                                        "joint '%s' has several axes and acts on a DOF without "
                                        "mass: integration.method: newmark does",
                                        joint->name);
            }
            flexible->joints[flexible->n] = j;
            flexible->axes[flexible->n++] = axis;
        }
    }
    return MASING_OK;
}

static enum masing_status allocate(struct flexible *flexible, struct masing_error *error)
{
    struct arena *arena = flexible->parts->arena;
    const struct ports *ports = flexible->parts->ports;
    size_t n_axes = (size_t)ports->n_axes;
    flexible->compliance = arena_doubles(arena, n_axes * n_axes);
    flexible->root = arena_doubles(arena, n_axes * n_axes);
    flexible->stiffness = arena_doubles(arena, n_axes);
    flexible->matrix = arena_doubles(arena, n_axes * n_axes);
    flexible->scratch = arena_doubles(arena, 2 * n_axes);
    flexible->force = arena_doubles(arena, (size_t)(ports->n_modes + ports->n_ports));
    flexible->x = arena_doubles(arena, n_axes);
    flexible->v = arena_doubles(arena, n_axes);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

/* R of F with unit diagonal, scaled back, which loses no digits of the stiff ones; what
 * round-off made negative is zero. */
static enum masing_status fill_root(struct flexible *flexible)
{
    size_t n = (size_t)flexible->n, n_axes = (size_t)flexible->n_axes;
    double *root = flexible->root, *values = flexible->scratch, *scale = values + n;
    for (size_t i = 0; i < n; i++) {
        size_t axis = (size_t)flexible->axes[i];
        scale[i] = sqrt(flexible->compliance[axis * n_axes + axis]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            size_t at = (size_t)flexible->axes[i] * n_axes + (size_t)flexible->axes[k];
            root[i + k * n] = flexible->compliance[at] / (scale[i] * scale[k]);
        }
    }
    enum masing_status status = eigen_symmetric((int)n, true, root, values);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            root[i + k * n] *= scale[i] * sqrt(fmax(values[k], 0.0));
        }
    }
    return status;
}

enum masing_status flexible_create(const struct stepper_parts *parts, struct flexible **created,
                                   struct masing_error *error)
{
    *created = NULL;
    if (!parts->ports->flexibility || parts->ports->n_axes == 0) {
        return MASING_OK;
    }
    size_t n_axes = (size_t)parts->ports->n_axes;
    struct flexible *flexible = arena_array(parts->arena, 1, sizeof *flexible);
    NEED_ALLOCATED(flexible);
    flexible->parts = parts;
    flexible->n_axes = parts->ports->n_axes;
    flexible->axes = arena_array(parts->arena, n_axes, sizeof(int));
    flexible->joints = arena_array(parts->arena, n_axes, sizeof(int));
    NEED_ALLOCATED(flexible->axes && flexible->joints);
    NEED(find_axes(flexible, error));
    if (flexible->n > 0) {
        NEED(allocate(flexible, error));
        for (size_t i = 0; i < n_axes; i++) {
            memcpy(flexible->compliance + i * n_axes,
                   parts->ports->flexibility + i * (size_t)parts->ports->n_ports,
                   n_axes * sizeof(double));
        }
        NEED(fill_root(flexible));
        NEED(coupling_create(parts->joints, flexible->compliance, 0.0, parts->arena,
                             &flexible->coupling, error));
        *created = flexible;
    }
    return MASING_OK;
}

bool flexible_set(struct flexible *flexible, const double *stiffness)
{
    size_t n = (size_t)flexible->n;
    const double *root = flexible->root;
    for (size_t i = 0; i < n; i++) {
        flexible->stiffness[flexible->axes[i]] = stiffness[flexible->axes[i]];
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            double sum = i == k ? 1.0 : 0.0;
            for (size_t a = 0; a < n; a++) {
                sum += root[a + i * n] * stiffness[flexible->axes[a]] * root[a + k * n];
            }
            flexible->matrix[i + k * n] = sum;
        }
    }
    return cholesky_weak_row(flexible->n, flexible->matrix, WEAKEST_PIVOT, flexible->scratch) <
           0;
}

/* (I + R R^T K)^-1 = I - R (I + R^T K R)^-1 R^T K */
void flexible_follow(const struct flexible *flexible, double *dx)
{
    size_t n = (size_t)flexible->n;
    double *y = flexible->scratch;
    for (size_t i = 0; i < n; i++) {
        y[i] = 0.0;
        for (size_t a = 0; a < n; a++) {
            size_t axis = (size_t)flexible->axes[a];
            y[i] += flexible->root[a + i * n] * flexible->stiffness[axis] * dx[axis];
        }
    }
    cholesky_solve(flexible->n, flexible->matrix, y, 1);
    for (size_t a = 0; a < n; a++) {
        for (size_t i = 0; i < n; i++) {
            dx[flexible->axes[a]] -= flexible->root[a + i * n] * y[i];
        }
    }
}

void flexible_add_loads(struct flexible *flexible, double phase, int order, double *x)
{
    const struct stepper_parts *parts = flexible->parts;
    if (order > 0) {
        forcing_derivative(parts->forcing, parts->omega, phase, order, flexible->force);
    } else {
        forcing_at(parts->forcing, phase, flexible->force);
    }
    for (int i = 0; i < flexible->n; i++) {
        int axis = flexible->axes[i];
        x[axis] += flexible->force[parts->ports->n_modes + axis];
    }
}

/* What the forces at hand leave of x + F g = x_free at the displacements at hand. */
static bool is_settled(const struct flexible *flexible)
{
    const struct joints *joints = flexible->parts->joints;
    int n = flexible->n_axes;
    double worst = 0.0, scale = 0.0;
    for (int i = 0; i < flexible->n; i++) {
        int axis = flexible->axes[i];
        double rest = flexible->x[axis] - joints->x[axis];
        scale = fmax(scale, fmax(fabs(joints->x[axis]), fabs(flexible->x[axis])));
        for (int b = 0; b < n; b++) {
            rest -= flexible->compliance[axis * n + b] * joints->f[b];
        }
        worst = fmax(worst, fabs(rest));
    }
    return worst <= SETTLED_RESIDUAL * scale;
}

enum masing_status flexible_start(struct flexible *flexible)
{
    const struct stepper_parts *parts = flexible->parts;
    const struct ports *ports = parts->ports;
    ports_project(ports->n_axes, ports->n_modes, ports->shapes, parts->modal->q, flexible->x);
    ports_project(ports->n_axes, ports->n_modes, ports->shapes, parts->modal->v, flexible->v);
    flexible_add_loads(flexible, 0.0, 0, flexible->x);
    if (is_settled(flexible)) {
        return MASING_OK;
    }
    coupling_reset(flexible->coupling);
    return coupling_solve(flexible->coupling, flexible->x, flexible->v);
}
