/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways out of a fallible function: NEED returns at once, where there is nothing to release.
 * TRY jumps to a label `done:` at the end, where everything half-built is released and a local
 * `enum masing_status status` is returned.
 */
#ifndef MASING_BASE_CHECK_H
#define MASING_BASE_CHECK_H

#include "masing/status.h"

#define TRY(expression)                                                                        \
    do {                                                                                       \
        status = (expression);                                                                 \
        if (status != MASING_OK) {                                                             \
            goto done;                                                                         \
        }                                                                                      \
    } while (0)

/* The same with MASING_NO_MEMORY where an allocation gave NULL. Needs `error` in scope. */
#define TRY_ALLOCATED(pointer)                                                                 \
    do {                                                                                       \
        if (!(pointer)) {                                                                      \
            status = masing_error_set(error, MASING_NO_MEMORY, "out of memory");               \
            goto done;                                                                         \
        }                                                                                      \
    } while (0)

#define NEED(expression)                                                                       \
    do {                                                                                       \
        enum masing_status needed_status = (expression);                                       \
        if (needed_status != MASING_OK) {                                                      \
            return needed_status;                                                              \
        }                                                                                      \
    } while (0)

#define NEED_ALLOCATED(pointer)                                                                \
    do {                                                                                       \
        if (!(pointer)) {                                                                      \
            return masing_error_set(error, MASING_NO_MEMORY, "out of memory");                 \
        }                                                                                      \
    } while (0)

#endif
