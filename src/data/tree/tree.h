/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named arrays in groups: what a file that holds several tables contains, whatever its format.
 * Names are as they are meant; each format makes them valid in its own way.
 */
#ifndef MASING_DATA_TREE_H
#define MASING_DATA_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "masing/status.h"

/* The values of an array, one behind the other, the last index running fastest. */
enum tree_type {
    TREE_REAL,    /* double */
    TREE_INTEGER, /* int */
    TREE_COMPLEX, /* double [2] */
    TREE_TEXT,    /* const char *; NULL is an empty text */
};

enum { TREE_MOST_DIMENSIONS = 3 };

struct tree_array {
    const char *name, *unit; /* unit: NULL: not known */
    enum tree_type type;
    int rank; /* 0: one value */
    size_t sizes[TREE_MOST_DIMENSIONS];
    const void *values; /* NULL: they are put together by `fill` when they are asked for */
    void (*fill)(const struct tree_array *array, void *values);
    const void *source; /* of `fill` */
    size_t first;       /* likewise */
};

struct tree_group {
    const char *name;
    bool is_list; /* its groups are numbered from 0, with the same arrays in each */
    int n_attributes, n_arrays, n_groups;
    struct tree_array *attributes; /* of rank 0 */
    struct tree_array *arrays;
    struct tree_group *groups;
};

/* How many values an array has, and how many bytes one takes. */
size_t tree_array_count(const struct tree_array *array);
size_t tree_array_item(const struct tree_array *array);

/* Its values: those that are there, or new ones, which are put down in *own to be freed. */
enum masing_status tree_array_values(const struct tree_array *array, const void **values,
                                     void **own, struct masing_error *error);

/* What of a name a format does not allow becomes another character, in place. */
typedef void tree_name_rule(char *name);

/* Valid names for the arrays of a group, no two alike, of at most so many bytes: of those that
 * would be, later ones end in _2, _3, ... A piece of the arena. */
enum masing_status tree_names(const struct tree_array *arrays, int n, tree_name_rule *rule,
                              size_t longest, struct arena *arena, const char ***names,
                              struct masing_error *error);

/* Digits of the numbers of a list: equal for all, and at least four. */
int tree_digits(int n_groups);

/* Write a tree to a stream; file: its name in messages. */
enum masing_status tree_write_hdf5(const struct tree_group *root, FILE *stream,
                                   const char *file, struct masing_error *error);

/*
 * The same for MATLAB and Octave (level 5), under a path that is there already: each array,
 * group and attribute of the root is a variable; a group is a struct, a list of groups a struct
 * array, and `columns.GROUP` says of each of its fields the name and the unit. limit: bytes
 * that a variable may have, 0: as many as the format allows. MASING_UNSUPPORTED, and nothing
 * written, where one has more.
 */
enum masing_status tree_write_matlab(const struct tree_group *root, const char *path,
                                     const char *file, double limit,
                                     struct masing_error *error);

#endif
