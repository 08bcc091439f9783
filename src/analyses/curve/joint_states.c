/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/joint_states.h"

#include <math.h>

#include "analyses/curve/static_contacts.h"

void joint_states_fill(int n_joints, struct joint_response *const *responses,
                       const double *losses, const struct basis *basis,
                       struct masing_joint_state *states)
{
    bool has_mean = basis->harmonics[0] == 0;
    for (int j = 0; j < n_joints; j++) {
        const struct joint_response *response = responses[j];
        double mean = has_mean ? response->f[0] : 0.0;
        states[j] = (struct masing_joint_state){
            .slip = response->slip_share,
            .open = response->open_share,
            .loss = losses[j],
            .normal_force = isnan(response->open_share)
                                ? NAN
                                : static_contact_preload(response->joint) + mean,
        };
    }
}
