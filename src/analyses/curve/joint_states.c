/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/joint_states.h"

#include <math.h>

#include "masing/field.h"

/* What a contact is pressed with at rest; 0 where its law knows no such thing. */
static double preload_of(const struct joint *joint)
{
    int at = masing_field_find(joint->law->fields, joint->law->n_fields, "preload");
    return at >= 0 ? masing_field_value(&joint->law->fields[at], joint->parameters) : 0.0;
}

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
            .normal_force =
                isnan(response->open_share) ? NAN : preload_of(response->joint) + mean,
        };
    }
}
