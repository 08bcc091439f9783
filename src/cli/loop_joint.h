/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which joint's loop a picture shows. */
#ifndef MASING_CLI_LOOP_JOINT_H
#define MASING_CLI_LOOP_JOINT_H

#include "cli/command.h"
#include "masing/model.h"

/* The joint of that name, or the first; loops are those of joints that are one entry of the
 * model by themselves. NULL: there is none. */
const struct masing_joint_spec *loop_joint(const struct masing_spec *spec, const char *name);

/* The loop that a picture shows of a joint: of several axes the first but the normal one, which
 * is the first of the law. */
const char *loop_joint_name(struct pool *pool, const struct masing_joint_spec *joint);

#endif
