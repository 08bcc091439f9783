/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units of what moves or turns: laws give theirs for displacements. */
#ifndef MASING_CLI_UNIT_H
#define MASING_CLI_UNIT_H

#include "masing/model.h"

/* Whether all DOFs of a combination are rotations, by their names: r, or NODE.rx, .ry, .rz. */
bool unit_turns(const struct masing_spec *spec, const struct masing_combination *combination);

/* Whether a joint has one axis, and that is between rotations. */
bool unit_joint_turns(const struct masing_spec *spec, const struct masing_joint_spec *joint);

/* Whether a joint by its name, or all of them for NULL, is so. */
bool unit_joints_turn(const struct masing_spec *spec, const char *name);

/* A unit of a law, "N/m"; "N m/rad" where its joint turns. */
const char *unit_of(const char *unit, bool turns);

#endif
