/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the parts of a specification stand in the tree that it was read from. */
#ifndef MASING_MODEL_FILE_LOCATE_H
#define MASING_MODEL_FILE_LOCATE_H

#include "model_file/tree.h"

struct tree_locator {
    struct masing_locator locator; /* first: it is what the specification is lent */
    const char *file;
    const struct tree *tree; /* as read: the rows of files are known */
};

/* File and tree are lent. */
struct tree_locator tree_locator(const char *file, const struct tree *tree);

#endif
