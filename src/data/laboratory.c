/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/laboratory.h"

#include <stdio.h>
#include <string.h>

#include "base/pi.h"
#include "data/number.h"

/* ---- separators and decimal commas ---- */

static int count_of(const struct text_lines *lines, char what)
{
    int n = 0;
    bool is_quoted = false;
    for (size_t i = 0; i < lines->length; i++) {
        is_quoted = is_quoted != (lines->line[i] == '"');
        n += lines->line[i] == what && !is_quoted;
    }
    return n;
}

/* Numbers between blanks or tabulators, without commas between them. */
static bool is_parted_by_blanks(const struct text_lines *lines)
{
    struct text_word word;
    size_t position = 0;
    int n = 0;
    for (; text_lines_word(lines, &position, &word); n++) {
        bool has_comma = word.text[0] == ',' || word.text[word.length - 1] == ',';
        if (has_comma || !laboratory_is_number(&word)) {
            return false;
        }
    }
    return n > 1;
}

/* Of the header, or of the first row where the header does not tell: ',' ';' '\t' or ' '. */
static char separator_of(const struct text_lines *begin)
{
    struct text_lines lines = *begin;
    for (int row = 0; row < 2 && text_lines_next_data(&lines); row++) {
        bool has_commas = count_of(&lines, ',') > 0;
        if (count_of(&lines, ';') > 0) {
            return ';';
        }
        if (is_parted_by_blanks(&lines)) {
            return ' ';
        }
        if (count_of(&lines, '\t') > 0 && !has_commas) {
            return '\t';
        }
        if (has_commas) {
            return ',';
        }
    }
    return ',';
}

/* Where fields are parted by blanks, the first of several parts them. */
static void part_blanks(char *line, size_t length)
{
    struct text_word whole = {line, length, 1};
    text_word_trim(&whole);
    size_t begin = (size_t)(whole.text - line);
    for (size_t i = begin; i < begin + whole.length; i++) {
        bool is_blank = line[i] == ' ' || line[i] == '\t';
        if (is_blank && line[i - 1] != ',' && line[i - 1] != ' ') {
            line[i] = ',';
        } else if (is_blank) {
            line[i] = ' ';
        }
    }
}

static void simplify_line(char *line, size_t length, char separator, char comma)
{
    bool is_quoted = false;
    for (size_t i = 0; i < length; i++) {
        is_quoted = is_quoted != (line[i] == '"');
        if (line[i] == '"') {
            line[i] = ' ';
        } else if (line[i] == ',' && (separator != ',' || is_quoted)) {
            line[i] = comma;
        } else if (line[i] == separator && !is_quoted && separator != ' ') {
            line[i] = ',';
        }
    }
    if (separator == ' ') {
        part_blanks(line, length);
    }
}

static bool is_header(const struct text_lines *lines)
{
    for (size_t i = 0; i < lines->length; i++) {
        if (strchr("0123456789", lines->line[i]) && number_length(lines->line + i) > 0) {
            break;
        }
        if (!strchr(" \t+-.\"", lines->line[i])) {
            return true;
        }
    }
    return false;
}

enum masing_status laboratory_simplify(const struct text_lines *begin, char *text)
{
    struct text_lines lines = *begin;
    bool has_points = false, has_commas = false, is_first = true;
    if (text_lines_next_data(&lines) && lines.length <= 5 &&
        strncmp(lines.line, "sep=", 4) == 0) {
        text[lines.line - text] = '#'; /* spreadsheets write it above the header */
    }
    lines = *begin;
    char separator = separator_of(begin);
    while (text_lines_next_data(&lines)) {
        char *line = text + (lines.line - text);
        bool is_names = is_first && is_header(&lines);
        is_first = false;
        if (!is_names && separator != ',') {
            has_commas = has_commas || count_of(&lines, ',') > 0;
            has_points = has_points || count_of(&lines, '.') > 0;
            if (has_commas && has_points) {
                return text_lines_fail(&lines, 1,
                                       "numbers with points and numbers with commas: expected "
                                       "one decimal sign and nothing between thousands");
            }
        }
        simplify_line(line, lines.length, separator, is_names ? '/' : '.');
    }
    return MASING_OK;
}

bool laboratory_is_number(const struct text_word *field)
{
    char text[64];
    if (field->length == 0 || field->length >= sizeof text) {
        return false;
    }
    for (size_t i = 0; i < field->length; i++) {
        text[i] = field->text[i] == ',' ? '.' : field->text[i];
    }
    text[field->length] = 0;
    return number_length(text) == field->length;
}

/* ---- units ---- */

static const struct {
    enum laboratory_kind kind;
    const char *symbol;
    double factor;
} units[] = {
    {LABORATORY_LENGTH, "m", 1.0},
    {LABORATORY_LENGTH, "cm", 1e-2},
    {LABORATORY_LENGTH, "mm", 1e-3},
    {LABORATORY_LENGTH, "um", 1e-6},
    {LABORATORY_LENGTH, "\xC2\xB5m", 1e-6}, /* micro sign */
    {LABORATORY_LENGTH, "\xCE\xBCm", 1e-6}, /* Greek mu */
    {LABORATORY_LENGTH, "nm", 1e-9},
    {LABORATORY_LENGTH, "in", 0.0254},
    {LABORATORY_FORCE, "N", 1.0},
    {LABORATORY_FORCE, "mN", 1e-3},
    {LABORATORY_FORCE, "kN", 1e3},
    {LABORATORY_FORCE, "MN", 1e6},
    {LABORATORY_FORCE, "lbf", 4.4482216152605},
    {LABORATORY_TIME, "s", 1.0},
    {LABORATORY_TIME, "sec", 1.0},
    {LABORATORY_TIME, "ms", 1e-3},
    {LABORATORY_TIME, "us", 1e-6},
    {LABORATORY_TIME, "\xC2\xB5s", 1e-6},
    {LABORATORY_TIME, "\xCE\xBCs", 1e-6},
    {LABORATORY_TIME, "min", 60.0},
    {LABORATORY_FREQUENCY, "Hz", 1.0},
    {LABORATORY_FREQUENCY, "kHz", 1e3},
    {LABORATORY_FREQUENCY, "rad/s", 1.0 / TWO_PI},
    {LABORATORY_ANGLE, "deg", 1.0},
    {LABORATORY_ANGLE, "\xC2\xB0", 1.0},
    {LABORATORY_ANGLE, "rad", 360.0 / TWO_PI},
    {LABORATORY_MOTION, "m", 1.0},
    {LABORATORY_MOTION, "mm", 1e-3},
    {LABORATORY_MOTION, "um", 1e-6},
    {LABORATORY_MOTION, "\xC2\xB5m", 1e-6},
    {LABORATORY_MOTION, "\xCE\xBCm", 1e-6},
    {LABORATORY_MOTION, "m/s", 1.0},
    {LABORATORY_MOTION, "mm/s", 1e-3},
    {LABORATORY_MOTION, "m/s^2", 1.0},
    {LABORATORY_MOTION, "m/s2", 1.0},
    {LABORATORY_MOTION, "m/s\xC2\xB2", 1.0},
    {LABORATORY_MOTION, "mm/s^2", 1e-3},
    {LABORATORY_MOTION, "mm/s2", 1e-3},
    {LABORATORY_MOTION, "mm/s\xC2\xB2", 1e-3},
    {LABORATORY_MOTION, "g", 9.80665},
};

enum { N_UNITS = sizeof units / sizeof *units };

double laboratory_factor(enum laboratory_kind kind, const struct text_word *unit)
{
    for (int i = 0; i < N_UNITS; i++) {
        if (units[i].kind == kind && text_word_equals(unit, units[i].symbol, false)) {
            return units[i].factor;
        }
    }
    return 0.0;
}

const char *laboratory_units(enum laboratory_kind kind, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < N_UNITS; i++) {
        if (units[i].kind == kind && used < size) {
            int written = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                   units[i].symbol);
            used += written > 0 ? (size_t)written : 0;
        }
    }
    return used > 0 ? text : "none";
}

/* The part behind `skip` characters from `at` on, of that length. */
static struct text_word part_of(const struct text_word *field, size_t at, size_t length)
{
    struct text_word part = {field->text + at, length, field->column + (int)at};
    text_word_trim(&part);
    return part;
}

void laboratory_split(const struct text_word *field, struct text_word *name,
                      struct text_word *unit)
{
    size_t n = field->length;
    *name = *field;
    *unit = (struct text_word){field->text + n, 0, field->column};
    char last = n > 0 ? field->text[n - 1] : 0;
    char first = last == ']' ? '[' : last == ')' ? '(' : 0;
    for (size_t i = n; i-- > 0;) {
        bool is_bracket = first && field->text[i] == first;
        bool is_slash = !first && i > 0 && field->text[i] == '/';
        bool is_word = !first && i + 4 <= n && strncmp(field->text + i, " in ", 4) == 0;
        if (is_bracket || is_slash || is_word) {
            size_t skip = is_word ? 4 : 1;
            *name = part_of(field, 0, i);
            *unit = part_of(field, i + skip, n - i - skip - (is_bracket ? 1 : 0));
            if (!is_slash) {
                return;
            }
        }
    }
}
