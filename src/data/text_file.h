/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text files as a whole, with a limit on their size, and places in them. */
#ifndef MASING_DATA_TEXT_FILE_H
#define MASING_DATA_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/status.h"

enum { TEXT_FILE_LIMIT = 64 * 1024 * 1024 };

/* How messages call it. */
#define TEXT_FILE_STANDARD_INPUT "standard input"

/*
 * The bytes of a file (NULL: of standard input) and a 0 behind them; *text is owned by the caller.
 * Errors: MASING_IO "FILE: cannot be read: REASON", MASING_INVALID beyond @p limit bytes.
 */
enum masing_status text_file_read(const char *file, size_t limit, char **text, size_t *length,
                                  struct masing_error *error);

/*
 * Refuse what is no text: empty files, control characters, UTF-16 and, with @p is_utf8, what is
 * not UTF-8. "FILE:LINE:COLUMN: ..."
 */
enum masing_status text_check(const char *text, size_t length, bool is_utf8, const char *file,
                              struct masing_error *error);

/* Bytes of a UTF-8 byte order mark at the beginning: 3 or 0. */
size_t text_mark_length(const char *text, size_t length);

/* Line and column (characters, both from 1) of a byte. */
struct masing_place text_place(const char *text, size_t length, size_t offset);

/* @p name as seen from the folder of @p file, unless it is absolute; owned by the caller. */
char *text_file_beside(const char *file, const char *name);

#endif
