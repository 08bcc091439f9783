/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suggestions out of lists of names; distances between names. */
#ifndef MASING_DATA_SUGGEST_H
#define MASING_DATA_SUGGEST_H

#include <stddef.h>

#include "masing/suggest.h"

/* All of a NULL-terminated list; NULL is empty. */
void suggest_consider_all(struct masing_suggestion *suggestion, const char *const *candidates);

/* Append the names of a NULL-terminated list, "a, b, c", as far as there is room. */
void suggest_list(const char *const *names, char *list, size_t size);

/* Insertions, deletions, replacements and swaps of neighbours; case counts half. Names longer
 * than 63 bytes are not compared (the answer is large). In half units. */
int suggest_distance(const char *a, const char *b);

#endif
