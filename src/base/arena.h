/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many pieces with one lifetime: all are released together. An object whose create function
 * takes an arena lives as long as that: there is nothing to destroy, also after a failure.
 */
#ifndef MASING_BASE_ARENA_H
#define MASING_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

/* Zero-initialised is empty. */
struct arena {
    struct arena_block *blocks;
    bool has_failed; /* a piece was not to be had: one check serves after many of them */
};

/* Zeroed memory for any object; NULL when there is none. */
void *arena_allocate(struct arena *arena, size_t size);

/* Zeroed arrays. A count of 0 gives a pointer. */
void *arena_array(struct arena *arena, size_t count, size_t size);
double *arena_doubles(struct arena *arena, size_t count);

/* A copy of @p length bytes with a 0 behind them. */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* All pieces of another arena, which is empty then. */
void arena_take(struct arena *arena, struct arena *other);

void arena_clear(struct arena *arena);

#endif
