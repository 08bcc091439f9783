/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where joints act: what single joints and those of a file of contacts share. */
#ifndef MASING_MODEL_FILE_JOINT_AXES_H
#define MASING_MODEL_FILE_JOINT_AXES_H

#include "model_file/reader.h"

/* Empty axes for those of the mask. */
enum masing_status joint_axes_create(struct reader *reader, unsigned mask,
                                     struct masing_joint_spec *joint);

/* DOFs NODE.AXIS of a node, MASING_GROUND where it has none or is the ground; whether it has
 * any. */
bool joint_axes_find_node(struct reader *reader, const char *node,
                          const char *const *axis_names, int n_axes, int *dofs);
/* What is wrong with a node that has none. */
enum masing_status joint_axes_refuse_node(struct reader *reader, const char *place,
                                          const char *what, const char *node,
                                          const char *const *axis_names, int n_axes);

enum { JOINT_AXES_FAULT = 300 };
/*
 * What is wrong with the directions of a contact, axes [n_axes], the normal first; NULL where
 * nothing is. *axis is the one to blame.
 * @param are_from_to both tangential axes are {from, to}, and of one scale whatever they join
 */
const char *joint_axes_fault(const struct masing_joint_spec *joint, bool are_from_to, int *axis,
                             char text[JOINT_AXES_FAULT]);

#endif
