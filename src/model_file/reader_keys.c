/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Closed sets of keys: what is said of a key that is not among them, and tables that say what
 * becomes of each. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "data/number.h"
#include "data/suggest.h"
#include "model_file/reader.h"

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
    return reader_fail_key(reader, child,
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
    if (suggestion.nearest) {
        return reader_fail_key(reader, child, "unknown key '%.60s'%s", child->key,
                               masing_suggest_text(&suggestion, hint, sizeof hint));
    }
    suggest_list(keys, list, sizeof list);
    suggest_list(more, list, sizeof list);
    return reader_fail_key(reader, child, "unknown key '%.60s', expected one of %s", child->key,
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

/* --- tables of keys ----------------------------------------------------------------------- */

enum { MOST_KEYS = 40 };

static bool belongs(const struct reader_key *key, unsigned variant)
{
    return !key->variants || !variant || (key->variants & variant);
}

enum masing_status reader_check_keys(struct reader *reader, const struct tree_node *map,
                                     const struct reader_key *keys, unsigned variant,
                                     const char *const *more)
{
    const char *names[MOST_KEYS + 1] = {NULL};
    for (int n = 0; keys->name && n < MOST_KEYS; keys++) {
        if (belongs(keys, variant)) {
            names[n++] = keys->name;
        }
    }
    return reader_keys(reader, map, names, more);
}

const struct reader_key *reader_find_key(const struct reader_key *keys, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0) {
        keys++;
    }
    return keys->name ? keys : NULL;
}

/* A member counts while it is read: what it owns is released with the object. */
static enum masing_status read_list(struct reader *reader, struct tree_node *list,
                                    const struct reader_key *key, void *object)
{
    struct masing_error *error = reader->error;
    int *count = (void *)((char *)object + key->count);
    if (tree_is_null(list) && !key->minimum) {
        return MASING_OK;
    }
    NEED(key->expand ? key->expand(reader, list) : MASING_OK);
    NEED(reader_sequence(reader, list));
    if (list->count < key->minimum || (key->minimum && list->count > key->maximum)) {
        return reader_fail(reader, list, "%s: expected %d to %d, found %d", key->name,
                           key->minimum, key->maximum, list->count);
    }
    if (key->maximum && list->count > key->maximum) {
        return reader_fail(reader, list, "%s: more than %d", key->name, key->maximum);
    }
    char *members = memory_array((size_t)list->count, key->size);
    NEED_ALLOCATED(members);
    memcpy((char *)object + key->offset, &members, sizeof members);
    for (struct tree_node *node = list->first; node; node = node->next) {
        void *member = members + (size_t)(*count)++ * key->size;
        NEED(key->read(reader, node, member));
    }
    return MASING_OK;
}

static enum masing_status read_value(struct reader *reader, struct tree_node *node,
                                     const struct reader_key *key, void *object)
{
    void *target = (char *)object + key->offset;
    enum masing_status status;
    double degrees = 0.0;
    int index = 0;
    if (key->place) {
        memcpy((char *)object + key->place, &node->place, sizeof node->place);
    }
    switch (key->kind) {
    case KEY_NUMBER:
        return reader_number(reader, node, key->name, target);
    case KEY_POSITIVE:
        return reader_positive(reader, node, key->name, target);
    case KEY_DEGREES:
        status = reader_number(reader, node, key->name, &degrees);
        *(double *)target = degrees / 360.0 * TWO_PI;
        return status;
    case KEY_INTEGER:
        return reader_integer(reader, node, key->name, key->minimum, key->maximum, target);
    case KEY_CHOICE:
        return reader_choice(reader, node, key->name, key->choices, target);
    case KEY_SWITCH:
        status = reader_choice(reader, node, key->name, key->choices, &index);
        *(bool *)target = index == 1;
        return status;
    case KEY_TEXT:
        return reader_text_copy(reader, node, key->name, target);
    case KEY_DISPLACEMENT:
        return reader_displacement(reader, node, key->name, false, target);
    case KEY_VALUES:
        return reader_weights(reader, node, WEIGHTS_OF_EACH, target);
    case KEY_PATTERN:
        return reader_pattern(reader, node, WEIGHTS_OF_EACH, target);
    case KEY_UNIT_PATTERN:
        return reader_unit_pattern(reader, node, target);
    case KEY_FIELDS:
        return reader_field_section(reader, node, key->fields, *key->n_fields, target);
    case KEY_SECTION:
        return reader_section(reader, node, key->keys, 0, target);
    case KEY_LIST:
        return read_list(reader, node, key, object);
    case KEY_OTHER:
        break;
    }
    return key->read ? key->read(reader, node, target) : MASING_OK;
}

/* What an absent key has become is written out where defaults are filled in; a section is then
 * made, and its own keys with it. */
static enum masing_status read_absent(struct reader *reader, struct tree_node *map,
                                      const struct reader_key *key, void *object)
{
    void *target = (char *)object + key->offset;
    char number[NUMBER_TEXT];
    struct masing_error *error = reader->error;
    switch (key->kind) {
    case KEY_CHOICE:
        return reader_default(reader, map, key->name, key->choices[*(const int *)target]);
    case KEY_SWITCH:
        return reader_default(reader, map, key->name, key->choices[*(const bool *)target]);
    case KEY_INTEGER:
        return reader_default(reader, map, key->name,
                              number_print(*(const int *)target, number));
    case KEY_NUMBER:
    case KEY_DEGREES: /* 0 */
        return reader_default(reader, map, key->name,
                              number_print(*(const double *)target, number));
    case KEY_FIELDS:
    case KEY_SECTION:
        if (reader->fills_defaults) {
            struct tree_node *section = tree_append_text(reader->tree, map, key->name, "");
            NEED_ALLOCATED(section);
            section->kind = TREE_MAPPING;
            NEED(read_value(reader, section, key, object));
        }
        break;
    default:
        return key->read(reader, NULL, target);
    }
    return MASING_OK;
}

enum masing_status reader_read_keys(struct reader *reader, struct tree_node *map,
                                    const struct reader_key *keys, unsigned variant,
                                    void *object)
{
    for (const struct reader_key *key = keys; key->name; key++) {
        struct tree_node *node = tree_find(map, key->name);
        if (!belongs(key, variant) || (key->needs_structure && !reader->has_structure)) {
            continue;
        }
        if (key->is_required) {
            NEED(reader_required(reader, map, key->name, &node));
        }
        if (node) {
            NEED(read_value(reader, node, key, object));
        } else if (key->has_default) {
            NEED(read_absent(reader, map, key, object));
        }
    }
    return MASING_OK;
}

enum masing_status reader_section(struct reader *reader, struct tree_node *map,
                                  const struct reader_key *keys, unsigned variant, void *object)
{
    NEED(reader_check_keys(reader, map, keys, variant, NULL));
    return reader_read_keys(reader, map, keys, variant, object);
}
