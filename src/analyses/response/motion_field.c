/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "analyses/curve/joint_states.h"
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/memory.h"
#include "masing/motion_field.h"
#include "model/cyclic.h"

enum masing_status dof_motion_create(const struct balance *balance, struct dof_motion *dofs,
                                     struct masing_error *error)
{
    if (dofs->coefficients) {
        return MASING_OK;
    }
    if (!dofs->motion) {
        NEED(full_motion_create(balance, &dofs->motion, error));
    }
    dofs->coefficients = memory_array((size_t)full_motion_dofs(dofs->motion) *
                                          (size_t)balance->basis->n_coefficients,
                                      sizeof *dofs->coefficients);
    NEED_ALLOCATED(dofs->coefficients);
    return MASING_OK;
}

enum masing_status dof_motion_evaluate(const struct balance *balance, const double *y,
                                       double omega, struct dof_motion *dofs,
                                       struct masing_error *error)
{
    NEED(dof_motion_create(balance, dofs, error));
    return full_motion_evaluate(dofs->motion, y, omega, dofs->coefficients, error);
}

void dof_motion_clear(struct dof_motion *dofs)
{
    full_motion_destroy(dofs->motion);
    free(dofs->coefficients);
    *dofs = (struct dof_motion){0};
}

enum masing_status response_field_write(struct response_curve *curve, const double *y,
                                        double omega, double hertz, enum masing_event event,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_motion_field_sink *sink = curve->settings.options->fields;
    const struct balance *balance = curve->balance;
    const struct basis *basis = balance->basis;
    const struct cyclic *cyclic = balance->model->cyclic;
    struct masing_joint_state *joints = NULL;
    if (!sink) {
        return MASING_OK;
    }
    joints = memory_array((size_t)balance->n_joints, sizeof *joints);
    TRY_ALLOCATED(joints);
    TRY(recovery_evaluate(curve->recovery, y, omega));
    TRY(dof_motion_evaluate(balance, y, omega, &curve->dofs, error));
    joint_states_fill(balance->n_joints, balance->joints, curve->recovery->point.joint_loss,
                      basis, joints);
    TRY(sink->take(sink->context,
                   &(struct masing_motion_field){
                       .event = event,
                       .frequency_hz = hertz,
                       .n_harmonics = basis->n_harmonics,
                       .harmonics = basis->harmonics,
                       .n_coefficients = basis->n_coefficients,
                       .n_sectors = cyclic ? cyclic->n_sectors : 0,
                       .delay = cyclic ? cyclic->delay : 0,
                       .n_dofs = full_motion_dofs(curve->dofs.motion),
                       .dof_names = full_motion_names(curve->dofs.motion),
                       .coefficients = curve->dofs.coefficients,
                       .n_joints = balance->n_joints,
                       .joints = joints,
                   },
                   error));
done:
    free(joints);
    return status;
}
