/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/loop_joint.h"

#include <string.h>

const char *loop_joint_name(struct pool *pool, const struct masing_joint_spec *joint)
{
    bool has_first = !joint->present || (joint->present & 1u);
    int axis = has_first && masing_joint_spec_axes(joint) > 1 ? 1 : 0;
    const char *name = masing_joint_spec_axis_name(joint, axis);
    return *name ? pool_format(pool, "%s_%s", joint->name, name) : joint->name;
}

const struct masing_joint_spec *loop_joint(const struct masing_spec *spec, const char *name)
{
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        if (group->n_joints == 1 && (!name || strcmp(group->name, name) == 0)) {
            return &spec->joints[group->first];
        }
    }
    return NULL;
}
