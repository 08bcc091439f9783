/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines and words of a data file, each with its place. */
#ifndef MASING_DATA_TEXT_LINES_H
#define MASING_DATA_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/status.h"

struct text_lines {
    const char *file; /* for messages */
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
                      size_t length, char comment);
bool text_lines_next(struct text_lines *lines);

/* The next line that holds something and is no comment; how many there are from here. */
bool text_lines_next_data(struct text_lines *lines);
int text_lines_count_data(const struct text_lines *lines);

/* Words between blanks; *position starts at 0. False at the end of the line. */
bool text_lines_word(const struct text_lines *lines, size_t *position, struct text_word *word);

/* Fields between commas, blanks around them cut off; quotes are not special. */
bool text_lines_field(const struct text_lines *lines, size_t *position,
                      struct text_word *field);

/* Length of the part that a message shows. */
int text_word_shown(const struct text_word *word);
bool text_word_equals(const struct text_word *word, const char *text, bool ignores_case);

/* MASING_INVALID "FILE:LINE:COLUMN: ..." */
enum masing_status text_lines_fail(const struct text_lines *lines, int column,
                                   struct masing_error *error, const char *format, ...)
    MASING_PRINTF(4, 5);

enum masing_status text_lines_number(const struct text_lines *lines,
                                     const struct text_word *word, const char *name,
                                     double *value, struct masing_error *error);

/* A whole number in [minimum, maximum]. */
enum masing_status text_lines_integer(const struct text_lines *lines,
                                      const struct text_word *word, const char *name,
                                      int minimum, int maximum, int *value,
                                      struct masing_error *error);

#endif
