/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/joint_axes.h"

#include <stdio.h>

void joint_axis_text(const struct masing_joint_spec *joint, int axis, char *text, size_t size)
{
    const char *name = masing_joint_spec_axis_name(joint, axis);
    if (joint->law->n_axes == 1) {
        snprintf(text, size, "%s", joint->name);
    } else if (*name) {
        snprintf(text, size, "%s_%s", joint->name, name);
    } else {
        snprintf(text, size, "%s_%d", joint->name, axis + 1);
    }
}
