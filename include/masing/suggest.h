/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * "did you mean ...?": the nearest of a set of names, candidate by candidate.
 */
#ifndef MASING_SUGGEST_H
#define MASING_SUGGEST_H

#include <stddef.h>

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MASING_SUGGESTION_LENGTH = 128 };

struct masing_suggestion {
    const char *wanted;
    const char *nearest; /**< NULL where nothing is near; lent by the caller */
    int distance;        /**< of the nearest, in half letters */
};

/** No candidate yet; @p wanted is kept by reference. */
MASING_API struct masing_suggestion masing_suggest_begin(const char *wanted);

/**
 * Remember a candidate that is nearer than those before and has at most two letters of five
 * wrong. Insertions, deletions, replacements and swaps of neighbours count one letter, another
 * case half of one. Names longer than 63 bytes are not compared.
 */
MASING_API void masing_suggest_consider(struct masing_suggestion *suggestion,
                                        const char *candidate);

/** " (did you mean 'x'?)" or "", in @p text of @p size bytes, which is returned. */
MASING_API const char *masing_suggest_text(const struct masing_suggestion *suggestion,
                                           char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
