/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of others, made fit for a terminal. */
#ifndef MASING_BASE_PRINTABLE_H
#define MASING_BASE_PRINTABLE_H

#include <stddef.h>

/*
 * @p text with what cannot be shown (see masing_text_is_printable) as `\x1b` or `\ufffe`, and
 * bytes that are not UTF-8 as `\xe9`, in @p shown of @p size bytes, cut there like snprintf.
 * Returns the length of the whole.
 */
size_t printable_put(const char *text, size_t length, char *shown, size_t size);

#endif
