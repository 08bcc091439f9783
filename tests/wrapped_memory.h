/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library's own allocations, of which one fails on demand: linked with --wrap, so that
 * those of foreign libraries do not (for them failing_memory.h). Include it in one file of a
 * test program.
 */
#ifndef MASING_TESTS_WRAPPED_MEMORY_H
#define MASING_TESTS_WRAPPED_MEMORY_H

#include <stddef.h>

void *__real_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *pointer, size_t size);

/* Allocations of the library so far, and the one that fails. */
static long n_allocations, fails_at;

static int is_failing(void)
{
    return __atomic_add_fetch(&n_allocations, 1, __ATOMIC_SEQ_CST) == fails_at;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_failing() ? NULL : __real_calloc(count, size);
}

void *__wrap_malloc(size_t size)
{
    return is_failing() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *pointer, size_t size)
{
    return is_failing() ? NULL : __real_realloc(pointer, size);
}

#endif
