/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OUTPUT4 as text: a header with columns, rows (negative where strings have long headers),
 * form, type and name, then columns, either whole from their first to their last entry or as
 * strings of entries, then one more column. Everything is cut by column.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "data/matrices/nastran.h"
#include "data/matrices/nastran_field.h"

enum { MOST_ROWS = 100000000, FEW_ROWS = 65536, MOST_PER_LINE = 20, WIDEST = 40 };

struct output4 {
    struct nastran *nastran;
    size_t width; /* of an integer */
    int n_columns, n_rows, type;
    bool is_big, is_wanted;
    int n_per_line;
    size_t value_width;
};

static enum masing_status fail(const struct output4 *output4, const char *what)
{
    return text_lines_fail(&output4->nastran->lines, 1, "%s", what);
}

static enum masing_status next_line(const struct output4 *output4)
{
    return text_lines_next(&output4->nastran->lines)
               ? MASING_OK
               : fail(output4, "the file ends within a matrix: it is cut short");
}

/* So many integers, and nothing behind them. */
static bool take_integers(const struct output4 *output4, int n, int *values)
{
    const struct text_lines *lines = &output4->nastran->lines;
    size_t width = output4->width, end = (size_t)n * width;
    for (int i = 0; i < n; i++) {
        if (!nastran_integer(lines, (size_t)i * width, width, &values[i])) {
            return false;
        }
    }
    return nastran_field(lines, end, lines->length).length == 0;
}

/* Eight columns, or fewer where the format follows at once. */
static size_t name_width(const struct output4 *output4)
{
    const struct text_lines *lines = &output4->nastran->lines;
    size_t at = 4 * output4->width;
    for (size_t n = 1; n < 8 && at + n + 3 <= lines->length; n++) {
        if (!memcmp(lines->line + at + n, "1P,", 3)) {
            return n;
        }
    }
    return 8;
}

/* "1P,3E23.16"; 5E16.9 where there is none */
static enum masing_status take_format(struct output4 *output4)
{
    struct text_word word =
        nastran_field(&output4->nastran->lines, 4 * output4->width + name_width(output4), 40);
    output4->n_per_line = 5;
    output4->value_width = 16;
    if (word.length == 0) {
        return MASING_OK;
    }
    size_t letter = word.length;
    for (size_t i = 0; i < word.length; i++) {
        letter = strchr("EDGedg", word.text[i]) && letter == word.length ? i : letter;
    }
    size_t begin = letter;
    while (begin > 0 && isdigit((unsigned char)word.text[begin - 1])) {
        begin--;
    }
    int n = letter - begin > 0 && letter - begin < 4 ? atoi(word.text + begin) : 0;
    int width = letter + 1 < word.length ? atoi(word.text + letter + 1) : 0;
    if (n < 1 || n > MOST_PER_LINE || width < 8 || width > WIDEST) {
        return text_lines_fail(&output4->nastran->lines, word.column,
                               "expected a format such as 1P,3E23.16, found '%.*s'",
                               text_word_shown(&word), word.text);
    }
    output4->n_per_line = n;
    output4->value_width = (size_t)width;
    return MASING_OK;
}

static enum masing_status check_header(const struct output4 *output4, const int *numbers)
{
    if (numbers[3] > 2) {
        return fail(output4, "the matrix is complex, expected a real one");
    }
    if (numbers[2] != 1 && numbers[2] != 6) {
        return fail(output4, "expected a square (form 1) or symmetric (form 6) matrix");
    }
    return output4->n_columns == output4->n_rows
               ? MASING_OK
               : text_lines_fail(&output4->nastran->lines, 1,
                                 "the matrix is %d x %d, expected a square one",
                                 output4->n_rows, output4->n_columns);
}

static bool take_header(const struct text_lines *lines, size_t width, int numbers[4])
{
    for (int i = 0; i < 4; i++) {
        if (!nastran_integer(lines, (size_t)i * width, width, &numbers[i])) {
            return false;
        }
    }
    return true;
}

/* Columns, rows, form, type, name, format; integers are wide where there are many rows. */
static enum masing_status read_header(struct output4 *output4)
{
    struct nastran *nastran = output4->nastran;
    int numbers[4];
    output4->width = take_header(&nastran->lines, 8, numbers) ? 8 : 16;
    bool has_numbers = output4->width == 8 || take_header(&nastran->lines, 16, numbers);
    if (!has_numbers || numbers[0] < 1 || numbers[0] > MOST_ROWS || numbers[1] == 0 ||
        abs(numbers[1]) > MOST_ROWS || numbers[3] < 1 || numbers[3] > 4) {
        return fail(output4, "expected a header: columns, rows, form, type, name, format");
    }
    struct text_word name =
        nastran_field(&nastran->lines, 4 * output4->width, name_width(output4));
    output4->n_columns = numbers[0];
    output4->n_rows = abs(numbers[1]);
    output4->is_big = numbers[1] < 0;
    output4->type = numbers[3];
    NEED(take_format(output4));
    NEED(nastran_is_wanted(nastran, &name, &output4->is_wanted));
    if (!output4->is_wanted) {
        return MASING_OK;
    }
    if (nastran->matrix->n_rows > 0) {
        return text_lines_fail(&nastran->lines, name.column, "a second matrix called %s",
                               nastran->first);
    }
    nastran->matrix->n_rows = output4->n_rows;
    return check_header(output4, numbers);
}

static enum masing_status take_value(const struct output4 *output4, int row, int column,
                                     const struct text_word *word)
{
    struct nastran *nastran = output4->nastran;
    int at[2];
    double value;
    NEED(nastran_number(&nastran->lines, word, "value", &value));
    if (value == 0.0) {
        return MASING_OK; /* rows of nothing but zeros are no DOFs */
    }
    NEED(node_table_add(nastran->table, (struct node_dof){row, 0}, &at[0], nastran->error));
    NEED(node_table_add(nastran->table, (struct node_dof){column, 0}, &at[1], nastran->error));
    return entry_list_add(&nastran->matrix->list, at[0], at[1], value, nastran->lines.number,
                          nastran->error);
}

/* So many words of 4 bytes, from a row on. */
static enum masing_status read_values(const struct output4 *output4, int row, int column,
                                      int n_words)
{
    const struct text_lines *lines = &output4->nastran->lines;
    bool is_double = output4->type % 2 == 0, is_complex = output4->type > 2;
    int n = is_double ? n_words / 2 : n_words;
    bool is_odd = (is_double && n_words % 2) || (is_complex && n % 2);
    int n_rows = is_complex ? n / 2 : n;
    if (is_odd || n < 1 || row < 1 || row > output4->n_rows ||
        n_rows > output4->n_rows - row + 1) {
        return text_lines_fail(lines, 1,
                               "column %d: %d words from row %d on do not fit into %d rows",
                               column, n_words, row, output4->n_rows);
    }
    for (int i = 0; i < n; i++) {
        int place = i % output4->n_per_line;
        NEED(place ? MASING_OK : next_line(output4));
        struct text_word word =
            nastran_field(lines, (size_t)place * output4->value_width, output4->value_width);
        bool is_last = i + 1 == n || place + 1 == output4->n_per_line;
        size_t end = (size_t)(place + 1) * output4->value_width;
        if (word.length == 0 || (is_last && nastran_field(lines, end, lines->length).length)) {
            return text_lines_fail(lines, 1,
                                   "expected %d values of %zu columns, the others of the %d "
                                   "numbers of column %d elsewhere",
                                   place + 1, output4->value_width, n, column);
        }
        NEED(output4->is_wanted ? take_value(output4, row + i, column, &word) : MASING_OK);
    }
    return MASING_OK;
}

/* Strings of entries up to a line of three integers, which is the next column's. */
static enum masing_status read_strings(const struct output4 *output4, int column, int header[3])
{
    int numbers[2];
    NEED(next_line(output4));
    while (!take_integers(output4, 3, header)) {
        int n_words, row;
        if (!take_integers(output4, output4->is_big ? 2 : 1, numbers)) {
            return fail(output4, "expected a string of entries or the next column");
        }
        if (output4->is_big) {
            n_words = numbers[0] - 1;
            row = numbers[1];
        } else {
            n_words = numbers[0] / FEW_ROWS - 1;
            row = numbers[0] % FEW_ROWS;
        }
        NEED(read_values(output4, row, column, n_words));
        NEED(next_line(output4));
    }
    return MASING_OK;
}

static enum masing_status read_columns(const struct output4 *output4)
{
    int header[3], before = 0;
    NEED(next_line(output4));
    if (!take_integers(output4, 3, header)) {
        return fail(output4, "expected a column's number, first row and words");
    }
    while (header[0] <= output4->n_columns) {
        int column = header[0], row = header[1];
        if (column <= before || row < 0) {
            return text_lines_fail(&output4->nastran->lines, 1,
                                   "column %d (first row %d) is out of order", column, row);
        }
        before = column;
        if (row == 0) {
            NEED(read_strings(output4, column, header));
            continue;
        }
        NEED(read_values(output4, row, column, header[2]));
        NEED(next_line(output4));
        if (!take_integers(output4, 3, header)) {
            return fail(output4, "expected the next column's number, first row and words");
        }
    }
    return header[0] == output4->n_columns + 1
               ? next_line(output4)
               : text_lines_fail(&output4->nastran->lines, 1,
                                 "column %d of %d: expected %d at the end", header[0],
                                 output4->n_columns, output4->n_columns + 1);
}

enum masing_status nastran_read_output4(struct nastran *nastran)
{
    nastran->matrix->list.triangles = ENTRIES_EITHER;
    while (text_lines_next_data(&nastran->lines)) {
        struct output4 output4 = {.nastran = nastran};
        NEED(read_header(&output4));
        NEED(read_columns(&output4));
    }
    return MASING_OK;
}
