/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "analyses/curve/joint_states.h"
#include "analyses/mode/mode.h"
#include "base/check.h"
#include "base/memory.h"
#include "model/structure/condensed_structure.h"

/* coefficients [n_dofs][n_coefficients] of the model's own DOFs, from the stuck modes. */
static void add_modes(const struct modal_balance *balance, size_t n_dofs, double *coefficients)
{
    size_t n_c = (size_t)balance->n_coefficients, n_modes = (size_t)balance->n_modes;
    for (size_t m = 0; m < n_modes; m++) {
        const double *shape = balance->shapes + m * n_dofs;
        for (size_t i = 0; i < n_dofs; i++) {
            for (size_t c = 0; c < n_c; c++) {
                coefficients[i * n_c + c] += shape[i] * balance->p[c * n_modes + m];
            }
        }
    }
}

enum masing_status mode_field_write(const struct mode_curve *curve,
                                    const struct masing_mode_point *at,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_motion_field_sink *sink = curve->options->fields;
    const struct modal_balance *balance = curve->balance;
    const struct masing_structure_spec *structure = &curve->model->spec.structure;
    const struct condensed_structure *reduced = structure->condensed; /* never one of ports */
    size_t n_c = (size_t)balance->n_coefficients, n = (size_t)structure->n_dofs;
    size_t n_all = reduced ? (size_t)reduced->n_dofs : n;
    struct masing_joint_state *joints = memory_array((size_t)balance->n_joints, sizeof *joints);
    double *own = memory_array(n * n_c, sizeof *own);
    double *all = reduced ? memory_array(n_all * n_c, sizeof *all) : NULL;
    TRY_ALLOCATED(joints && own && (all || !reduced));
    add_modes(balance, n, own);
    if (reduced) {
        condensed_structure_expand(reduced, balance->n_coefficients, own, all);
    }
    joint_states_fill(balance->n_joints, balance->joints, curve->losses, balance->basis,
                      joints);
    TRY(sink->take(sink->context,
                   &(struct masing_motion_field){
                       .event = MASING_EVENT_AT,
                       .frequency_hz = at->frequency_hz,
                       .amplitude = at->amplitude,
                       .n_harmonics = balance->basis->n_harmonics,
                       .harmonics = balance->basis->harmonics,
                       .n_coefficients = balance->n_coefficients,
                       .n_dofs = (int)n_all,
                       .dof_names = reduced ? reduced->dof_names : structure->dof_names,
                       .coefficients = reduced ? all : own,
                       .n_joints = balance->n_joints,
                       .joints = joints,
                   },
                   error));
done:
    free(joints);
    free(own);
    free(all);
    return status;
}
