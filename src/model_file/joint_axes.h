/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a joint of the model file acts: one axis, the directions of a contact, or two nodes. */
#ifndef MASING_MODEL_FILE_JOINT_AXES_H
#define MASING_MODEL_FILE_JOINT_AXES_H

#include "model_file/reader.h"

/* How joints of a law say where they act. */
enum joint_form {
    JOINT_FORM_AXIS,    /* `from` and `to`, or `axis` */
    JOINT_FORM_CONTACT, /* `normal` and `tangential`, or `pairs` */
    JOINT_FORM_NODES    /* nodes `from` and `to`, each with a DOF for each axis of the law */
};

enum joint_form joint_form(const struct masing_law *law);

/* The keys for that beside name and law; NULL-terminated. */
const char *const *joint_axes_keys(enum joint_form form);

/* Axes of a joint whose law and parameters are there; the law is told which axes it has.
 * Without a structure the names lead nowhere and are not looked up. */
enum masing_status read_axes(struct reader *reader, struct tree_node *node,
                             struct masing_joint_spec *joint);

/* Empty axes for those of the mask. */
enum masing_status joint_axes_create(struct reader *reader, unsigned mask,
                                     struct masing_joint_spec *joint);

/* `normal` and `tangential` */
enum masing_status read_contact_axes(struct reader *reader, struct tree_node *node,
                                     struct masing_joint_spec *joint);
/* One axis: {from, to}, {file, column} or weights. */
enum masing_status read_axis(struct reader *reader, struct tree_node *axis,
                             struct masing_combination *combination);
/* The same where there is no structure. */
enum masing_status check_axis(struct reader *reader, const struct tree_node *axis);
bool read_axis_is_from_to(const struct tree_node *axis);

/* Nodes `from` and `to`. */
enum masing_status read_node_axes(struct reader *reader, struct tree_node *node,
                                  struct masing_joint_spec *joint);
/* DOFs NODE.AXIS of a node, MASING_GROUND where it has none or is the ground; whether it has
 * any. */
bool node_dofs_find(struct reader *reader, const char *node, const char *const *axis_names,
                    int n_axes, int *dofs);
/* What is wrong with a node that has none. */
enum masing_status node_dofs_refuse(struct reader *reader, const char *place, const char *what,
                                    const char *node, const char *const *axis_names,
                                    int n_axes);

enum { CONTACT_FAULT = 300 };
/*
 * What is wrong with the directions of a contact, axes [n_axes], the normal first; NULL where
 * nothing is. *axis is the one to blame.
 * @param are_from_to both tangential axes are {from, to}, and of one scale whatever they join
 */
const char *contact_axes_fault(const struct masing_joint_spec *joint, bool are_from_to,
                               int *axis, char text[CONTACT_FAULT]);

/* Most entries, and most rows of a file of `pairs`; most joints of both. */
enum { JOINT_LIMIT = 10000, JOINT_TOTAL = 50000 };

/* `pairs`: joints in place of the last one, @p index, which is their common entry. There is
 * room for as many joints as the file has entries, before and after. */
enum masing_status read_pairs(struct reader *reader, struct tree_node *node, int index);

#endif
