/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/start.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "transient/rigid_body.h"

/* The joints move in one straight step from the origin to x and stay there. */
static enum masing_status settle_joints(struct joints *joints, const double *origin,
                                        const double *x, const double *v)
{
    joints_rest(joints, origin);
    enum masing_status status = joints_evaluate(joints, x, v);
    joints_accept(joints, x);
    return status;
}

/* Elastic modes under the static loads and the joints' forces; rigid-body modes where the
 * joints want them. */
static void place_static(struct integrator *integrator, struct rigid_body *rigid,
                         const double *x)
{
    const struct ports *ports = integrator->ports;
    const struct newmark *newmark = integrator->newmark;
    int n_modes = ports->n_modes;
    memset(newmark->q, 0, (size_t)n_modes * sizeof(double));
    memset(newmark->v, 0, (size_t)n_modes * sizeof(double));
    for (int k = rigid->n; k < n_modes; k++) {
        double force = integrator->forcing->constant[k];
        for (int axis = 0; axis < ports->n_axes; axis++) {
            force -= ports->shapes[axis * n_modes + k] * integrator->joints->f[axis];
        }
        newmark->q[k] = force / newmark->stiffness[k];
    }
    rigid_body_place(rigid, integrator, x);
}

enum masing_status start_at_rest(struct integrator *integrator, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_axes = (size_t)integrator->ports->n_axes;
    const struct masing_model *model = integrator->model;
    struct rigid_body rigid = {0};
    double *zero = memory_array(3 * n_axes, sizeof(double));
    TRY_ALLOCATED(zero);
    TRY(rigid_body_create(integrator, &rigid, error));
    double *x = zero + n_axes, *origin = x + n_axes;
    if (model->static_displacement) {
        memcpy(x, model->static_displacement, n_axes * sizeof(double));
    }
    if (model->spec.start == MASING_START_STATIC) {
        memcpy(origin, x, n_axes * sizeof(double));
    }
    TRY(settle_joints(integrator->joints, origin, x, zero));
    place_static(integrator, &rigid, x);
    TRY(rigid_body_release(&rigid, integrator, error));
    integrator_begin(integrator);
done:
    rigid_body_clear(&rigid);
    free(zero);
    return status;
}
