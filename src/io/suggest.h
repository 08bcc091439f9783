/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "did you mean ...?": the nearest of a set of names, candidate by candidate. */
#ifndef MASING_IO_SUGGEST_H
#define MASING_IO_SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *wanted;
    const char *nearest; /* NULL where nothing is near */
    int distance;
};

struct suggestion suggest_begin(const char *wanted);
void suggest_consider(struct suggestion *suggestion, const char *candidate);

/* All of a NULL-terminated list; NULL is empty. */
void suggest_consider_all(struct suggestion *suggestion, const char *const *candidates);

/* Append the names of a NULL-terminated list, "a, b, c", as far as there is room. */
void suggest_list(const char *const *names, char *list, size_t size);

/* Insertions, deletions, replacements and swaps of neighbours; case counts half. Names longer
 * than 63 bytes are not compared (the answer is large). In half units. */
int suggest_distance(const char *a, const char *b);

/* " (did you mean 'x'?)" or "" */
const char *suggest_text(const struct suggestion *suggestion, char *text, size_t size);

#endif
