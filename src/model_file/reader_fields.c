/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Field tables filled from a mapping. */
#include "model_file/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/number.h"
#include "data/table_csv.h"

/* --- fields of several numbers ------------------------------------------------------------ */

static void *member(const struct masing_field *field, void *object)
{
    return (char *)object + field->offset;
}

/* "1 number", "1 or 2 numbers", "1 to 16 numbers" */
static const char *count_text(int max_count, const char *one, const char *many, char text[80])
{
    if (max_count == 1) {
        snprintf(text, 80, "1 %s", one);
    } else {
        snprintf(text, 80, "1 %s %d %s", max_count == 2 ? "or" : "to", max_count, many);
    }
    return text;
}

static enum masing_status fail_count(struct reader *reader, const struct tree_node *node,
                                     const struct masing_field *field, const char *expected)
{
    return reader_fail(reader, node, "%s: expected %s, found %d", field->name, expected,
                       node->count);
}

/* A number into a field; range errors come without a place and get the node's. */
static enum masing_status store_number(struct reader *reader, const struct tree_node *node,
                                       const struct masing_field *field, double value,
                                       void *object)
{
    struct masing_error local = {0};
    enum masing_status status = masing_field_store(field, value, object, &local);
    return status == MASING_OK ? status : reader_fail(reader, node, "%s", local.message);
}

static enum masing_status read_list(struct reader *reader, struct tree_node *node,
                                    const struct masing_field *field, void *object)
{
    struct masing_list list = {0};
    struct masing_field element = *field;
    int max_count = field->max_count ? field->max_count : MASING_LIST_LENGTH;
    char expected[80];
    double value;
    element.type = MASING_FIELD_REAL;
    element.offset = 0;
    count_text(max_count, "number", "numbers", expected);
    NEED(reader_refuse(reader, node->kind == TREE_MAPPING || tree_is_null(node), node,
                       "%s: expected %s, found %s", field->name, expected,
                       reader_kind_name(node)));
    if (node->kind == TREE_SCALAR) {
        NEED(reader_number(reader, node, field->name, &value));
        NEED(store_number(reader, node, &element, value, &list.values[list.count++]));
    } else if (node->count < 1 || node->count > max_count) {
        NEED(fail_count(reader, node, field, expected));
    }
    for (struct tree_node *child = node->first; child; child = child->next) {
        NEED(reader_number(reader, child, field->name, &value));
        NEED(store_number(reader, child, &element, value, &list.values[list.count++]));
    }
    *(struct masing_list *)member(field, object) = list;
    return MASING_OK;
}

static enum masing_status read_records(struct reader *reader, struct tree_node *node,
                                       const struct masing_field *field, void *object)
{
    const struct masing_records *records = field->records;
    char *count = member(field, object), *record = count + records->first_offset;
    char expected[80];
    int n = 0;
    count_text(records->max_count, "mapping", "mappings", expected);
    NEED(reader_refuse(reader, node->kind != TREE_SEQUENCE, node,
                       "%s: expected a list of %s, found %s", field->name, expected,
                       reader_kind_name(node)));
    if (node->count < 1 || node->count > records->max_count) {
        NEED(fail_count(reader, node, field, expected));
    }
    for (struct tree_node *child = node->first; child; child = child->next) {
        NEED(reader_field_section(reader, child, records->fields, records->n_fields, record));
        record += records->record_size;
        n++;
    }
    memcpy(count, &n, sizeof n);
    return MASING_OK;
}

static enum masing_status read_points_file(struct reader *reader, struct tree_node *node,
                                           const char *name, struct masing_points *points)
{
    static const struct csv_column columns[] = {{.name = "displacement", .is_required = true},
                                                {.name = "force", .is_required = true}};
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    char *file = NULL;
    struct csv_table table = {0};
    TRY(reader_file(reader, node, name, &file));
    TRY(csv_table_read(file, columns, 2, CSV_OTHERS_REFUSED, &table, error));
    int n = table.n_rows;
    if (n < 2 || n > MASING_POINTS_LENGTH) {
        TRY(csv_table_fail(&table, n > MASING_POINTS_LENGTH ? MASING_POINTS_LENGTH : n - 1,
                           error, "expected 2 to %d points, found %d", MASING_POINTS_LENGTH,
                           n));
    }
    for (int i = 0; i < n; i++) {
        points->x[i] = csv_table_number(&table, i, 0);
        points->y[i] = csv_table_number(&table, i, 1);
    }
    points->count = n;
done:
    csv_table_clear(&table);
    free(file);
    return status;
}

/* [[displacement, force], ...] */
static enum masing_status read_point_pairs(struct reader *reader, struct tree_node *node,
                                           const char *name, struct masing_points *points)
{
    NEED(reader_refuse(reader, node->count < 2 || node->count > MASING_POINTS_LENGTH, node,
                       "%s: expected 2 to %d points, found %d", name, MASING_POINTS_LENGTH,
                       node->count));
    for (struct tree_node *pair = node->first; pair; pair = pair->next) {
        NEED(reader_refuse(reader, pair->kind != TREE_SEQUENCE || pair->count != 2, pair,
                           "%s: expected a pair [displacement, force]", name));
        NEED(reader_number(reader, pair->first, "displacement", &points->x[points->count]));
        NEED(reader_number(reader, pair->last, "force", &points->y[points->count++]));
    }
    return MASING_OK;
}

static enum masing_status read_points(struct reader *reader, struct tree_node *node,
                                      const struct masing_field *field, void *object)
{
    struct masing_points *points = member(field, object);
    if (node->kind == TREE_SEQUENCE) {
        return read_point_pairs(reader, node, field->name, points);
    }
    if (node->kind == TREE_MAPPING || tree_is_null(node)) {
        return reader_fail(reader, node,
                           "%s: expected a CSV file or a list of pairs [displacement, force], "
                           "found %s",
                           field->name, reader_kind_name(node));
    }
    return read_points_file(reader, node, field->name, points);
}

/* --- tables ------------------------------------------------------------------------------- */

/* Length of what stands before the first dot; a field `step.initial` is `step: {initial}`. */
static size_t stem_length(const char *name)
{
    return strcspn(name, ".");
}

static bool begins_with(const char *name, const char *key)
{
    size_t length = stem_length(name);
    return strlen(key) == length && !strncmp(name, key, length);
}

static bool stands_in(const char *name, const char *key)
{
    return name[stem_length(name)] && begins_with(name, key);
}

const char **reader_field_keys(struct reader *reader, const struct masing_field *fields,
                               int n_fields)
{
    struct arena *arena = &reader->tree->arena;
    const char **keys = arena_array(arena, (size_t)n_fields + 1, sizeof *keys);
    for (int i = 0, n = 0; keys && i < n_fields; i++) {
        int k = 0;
        while (k < n && !begins_with(fields[i].name, keys[k])) {
            k++;
        }
        if (k == n) {
            keys[n] = arena_text(arena, fields[i].name, stem_length(fields[i].name));
            keys = keys[n++] ? keys : NULL;
        }
    }
    return keys;
}

bool reader_field_is_key(const struct masing_field *fields, int n_fields, const char *key)
{
    int i = 0;
    while (i < n_fields && !begins_with(fields[i].name, key)) {
        i++;
    }
    return i < n_fields;
}

bool reader_field_is_either(const struct masing_field *fields, int n_fields, const char *key)
{
    int i = masing_field_find(fields, n_fields, key) < 0 ? n_fields : 0;
    while (i < n_fields && !stands_in(fields[i].name, key)) {
        i++;
    }
    return i < n_fields;
}

/* The mapping in which a field stands, or NULL; *key is its key there. */
static struct tree_node *find_home(struct tree_node *map, const char *name, const char **key)
{
    size_t length = stem_length(name);
    *key = name[length] ? name + length + 1 : name;
    if (!name[length]) {
        return map;
    }
    struct tree_node *child = map->first;
    while (child && !begins_with(name, child->key)) {
        child = child->next;
    }
    return child && child->kind == TREE_MAPPING ? child : NULL;
}

/* Keys of the mappings inside a mapping, e.g. of `step`. */
static enum masing_status check_nested(struct reader *reader, const struct tree_node *map,
                                       const struct masing_field *fields, int n_fields)
{
    struct masing_error *error = reader->error;
    const char **keys;
    NEED_ALLOCATED(keys =
                       arena_array(&reader->tree->arena, (size_t)n_fields + 1, sizeof *keys));
    for (const struct tree_node *child = map->first; child; child = child->next) {
        int n = 0;
        for (int i = 0; i < n_fields; i++) {
            if (stands_in(fields[i].name, child->key)) {
                keys[n++] = fields[i].name + stem_length(fields[i].name) + 1;
            }
        }
        keys[n] = NULL;
        bool is_number =
            child->kind == TREE_SCALAR && reader_field_is_either(fields, n_fields, child->key);
        NEED(n && !is_number ? reader_keys(reader, child, keys, NULL) : MASING_OK);
    }
    return MASING_OK;
}

static enum masing_status read_field(struct reader *reader, struct tree_node *node,
                                     const struct masing_field *field, void *object)
{
    static const char *const booleans[] = {"false", "true", NULL};
    enum masing_status status;
    double number = 0.0;
    int is_true = 0;
    switch (field->type) {
    case MASING_FIELD_CHOICE:
        return reader_choice(reader, node, field->name, field->choices, member(field, object));
    case MASING_FIELD_LIST:
        return read_list(reader, node, field, object);
    case MASING_FIELD_RECORDS:
        return read_records(reader, node, field, object);
    case MASING_FIELD_POINTS:
        return read_points(reader, node, field, object);
    case MASING_FIELD_BOOLEAN:
        status = reader_choice(reader, node, field->name, booleans, &is_true);
        return status ? status : store_number(reader, node, field, is_true, object);
    case MASING_FIELD_REAL:
    case MASING_FIELD_INTEGER:
        break;
    }
    status = reader_number(reader, node, field->name, &number);
    return status ? status : store_number(reader, node, field, number, object);
}

/* The default of a field as text, or NULL where it has none. */
static const char *default_text(const struct masing_field *field, char number[NUMBER_TEXT])
{
    if (field->type > MASING_FIELD_CHOICE || !isfinite(field->fallback)) {
        return NULL;
    }
    if (field->type == MASING_FIELD_BOOLEAN) {
        return field->fallback != 0.0 ? "true" : "false";
    }
    return field->type == MASING_FIELD_CHOICE ? field->choices[(int)field->fallback]
                                              : number_print(field->fallback, number);
}

/* A mapping that is not there is filled in where all that stands in it has a default; else it
 * is another way of giving the same and is left out, as is one in whose place a number is. */
static bool has_home(struct tree_node *map, const struct masing_field *fields, int n_fields,
                     const char *name)
{
    const char *key;
    if (find_home(map, name, &key)) {
        return true;
    }
    for (int i = 0; i < n_fields; i++) {
        char number[NUMBER_TEXT];
        size_t length = stem_length(name);
        bool is_beside = name[length] && stem_length(fields[i].name) == length &&
                         !strncmp(name, fields[i].name, length);
        if (is_beside && (!fields[i].name[length] || !default_text(&fields[i], number))) {
            return false;
        }
    }
    return true;
}

/* Write out what an absent field has become; the mapping where it stands is made if need be. */
static enum masing_status fill_default(struct reader *reader, struct tree_node *map,
                                       const struct masing_field *field)
{
    struct masing_error *error = reader->error;
    char number[NUMBER_TEXT];
    const char *key, *text = default_text(field, number);
    struct tree_node *home = find_home(map, field->name, &key);
    if (text && !home) {
        char *stem = arena_text(&reader->tree->arena, field->name, stem_length(field->name));
        NEED_ALLOCATED(stem);
        NEED_ALLOCATED(home = tree_append(reader->tree, map, TREE_MAPPING));
        home->key = stem;
    }
    return text ? reader_default(reader, home, key, text) : MASING_OK;
}

enum masing_status reader_fields(struct reader *reader, struct tree_node *map,
                                 const struct masing_field *fields, int n_fields, void *object)
{
    masing_fields_reset(fields, n_fields, object);
    NEED(check_nested(reader, map, fields, n_fields));
    for (int i = 0; i < n_fields; i++) {
        const char *key;
        const struct tree_node *home = find_home(map, fields[i].name, &key);
        struct tree_node *node = tree_find(home, key);
        if (node && node->kind == TREE_MAPPING &&
            reader_field_is_either(fields, n_fields, key)) {
            continue; /* what stands in it are fields of their own */
        }
        if (node) {
            NEED(read_field(reader, node, &fields[i], object));
        } else if (fields[i].is_required) {
            return reader_fail(reader, map, "missing key '%s' (%s)", fields[i].name,
                               fields[i].help);
        } else if (reader->fills_defaults && has_home(map, fields, n_fields, fields[i].name)) {
            NEED(fill_default(reader, map, &fields[i]));
        }
    }
    return MASING_OK;
}

enum masing_status reader_field_section(struct reader *reader, struct tree_node *map,
                                        const struct masing_field *fields, int n_fields,
                                        void *object)
{
    struct masing_error *error = reader->error;
    const char **keys = reader_field_keys(reader, fields, n_fields);
    NEED_ALLOCATED(keys);
    NEED(reader_keys(reader, map, keys, NULL));
    return reader_fields(reader, map, fields, n_fields, object);
}
