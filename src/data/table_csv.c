/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/table_csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/suggest.h"
#include "data/text_file.h"

/* A field of the header, of a measured table parted into a name and a unit. */
struct field {
    struct text_word whole, name, unit;
    int column;    /* of the table; -1: none */
    double factor; /* to SI units */
};

struct reading {
    struct text_lines lines;
    const struct csv_column *columns;
    int n_declared;
    enum csv_others others;
    bool is_measured;
    const char *choice; /* of a measured table, or NULL */
    const char *hint;   /* behind messages about columns */
    int n_fields;
    bool ends_empty;      /* a separator stands behind the last field */
    struct field *fields; /* [n_fields] of the header, in the table's memory */
    struct csv_table *table;
};

static const char CHOICE_HINT[] = "; --columns x=1,f=2 says which columns hold what";

/* "displacement or x, force or f, time (optional)" */
static const char *expected_columns(const struct reading *reading, char *list, size_t size)
{
    const struct csv_column *columns = reading->columns;
    list[0] = 0;
    for (int i = 0; i < reading->n_declared; i++) {
        size_t length = strlen(list);
        const char *synonym =
            reading->is_measured && columns[i].synonyms ? columns[i].synonyms[0] : NULL;
        snprintf(list + length, size - length, "%s%s%s%s%s", length ? ", " : "",
                 columns[i].name, synonym ? " or " : "", synonym ? synonym : "",
                 columns[i].is_required ? "" : " (optional)");
    }
    return list;
}

static int find_name(const struct csv_table *table, const struct text_word *field)
{
    for (int i = 0; i < table->n_columns; i++) {
        if (text_word_equals(field, table->names[i], false)) {
            return i;
        }
    }
    return -1;
}

/* The declared column of this name, in a measured table also of a synonym; or -1. */
static int find_declared(const struct reading *reading, const struct text_word *name)
{
    for (int i = 0; i < reading->n_declared; i++) {
        const struct csv_column *column = &reading->columns[i];
        if (text_word_equals(name, column->name, reading->is_measured)) {
            return i;
        }
        for (int k = 0; reading->is_measured && column->synonyms && column->synonyms[k]; k++) {
            if (text_word_equals(name, column->synonyms[k], true)) {
                return i;
            }
        }
    }
    return -1;
}

/* Lines below the first one in which a header is looked for. */
enum { LINES_OF_TITLE = 50, HELP = 100 };

/* What helps: there may be lines of text above the header. */
static const char *help_of(const struct reading *reading, char text[HELP])
{
    struct text_lines lines = reading->lines;
    for (int i = 0; i < LINES_OF_TITLE && reading->is_measured; i++) {
        struct text_word field, name, unit;
        size_t position = 0;
        int n_missing = 0;
        for (int k = 0; k < reading->n_declared; k++) {
            n_missing += reading->columns[k].is_required;
        }
        bool is_header = n_missing > 0 && text_lines_next_data(&lines);
        while (is_header && text_lines_field(&lines, &position, &field)) {
            laboratory_split(&field, &name, &unit);
            int column = find_declared(reading, &name);
            n_missing -= column >= 0 && reading->columns[column].is_required;
        }
        if (is_header && n_missing <= 0) {
            snprintf(text, HELP, "; begin the lines above the header, line %d, with #",
                     lines.number);
            return text;
        }
    }
    return reading->hint;
}

static enum masing_status fail_column(struct reading *reading, const struct text_word *field)
{
    char name[64] = "", hint[100], list[300], help[HELP];
    memcpy(name, field->text, field->length < 63 ? field->length : 63);
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (int i = 0; i < reading->n_declared; i++) {
        masing_suggest_consider(&suggestion, reading->columns[i].name);
    }
    bool is_listed = reading->is_measured;
    return text_lines_fail(
        &reading->lines, field->column, "unknown column '%s'%s%s%s%s", name,
        masing_suggest_text(&suggestion, hint, sizeof hint), is_listed ? "; expected " : "",
        is_listed ? expected_columns(reading, list, sizeof list) : "", help_of(reading, help));
}

static enum masing_status fail_missing(struct reading *reading, const char *name)
{
    char list[300], help[HELP];
    return text_lines_fail(&reading->lines, 1, "column '%s' is missing; expected %s%s", name,
                           expected_columns(reading, list, sizeof list),
                           help_of(reading, help));
}

/* What a column holds; those that are not declared are channels. */
static enum laboratory_kind kind_of(const struct reading *reading, int column)
{
    bool is_declared = column >= 0 && column < reading->n_declared;
    return is_declared ? reading->columns[column].kind : LABORATORY_MOTION;
}

/* The factor of a unit in brackets, which must be known where the column is declared. */
static enum masing_status read_unit(struct reading *reading, int column,
                                    const struct text_word *unit, double *factor)
{
    char list[300];
    bool is_declared = column >= 0 && column < reading->n_declared;
    enum laboratory_kind kind = kind_of(reading, column);
    *factor = laboratory_factor(kind, unit);
    if (*factor != 0.0 || kind == LABORATORY_PURE) {
        *factor = *factor != 0.0 ? *factor : 1.0;
        return MASING_OK;
    }
    return text_lines_fail(&reading->lines, unit->column,
                           "unknown unit '%.*s'%s%s; expected one of %s", text_word_shown(unit),
                           unit->text, is_declared ? " of " : "",
                           is_declared ? reading->columns[column].name : "",
                           laboratory_units(kind, list, sizeof list));
}

/*
 * What stands behind a slash or a bracket and is no unit belongs to the name of a column that
 * is not declared.
 */
static enum masing_status take_unit(struct reading *reading, struct field *field)
{
    const struct text_word *unit = &field->unit;
    int column = find_declared(reading, &field->name);
    bool is_read = column >= 0 || reading->others == CSV_OTHERS_NUMBERS;
    if (unit->length == 0 || !is_read) {
        return MASING_OK;
    }
    bool is_bracket = field->whole.text[field->whole.length - 1] == ']';
    if (column < 0 && !is_bracket && laboratory_factor(LABORATORY_MOTION, unit) == 0.0) {
        field->name = field->whole;
        return MASING_OK;
    }
    return read_unit(reading, column, unit, &field->factor);
}

static enum masing_status take_name(struct reading *reading, struct field *field)
{
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->lines.error;
    const struct text_word *name = &field->name;
    NEED(take_unit(reading, field));
    int column = find_declared(reading, name);
    column = column >= 0 ? column : find_name(table, name);
    if (column >= 0 && table->is_present[column]) {
        return text_lines_fail(&reading->lines, field->whole.column,
                               "column '%.80s' stands here twice", table->names[column]);
    }
    if (column < 0 && reading->others == CSV_OTHERS_REFUSED) {
        NEED(fail_column(reading, name));
    }
    if (column < 0 && reading->others == CSV_OTHERS_NUMBERS) {
        if (name->length == 0) {
            return text_lines_fail(&reading->lines, field->whole.column,
                                   "a column without a name");
        }
        column = table->n_columns++;
        NEED_ALLOCATED(table->names[column] =
                           arena_text(&table->arena, name->text, name->length));
    }
    field->column = column;
    if (column >= 0) {
        table->is_present[column] = true;
    }
    return MASING_OK;
}

/* ---- columns that are chosen by "x=2,f=Kraft" ---- */

static bool is_same(const struct text_word *a, const struct text_word *b)
{
    return a->length == b->length && strncmp(a->text, b->text, b->length) == 0;
}

/* The field that a choice names by its number from 1 or by the header's name; or NULL. */
static struct field *find_field(const struct reading *reading, const struct text_word *value,
                                bool has_header)
{
    char digits[16] = "";
    if (value->length < sizeof digits && strspn(value->text, "0123456789") >= value->length) {
        memcpy(digits, value->text, value->length);
        int number = atoi(digits);
        return number >= 1 && number <= reading->n_fields ? &reading->fields[number - 1] : NULL;
    }
    for (int i = 0; has_header && i < reading->n_fields; i++) {
        struct field *field = &reading->fields[i];
        if (is_same(&field->name, value) || is_same(&field->whole, value)) {
            return field;
        }
    }
    return NULL;
}

/* One "x=2" or "x=2[mm]". */
static enum masing_status choose_one(struct reading *reading, const struct text_word *item,
                                     bool has_header)
{
    const char *sign = memchr(item->text, '=', item->length);
    size_t equals = sign ? (size_t)(sign - item->text) : item->length;
    struct text_word key = {item->text, equals, 1}, value, unit;
    struct text_word rest = {item->text, 0, 1};
    if (sign) {
        rest = (struct text_word){sign + 1, item->length - equals - 1, 1};
    }
    int column = find_declared(reading, &key);
    if (column < 0 || rest.length == 0) {
        return masing_error_set(reading->lines.error, MASING_INVALID,
                                "--columns: '%.*s' is not of the form x=2 or f=NAME",
                                text_word_shown(item), item->text);
    }
    laboratory_split(&rest, &value, &unit);
    bool has_unit = unit.length > 0 && rest.text[rest.length - 1] == ']';
    struct field *field = find_field(reading, has_unit ? &value : &rest, has_header);
    if (!field) {
        return text_lines_fail(&reading->lines, 1,
                               "--columns: there is no column %.*s, but %d columns",
                               text_word_shown(&rest), rest.text, reading->n_fields);
    }
    for (int i = 0; i < reading->n_fields; i++) {
        if (reading->fields[i].column == column) {
            reading->fields[i].column = -1;
        }
    }
    field->column = column;
    field->factor = 1.0;
    unit = has_unit ? unit : field->unit;
    return unit.length > 0 ? read_unit(reading, column, &unit, &field->factor) : MASING_OK;
}

/* What a header names, where it is known. */
static void guess(struct reading *reading, struct field *field)
{
    int column = find_declared(reading, &field->name);
    bool is_new = column >= 0 && !reading->table->is_present[column];
    double factor = !is_new ? 0.0
                    : !field->unit.length
                        ? 1.0
                        : laboratory_factor(reading->columns[column].kind, &field->unit);
    if (factor != 0.0) {
        field->column = column;
        field->factor = factor;
        reading->table->is_present[column] = true;
    }
}

/* That, then what is chosen: it may take a column for another one. */
static enum masing_status choose(struct reading *reading, bool has_header)
{
    bool *is_present = reading->table->is_present;
    for (int i = 0; has_header && i < reading->n_fields; i++) {
        guess(reading, &reading->fields[i]);
    }
    for (const char *at = reading->choice;; at++) {
        struct text_word item = {at, strcspn(at, ","), 1};
        NEED(choose_one(reading, &item, has_header));
        at += item.length;
        if (!*at) {
            break;
        }
    }
    memset(is_present, 0, (size_t)reading->n_declared * sizeof *is_present);
    for (int i = 0; i < reading->n_fields; i++) {
        if (reading->fields[i].column >= 0) {
            is_present[reading->fields[i].column] = true;
        }
    }
    return MASING_OK;
}

/* The first line holds numbers alone. */
static bool has_no_names(const struct reading *reading)
{
    for (int i = 0; i < reading->n_fields; i++) {
        const struct text_word *word = &reading->fields[i].whole;
        if (word->length > 0 && !laboratory_is_number(word)) {
            return false;
        }
    }
    return true;
}

/* The fields of the current line, and room for as many columns beside the declared ones. */
static enum masing_status part_header(struct reading *reading)
{
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->lines.error;
    struct text_word word;
    size_t position = 0, n_fields = 0;
    while (text_lines_field(&reading->lines, &position, &word)) {
        n_fields++;
    }
    size_t most = n_fields + (size_t)reading->n_declared;
    reading->fields = arena_array(&table->arena, n_fields, sizeof *reading->fields);
    table->names = arena_array(&table->arena, most, sizeof *table->names);
    table->is_present = arena_array(&table->arena, most, sizeof *table->is_present);
    NEED_ALLOCATED(!table->arena.has_failed);
    for (position = 0; text_lines_field(&reading->lines, &position, &word);) {
        struct field *field = &reading->fields[reading->n_fields++];
        *field = (struct field){.whole = word, .name = word, .column = -1, .factor = 1.0};
        if (reading->is_measured) {
            laboratory_split(&word, &field->name, &field->unit);
        }
    }
    reading->ends_empty = reading->is_measured && n_fields > 1 && word.length == 0;
    reading->n_fields -= reading->ends_empty;
    for (int i = 0; i < reading->n_declared; i++) {
        table->names[table->n_columns++] = reading->columns[i].name;
    }
    return MASING_OK;
}

/*
 * A row of units below the header: no field of a column that is read is a number, and one is a
 * unit, perhaps in brackets.
 */
static enum masing_status take_units(struct reading *reading)
{
    struct text_lines ahead = reading->lines;
    bool has_units = false, is_there = text_lines_next_data(&ahead);
    for (int pass = 0; pass < 2 && is_there; pass++) { /* they are looked at, then taken */
        struct text_word word, name, unit;
        size_t position = 0;
        reading->lines = pass > 0 ? ahead : reading->lines;
        for (int i = 0; i < reading->n_fields; i++) {
            struct field *field = &reading->fields[i];
            bool is_empty = !text_lines_field(&ahead, &position, &word) || word.length == 0;
            if (field->column < 0 || is_empty) {
                continue;
            }
            if (laboratory_is_number(&word)) {
                return MASING_OK;
            }
            laboratory_split(&word, &name, &unit);
            unit = name.length == 0 && unit.length > 0 ? unit : word;
            has_units =
                has_units || laboratory_factor(kind_of(reading, field->column), &unit) != 0.0;
            NEED(pass > 0 ? read_unit(reading, field->column, &unit, &field->factor)
                          : MASING_OK);
        }
        is_there = has_units;
    }
    return MASING_OK;
}

static enum masing_status read_header(struct reading *reading)
{
    struct text_lines before = reading->lines;
    if (!text_lines_next_data(&reading->lines)) {
        return text_lines_fail(&reading->lines, 1,
                               "a header line with the names of the columns is expected");
    }
    NEED(part_header(reading));
    bool has_header = !reading->is_measured || !has_no_names(reading);
    if (!has_header && !reading->choice) {
        return text_lines_fail(
            &reading->lines, 1,
            "numbers without a header line; the columns need names, as '%s'%s",
            reading->columns[0].name, reading->hint);
    }
    NEED(reading->choice ? choose(reading, has_header) : MASING_OK);
    for (int i = 0; i < reading->n_fields && !reading->choice; i++) {
        NEED(take_name(reading, &reading->fields[i]));
    }
    for (int i = 0; i < reading->n_declared; i++) {
        if (reading->columns[i].is_required && !reading->table->is_present[i]) {
            NEED(fail_missing(reading, reading->columns[i].name));
        }
    }
    if (!has_header) {
        reading->lines = before;
    } else if (reading->is_measured) {
        NEED(take_units(reading));
    }
    return MASING_OK;
}

/* ---- rows ---- */

static enum masing_status read_cell(struct reading *reading, const struct text_word *word,
                                    const struct field *field, size_t first)
{
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->lines.error;
    bool is_declared = field->column < reading->n_declared;
    const struct csv_column *column = is_declared ? &reading->columns[field->column] : NULL;
    size_t cell = first + (size_t)field->column;
    table->places[cell] = word->length > 0 ? word->column : 0;
    if (column && column->is_text) {
        NEED_ALLOCATED(table->texts[cell] =
                           arena_text(&table->arena, word->text, word->length));
    } else if (!column || column->is_required || word->length > 0) {
        if (reading->is_measured && word->length == 0) {
            return text_lines_fail(&reading->lines, word->column,
                                   "%s: the field is empty, expected a number",
                                   table->names[field->column]);
        }
        NEED(text_lines_number(&reading->lines, word, table->names[field->column],
                               &table->values[cell]));
        table->values[cell] *= field->factor;
    }
    return MASING_OK;
}

static enum masing_status read_row(struct reading *reading)
{
    struct csv_table *table = reading->table;
    size_t first = (size_t)table->n_rows * (size_t)table->n_columns;
    struct text_word word;
    size_t position = 0;
    int n = 0;
    for (int i = 0; i < reading->n_declared; i++) {
        table->values[first + (size_t)i] = reading->columns[i].fallback;
        if (table->texts) {
            table->texts[first + (size_t)i] = "";
        }
    }
    for (; text_lines_field(&reading->lines, &position, &word); n++) {
        if (n == reading->n_fields && reading->ends_empty && word.length == 0) {
            break;
        }
        if (n == reading->n_fields) {
            return text_lines_fail(
                &reading->lines, word.column,
                "more fields than the %d of the header (write decimal points, "
                "not commas)",
                reading->n_fields);
        }
        const struct field *field = &reading->fields[n];
        NEED(field->column < 0 ? MASING_OK : read_cell(reading, &word, field, first));
    }
    if (n < reading->n_fields) {
        return text_lines_fail(&reading->lines, (int)reading->lines.length + 1,
                               "expected %d fields as in the header, found %d",
                               reading->n_fields, n);
    }
    table->lines[table->n_rows++] = reading->lines.number;
    return MASING_OK;
}

/* For all rows that follow. */
static enum masing_status make_room(struct csv_table *table, const struct text_lines *lines,
                                    bool has_texts)
{
    struct masing_error *error = lines->error;
    size_t n_rows = (size_t)text_lines_count_data(lines);
    size_t n_cells = n_rows * (size_t)table->n_columns;
    table->values = arena_array(&table->arena, n_cells, sizeof *table->values);
    table->places = arena_array(&table->arena, n_cells, sizeof *table->places);
    if (has_texts) {
        table->texts = arena_array(&table->arena, n_cells, sizeof *table->texts);
    }
    table->lines = arena_array(&table->arena, n_rows, sizeof *table->lines);
    NEED_ALLOCATED(!table->arena.has_failed);
    return MASING_OK;
}

static enum masing_status read_table(const char *file, struct reading reading,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_lines *lines = &reading.lines;
    char *text = NULL;
    bool has_texts = false;
    for (int i = 0; i < reading.n_declared; i++) {
        has_texts = has_texts || reading.columns[i].is_text;
    }
    *reading.table = (struct csv_table){.file = file};
    TRY(text_lines_read(lines, file, &text, error));
    TRY(reading.is_measured ? laboratory_simplify(lines, text) : MASING_OK);
    TRY(read_header(&reading));
    TRY(make_room(reading.table, lines, has_texts));
    while (text_lines_next_data(lines)) {
        TRY(read_row(&reading));
    }
done:
    free(text);
    return status;
}

enum masing_status csv_table_read(const char *file, const struct csv_column *columns,
                                  int n_columns, enum csv_others others,
                                  struct csv_table *table, struct masing_error *error)
{
    const struct reading reading = {.columns = columns,
                                    .n_declared = n_columns,
                                    .others = others,
                                    .hint = "",
                                    .table = table};
    return read_table(file, reading, error);
}

enum masing_status csv_table_read_measured(const char *file, const struct csv_column *columns,
                                           int n_columns, enum csv_others others,
                                           const struct csv_choice *choice,
                                           struct csv_table *table, struct masing_error *error)
{
    const struct reading reading = {.columns = columns,
                                    .n_declared = n_columns,
                                    .others = others,
                                    .is_measured = true,
                                    .choice = choice ? choice->text : NULL,
                                    .hint = choice ? CHOICE_HINT : "",
                                    .table = table};
    return read_table(file, reading, error);
}

enum masing_status csv_table_read_names(const char *file, struct csv_table *table,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_lines lines;
    char *text = NULL;
    *table = (struct csv_table){.file = file, .n_columns = 1};
    TRY(text_lines_read(&lines, file, &text, error));
    TRY(make_room(table, &lines, true));
    while (text_lines_next_data(&lines)) {
        struct text_word word = {lines.line, lines.length, 1};
        text_word_trim(&word);
        TRY_ALLOCATED(table->texts[table->n_rows] =
                          arena_text(&table->arena, word.text, word.length));
        table->lines[table->n_rows++] = lines.number;
    }
done:
    free(text);
    return status;
}

void csv_table_clear(struct csv_table *table)
{
    arena_clear(&table->arena);
    *table = (struct csv_table){0};
}

static size_t cell_of(const struct csv_table *table, int row, int column)
{
    return (size_t)row * (size_t)table->n_columns + (size_t)column;
}

double csv_table_number(const struct csv_table *table, int row, int column)
{
    return table->values[cell_of(table, row, column)];
}

const char *csv_table_text(const struct csv_table *table, int row, int column)
{
    return table->texts[cell_of(table, row, column)];
}

void csv_table_place(const struct csv_table *table, int row, int column, char *text,
                     size_t size)
{
    int place = column < 0 ? 0 : table->places[cell_of(table, row, column)];
    snprintf(text, size, "%.400s:%d:%d", table->file, table->lines[row], place > 0 ? place : 1);
}

enum masing_status csv_table_fail(const struct csv_table *table, int row,
                                  struct masing_error *error, const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return masing_error_set(error, MASING_INVALID, "%s:%d:1: %s", table->file,
                            row < 0 ? 1 : table->lines[row], what);
}

int csv_table_find(const struct csv_table *table, const char *name)
{
    struct text_word word = {.text = name, .length = strlen(name)};
    return find_name(table, &word);
}

enum masing_status csv_table_copy(const struct csv_table *table, int begin, int end, int column,
                                  double **values, struct masing_error *error)
{
    NEED_ALLOCATED(*values = memory_array((size_t)(end - begin), sizeof **values));
    for (int i = begin; i < end; i++) {
        (*values)[i - begin] = csv_table_number(table, i, column);
    }
    return MASING_OK;
}
