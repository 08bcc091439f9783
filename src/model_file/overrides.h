/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers replaced from outside, by path: a parameter's name, KEY.KEY..., NAME.KEY for a joint
 * or load of that name; members of a list by their number from 0 or by their name.
 */
#ifndef MASING_MODEL_FILE_OVERRIDES_H
#define MASING_MODEL_FILE_OVERRIDES_H

#include "model_file/tree.h"

/* In order; the last of two for one path holds. Errors: MASING_INVALID "--set PATH: ...". */
enum masing_status overrides_apply(struct tree *tree, const struct masing_override *overrides,
                                   int n_overrides, struct masing_error *error);

#endif
