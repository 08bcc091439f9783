/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A law's parameters and the constants derived from them, for people. */
#ifndef MASING_CLI_LAW_TEXT_H
#define MASING_CLI_LAW_TEXT_H

#include "masing/model.h"

/* NULL and an error with a suggestion where there is none of that name. */
const struct masing_law *law_text_find(const char *name, struct masing_error *error);

/* Width of the column of names, so that all lines of a law's joint are in line. */
int law_text_width(const struct masing_law *law);

/* Of joints of one law, between rotations or not: a line for each parameter that is given, "
 * name value unit", and for each derived constant that the parameters do not give already; a
 * number that differs between the joints as "from ... to ...". */
void law_text_joints(const struct masing_joint_spec *joints, int n_joints, bool turns);

/* Where accepted parameters can create energy: "beyond |x| = 0.00725 m", "in some motions; no
 * limit is known", or NULL where they cannot, are meant to, or the law's own caution says it.
 */
const char *law_text_energy(const struct masing_law *law, const void *parameters, bool turns,
                            char *text, size_t size);

#endif
