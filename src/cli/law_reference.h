/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Laws described from their own tables, for people (text) and for the manual (Markdown). */
#ifndef MASING_CLI_LAW_REFERENCE_H
#define MASING_CLI_LAW_REFERENCE_H

#include <stdbool.h>

#include "cli/pool.h"
#include "cli/text_table.h"
#include "masing/law.h"

/* Everything about one law. */
void law_reference_print(struct pool *pool, const struct masing_law *law, bool is_markdown);

/* A table to standard output, its first row being the heads. */
void law_reference_table(const struct text_table *table, bool is_markdown);

#endif
