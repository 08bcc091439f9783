/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single values and lists of numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/number.h"
#include "model_file/reader.h"
#include "data/suggest.h"

static const char *title_of(const struct tree_node *node, const char *what)
{
    return node->key ? node->key : what;
}

enum masing_status reader_number(struct reader *reader, struct tree_node *node,
                                 const char *what, double *value)
{
    const char *title = title_of(node, what);
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
                           reader_kind_name(node));
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
    const char *text = NULL;
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
    struct masing_suggestion suggestion = masing_suggest_begin(text);
    suggest_consider_all(&suggestion, choices);
    suggest_list(choices, list, sizeof list);
    return reader_fail(reader, node, "%s: expected one of %s; found '%.60s'%s",
                       title_of(node, what), list, text,
                       masing_suggest_text(&suggestion, hint, sizeof hint));
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
