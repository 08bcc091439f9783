/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names to indices, fast for thousands of them. */
#ifndef MASING_MODEL_NAMES_H
#define MASING_MODEL_NAMES_H

#include <stddef.h>

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

/*
 * things [n], each of `size` bytes: structs that begin with a pointer to their name, or such
 * pointers alone. Things without a name (NULL) are left out.
 */
enum masing_status names_create(const void *things, int n, size_t size, struct names *names,
                                struct masing_error *error);
void names_clear(struct names *names);

/* Index of a name in the list, or -1. */
int names_find(const struct names *names, const char *name);

/* The name of one thing. */
const char *names_at(const void *things, size_t size, int index);

/* Index of the thing with a name, one after the other; -1: none. */
int names_search(const void *things, int n, size_t size, const char *name);

/* Of the names that stand in the list more than once, the earliest repetition; else -1. */
int names_repeated(const struct names *names, int *first);

/*
 * NULL where a text can be a name of a DOF, joint, load or output (and of columns made from
 * it), otherwise what is wrong with it.
 */
const char *names_fault(const char *name);

#endif
