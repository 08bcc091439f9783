/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model_file/tree.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/printable.h"
#include "data/number.h"
#include "data/text_file.h"
#include "model/names.h"

struct tree_node *tree_append(struct tree *tree, struct tree_node *parent, enum tree_kind kind)
{
    struct tree_node *node = arena_allocate(&tree->arena, sizeof *node);
    if (!node) {
        return NULL;
    }
    node->kind = kind;
    if (!parent) {
        tree->root = node;
        return node;
    }
    *(parent->last ? &parent->last->next : &parent->first) = node;
    parent->last = node;
    parent->count++;
    return node;
}

/* NULL for NULL, or without memory */
static const char *copy_text(struct tree *tree, const char *text)
{
    return text ? arena_text(&tree->arena, text, strlen(text)) : NULL;
}

const char *tree_printable_text(struct tree *tree, const char *text, size_t length)
{
    size_t size = printable_put(text, length, NULL, 0) + 1;
    char *shown = arena_allocate(&tree->arena, size);
    if (shown) {
        printable_put(text, length, shown, size);
    }
    return shown;
}

struct tree_node *tree_append_text(struct tree *tree, struct tree_node *map, const char *key,
                                   const char *text)
{
    const char *key_copy = copy_text(tree, key), *text_copy = copy_text(tree, text);
    struct tree_node *node = key_copy && text_copy ? tree_append(tree, map, TREE_SCALAR) : NULL;
    if (node) {
        node->is_plain = true;
        node->key = key_copy;
        node->text = text_copy;
    }
    return node;
}

/* What memory was missing for is left out, and noted by the arena. */
static void copy_node(struct tree *tree, struct tree_node *parent,
                      const struct tree_node *source)
{
    struct tree_node *node = tree_append(tree, parent, source->kind);
    if (!node) {
        return;
    }
    *node = *source;
    node->next = node->first = node->last = NULL;
    node->count = 0;
    node->key = copy_text(tree, source->key);
    node->text = copy_text(tree, source->text);
    for (const struct tree_node *child = source->first; child; child = child->next) {
        copy_node(tree, node, child);
    }
}

enum masing_status tree_copy(const struct tree *source, struct tree **copy,
                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY_ALLOCATED(*copy = memory_array(1, sizeof **copy));
    copy_node(*copy, NULL, source->root);
    TRY_ALLOCATED(!(*copy)->arena.has_failed);
done:
    if (status != MASING_OK) {
        tree_destroy(*copy);
        *copy = NULL;
    }
    return status;
}

void tree_destroy(struct tree *tree)
{
    if (tree) {
        arena_clear(&tree->arena);
        free(tree);
    }
}

struct tree_node *tree_find(const struct tree_node *map, const char *key)
{
    if (!map || map->kind != TREE_MAPPING) {
        return NULL;
    }
    for (struct tree_node *child = map->first; child; child = child->next) {
        if (strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

struct tree_node *tree_at(const struct tree_node *sequence, int index)
{
    if (!sequence || sequence->kind != TREE_SEQUENCE || index < 0 || index >= sequence->count) {
        return NULL;
    }
    struct tree_node *child = sequence->first;
    while (index-- > 0) {
        child = child->next;
    }
    return child;
}

void tree_remove(struct tree_node *parent, const struct tree_node *child)
{
    struct tree_node *before = NULL;
    for (struct tree_node *node = parent->first; node; before = node, node = node->next) {
        if (node == child) {
            *(before ? &before->next : &parent->first) = node->next;
            parent->last = parent->last == node ? before : parent->last;
            parent->count--;
            return;
        }
    }
}

void tree_move(struct tree_node *parent, struct tree_node *child, struct tree_node *to)
{
    tree_remove(parent, child);
    child->next = NULL;
    *(to->last ? &to->last->next : &to->first) = child;
    to->last = child;
    to->count++;
}

bool tree_is_null(const struct tree_node *node)
{
    if (node->kind != TREE_SCALAR || !node->is_plain) {
        return false;
    }
    const char *text = node->text;
    return !*text || !strcmp(text, "~") || !strcmp(text, "null") || !strcmp(text, "Null") ||
           !strcmp(text, "NULL");
}

/* --- parsing ------------------------------------------------------------------------------ */

/*
 * libyaml's events into a tree. Only what a model needs is accepted: no anchors, aliases, tags
 * and further documents; depth and number of values are limited, so that no file can make the
 * reader slow or large.
 */

enum { MAX_DEPTH = 64, MAX_NODES = 1000000 };

struct builder {
    yaml_parser_t *parser;
    const char *text; /* after the byte order mark */
    size_t length;
    const char *file;
    struct tree *tree;
    struct tree_node *stack[MAX_DEPTH];
    int depth;
    int n_nodes;
    const char *key; /* of the next value of the mapping on top */
    struct masing_place key_place;
    struct masing_error *error;
};

static int saturated(size_t number)
{
    return number < INT_MAX - 1 ? (int)number + 1 : INT_MAX;
}

static struct masing_place place_of(yaml_mark_t mark)
{
    return (struct masing_place){saturated(mark.line), saturated(mark.column)};
}

static enum masing_status fail_event(struct builder *builder, const yaml_event_t *event,
                                     const char *what)
{
    struct masing_place place = place_of(event->start_mark);
    return masing_error_set(builder->error, MASING_INVALID, "%.400s:%d:%d: %s", builder->file,
                            place.line, place.column, what);
}

/* libyaml counts characters, not bytes. */
static bool is_tab(const struct builder *builder, size_t index)
{
    for (size_t i = 0; i < builder->length; i++) {
        bool is_continuation = ((unsigned char)builder->text[i] & 0xC0) == 0x80;
        if (!is_continuation && index-- == 0) {
            return builder->text[i] == '\t';
        }
    }
    return false;
}

static enum masing_status fail_syntax(struct builder *builder)
{
    const yaml_parser_t *parser = builder->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        return masing_error_set(builder->error, MASING_NO_MEMORY, "out of memory");
    }
    struct masing_place place = place_of(parser->problem_mark);
    size_t offset = parser->problem_mark.index;
    if (parser->error == YAML_READER_ERROR) {
        offset = parser->problem_offset;
        place = text_place(builder->text, builder->length, offset);
    }
    const char *problem = parser->problem ? parser->problem : "unknown error";
    if (strstr(problem, "cannot start any token") && is_tab(builder, offset)) {
        problem = "a tab cannot indent; indent with spaces";
    }
    if (!parser->context) {
        return masing_error_set(builder->error, MASING_INVALID, "%.400s:%d:%d: not YAML: %s",
                                builder->file, place.line, place.column, problem);
    }
    return masing_error_set(builder->error, MASING_INVALID,
                            "%.400s:%d:%d: not YAML: %s (%s, begun in line %d)", builder->file,
                            place.line, place.column, problem, parser->context,
                            saturated(parser->context_mark.line));
}

static enum masing_status next_event(struct builder *builder, yaml_event_t *event)
{
    if (!yaml_parser_parse(builder->parser, event)) {
        memset(event, 0, sizeof *event);
        return fail_syntax(builder);
    }
    return MASING_OK;
}

static enum masing_status refuse_extras(struct builder *builder, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_ALIAS_EVENT) {
        return fail_event(builder, event,
                          "aliases (*name) are not allowed; write the value, or use a "
                          "parameter");
    }
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor, tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor, tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor, tag = event->data.mapping_start.tag;
    }
    if (anchor) {
        return fail_event(builder, event, "anchors (&name) are not allowed");
    }
    if (tag) {
        return fail_event(builder, event, "tags (!name) are not allowed");
    }
    return MASING_OK;
}

static enum masing_status check_unique(struct builder *builder, const struct tree_node *map)
{
    struct masing_error *error = builder->error;
    enum masing_status status = MASING_OK;
    struct entry {
        const char *key;
        struct masing_place place;
    } * entries;
    struct names names = {0};
    int n = 0, first = 0;
    TRY_ALLOCATED(entries = memory_array((size_t)map->count, sizeof *entries));
    for (const struct tree_node *child = map->first; child; child = child->next) {
        entries[n++] = (struct entry){child->key, child->key_place};
    }
    TRY(names_create(entries, n, sizeof *entries, &names, error));
    int repeated = names_repeated(&names, &first);
    if (repeated >= 0) {
        TRY(masing_error_set(
            error, MASING_INVALID, "%.400s:%d:%d: duplicate key '%.80s' (first in line %d)",
            builder->file, entries[repeated].place.line, entries[repeated].place.column,
            entries[repeated].key, entries[first].place.line));
    }
done:
    names_clear(&names);
    free(entries);
    return status;
}

static struct tree_node *top(const struct builder *builder)
{
    return builder->depth ? builder->stack[builder->depth - 1] : NULL;
}

static enum masing_status take_key(struct builder *builder, const yaml_event_t *event)
{
    struct masing_error *error = builder->error;
    if (event->type != YAML_SCALAR_EVENT) {
        return fail_event(builder, event, "a key must be a single word");
    }
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (!length || memchr(text, 0, length)) {
        return fail_event(builder, event, "a key is missing here");
    }
    NEED_ALLOCATED(builder->key = tree_printable_text(builder->tree, text, length));
    builder->key_place = place_of(event->start_mark);
    return MASING_OK;
}

static enum masing_status add_node(struct builder *builder, const yaml_event_t *event,
                                   enum tree_kind kind, struct tree_node **node)
{
    struct masing_error *error = builder->error;
    if (++builder->n_nodes > MAX_NODES) {
        return fail_event(
            builder, event,
            "more than a million values; give large matrices as Matrix Market files");
    }
    NEED_ALLOCATED(*node = tree_append(builder->tree, top(builder), kind));
    (*node)->place = place_of(event->start_mark);
    (*node)->key = builder->key;
    (*node)->key_place = builder->key_place;
    builder->key = NULL;
    return MASING_OK;
}

static enum masing_status take_scalar(struct builder *builder, const yaml_event_t *event)
{
    struct masing_error *error = builder->error;
    struct tree_node *node;
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(text, 0, length)) {
        return fail_event(builder, event, "a text cannot hold a 0 byte");
    }
    NEED(add_node(builder, event, TREE_SCALAR, &node));
    node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    NEED_ALLOCATED(node->text = tree_printable_text(builder->tree, text, length));
    return MASING_OK;
}

static enum masing_status open_collection(struct builder *builder, const yaml_event_t *event,
                                          enum tree_kind kind)
{
    struct tree_node *node;
    if (builder->depth == MAX_DEPTH) {
        return fail_event(builder, event, "nested more than 64 levels deep");
    }
    NEED(add_node(builder, event, kind, &node));
    builder->stack[builder->depth++] = node;
    return MASING_OK;
}

static enum masing_status take_event(struct builder *builder, const yaml_event_t *event)
{
    NEED(refuse_extras(builder, event));
    const struct tree_node *parent = top(builder);
    bool is_end =
        event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT;
    if (parent && parent->kind == TREE_MAPPING && !builder->key && !is_end) {
        return take_key(builder, event);
    }
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(builder, event, TREE_SEQUENCE);
    case YAML_MAPPING_START_EVENT:
        return open_collection(builder, event, TREE_MAPPING);
    case YAML_SEQUENCE_END_EVENT:
        builder->depth--;
        return MASING_OK;
    case YAML_MAPPING_END_EVENT:
        builder->depth--;
        return check_unique(builder, parent);
    default:
        return fail_event(builder, event, "unexpected here");
    }
}

/* Stream start, document start, one value, document end, stream end. */
static enum masing_status expect(struct builder *builder, yaml_event_type_t type,
                                 const char *otherwise)
{
    yaml_event_t event;
    enum masing_status status = MASING_OK;
    TRY(next_event(builder, &event));
    if (event.type != type) {
        TRY(fail_event(builder, &event, otherwise));
    }
    if (type == YAML_DOCUMENT_START_EVENT && event.data.document_start.tag_directives.start !=
                                                 event.data.document_start.tag_directives.end) {
        TRY(fail_event(builder, &event, "tags are not allowed"));
    }
done:
    yaml_event_delete(&event);
    return status;
}

static enum masing_status build(struct builder *builder)
{
    enum masing_status status = MASING_OK;
    TRY(expect(builder, YAML_STREAM_START_EVENT, "not YAML"));
    TRY(expect(builder, YAML_DOCUMENT_START_EVENT, "the file is empty"));
    do {
        yaml_event_t event;
        TRY(next_event(builder, &event));
        status = take_event(builder, &event);
        yaml_event_delete(&event);
        TRY(status);
    } while (builder->depth);
    TRY(expect(builder, YAML_DOCUMENT_END_EVENT, "one value is expected in a file"));
    TRY(expect(builder, YAML_STREAM_END_EVENT,
               "a second document begins here; a file holds one model"));
done:
    return status;
}

enum masing_status tree_parse(const char *text, size_t length, const char *file,
                              struct tree **tree, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    yaml_parser_t parser;
    size_t mark = text_mark_length(text, length);
    struct builder builder = {&parser, text + mark, length - mark, file, .error = error};
    *tree = NULL;
    if (!yaml_parser_initialize(&parser)) {
        return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)builder.text, builder.length);
    TRY_ALLOCATED(builder.tree = memory_array(1, sizeof *builder.tree));
    TRY(build(&builder));
    *tree = builder.tree;
    builder.tree = NULL;
done:
    tree_destroy(builder.tree);
    yaml_parser_delete(&parser);
    return status;
}

/* --- writing ------------------------------------------------------------------------------ */

/*
 * A tree as YAML text: block style outside, flow style where a collection holds scalars only.
 * Numbers that were computed are written as numbers, everything else as it was read.
 */

enum { WIDTH = 90, STEP = 2 };

void tree_text_put(struct tree_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    size_t size = length < 0 ? 0 : (size_t)length + 1;
    if (length < 0 ||
        !memory_grow((void **)&text->bytes, text->length + size, &text->capacity, 1)) {
        text->is_full = true;
    }
    if (!text->is_full) {
        vsnprintf(text->bytes + text->length, size, format, again);
        text->length += size - 1;
    }
    va_end(again);
    va_end(arguments);
}

char *tree_text_take(struct tree_text *text)
{
    if (text->is_full) {
        free(text->bytes);
        text->bytes = NULL;
    }
    return text->bytes;
}

struct writer {
    struct tree_text text;
    int column;
};

static void put_text(struct writer *writer, const char *text)
{
    struct tree_text *whole = &writer->text;
    size_t length = strlen(text), size = length + 1;
    whole->is_full = whole->is_full || !memory_grow((void **)&whole->bytes,
                                                    whole->length + size, &whole->capacity, 1);
    if (!whole->is_full) {
        memcpy(whole->bytes + whole->length, text, size);
        whole->length += length;
    }
    writer->column += (int)length;
}

static void put_line_break(struct writer *writer, int indent)
{
    tree_text_put(&writer->text, "\n%*s", indent, "");
    writer->column = indent;
}

/* Safe without quotes, in block and flow style alike. */
static bool is_plain_word(const char *text)
{
    size_t length = strlen(text);
    if (!length || length > 200 || text[0] == ' ' || text[length - 1] == ' ') {
        return false;
    }
    bool is_marker = (text[0] == '-' || text[0] == '?') && (text[1] == ' ' || !text[1]);
    if (is_marker || !strncmp(text, "---", 3) || !strncmp(text, "...", 3)) {
        return false;
    }
    bool begins_well = isalnum((unsigned char)text[0]) || strchr("$+-._/", text[0]);
    return begins_well &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                        "$+-*/._() ") == length;
}

/* Unicode's own line breaks and the byte order mark: code, or 0. */
static unsigned special(const unsigned char *text)
{
    if (text[0] == 0xE2 && text[1] == 0x80 && (text[2] == 0xA8 || text[2] == 0xA9)) {
        return 0x2000U + (text[2] & 0x3FU);
    }
    return text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 0xFEFF : 0;
}

static void put_quoted(struct writer *writer, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    put_text(writer, "\"");
    while (*p) {
        char escape[12];
        unsigned code = special(p);
        if (code) {
            snprintf(escape, sizeof escape, "\\u%04X", code);
        } else if (*p == '"' || *p == '\\') {
            snprintf(escape, sizeof escape, "\\%c", *p);
        } else if (*p < 0x20) {
            snprintf(escape, sizeof escape, "\\x%02X", *p);
        } else {
            snprintf(escape, sizeof escape, "%c", *p);
        }
        put_text(writer, escape);
        p += code ? 3 : 1;
    }
    put_text(writer, "\"");
}

static void put_word(struct writer *writer, const char *text, bool may_be_plain)
{
    if (may_be_plain && is_plain_word(text)) {
        put_text(writer, text);
    } else {
        put_quoted(writer, text);
    }
}

static void put_scalar(struct writer *writer, const struct tree_node *node)
{
    char number[NUMBER_TEXT];
    if (node->is_computed) {
        put_text(writer, number_print(node->number, number));
    } else if (tree_is_null(node)) {
        put_text(writer, "~");
    } else {
        put_word(writer, node->text, node->is_plain);
    }
}

/* A collection whose members hold nothing but scalars fits on a line or a few. */
static bool is_flat(const struct tree_node *node)
{
    for (const struct tree_node *child = node->first; child; child = child->next) {
        if (child->kind != TREE_SCALAR) {
            return false;
        }
    }
    return true;
}

static void put_flow(struct writer *writer, const struct tree_node *node, int indent)
{
    put_text(writer, node->kind == TREE_MAPPING ? "{" : "[");
    for (const struct tree_node *child = node->first; child; child = child->next) {
        if (child->key) {
            put_word(writer, child->key, true);
            put_text(writer, ": ");
        }
        put_scalar(writer, child);
        if (child->next) {
            put_text(writer, ",");
            if (writer->column > WIDTH) {
                put_line_break(writer, indent);
            } else {
                put_text(writer, " ");
            }
        }
    }
    put_text(writer, node->kind == TREE_MAPPING ? "}" : "]");
}

static void put_node(struct writer *writer, const struct tree_node *node, int indent);

static void put_block(struct writer *writer, const struct tree_node *node, int indent)
{
    for (const struct tree_node *child = node->first; child; child = child->next) {
        if (child != node->first) {
            put_line_break(writer, indent);
        }
        bool is_block = child->kind != TREE_SCALAR && !is_flat(child);
        if (child->key) {
            put_word(writer, child->key, true);
            put_text(writer, ":");
            if (is_block) {
                put_line_break(writer, indent + STEP);
            } else {
                put_text(writer, " ");
            }
        } else {
            put_text(writer, "- ");
        }
        put_node(writer, child, indent + STEP);
    }
}

/* Recursion ends at MAX_DEPTH. */
static void put_node(struct writer *writer, const struct tree_node *node, int indent)
{
    if (node->kind == TREE_SCALAR) {
        put_scalar(writer, node);
    } else if (is_flat(node) && indent > 0) {
        put_flow(writer, node, indent);
    } else {
        put_block(writer, node, indent);
    }
}

enum masing_status tree_write(const struct tree *tree, char **text, struct masing_error *error)
{
    struct writer writer = {.column = 0};
    put_node(&writer, tree->root, 0);
    put_text(&writer, "\n");
    NEED_ALLOCATED(*text = tree_text_take(&writer.text));
    return MASING_OK;
}
