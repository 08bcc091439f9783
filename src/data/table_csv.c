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
#include "data/text_lines.h"

struct reading {
    struct text_lines lines;
    const struct csv_column *columns;
    int n_declared;
    enum csv_others others;
    bool is_measured;
    const char *choice; /* of a measured table, or NULL */
    const char *hint;   /* behind messages about columns */
    int n_fields;       /* of the header */
    int *column_of;     /* [n_fields] of the table; -1: none */
    double *factors;    /* [n_fields] to SI units */
    struct csv_table *table;
    struct masing_error *error;
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

static enum masing_status fail_column(struct reading *reading, const struct text_word *field)
{
    char name[64] = "", hint[100], list[300];
    memcpy(name, field->text, field->length < 63 ? field->length : 63);
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (int i = 0; i < reading->n_declared; i++) {
        masing_suggest_consider(&suggestion, reading->columns[i].name);
    }
    bool is_listed = reading->is_measured;
    return text_lines_fail(
        &reading->lines, field->column, reading->error, "unknown column '%s'%s%s%s%s", name,
        masing_suggest_text(&suggestion, hint, sizeof hint), is_listed ? "; expected " : "",
        is_listed ? expected_columns(reading, list, sizeof list) : "", reading->hint);
}

static enum masing_status fail_missing(struct reading *reading, const char *name)
{
    char list[300];
    return text_lines_fail(&reading->lines, 1, reading->error,
                           "column '%s' is missing; expected %s%s", name,
                           expected_columns(reading, list, sizeof list), reading->hint);
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

/* The factor of a unit in brackets, which must be known where the column is declared. */
static enum masing_status read_unit(struct reading *reading, int column,
                                    const struct text_word *unit, double *factor)
{
    char list[300];
    bool is_declared = column >= 0 && column < reading->n_declared;
    enum laboratory_kind kind = is_declared ? reading->columns[column].kind : LABORATORY_MOTION;
    *factor = laboratory_factor(kind, unit);
    if (*factor != 0.0 || kind == LABORATORY_PURE) {
        *factor = *factor != 0.0 ? *factor : 1.0;
        return MASING_OK;
    }
    return text_lines_fail(&reading->lines, unit->column, reading->error,
                           "unknown unit '%.*s'%s%s; expected one of %s", text_word_shown(unit),
                           unit->text, is_declared ? " of " : "",
                           is_declared ? reading->columns[column].name : "",
                           laboratory_units(kind, list, sizeof list));
}

/*
 * Name and unit of a field of a measured table's header. What stands behind a slash or a
 * bracket and is no unit belongs to the name of a column that is not declared.
 */
static enum masing_status part_name(struct reading *reading, const struct text_word *field,
                                    struct text_word *name, double *factor)
{
    struct text_word unit;
    char last = field->length > 0 ? field->text[field->length - 1] : 0;
    *factor = 1.0;
    laboratory_split(field, name, &unit);
    int column = find_declared(reading, name);
    bool is_read = column >= 0 || reading->others == CSV_OTHERS_NUMBERS;
    if (unit.length == 0 || !is_read) {
        return MASING_OK;
    }
    if (column < 0 && last != ']' && laboratory_factor(LABORATORY_MOTION, &unit) == 0.0) {
        *name = *field;
        return MASING_OK;
    }
    return read_unit(reading, column, &unit, factor);
}

static enum masing_status read_name(struct reading *reading, const struct text_word *field)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    struct text_word name = *field;
    double factor = 1.0;
    TRY(reading->is_measured ? part_name(reading, field, &name, &factor) : MASING_OK);
    int column = find_declared(reading, &name);
    column = column >= 0 ? column : find_name(table, &name);
    if (column >= 0 && table->is_present[column]) {
        TRY(text_lines_fail(&reading->lines, field->column, error,
                            "column '%.80s' stands here twice", table->names[column]));
    }
    if (column < 0 && reading->others == CSV_OTHERS_REFUSED) {
        TRY(fail_column(reading, &name));
    }
    if (column < 0 && reading->others == CSV_OTHERS_NUMBERS) {
        if (name.length == 0) {
            TRY(text_lines_fail(&reading->lines, field->column, error,
                                "a column without a name"));
        }
        column = table->n_columns;
        table->names[column] = arena_text(&table->arena, name.text, name.length);
        TRY_ALLOCATED(table->names[column]);
        table->n_columns++;
    }
    if (column >= 0) {
        table->is_present[column] = true;
    }
    reading->factors[reading->n_fields] = factor;
    reading->column_of[reading->n_fields++] = column;
done:
    return status;
}

/* ---- columns that are chosen by "x=2,f=Kraft" ---- */

/* The field, from 0, that a choice names by its number or by the header's name; or -1. */
static int field_of(const struct reading *reading, const struct text_word *value,
                    bool has_header)
{
    struct text_word field, name, unit;
    size_t position = 0;
    char digits[16] = "";
    if (value->length < sizeof digits && strspn(value->text, "0123456789") >= value->length) {
        memcpy(digits, value->text, value->length);
        int number = atoi(digits);
        return number >= 1 && number <= reading->n_fields ? number - 1 : -1;
    }
    for (int i = 0; has_header && text_lines_field(&reading->lines, &position, &field); i++) {
        laboratory_split(&field, &name, &unit);
        bool is_name =
            name.length == value->length && strncmp(name.text, value->text, value->length) == 0;
        bool is_field = field.length == value->length &&
                        strncmp(field.text, value->text, value->length) == 0;
        if (is_name || is_field) {
            return i;
        }
    }
    return -1;
}

/* One "x=2" or "x=2[mm]". */
static enum masing_status choose_one(struct reading *reading, const struct text_word *item,
                                     bool has_header)
{
    struct masing_error *error = reading->error;
    size_t equals = 0;
    while (equals < item->length && item->text[equals] != '=') {
        equals++;
    }
    struct text_word key = {item->text, equals, 1}, value, unit;
    struct text_word rest = {item->text + equals + 1,
                             equals < item->length ? item->length - equals - 1 : 0, 1};
    int column = find_declared(reading, &key);
    if (column < 0 || rest.length == 0) {
        return masing_error_set(error, MASING_INVALID,
                                "--columns: '%.*s' is not of the form x=2 or f=NAME",
                                text_word_shown(item), item->text);
    }
    laboratory_split(&rest, &value, &unit);
    bool has_unit = unit.length > 0 && rest.text[rest.length - 1] == ']';
    int field = field_of(reading, has_unit ? &value : &rest, has_header);
    if (field < 0) {
        return text_lines_fail(&reading->lines, 1, error,
                               "--columns: there is no column %.*s, but %d columns",
                               text_word_shown(&rest), rest.text, reading->n_fields);
    }
    for (int i = 0; i < reading->n_fields; i++) {
        if (reading->column_of[i] == column) {
            reading->column_of[i] = -1;
        }
    }
    reading->column_of[field] = column;
    reading->table->is_present[column] = true;
    if (has_unit) {
        return read_unit(reading, column, &unit, &reading->factors[field]);
    }
    struct text_word header, name;
    size_t position = 0;
    for (int i = 0; i <= field; i++) {
        text_lines_field(&reading->lines, &position, &header);
    }
    laboratory_split(&header, &name, &unit);
    reading->factors[field] = 1.0;
    return has_header && unit.length > 0
               ? read_unit(reading, column, &unit, &reading->factors[field])
               : MASING_OK;
}

/* What a header names, where it is known, then what is chosen. */
static enum masing_status choose(struct reading *reading, bool has_header)
{
    enum masing_status status = MASING_OK;
    struct text_word field, name, unit;
    size_t position = 0;
    while (text_lines_field(&reading->lines, &position, &field)) {
        laboratory_split(&field, &name, &unit);
        int column = has_header ? find_declared(reading, &name) : -1;
        bool is_known = column >= 0 && !reading->table->is_present[column];
        bool is_unit =
            unit.length == 0 ||
            (is_known && laboratory_factor(reading->columns[column].kind, &unit) != 0.0);
        is_known = is_known && is_unit;
        reading->factors[reading->n_fields] =
            is_known && unit.length > 0
                ? laboratory_factor(reading->columns[column].kind, &unit)
                : 1.0;
        if (is_known) {
            reading->table->is_present[column] = true;
        }
        reading->column_of[reading->n_fields++] = is_known ? column : -1;
    }
    for (const char *at = reading->choice;; at++) {
        struct text_word item = {at, strcspn(at, ","), 1};
        TRY(choose_one(reading, &item, has_header));
        at += item.length;
        if (!*at) {
            break;
        }
    }
    /* a column that was taken for another one is no longer there */
    for (int i = 0; i < reading->n_declared; i++) {
        bool is_there = false;
        for (int k = 0; k < reading->n_fields; k++) {
            is_there = is_there || reading->column_of[k] == i;
        }
        reading->table->is_present[i] = is_there;
    }
done:
    return status;
}

static int count_fields(const struct text_lines *lines)
{
    struct text_word field;
    size_t position = 0;
    int n = 0;
    while (text_lines_field(lines, &position, &field)) {
        n++;
    }
    return n;
}

/* The first line holds numbers alone. */
static bool has_no_names(const struct reading *reading)
{
    struct text_word field;
    size_t position = 0;
    while (text_lines_field(&reading->lines, &position, &field)) {
        if (field.length > 0 && !laboratory_is_number(&field)) {
            return false;
        }
    }
    return true;
}

static enum masing_status make_header(struct reading *reading)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    size_t n_fields = (size_t)count_fields(&reading->lines);
    size_t most = n_fields + (size_t)reading->n_declared;
    reading->column_of = arena_allocate(&table->arena, n_fields * sizeof(int));
    reading->factors = arena_allocate(&table->arena, n_fields * sizeof(double));
    table->names = arena_allocate(&table->arena, most * sizeof *table->names);
    table->is_present = arena_allocate(&table->arena, most * sizeof *table->is_present);
    TRY_ALLOCATED(reading->column_of && reading->factors && table->names && table->is_present);
    for (int i = 0; i < reading->n_declared; i++) {
        table->names[table->n_columns++] = reading->columns[i].name;
    }
done:
    return status;
}

/*
 * A row of units below the header: every field of a declared column is empty or a unit, perhaps
 * in brackets, and one is a unit.
 */
static bool take_units(struct reading *reading)
{
    struct text_lines ahead = reading->lines;
    struct text_word field, name, unit;
    size_t position = 0;
    int n_units = 0;
    double factors[64];
    if (reading->n_fields > 64 || !text_lines_next_data(&ahead)) {
        return false;
    }
    for (int i = 0; i < reading->n_fields; i++) {
        int column = reading->column_of[i];
        factors[i] = reading->factors[i];
        if (!text_lines_field(&ahead, &position, &field)) {
            return false;
        }
        if (column < 0 || field.length == 0) {
            continue;
        }
        laboratory_split(&field, &name, &unit);
        bool is_bracketed = name.length == 0 && unit.length > 0;
        double factor = laboratory_factor(
            column < reading->n_declared ? reading->columns[column].kind : LABORATORY_MOTION,
            is_bracketed ? &unit : &field);
        if (factor == 0.0) {
            return false;
        }
        factors[i] = factor;
        n_units++;
    }
    if (n_units > 0) {
        memcpy(reading->factors, factors, (size_t)reading->n_fields * sizeof *factors);
        reading->lines = ahead;
    }
    return n_units > 0;
}

static enum masing_status read_header(struct reading *reading)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    struct text_lines before = reading->lines;
    struct text_word field;
    size_t position = 0;
    if (!text_lines_next_data(&reading->lines)) {
        return text_lines_fail(&reading->lines, 1, error,
                               "a header line with the names of the columns is expected");
    }
    bool has_header = !reading->is_measured || !has_no_names(reading);
    if (!has_header && !reading->choice) {
        TRY(text_lines_fail(&reading->lines, 1, error,
                            "numbers without a header line; the columns need names, as '%s'%s",
                            reading->columns[0].name, reading->hint));
    }
    TRY(make_header(reading));
    if (reading->choice) {
        TRY(choose(reading, has_header));
    } else {
        while (text_lines_field(&reading->lines, &position, &field)) {
            TRY(read_name(reading, &field));
        }
    }
    for (int i = 0; i < reading->n_declared; i++) {
        if (reading->columns[i].is_required && !table->is_present[i]) {
            TRY(fail_missing(reading, reading->columns[i].name));
        }
    }
    if (!has_header) {
        reading->lines = before;
    } else if (reading->is_measured) {
        take_units(reading);
    }
done:
    return status;
}

static enum masing_status read_cell(struct reading *reading, const struct text_word *field,
                                    int column, double factor, size_t cell)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    bool is_declared = column < reading->n_declared;
    table->places[cell] = field->length > 0 ? field->column : 0;
    if (is_declared && reading->columns[column].is_text) {
        table->texts[cell] = arena_text(&table->arena, field->text, field->length);
        TRY_ALLOCATED(table->texts[cell]);
    } else if (!is_declared || reading->columns[column].is_required || field->length > 0) {
        TRY(text_lines_number(&reading->lines, field, table->names[column],
                              &table->values[cell], error));
        table->values[cell] *= factor;
    }
done:
    return status;
}

static enum masing_status read_row(struct reading *reading)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    size_t first = (size_t)table->n_rows * (size_t)table->n_columns;
    struct text_word field;
    size_t position = 0;
    int n = 0;
    for (int i = 0; i < reading->n_declared; i++) {
        table->values[first + (size_t)i] = reading->columns[i].fallback;
        if (table->texts) {
            table->texts[first + (size_t)i] = "";
        }
    }
    for (; text_lines_field(&reading->lines, &position, &field); n++) {
        if (n == reading->n_fields) {
            TRY(text_lines_fail(&reading->lines, field.column, error,
                                "more fields than the %d of the header (write decimal points, "
                                "not commas)",
                                reading->n_fields));
        }
        int column = reading->column_of[n];
        TRY(column < 0 ? MASING_OK
                       : read_cell(reading, &field, column, reading->factors[n],
                                   first + (size_t)column));
    }
    if (n < reading->n_fields) {
        TRY(text_lines_fail(&reading->lines, (int)reading->lines.length + 1, error,
                            "expected %d fields as in the header, found %d", reading->n_fields,
                            n));
    }
    table->lines[table->n_rows++] = reading->lines.number;
done:
    return status;
}

static enum masing_status make_room(struct reading *reading)
{
    enum masing_status status = MASING_OK;
    struct csv_table *table = reading->table;
    struct masing_error *error = reading->error;
    bool has_texts = false;
    for (int i = 0; i < reading->n_declared; i++) {
        has_texts = has_texts || reading->columns[i].is_text;
    }
    size_t n_rows = (size_t)text_lines_count_data(&reading->lines);
    size_t n_cells = n_rows * (size_t)table->n_columns;
    table->values = arena_allocate(&table->arena, n_cells * sizeof *table->values);
    table->places = arena_allocate(&table->arena, n_cells * sizeof *table->places);
    table->lines = arena_allocate(&table->arena, n_rows * sizeof *table->lines);
    TRY_ALLOCATED(table->values && table->places && table->lines);
    if (has_texts) {
        table->texts = arena_allocate(&table->arena, n_cells * sizeof *table->texts);
        TRY_ALLOCATED(table->texts);
    }
done:
    return status;
}

static enum masing_status read_table(struct reading *reading, const char *file)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = reading->error;
    char *text = NULL;
    size_t length;
    *reading->table = (struct csv_table){.file = file};
    TRY(text_file_read(file, TEXT_FILE_LIMIT, &text, &length, error));
    TRY(text_check(text, length, true, file, error));
    if (reading->is_measured) {
        TRY(laboratory_simplify(file, text, length, error));
    }
    text_lines_begin(&reading->lines, file, text, length, '#');
    TRY(read_header(reading));
    TRY(make_room(reading));
    while (text_lines_next_data(&reading->lines)) {
        TRY(read_row(reading));
    }
done:
    free(text);
    return status;
}

enum masing_status csv_table_read(const char *file, const struct csv_column *columns,
                                  int n_columns, enum csv_others others,
                                  struct csv_table *table, struct masing_error *error)
{
    struct reading reading = {.columns = columns,
                              .n_declared = n_columns,
                              .others = others,
                              .hint = "",
                              .table = table,
                              .error = error};
    return read_table(&reading, file);
}

enum masing_status csv_table_read_measured(const char *file, const struct csv_column *columns,
                                           int n_columns, enum csv_others others,
                                           const struct csv_choice *choice,
                                           struct csv_table *table, struct masing_error *error)
{
    struct reading reading = {.columns = columns,
                              .n_declared = n_columns,
                              .others = others,
                              .is_measured = true,
                              .choice = choice ? choice->text : NULL,
                              .hint = choice ? CHOICE_HINT : "",
                              .table = table,
                              .error = error};
    return read_table(&reading, file);
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
    enum masing_status status = MASING_OK;
    *values = memory_array((size_t)(end - begin), sizeof **values);
    TRY_ALLOCATED(*values);
    for (int i = begin; i < end; i++) {
        (*values)[i - begin] = csv_table_number(table, i, column);
    }
done:
    return status;
}

static enum masing_status take_names(struct text_lines *lines, char **names, int *line_numbers,
                                     int *n_names, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    while (text_lines_next_data(lines)) {
        size_t begin = strspn(lines->line, " \t"), end = lines->length;
        while (strchr(" \t", lines->line[end - 1])) {
            end--;
        }
        names[*n_names] = memory_array(end - begin + 1, 1);
        TRY_ALLOCATED(names[*n_names]);
        memcpy(names[*n_names], lines->line + begin, end - begin);
        line_numbers[(*n_names)++] = lines->number;
    }
done:
    return status;
}

enum masing_status table_names_read(const char *file, char ***names, int **lines, int *n_names,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_lines text_lines;
    char *text = NULL;
    size_t length;
    *names = NULL;
    *lines = NULL;
    *n_names = 0;
    TRY(text_file_read(file, TEXT_FILE_LIMIT, &text, &length, error));
    TRY(text_check(text, length, true, file, error));
    text_lines_begin(&text_lines, file, text, length, '#');
    int count = text_lines_count_data(&text_lines);
    *names = memory_array((size_t)count, sizeof **names);
    *lines = memory_array((size_t)count, sizeof **lines);
    TRY_ALLOCATED(*names && *lines);
    TRY(take_names(&text_lines, *names, *lines, n_names, error));
done:
    free(text);
    if (status != MASING_OK) {
        memory_free_texts(*names, *n_names);
        free(*lines);
        *names = NULL;
        *lines = NULL;
        *n_names = 0;
    }
    return status;
}
