/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "analyses/curve/joint_states.h"
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/memory.h"
#include "masing/motion_field.h"

enum masing_status response_field_write(struct response_curve *curve, const double *y,
                                        double omega, double hertz, enum masing_event event,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_motion_field_sink *sink = curve->settings.options->fields;
    const struct balance *balance = curve->balance;
    const struct basis *basis = balance->basis;
    struct masing_joint_state *joints = NULL;
    double *coefficients = NULL;
    if (!sink) {
        return MASING_OK;
    }
    if (!curve->full_motion) {
        NEED(full_motion_create(balance, &curve->full_motion, error));
    }
    size_t n = (size_t)full_motion_dofs(curve->full_motion);
    joints = memory_array((size_t)balance->n_joints, sizeof *joints);
    coefficients = memory_array(n * (size_t)basis->n_coefficients, sizeof *coefficients);
    TRY_ALLOCATED(joints && coefficients);
    TRY(recovery_evaluate(curve->recovery, y, omega));
    TRY(full_motion_evaluate(curve->full_motion, y, omega, coefficients, error));
    joint_states_fill(balance->n_joints, balance->joints, curve->recovery->point.joint_loss,
                      basis, joints);
    TRY(sink->take(sink->context,
                   &(struct masing_motion_field){
                       .event = event,
                       .frequency_hz = hertz,
                       .n_harmonics = basis->n_harmonics,
                       .harmonics = basis->harmonics,
                       .n_coefficients = basis->n_coefficients,
                       .n_dofs = (int)n,
                       .dof_names = full_motion_names(curve->full_motion),
                       .coefficients = coefficients,
                       .n_joints = balance->n_joints,
                       .joints = joints,
                   },
                   error));
done:
    free(joints);
    free(coefficients);
    return status;
}
