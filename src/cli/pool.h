/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that lives as long as one command: taken piece by piece, released at once. */
#ifndef MASING_CLI_POOL_H
#define MASING_CLI_POOL_H

#include <stddef.h>

struct pool_block;

struct pool {
    struct pool_block *last;
};

/* Zeroed memory; ends the program with status 1 where there is none. */
void *pool_take(struct pool *pool, size_t count, size_t size);
char *pool_format(struct pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pool_release(struct pool *pool);

#endif
