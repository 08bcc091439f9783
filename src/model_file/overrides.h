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

/* --- shared by the files of this module --------------------------------------------------- */

enum { OVERRIDES_LONGEST_PATH = 200 };

/* `name:` of a joint or load, "" where it has none. */
const char *overrides_name_of(const struct tree_node *node);

/* "--set PATH: no such number; did you mean ...?", MASING_INVALID. */
enum masing_status overrides_fail_unknown(const struct tree *tree, const char *path,
                                          struct masing_error *error);

#endif
