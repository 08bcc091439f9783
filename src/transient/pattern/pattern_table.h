/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bases of patterns of contact states, kept by what tells one pattern from another: any numbers
 * of the caller's, by which it also finds the basis. The pattern that was used longest ago
 * makes room for a new one. Mutable throughout: of one thread.
 */
#ifndef MASING_TRANSIENT_PATTERN_PATTERN_TABLE_H
#define MASING_TRANSIENT_PATTERN_PATTERN_TABLE_H

#include "transient/pattern/pattern_basis.h"

/* No basis was sought yet; there is one; there is none. */
enum pattern_state { PATTERN_NEW, PATTERN_SOUND, PATTERN_REFUSED };

struct pattern_entry {
    double *key;    /* [key_size] */
    long last_used; /* 0: never */
    enum pattern_state state;
    struct pattern_basis basis;
};

/* As many patterns as fit into so many doubles, but at least and at most so many. */
struct pattern_limits {
    int fewest, most;
    size_t doubles;
};

struct pattern_table {
    struct pattern_builder *builder;
    size_t key_size;
    int n_kept;
    struct pattern_entry *kept; /* [n_kept] they stay where they are */
    long n_used, n_new;         /* how often any was used; how many patterns there were */
};

/* For a structure and its axes, lent. Clear it also after a failure. */
enum masing_status pattern_table_create(const struct modal_state *modal, size_t key_size,
                                        const struct pattern_limits *limits,
                                        struct arena *arena, struct pattern_table *table,
                                        struct masing_error *error);
void pattern_table_clear(struct pattern_table *table);

/* Index of the pattern of a key; PATTERN_NEW where another one had that place, or none. Those
 * that were used since n_used was `since` keep their places: -1 where all were. */
int pattern_table_find(struct pattern_table *table, const double *key, long since);

#endif
