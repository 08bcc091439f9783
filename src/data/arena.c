/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 16384 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *block_create(struct arena_block *next, size_t size)
{
    size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    struct arena_block *block = calloc(1, sizeof *block + capacity);
    if (block) {
        block->next = next;
        block->size = capacity;
    }
    return block;
}

void *arena_allocate(struct arena *arena, size_t size)
{
    const size_t alignment = alignof(max_align_t);
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (size + alignment - 1) / alignment * alignment;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        block = block_create(arena->blocks, size);
        if (!block) {
            return NULL;
        }
        arena->blocks = block;
    }
    void *piece = block->bytes + block->used;
    block->used += size;
    return piece;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_allocate(arena, length + 1);
    if (copy && length) {
        memcpy(copy, text, length);
    }
    return copy;
}

void arena_clear(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
