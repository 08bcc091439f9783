/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library's own allocations, of which one fails on demand: linked with --wrap, so that
 * those of foreign libraries do not (for them failing_memory.h). Include it in one file of a
 * test program.
 */
#ifndef MASING_TESTS_WRAPPED_MEMORY_H
#define MASING_TESTS_WRAPPED_MEMORY_H

#include <stddef.h>

#include "masing/status.h"
#include "tap.h"

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

/* Each allocation of a run fails once in turn, or one in so many. */
static inline void sweep(enum masing_status (*run)(struct masing_error *error), long step)
{
    struct masing_error error = {0};
    n_allocations = fails_at = 0;
    if (!CHECK(run(&error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    long total = n_allocations;
    CHECK(total > 20);
    for (long k = 1; k <= total; k += step) {
        struct masing_error failure = {0};
        n_allocations = 0;
        fails_at = k;
        enum masing_status status = run(&failure);
        if (!CHECK(status == MASING_NO_MEMORY && failure.status == MASING_NO_MEMORY &&
                   failure.message[0])) {
            printf("# allocation %ld of %ld: status %d, %s\n", k, total, (int)status,
                   failure.message);
        }
    }
    printf("# %ld allocations failed in turn\n", (total + step - 1) / step);
    fails_at = 0;
}

#endif
