/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/kept_sliders.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

static size_t count_states(const struct balance *balance)
{
    size_t n = 0;
    for (int j = 0; j < balance->n_joints; j++) {
        n += balance->joints[j]->n_state;
    }
    return n;
}

enum masing_status kept_sliders_save(struct balance *balance, struct kept_sliders *kept,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_axes = (size_t)balance->n_axes, n_joints = (size_t)balance->n_joints;
    *kept = (struct kept_sliders){
        .origin = memory_array(n_axes, sizeof *kept->origin),
        .states = memory_array(count_states(balance), sizeof *kept->states),
        .is_carried = memory_array(n_joints, sizeof *kept->is_carried),
    };
    TRY_ALLOCATED(kept->origin && kept->states && kept->is_carried);
    memcpy(kept->origin, balance->origin, sizeof *kept->origin * n_axes);
    double *states = kept->states;
    for (size_t j = 0; j < n_joints; j++) {
        const struct joint_response *joint = balance->joints[j];
        kept->is_carried[j] = joint->is_carried;
        if (joint->n_state > 0) {
            memcpy(states, joint->state, sizeof *states * joint->n_state);
        }
        states += joint->n_state;
    }
    kept->balance = balance;
done:
    return status;
}

void kept_sliders_restore(struct kept_sliders *kept)
{
    struct balance *balance = kept->balance;
    const double *states = kept->states;
    if (balance) {
        memcpy(balance->origin, kept->origin, sizeof *kept->origin * (size_t)balance->n_axes);
        balance->has_last = false;
    }
    for (int j = 0; balance && j < balance->n_joints; j++) {
        struct joint_response *joint = balance->joints[j];
        joint->is_carried = kept->is_carried[j];
        if (joint->n_state > 0) {
            memcpy(joint->state, states, sizeof *states * joint->n_state);
        }
        states += joint->n_state;
    }
    free(kept->origin);
    free(kept->states);
    free(kept->is_carried);
    *kept = (struct kept_sliders){0};
}
