/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/text_lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "data/number.h"
#include "data/text_file.h"

enum { LONGEST_NUMBER = 320 };

void text_lines_begin(struct text_lines *lines, const char *file, const char *text,
                      size_t length, char comment)
{
    size_t mark = text_mark_length(text, length);
    *lines = (struct text_lines){.file = file,
                                 .next = text + mark,
                                 .end = text + length,
                                 .line = text,
                                 .comment = comment};
}

bool text_lines_next(struct text_lines *lines)
{
    const char *p = lines->next;
    if (p >= lines->end) {
        return false;
    }
    while (p < lines->end && *p != '\n' && *p != '\r') {
        p++;
    }
    lines->line = lines->next;
    lines->length = (size_t)(p - lines->next);
    lines->number++;
    bool is_pair = p + 1 < lines->end && p[0] == '\r' && p[1] == '\n';
    lines->next = p + (p < lines->end) + is_pair;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool text_lines_word(const struct text_lines *lines, size_t *position, struct text_word *word)
{
    size_t begin = *position;
    while (begin < lines->length && is_blank(lines->line[begin])) {
        begin++;
    }
    size_t end = begin;
    while (end < lines->length && !is_blank(lines->line[end])) {
        end++;
    }
    *position = end;
    *word = (struct text_word){lines->line + begin, end - begin, (int)begin + 1};
    return end > begin;
}

bool text_lines_next_data(struct text_lines *lines)
{
    while (text_lines_next(lines)) {
        struct text_word word;
        size_t position = 0;
        if (text_lines_word(lines, &position, &word) && word.text[0] != lines->comment) {
            return true;
        }
    }
    return false;
}

int text_lines_count_data(const struct text_lines *lines)
{
    struct text_lines copy = *lines;
    int count = 0;
    while (text_lines_next_data(&copy)) {
        count++;
    }
    return count;
}

bool text_lines_field(const struct text_lines *lines, size_t *position, struct text_word *field)
{
    size_t begin = *position;
    if (begin > lines->length) {
        return false;
    }
    size_t end = begin;
    while (end < lines->length && lines->line[end] != ',') {
        end++;
    }
    *position = end + 1;
    while (begin < end && is_blank(lines->line[begin])) {
        begin++;
    }
    while (end > begin && is_blank(lines->line[end - 1])) {
        end--;
    }
    *field = (struct text_word){lines->line + begin, end - begin, (int)begin + 1};
    return true;
}

bool text_word_equals(const struct text_word *word, const char *text, bool ignores_case)
{
    return strlen(text) == word->length &&
           (ignores_case ? strncasecmp(word->text, text, word->length)
                         : strncmp(word->text, text, word->length)) == 0;
}

enum masing_status text_lines_fail(const struct text_lines *lines, int column,
                                   struct masing_error *error, const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return masing_error_set(error, MASING_INVALID, "%.400s:%d:%d: %s", lines->file,
                            lines->number, column, what);
}

int text_word_shown(const struct text_word *word)
{
    return word->length < 40 ? (int)word->length : 40;
}

enum masing_status text_lines_number(const struct text_lines *lines,
                                     const struct text_word *word, const char *name,
                                     double *value, struct masing_error *error)
{
    char text[LONGEST_NUMBER];
    const char *reason = "it is too long, expected a number";
    if (word->length < sizeof text) {
        memcpy(text, word->text, word->length);
        text[word->length] = 0;
        reason = number_parse(text, value);
    }
    if (!reason) {
        return MASING_OK;
    }
    return text_lines_fail(lines, word->column, error, "%s: '%.*s' is not a number: %s", name,
                           text_word_shown(word), word->text, reason);
}

enum masing_status text_lines_integer(const struct text_lines *lines,
                                      const struct text_word *word, const char *name,
                                      int minimum, int maximum, int *value,
                                      struct masing_error *error)
{
    double number = 0.0;
    enum masing_status status = text_lines_number(lines, word, name, &number, error);
    if (status != MASING_OK) {
        return status;
    }
    if (number != floor(number) || number < minimum || number > maximum) {
        return text_lines_fail(lines, word->column, error,
                               "%s: expected a whole number from %d to %d, found '%.*s'", name,
                               minimum, maximum, text_word_shown(word), word->text);
    }
    *value = (int)number;
    return MASING_OK;
}
