/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/nastran_field.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "data/number.h"

enum { LONGEST = 60 };

struct text_word nastran_field(const struct text_lines *lines, size_t at, size_t width)
{
    size_t begin = at < lines->length ? at : lines->length;
    size_t end = at + width < lines->length ? at + width : lines->length;
    struct text_word word = {lines->line + begin, end - begin, (int)begin + 1};
    text_word_trim(&word);
    return word;
}

bool nastran_integer(const struct text_lines *lines, size_t at, size_t width, int *value)
{
    struct text_word word = nastran_field(lines, at, width);
    size_t i = word.length > 0 && strchr("+-", word.text[0]) ? 1 : 0;
    long long number = 0;
    if (i == word.length) {
        return false;
    }
    for (size_t d = i; d < word.length; d++) {
        if (!isdigit((unsigned char)word.text[d]) || number > INT_MAX) {
            return false;
        }
        number = 10 * number + (word.text[d] - '0');
    }
    *value = (int)(word.text[0] == '-' ? -number : number);
    return number <= INT_MAX;
}

enum masing_status nastran_number(const struct text_lines *lines, const struct text_word *word,
                                  const char *name, double *value)
{
    char text[LONGEST + 2];
    size_t n = 0;
    for (size_t i = 0; i < word->length && n < LONGEST; i++) {
        char c = word->text[i], before = i > 0 ? word->text[i - 1] : 'e';
        bool is_sign = c == '+' || c == '-';
        if (is_sign && !strchr("eEdD", before)) {
            text[n++] = 'e';
        }
        text[n++] = c == 'd' || c == 'D' ? 'e' : c;
    }
    text[n] = 0;
    if (word->length >= LONGEST || number_parse(text, value)) {
        return text_lines_fail(lines, word->column, "%s: '%.*s' is not a number", name,
                               text_word_shown(word), word->text);
    }
    return MASING_OK;
}
