/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text files: their bytes, with a limit on their size, places in them, lines and words. */
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
 * The bytes of a file (NULL: of standard input) and a 0 behind them; *text is owned by the
 * caller. Errors: MASING_IO "FILE: cannot be read: REASON", MASING_INVALID beyond @p limit
 * bytes.
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

/* --- lines and words, each with its place ------------------------------------------------- */

struct text_lines {
    const char *file; /* for messages */
    struct masing_error *error;
    const char *next, *end;
    int number; /* of the current line, from 1 */
    const char *line;
    size_t length; /* without the line's end */
    char comment;  /* with what a comment begins */
};

/* A piece of the current line. */
struct text_word {
    const char *text;
    size_t length;
    int column; /* from 1 */
};

void text_lines_begin(struct text_lines *lines, const char *file, const char *text,
                      size_t length, char comment, struct masing_error *error);

/* Of a file, with # comments, whose text has been checked; *text is owned by the caller, and
 * lives as long as the lines. */
enum masing_status text_lines_read(struct text_lines *lines, const char *file, char **text,
                                   struct masing_error *error);
bool text_lines_next(struct text_lines *lines);

/* The next line that holds something and is no comment; how many there are from here. */
bool text_lines_next_data(struct text_lines *lines);
int text_lines_count_data(const struct text_lines *lines);

/* Words between blanks; *position starts at 0. False at the end of the line. */
bool text_lines_word(const struct text_lines *lines, size_t *position, struct text_word *word);

/* Fields between commas, blanks around them cut off; quotes are not special. */
bool text_lines_field(const struct text_lines *lines, size_t *position,
                      struct text_word *field);

/* Cut off blanks around it. */
void text_word_trim(struct text_word *word);

/* Length of the part that a message shows. */
int text_word_shown(const struct text_word *word);
bool text_word_equals(const struct text_word *word, const char *text, bool ignores_case);

/* MASING_INVALID "FILE:LINE:COLUMN: ..." */
enum masing_status text_lines_fail(const struct text_lines *lines, int column,
                                   const char *format, ...) MASING_PRINTF(3, 4);

enum masing_status text_lines_number(const struct text_lines *lines,
                                     const struct text_word *word, const char *name,
                                     double *value);

/* A whole number in [minimum, maximum]. */
enum masing_status text_lines_integer(const struct text_lines *lines,
                                      const struct text_word *word, const char *name,
                                      int minimum, int maximum, int *value);

#endif
