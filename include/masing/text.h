/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Texts: their characters, and files that hold one.
 */
#ifndef MASING_TEXT_H
#define MASING_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What masing_text_next gives for bytes that are not UTF-8. */
#define MASING_TEXT_NOT_UTF8 0xFFFFFFFFu

/**
 * The character at @p text, of which @p length bytes are left, at least one: its bytes are
 * counted, and @p code, which must not be NULL, is its number. What is not UTF-8 (Unicode 15,
 * table 3-7) is taken a byte at a time.
 */
MASING_API size_t masing_text_next(const char *text, size_t length, unsigned *code);

/**
 * Whether a character can be shown and stand in XML and YAML as it is: no control character
 * (a line feed and a tab are none here) and neither U+FFFE nor U+FFFF.
 */
MASING_API bool masing_text_is_printable(unsigned code);

/**
 * A file with this text, which takes the place of an earlier one when it is whole.
 * Errors: MASING_IO "FILE: cannot write: REASON".
 */
MASING_API enum masing_status masing_text_write(const char *file, const char *text,
                                                struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
