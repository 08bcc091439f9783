/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What contacts that belong together do at points of a curve, as numbers of them. */
#ifndef MASING_ANALYSES_CURVE_CONTACT_COUNTS_H
#define MASING_ANALYSES_CURVE_CONTACT_COUNTS_H

#include "analyses/curve/row_table.h"
#include "harmonic/joints/joint_response.h"
#include "masing/response.h"
#include "model/model.h"

/* Columns of groups of several joints: how many stick all the period, slip, are open in a part
 * of it. responses: [joints] at the point, NULL while columns are declared. */
void contact_count_columns(struct row_table *table, const struct masing_model *model,
                           struct joint_response *const *responses);

/* Adds up changes from one point of a curve to the next, of joints whose events the curve does
 * not land on. states [n_joints] are those of the point before, and become those of this one;
 * begins: there is none before it. */
void contact_counts_follow(const struct masing_model *model,
                           struct joint_response *const *responses, bool begins,
                           unsigned char *states, struct masing_contact_changes *changes);

#endif
