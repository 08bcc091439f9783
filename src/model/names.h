/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names to indices, fast for thousands of them. */
#ifndef MASING_MODEL_NAMES_H
#define MASING_MODEL_NAMES_H

#include "masing/status.h"

struct names_entry {
    const char *name;
    int index;
};

/* Sorted; zero-initialised is empty. The names are lent and must outlive it. */
struct names {
    int n;
    struct names_entry *entries;
};

enum masing_status names_create(char *const *list, int n, struct names *names,
                                struct masing_error *error);
void names_clear(struct names *names);

/* Index of a name in the list, or -1. */
int names_find(const struct names *names, const char *name);

/* Of the names that stand in the list more than once, the earliest repetition; else -1. */
int names_repeated(const struct names *names, int *first);

/*
 * NULL where a text can be a name of a DOF, joint, load or output (and of columns made from
 * it), otherwise what is wrong with it.
 */
const char *names_fault(const char *name);

#endif
