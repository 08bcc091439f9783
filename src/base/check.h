/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way out of a fallible function: a local `enum masing_status status` and a label
 * `done:` at its end, where everything half-built is released and status is returned.
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

/* Jump to `done` with MASING_NO_MEMORY where an allocation gave NULL. Needs `error` in scope.
 */
#define TRY_ALLOCATED(pointer)                                                                 \
    do {                                                                                       \
        if (!(pointer)) {                                                                      \
            status = masing_error_set(error, MASING_NO_MEMORY, "out of memory");               \
            goto done;                                                                         \
        }                                                                                      \
    } while (0)

#endif
