/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model_file/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/number.h"
#include "data/suggest.h"
#include "data/matrices/matrix_file.h"
#include "data/text_file.h"

static const char *write_place(const char *file, const struct tree_node *node,
                               struct masing_place place, char text[READER_PLACE])
{
    if (node->origin) {
        snprintf(text, READER_PLACE, "--set %.200s", node->origin);
    } else {
        snprintf(text, READER_PLACE, "%.400s:%d:%d", file, place.line, place.column);
    }
    return text;
}

const char *tree_place(const char *file, const struct tree_node *node, char text[READER_PLACE])
{
    return write_place(file, node, node->place, text);
}

const char *reader_key_place(const struct reader *reader, const struct tree_node *node,
                             char text[READER_PLACE])
{
    return write_place(reader->file, node, node->key ? node->key_place : node->place, text);
}

static enum masing_status fail(struct reader *reader, const struct tree_node *node,
                               struct masing_place place, const char *format, va_list arguments)
{
    char where[READER_PLACE], what[500];
    vsnprintf(what, sizeof what, format, arguments);
    return masing_error_set(reader->error, MASING_INVALID, "%s: %s",
                            write_place(reader->file, node, place, where), what);
}

enum masing_status reader_fail(struct reader *reader, const struct tree_node *node,
                               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(reader, node, node->place, format, arguments);
    va_end(arguments);
    return MASING_INVALID;
}

enum masing_status reader_fail_key(struct reader *reader, const struct tree_node *node,
                                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(reader, node, node->key ? node->key_place : node->place, format, arguments);
    va_end(arguments);
    return MASING_INVALID;
}

enum masing_status reader_refuse(struct reader *reader, bool is_wrong,
                                 const struct tree_node *node, const char *format, ...)
{
    if (!is_wrong) {
        return MASING_OK;
    }
    va_list arguments;
    va_start(arguments, format);
    fail(reader, node, node->place, format, arguments);
    va_end(arguments);
    return MASING_INVALID;
}

const char *reader_kind_name(const struct tree_node *node)
{
    if (node->kind == TREE_SCALAR) {
        return tree_is_null(node) ? "nothing" : "a single value";
    }
    return node->kind == TREE_SEQUENCE ? "a list" : "a mapping";
}

static enum masing_status expect_kind(struct reader *reader, const struct tree_node *node,
                                      enum tree_kind kind, const char *expected)
{
    if (node->kind == kind) {
        return MASING_OK;
    }
    return reader_fail(reader, node, "%s%sexpected %s, found %s", node->key ? node->key : "",
                       node->key ? ": " : "", expected, reader_kind_name(node));
}

enum masing_status reader_mapping(struct reader *reader, const struct tree_node *node)
{
    return expect_kind(reader, node, TREE_MAPPING, "a mapping ('key: value')");
}

enum masing_status reader_sequence(struct reader *reader, const struct tree_node *node)
{
    return expect_kind(reader, node, TREE_SEQUENCE, "a list");
}

enum masing_status reader_required(struct reader *reader, const struct tree_node *map,
                                   const char *key, struct tree_node **node)
{
    *node = tree_find(map, key);
    return *node ? MASING_OK : reader_fail(reader, map, "missing key '%s'", key);
}

enum masing_status reader_default(struct reader *reader, struct tree_node *map, const char *key,
                                  const char *text)
{
    if (reader->fills_defaults && !tree_append_text(reader->tree, map, key, text)) {
        return masing_error_set(reader->error, MASING_NO_MEMORY, "out of memory");
    }
    return MASING_OK;
}

enum masing_status reader_note_file(struct reader *reader, const char *file)
{
    struct masing_error *error = reader->error;
    struct masing_spec *spec = reader->spec;
    size_t n = (size_t)spec->n_files, capacity = n;
    NEED_ALLOCATED(memory_grow((void **)&spec->files, n + 1, &capacity, sizeof *spec->files));
    NEED_ALLOCATED(spec->files[n] = memory_text(file));
    spec->n_files++;
    return MASING_OK;
}

/* It is noted in the specification's list of what it was made of. */
enum masing_status reader_file_named(struct reader *reader, const struct tree_node *node,
                                     const char *what, const char *name, char **file)
{
    struct masing_error *error = reader->error;
    *file = NULL;
    NEED_ALLOCATED(*file = text_file_beside(reader->file, name));
    NEED(reader_refuse(reader, access(*file, R_OK) != 0, node,
                       "%s: no file '%.200s' that can be read", node->key ? node->key : what,
                       *file));
    return reader_note_file(reader, *file);
}

enum masing_status reader_file(struct reader *reader, const struct tree_node *node,
                               const char *what, char **file)
{
    const char *name = NULL;
    *file = NULL;
    NEED(reader_text(reader, node, what, &name));
    return reader_file_named(reader, node, what, name, file);
}

enum masing_status reader_matrix_file(struct reader *reader, const struct tree_node *node,
                                      const char *what, char **file)
{
    struct masing_error *error = reader->error;
    const char *name = NULL;
    *file = NULL;
    NEED(reader_text(reader, node, what, &name));
    char *alone = memory_text(name);
    NEED_ALLOCATED(alone);
    const char *variable = matrix_file_split(alone);
    enum masing_status status = reader_file_named(reader, node, what, alone, file);
    if (status == MASING_OK && variable) {
        char *whole = memory_format("%s:%s", *file, variable);
        free(*file);
        *file = whole;
        status = whole ? MASING_OK : masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    free(alone);
    return status;
}

enum masing_status reader_keep_rows(struct reader *reader, struct tree_node *node,
                                    struct csv_table *table)
{
    struct masing_error *error = reader->error;
    struct arena *arena = &reader->tree->arena;
    struct csv_table *rows;
    NEED_ALLOCATED(rows = arena_allocate(arena, sizeof *rows));
    NEED_ALLOCATED(table->file = arena_text(arena, table->file, strlen(table->file)));
    arena_take(arena, &table->arena);
    *rows = *table;
    node->rows = rows;
    return MASING_OK;
}

/* --- values ------------------------------------------------------------------------------- */

static const char *title_of(const struct tree_node *node, const char *what)
{
    return node->key ? node->key : what;
}

enum masing_status reader_number(struct reader *reader, struct tree_node *node,
                                 const char *what, double *value)
{
    const char *title = title_of(node, what);
    node->is_number = true;
    if (node->kind != TREE_SCALAR || tree_is_null(node)) {
        return reader_fail(reader, node, "%s: expected a number, found %s", title,
                           reader_kind_name(node));
    }
    if (expression_is(node->text)) {
        struct expression_fault fault;
        if (!expression_evaluate(node->text, reader->parameters, reader->n_parameters,
                                 &node->number, &fault)) {
            return reader_fail(reader, node, "%s: '%.60s': %s", title, node->text,
                               fault.message);
        }
        node->is_computed = true;
        *value = node->number;
        return MASING_OK;
    }
    const char *reason = number_parse(node->text, value);
    if (reason) {
        return reader_fail(reader, node, "%s: '%.60s' is not a number: %s", title, node->text,
                           reason);
    }
    return MASING_OK;
}

enum masing_status reader_positive(struct reader *reader, struct tree_node *node,
                                   const char *what, double *value)
{
    NEED(reader_number(reader, node, what, value));
    if (!(*value > 0.0)) {
        return reader_fail(reader, node, "%s: must be greater than 0, found %g",
                           title_of(node, what), *value);
    }
    return MASING_OK;
}

enum masing_status reader_integer(struct reader *reader, struct tree_node *node,
                                  const char *what, int minimum, int maximum, int *value)
{
    double number;
    NEED(reader_number(reader, node, what, &number));
    if (number != floor(number)) {
        return reader_fail(reader, node, "%s: expected a whole number, found %g",
                           title_of(node, what), number);
    }
    if (number < minimum || number > maximum) {
        return reader_fail(reader, node, "%s: expected a whole number from %d to %d, found %g",
                           title_of(node, what), minimum, maximum, number);
    }
    *value = (int)number;
    return MASING_OK;
}

enum masing_status reader_text(struct reader *reader, const struct tree_node *node,
                               const char *what, const char **text)
{
    if (node->kind != TREE_SCALAR || tree_is_null(node)) {
        return reader_fail(reader, node, "%s: expected a text, found %s", title_of(node, what),
                           reader_kind_name(node));
    }
    *text = node->text;
    return MASING_OK;
}

enum masing_status reader_text_copy(struct reader *reader, const struct tree_node *node,
                                    const char *what, char **copy)
{
    struct masing_error *error = reader->error;
    const char *text = NULL;
    NEED(reader_text(reader, node, what, &text));
    free(*copy);
    NEED_ALLOCATED(*copy = memory_text(text));
    return MASING_OK;
}

enum masing_status reader_choice(struct reader *reader, struct tree_node *node,
                                 const char *what, const char *const *choices, int *index)
{
    char list[200] = "", hint[100];
    const char *text = NULL;
    suggest_list(choices, list, sizeof list);
    if (node->kind != TREE_SCALAR || tree_is_null(node)) {
        return reader_fail(reader, node, "%s: expected one of %s; found %s",
                           title_of(node, what), list, reader_kind_name(node));
    }
    NEED(reader_text(reader, node, what, &text));
    for (int i = 0; choices[i]; i++) {
        if (strcmp(choices[i], text) == 0) {
            *index = i;
            return MASING_OK;
        }
    }
    struct masing_suggestion suggestion = masing_suggest_begin(text);
    suggest_consider_all(&suggestion, choices);
    return reader_fail(reader, node, "%s: expected one of %s; found '%.60s'%s",
                       title_of(node, what), list, text,
                       masing_suggest_text(&suggestion, hint, sizeof hint));
}

enum masing_status reader_numbers(struct reader *reader, struct tree_node *node,
                                  const char *what, int *count, double **values)
{
    struct masing_error *error = reader->error;
    bool is_list = node->kind == TREE_SEQUENCE;
    struct tree_node *child = is_list ? node->first : node;
    int n = 0;
    NEED_ALLOCATED(*values = memory_array(is_list ? (size_t)node->count : 1, sizeof **values));
    for (; child; child = is_list ? child->next : NULL) {
        NEED(reader_number(reader, child, title_of(node, what), &(*values)[n++]));
    }
    *count = n;
    return MASING_OK;
}
