/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/entry.h"

#include <string.h>

#include "base/check.h"

/* No struct of the interface will ever be as large: memory that was not initialised. */
enum { MOST_BYTES = 1 << 20 };

struct masing_error *entry_begin(struct masing_error *error, struct masing_error *own)
{
    error = error ? error : own;
    masing_error_clear(error);
    return error;
}

enum masing_status entry_need(const void *pointer, const char *what, struct masing_error *error)
{
    return pointer ? MASING_OK
                   : masing_error_set(error, MASING_INVALID, "%s: NULL was given", what);
}

enum masing_status entry_need_array(int n, const void *pointer, const char *what,
                                    struct masing_error *error)
{
    if (n < 0 || (n > 0 && !pointer)) {
        return masing_error_set(error, MASING_INVALID, "%s: %s for %d members", what,
                                pointer ? "an array" : "NULL was given", n);
    }
    return MASING_OK;
}

static bool can_be(size_t size)
{
    return size == 0 || (size >= sizeof size && size <= MOST_BYTES);
}

enum masing_status entry_check(const void *given, const char *what, struct masing_error *error)
{
    size_t size = given ? *(const size_t *)given : 0;
    if (!can_be(size)) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: its size is %zu, expected sizeof of the struct, or 0 with "
                                "all that follows",
                                what, size);
    }
    return MASING_OK;
}

size_t entry_size(const void *given, size_t size)
{
    size_t own = *(const size_t *)given;
    return own ? own : size;
}

enum masing_status entry_read(const void *given, const char *what, void *known, size_t size,
                              struct masing_error *error)
{
    memset(known, 0, size);
    NEED(entry_check(given, what, error));
    if (given) {
        size_t theirs = entry_size(given, size);
        for (size_t i = size; i < theirs; i++) {
            if (((const unsigned char *)given)[i]) {
                return masing_error_set(error, MASING_UNSUPPORTED,
                                        "%s: a member is set that version %s does not know",
                                        what, masing_version());
            }
        }
        memcpy(known, given, theirs < size ? theirs : size);
    }
    memcpy(known, &size, sizeof size);
    return MASING_OK;
}

void entry_zero(void *given, size_t size)
{
    size_t own = *(const size_t *)given;
    memset(given, 0, can_be(own) ? entry_size(given, size) : size);
    memcpy(given, &own, sizeof own);
}

bool entry_write(void *given, const void *known, size_t size)
{
    if (!given || !can_be(*(const size_t *)given)) {
        return false;
    }
    size_t own = *(const size_t *)given, theirs = entry_size(given, size);
    entry_zero(given, size);
    memcpy(given, known, theirs < size ? theirs : size);
    memcpy(given, &own, sizeof own);
    return true;
}
