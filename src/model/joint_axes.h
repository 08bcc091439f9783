/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What results call the axes of a joint. */
#ifndef MASING_MODEL_JOINT_AXES_H
#define MASING_MODEL_JOINT_AXES_H

#include <stddef.h>

#include "masing/model.h"

/* "damper" for a joint of one axis, "contact_normal" for one of several; "contact_2" where the
 * law does not name them. */
void joint_axis_text(const struct masing_joint_spec *joint, int axis, char *text, size_t size);

#endif
