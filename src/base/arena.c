/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Pieces larger than this have a block of their own; with AddressSanitizer all of them, so that
 * it sees what is written behind a piece. */
#ifdef __SANITIZE_ADDRESS__
enum { BLOCK_SIZE = 0 };
#else
enum { BLOCK_SIZE = 1024 };
#endif

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

/* A block for this size, in front of the others or, where only one piece goes in, behind the
 * first. */
static struct arena_block *add_block(struct arena *arena, size_t size)
{
    struct arena_block **place =
        arena->blocks && size > BLOCK_SIZE ? &arena->blocks->next : &arena->blocks;
    size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    struct arena_block *block = calloc(1, sizeof *block + capacity);
    if (block) {
        block->next = *place;
        block->size = capacity;
        *place = block;
    }
    return block;
}

void *arena_allocate(struct arena *arena, size_t size)
{
    const size_t alignment = alignof(max_align_t);
    struct arena_block *block = arena->blocks;
    if (size <= SIZE_MAX / 2) {
        size = (size + alignment - 1) / alignment * alignment;
        block = block && block->size - block->used >= size ? block : add_block(arena, size);
    } else {
        block = NULL;
    }
    if (!block) {
        arena->has_failed = true;
        return NULL;
    }
    void *piece = block->bytes + block->used;
    block->used += size;
    return piece;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    return arena_allocate(arena, count <= SIZE_MAX / size ? count * size : SIZE_MAX);
}

double *arena_doubles(struct arena *arena, size_t count)
{
    return arena_array(arena, count, sizeof(double));
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_allocate(arena, length + 1);
    if (copy && length) {
        memcpy(copy, text, length);
    }
    return copy;
}

void arena_take(struct arena *arena, struct arena *other)
{
    struct arena_block **end = &other->blocks;
    while (*end) {
        end = &(*end)->next;
    }
    *end = arena->blocks;
    arena->blocks = other->blocks;
    other->blocks = NULL;
}

void arena_clear(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
