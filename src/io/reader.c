/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/number.h"
#include "io/suggest.h"
#include "io/text_file.h"

const char *reader_place(const struct reader *reader, const struct tree_node *node,
                         char text[READER_PLACE])
{
    if (node->origin) {
        snprintf(text, READER_PLACE, "--set %.200s", node->origin);
    } else {
        snprintf(text, READER_PLACE, "%.400s:%d:%d", reader->file, node->place.line,
                 node->place.column);
    }
    return text;
}

enum masing_status reader_fail(struct reader *reader, const struct tree_node *node,
                               const char *format, ...)
{
    char place[READER_PLACE], what[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return masing_error_set(reader->error, MASING_INVALID, "%s: %s",
                            reader_place(reader, node, place), what);
}

enum masing_status reader_fail_unsupported(struct reader *reader, const struct tree_node *node,
                                           const char *what)
{
    char place[READER_PLACE];
    return masing_error_set(reader->error, MASING_UNSUPPORTED,
                            "%s: %.200s is not supported yet",
                            reader_place(reader, node, place), what);
}

static const char *title_of(const struct tree_node *node, const char *what)
{
    return node->key ? node->key : what;
}

static const char *kind_name(const struct tree_node *node)
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
                       node->key ? ": " : "", expected, kind_name(node));
}

enum masing_status reader_mapping(struct reader *reader, const struct tree_node *node)
{
    return expect_kind(reader, node, TREE_MAPPING, "a mapping ('key: value')");
}

enum masing_status reader_sequence(struct reader *reader, const struct tree_node *node)
{
    return expect_kind(reader, node, TREE_SEQUENCE, "a list");
}

/* {stiffness: 0,3} is two entries to YAML: "stiffness: 0" and "3". */
static bool is_decimal_comma(const struct tree_node *map, const struct tree_node *child)
{
    double number;
    const struct tree_node *before = map->first;
    while (before && before->next != child) {
        before = before->next;
    }
    return before && before->kind == TREE_SCALAR && tree_is_null(child) &&
           number_parse(child->key, &number) == NULL &&
           number_parse(before->text, &number) == NULL;
}

static enum masing_status fail_comma(struct reader *reader, const struct tree_node *child)
{
    struct tree_node at_key = *child;
    at_key.place = child->key_place;
    return reader_fail(reader, &at_key,
                       "unknown key '%.60s': expected a decimal point, not a comma",
                       child->key);
}

static enum masing_status fail_added(struct reader *reader, const struct tree_node *map,
                                     const struct tree_node *child)
{
    char hint[100];
    struct suggestion suggestion = suggest_begin(child->key);
    for (const struct tree_node *other = map->first; other; other = other->next) {
        if (!other->is_added) {
            suggest_consider(&suggestion, other->key);
        }
    }
    return reader_fail(reader, child, "no such number: unknown name '%.60s'%s", child->key,
                       suggest_text(&suggestion, hint, sizeof hint));
}

enum masing_status reader_open_mapping(struct reader *reader, const struct tree_node *map)
{
    enum masing_status status = reader_mapping(reader, map);
    for (const struct tree_node *child = map->first; child && !status; child = child->next) {
        if (child->is_added) {
            status = fail_added(reader, map, child);
        } else if (tree_is_null(child) && is_decimal_comma(map, child)) {
            status = fail_comma(reader, child);
        }
    }
    return status;
}

static bool is_listed(const char *const *keys, const char *key)
{
    for (; keys && *keys; keys++) {
        if (strcmp(*keys, key) == 0) {
            return true;
        }
    }
    return false;
}

static void consider_all(struct suggestion *suggestion, const char *const *keys)
{
    for (; keys && *keys; keys++) {
        suggest_consider(suggestion, *keys);
    }
}

static enum masing_status
fail_unknown_override(struct reader *reader, const struct tree_node *child, const char *nearest)
{
    if (!nearest) {
        return reader_fail(reader, child, "no such number: unknown key '%.60s'", child->key);
    }
    const char *tail = child->origin + child->stem + strlen(child->key);
    return reader_fail(reader, child, "no such number; did you mean %.*s%s%s?", child->stem,
                       child->origin, nearest, tail);
}

/* Append names to a list, as far as it goes. */
static void list_choices(const char *const *choices, char *list, size_t size)
{
    for (; choices && *choices; choices++) {
        size_t length = strlen(list);
        snprintf(list + length, size - length, "%s%s", length ? ", " : "", *choices);
    }
}

static enum masing_status fail_unknown(struct reader *reader, const struct tree_node *map,
                                       const struct tree_node *child, const char *const *keys,
                                       const char *const *more)
{
    char hint[100], list[400] = "";
    struct suggestion suggestion = suggest_begin(child->key);
    consider_all(&suggestion, keys);
    consider_all(&suggestion, more);
    if (child->is_added) {
        return fail_unknown_override(reader, child, suggestion.nearest);
    }
    if (is_decimal_comma(map, child)) {
        return fail_comma(reader, child);
    }
    struct tree_node at_key = *child;
    at_key.place = child->key_place;
    if (suggestion.nearest) {
        return reader_fail(reader, &at_key, "unknown key '%.60s'%s", child->key,
                           suggest_text(&suggestion, hint, sizeof hint));
    }
    list_choices(keys, list, sizeof list);
    list_choices(more, list, sizeof list);
    return reader_fail(reader, &at_key, "unknown key '%.60s', expected one of %s", child->key,
                       list);
}

enum masing_status reader_keys(struct reader *reader, const struct tree_node *map,
                               const char *const *keys, const char *const *more)
{
    enum masing_status status = reader_mapping(reader, map);
    for (const struct tree_node *child = map->first; child && !status; child = child->next) {
        if (!is_listed(keys, child->key) && !is_listed(more, child->key)) {
            status = fail_unknown(reader, map, child, keys, more);
        }
    }
    return status;
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

enum masing_status reader_section(struct reader *reader, const char *key,
                                  struct tree_node **section)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    *section = tree_find(reader->tree->root, key);
    if (*section || !reader->fills_defaults) {
        return MASING_OK;
    }
    *section = tree_append_text(reader->tree, reader->tree->root, key, "");
    TRY_ALLOCATED(*section);
    (*section)->kind = TREE_MAPPING;
done:
    return status;
}

enum masing_status reader_number(struct reader *reader, struct tree_node *node,
                                 const char *what, double *value)
{
    const char *title = title_of(node, what);
    if (node->kind != TREE_SCALAR || tree_is_null(node)) {
        return reader_fail(reader, node, "%s: expected a number, found %s", title,
                           kind_name(node));
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

enum masing_status reader_integer(struct reader *reader, struct tree_node *node,
                                  const char *what, int minimum, int maximum, int *value)
{
    double number;
    enum masing_status status = reader_number(reader, node, what, &number);
    if (status != MASING_OK) {
        return status;
    }
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
                           kind_name(node));
    }
    *text = node->text;
    return MASING_OK;
}

enum masing_status reader_boolean(struct reader *reader, struct tree_node *node,
                                  const char *what, bool *value)
{
    static const char *const choices[] = {"false", "true", NULL};
    int index;
    enum masing_status status = reader_choice(reader, node, what, choices, &index);
    if (status == MASING_OK) {
        *value = index == 1;
    }
    return status;
}

enum masing_status reader_choice(struct reader *reader, struct tree_node *node,
                                 const char *what, const char *const *choices, int *index)
{
    char list[200] = "", hint[100];
    const char *text;
    enum masing_status status = reader_text(reader, node, what, &text);
    if (status != MASING_OK) {
        return status;
    }
    for (int i = 0; choices[i]; i++) {
        if (strcmp(choices[i], text) == 0) {
            *index = i;
            return MASING_OK;
        }
    }
    struct suggestion suggestion = suggest_begin(text);
    consider_all(&suggestion, choices);
    list_choices(choices, list, sizeof list);
    return reader_fail(reader, node, "%s: expected one of %s; found '%.60s'%s",
                       title_of(node, what), list, text,
                       suggest_text(&suggestion, hint, sizeof hint));
}

enum masing_status reader_numbers(struct reader *reader, struct tree_node *node,
                                  const char *what, int *count, double **values)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    bool is_single = node->kind != TREE_SEQUENCE;
    int n = is_single ? 1 : node->count, i = 0;
    *values = memory_array((size_t)n, sizeof **values);
    TRY_ALLOCATED(*values);
    if (is_single) {
        TRY(reader_number(reader, node, what, *values));
    } else {
        for (struct tree_node *child = node->first; child; child = child->next) {
            TRY(reader_number(reader, child, title_of(node, what), &(*values)[i++]));
        }
    }
    *count = n;
done:
    if (status != MASING_OK) {
        free(*values);
        *values = NULL;
    }
    return status;
}

enum masing_status reader_optional_number(struct reader *reader, struct tree_node *map,
                                          const char *key, double *value)
{
    char text[NUMBER_TEXT];
    struct tree_node *node = tree_find(map, key);
    return node ? reader_number(reader, node, key, value)
                : reader_default(reader, map, key, number_print(*value, text));
}

enum masing_status reader_optional_integer(struct reader *reader, struct tree_node *map,
                                           const char *key, int minimum, int maximum,
                                           int *value)
{
    char text[NUMBER_TEXT];
    struct tree_node *node = tree_find(map, key);
    return node ? reader_integer(reader, node, key, minimum, maximum, value)
                : reader_default(reader, map, key, number_print(*value, text));
}

enum masing_status reader_optional_choice(struct reader *reader, struct tree_node *map,
                                          const char *key, const char *const *choices,
                                          int *index)
{
    struct tree_node *node = tree_find(map, key);
    return node ? reader_choice(reader, node, key, choices, index)
                : reader_default(reader, map, key, choices[*index]);
}

enum masing_status reader_file(struct reader *reader, const struct tree_node *node,
                               const char *what, char **file)
{
    struct masing_error *error = reader->error;
    const char *name;
    enum masing_status status = MASING_OK;
    *file = NULL;
    TRY(reader_text(reader, node, what, &name));
    *file = text_file_beside(reader->file, name);
    TRY_ALLOCATED(*file);
    FILE *stream = fopen(*file, "rb");
    if (!stream) {
        TRY(reader_fail(reader, node, "%s: no file '%.200s' that can be read",
                        title_of(node, what), *file));
    }
    fclose(stream);
done:
    if (status != MASING_OK) {
        free(*file);
        *file = NULL;
    }
    return status;
}
