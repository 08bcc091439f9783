/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/text_file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/number.h"
#include "masing/text.h"

enum { CHUNK = 65536, LONGEST_NUMBER = 320 };

static enum masing_status fail_io(const char *file, int number, struct masing_error *error)
{
    if (number == ENOMEM) {
        return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    char reason[160] = "";
    if (strerror_r(number, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", number);
    }
    return masing_error_set(error, MASING_IO, "%.400s: cannot be read: %s", file, reason);
}

static enum masing_status read_stream(FILE *stream, const char *file, size_t limit, char **text,
                                      size_t *length, struct masing_error *error)
{
    size_t capacity = 0, got;
    do {
        NEED_ALLOCATED(memory_grow((void **)text, *length + CHUNK + 1, &capacity, 1));
        errno = 0;
        got = fread(*text + *length, 1, CHUNK, stream);
        *length += got;
        if (*length > limit) {
            return masing_error_set(error, MASING_INVALID,
                                    "%.400s: is larger than the limit of %zu MiB", file,
                                    limit / (1024 * 1024));
        }
    } while (got == CHUNK);
    if (ferror(stream)) {
        NEED(fail_io(file, errno, error));
    }
    (*text)[*length] = 0;
    return MASING_OK;
}

enum masing_status text_file_read(const char *file, size_t limit, char **text, size_t *length,
                                  struct masing_error *error)
{
    *text = NULL;
    *length = 0;
    bool is_standard = !file;
    FILE *stream = is_standard ? stdin : fopen(file, "rb");
    file = is_standard ? TEXT_FILE_STANDARD_INPUT : file;
    if (!stream) {
        return fail_io(file, errno, error);
    }
    enum masing_status status = read_stream(stream, file, limit, text, length, error);
    if (!is_standard) {
        fclose(stream);
    }
    if (status != MASING_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

size_t text_mark_length(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

struct masing_place text_place(const char *text, size_t length, size_t offset)
{
    struct masing_place place = {1, 1};
    size_t end = offset < length ? offset : length;
    for (size_t i = text_mark_length(text, length); i < end; i++) {
        bool is_pair = text[i] == '\r' && i + 1 < length && text[i + 1] == '\n';
        bool is_break = text[i] == '\n' || (text[i] == '\r' && !is_pair);
        if (is_break) {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) { /* not within a character */
            place.column++;
        }
    }
    return place;
}

static enum masing_status fail_at(const char *text, size_t length, size_t offset,
                                  const char *file, const char *what,
                                  struct masing_error *error)
{
    struct masing_place place = text_place(text, length, offset);
    unsigned char byte = (unsigned char)text[offset];
    return masing_error_set(
        error, MASING_INVALID, "%.400s:%d:%d: not a text file: %s (byte 0x%02X)%s", file,
        place.line, place.column, what, byte, byte < 0x80 ? "" : "; save it as UTF-8");
}

enum masing_status text_check(const char *text, size_t length, bool is_utf8, const char *file,
                              struct masing_error *error)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (length >= 2 && (!memcmp(text, "\xFF\xFE", 2) || !memcmp(text, "\xFE\xFF", 2))) {
        return masing_error_set(error, MASING_INVALID,
                                "%.400s:1:1: the text is UTF-16; save it as UTF-8", file);
    }
    bool is_blank = true;
    for (size_t i = text_mark_length(text, length); i < length;) {
        bool is_control = bytes[i] < 0x20 ? !strchr("\t\n\r", text[i]) : bytes[i] == 0x7F;
        if (is_control || !text[i]) {
            return fail_at(text, length, i, file, "a control character", error);
        }
        unsigned code = 0;
        size_t step = is_utf8 ? masing_text_next(text + i, length - i, &code) : 1;
        if (code == MASING_TEXT_NOT_UTF8) {
            return fail_at(text, length, i, file, "not UTF-8", error);
        }
        is_blank = is_blank && strchr(" \t\r\n", text[i]);
        i += step;
    }
    if (is_blank) {
        return masing_error_set(error, MASING_INVALID, "%.400s:1:1: the file is empty", file);
    }
    return MASING_OK;
}

char *text_file_beside(const char *file, const char *name)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!slash || name[0] == '/') {
        return memory_text(name);
    }
    return memory_format("%.*s/%s", (int)(slash - file), file, name);
}

/* --- lines and words ---------------------------------------------------------------------- */

void text_lines_begin(struct text_lines *lines, const char *file, const char *text,
                      size_t length, char comment, struct masing_error *error)
{
    size_t mark = text_mark_length(text, length);
    *lines = (struct text_lines){.file = file,
                                 .error = error,
                                 .next = text + mark,
                                 .end = text + length,
                                 .line = text,
                                 .comment = comment};
}

enum masing_status text_lines_read(struct text_lines *lines, const char *file, char **text,
                                   struct masing_error *error)
{
    size_t length;
    enum masing_status status = text_file_read(file, TEXT_FILE_LIMIT, text, &length, error);
    status = status ? status : text_check(*text, length, true, file, error);
    if (status == MASING_OK) {
        text_lines_begin(lines, file, *text, length, '#', error);
    }
    return status;
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

void text_word_trim(struct text_word *word)
{
    while (word->length > 0 && is_blank(word->text[0])) {
        word->text++;
        word->length--;
        word->column++;
    }
    while (word->length > 0 && is_blank(word->text[word->length - 1])) {
        word->length--;
    }
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
    *field = (struct text_word){lines->line + begin, end - begin, (int)begin + 1};
    text_word_trim(field);
    return true;
}

bool text_word_equals(const struct text_word *word, const char *text, bool ignores_case)
{
    return strlen(text) == word->length &&
           (ignores_case ? strncasecmp(word->text, text, word->length)
                         : strncmp(word->text, text, word->length)) == 0;
}

enum masing_status text_lines_fail(const struct text_lines *lines, int column,
                                   const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return masing_error_set(lines->error, MASING_INVALID, "%.400s:%d:%d: %s", lines->file,
                            lines->number, column, what);
}

int text_word_shown(const struct text_word *word)
{
    return word->length < 40 ? (int)word->length : 40;
}

enum masing_status text_lines_number(const struct text_lines *lines,
                                     const struct text_word *word, const char *name,
                                     double *value)
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
    return text_lines_fail(lines, word->column, "%s: '%.*s' is not a number: %s", name,
                           text_word_shown(word), word->text, reason);
}

enum masing_status text_lines_integer(const struct text_lines *lines,
                                      const struct text_word *word, const char *name,
                                      int minimum, int maximum, int *value)
{
    double number = 0.0;
    NEED(text_lines_number(lines, word, name, &number));
    if (number != floor(number) || number < minimum || number > maximum) {
        return text_lines_fail(lines, word->column,
                               "%s: expected a whole number from %d to %d, found '%.*s'", name,
                               minimum, maximum, text_word_shown(word), word->text);
    }
    *value = (int)number;
    return MASING_OK;
}
