/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/text_table.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

static void add_cells(struct text_table *table, const char *text)
{
    const struct text_list cells = option_split(table->pool, text, '\t');
    for (int i = 0; i < cells.count; i++) {
        option_store_texts(table->pool, cells.values[i], &table->cells, NULL);
    }
}

void text_table_add(struct text_table *table, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_cells(table, text);
}

void text_table_number(struct text_table *table, const char *format, double number)
{
    char text[64] = "-";
    if (isfinite(number)) {
        snprintf(text, sizeof text, format, number);
    }
    add_cells(table, text);
}

/* Characters, not bytes, of UTF-8 text. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

/* A cell that begins like a number, or a gap. */
static bool is_number(const char *cell)
{
    const char *digits = cell + (cell[0] == '-' || cell[0] == '+');
    return isdigit((unsigned char)digits[0]) || strcmp(cell, "-") == 0;
}

struct column_form {
    int width;
    bool is_right;
};

static struct column_form form_of(const struct text_table *table, int column)
{
    struct column_form form = {0, column > 0};
    for (int i = column; i < table->cells.count; i += table->n_columns) {
        int width = width_of(table->cells.values[i]);
        form.width = width > form.width ? width : form.width;
        form.is_right = form.is_right && (i == column || is_number(table->cells.values[i]));
    }
    return form;
}

static char *put_blanks(char *at, int n)
{
    memset(at, ' ', n > 0 ? (size_t)n : 0);
    return at + (n > 0 ? n : 0);
}

/* As one text: streams of people's texts have no buffer. */
void text_table_print(const struct text_table *table, FILE *stream)
{
    int n = table->n_columns;
    struct column_form *forms = pool_take(table->pool, (size_t)n, sizeof *forms);
    for (int column = 0; column < n; column++) {
        forms[column] = form_of(table, column);
    }
    size_t size = 1;
    for (int i = 0; i < table->cells.count; i++) {
        size += strlen(table->cells.values[i]) + (size_t)forms[i % n].width + 2;
    }
    char *text = pool_take(table->pool, size, 1), *at = text;
    for (int i = 0; i < table->cells.count; i++) {
        const struct column_form *form = &forms[i % n];
        const char *cell = table->cells.values[i];
        int gap = form->width - width_of(cell);
        bool is_last = i % n == n - 1;
        at = put_blanks(at, form->is_right ? gap : 0);
        memcpy(at, cell, strlen(cell));
        at = put_blanks(at + strlen(cell), form->is_right || is_last ? 0 : gap);
        memcpy(at, is_last ? "\n" : "  ", 2);
        at += is_last ? 1 : 2;
    }
    *at = '\0';
    fputs(text, stream);
}
