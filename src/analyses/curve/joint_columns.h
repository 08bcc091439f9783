/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MASING_ANALYSES_CURVE_JOINT_COLUMNS_H
#define MASING_ANALYSES_CURVE_JOINT_COLUMNS_H

#include "analyses/curve/row_table.h"
#include "harmonic/joints/joint_response.h"
#include "model/model.h"

/* The columns `--columns joints` of every axis of every joint; a group of many has no one
 * displacement, and has numbers of joints instead. responses: [joints] at the point, NULL while
 * columns are declared. */
void joint_columns(struct row_table *table, const struct masing_model *model,
                   struct joint_response *const *responses);

#endif
