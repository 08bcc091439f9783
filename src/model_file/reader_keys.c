/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Closed sets of keys, and what to say about a key that is not among them. */
#include <string.h>

#include "data/number.h"
#include "model_file/reader.h"
#include "data/suggest.h"

/* {stiffness: 0,3} is two entries to YAML: "stiffness: 0" and "3". */
static bool is_decimal_comma(const struct tree_node *before, const struct tree_node *child)
{
    double number;
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
    struct masing_suggestion suggestion = masing_suggest_begin(child->key);
    for (const struct tree_node *other = map->first; other; other = other->next) {
        if (!other->is_added) {
            masing_suggest_consider(&suggestion, other->key);
        }
    }
    return reader_fail(reader, child, "no such number: unknown name '%.60s'%s", child->key,
                       masing_suggest_text(&suggestion, hint, sizeof hint));
}

enum masing_status reader_open_mapping(struct reader *reader, const struct tree_node *map)
{
    enum masing_status status = reader_mapping(reader, map);
    const struct tree_node *before = NULL;
    for (const struct tree_node *child = map->first; child && !status; child = child->next) {
        if (child->is_added) {
            status = fail_added(reader, map, child);
        } else if (is_decimal_comma(before, child)) {
            status = fail_comma(reader, child);
        }
        before = child;
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

static enum masing_status fail_unknown(struct reader *reader, const struct tree_node *before,
                                       const struct tree_node *child, const char *const *keys,
                                       const char *const *more)
{
    char hint[100], list[400] = "";
    struct masing_suggestion suggestion = masing_suggest_begin(child->key);
    suggest_consider_all(&suggestion, keys);
    suggest_consider_all(&suggestion, more);
    if (child->is_added) {
        return fail_unknown_override(reader, child, suggestion.nearest);
    }
    if (is_decimal_comma(before, child)) {
        return fail_comma(reader, child);
    }
    struct tree_node at_key = *child;
    at_key.place = child->key_place;
    if (suggestion.nearest) {
        return reader_fail(reader, &at_key, "unknown key '%.60s'%s", child->key,
                           masing_suggest_text(&suggestion, hint, sizeof hint));
    }
    suggest_list(keys, list, sizeof list);
    suggest_list(more, list, sizeof list);
    return reader_fail(reader, &at_key, "unknown key '%.60s', expected one of %s", child->key,
                       list);
}

enum masing_status reader_keys(struct reader *reader, const struct tree_node *map,
                               const char *const *keys, const char *const *more)
{
    enum masing_status status = reader_mapping(reader, map);
    const struct tree_node *before = NULL;
    for (const struct tree_node *child = map->first; child && !status; child = child->next) {
        if (!is_listed(keys, child->key) && !is_listed(more, child->key)) {
            status = fail_unknown(reader, before, child, keys, more);
        }
        before = child;
    }
    return status;
}
