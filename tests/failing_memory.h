/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that runs out on demand: this program's malloc, calloc and realloc stand before those
 * of the C library (or of the address sanitizer), for foreign libraries too. Include it in one
 * file of a test program.
 */
#ifndef MASING_TESTS_FAILING_MEMORY_H
#define MASING_TESTS_FAILING_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FAILING_MEMORY_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(FAILING_MEMORY_SANITIZED)
#define FAILING_MEMORY_REAL(function) __interceptor_##function
#else
#define FAILING_MEMORY_REAL(function) __libc_##function
#endif

void *FAILING_MEMORY_REAL(malloc)(size_t size);
void *FAILING_MEMORY_REAL(calloc)(size_t count, size_t size);
void *FAILING_MEMORY_REAL(realloc)(void *old, size_t size);

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);

/* Allocations until one fails; negative: none fails. It fails once. */
static long failing_memory_countdown = -1;
static bool failing_memory_has_failed;

static bool failing_memory_is_due(void)
{
    if (failing_memory_countdown < 0 || failing_memory_countdown-- > 0) {
        return false;
    }
    failing_memory_has_failed = true;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return failing_memory_is_due() ? NULL : FAILING_MEMORY_REAL(malloc)(size);
}

void *calloc(size_t count, size_t size)
{
    return failing_memory_is_due() ? NULL : FAILING_MEMORY_REAL(calloc)(count, size);
}

void *realloc(void *old, size_t size)
{
    return failing_memory_is_due() ? NULL : FAILING_MEMORY_REAL(realloc)(old, size);
}

/* Let the allocation after @p good ones fail. */
static void failing_memory_arm(long good)
{
    failing_memory_has_failed = false;
    failing_memory_countdown = good;
}

/* Back to normal; true where an allocation failed since it was armed. */
static bool failing_memory_disarm(void)
{
    failing_memory_countdown = -1;
    return failing_memory_has_failed;
}

#endif
