/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/pool.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct pool_block {
    struct pool_block *previous;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *pool_take(struct pool *pool, size_t count, size_t size)
{
    struct pool_block *block = NULL;
    if (size == 0 || count <= (SIZE_MAX - sizeof *block) / size) {
        block = calloc(1, sizeof *block + count * size);
    }
    if (!block) {
        fputs("masing: out of memory\n", stderr);
        exit(1);
    }
    block->previous = pool->last;
    pool->last = block;
    return block->bytes;
}

char *pool_format(struct pool *pool, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = pool_take(pool, length < 0 ? 1 : (size_t)length + 1, 1);
    if (length > 0) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    return text;
}

void pool_release(struct pool *pool)
{
    while (pool->last) {
        struct pool_block *block = pool->last;
        pool->last = block->previous;
        free(block);
    }
}
