/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many small pieces with one lifetime: all are released together. */
#ifndef MASING_DATA_ARENA_H
#define MASING_DATA_ARENA_H

#include <stddef.h>

struct arena_block;

/* Zero-initialised is empty. */
struct arena {
    struct arena_block *blocks;
};

/* Zeroed memory for any object; NULL when there is none. */
void *arena_allocate(struct arena *arena, size_t size);

/* A copy of @p length bytes with a 0 behind them. */
char *arena_text(struct arena *arena, const char *text, size_t length);

void arena_clear(struct arena *arena);

#endif
