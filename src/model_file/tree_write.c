/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree as YAML text: block style outside, flow style where a collection holds scalars only.
 * Numbers that were computed are written as numbers, everything else as it was read.
 */
#include "model_file/tree.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/number.h"

enum { WIDTH = 90, STEP = 2 };

struct writer {
    char *text;
    size_t length, capacity;
    int column;
    bool is_full; /* no memory: everything that follows does nothing */
};

static void put(struct writer *writer, const char *text, size_t length)
{
    if (writer->is_full) {
        return;
    }
    if (!memory_grow((void **)&writer->text, writer->length + length + 1, &writer->capacity,
                     1)) {
        writer->is_full = true;
        return;
    }
    memcpy(writer->text + writer->length, text, length);
    writer->length += length;
    writer->text[writer->length] = 0;
    writer->column = text[length - 1] == '\n' ? 0 : writer->column + (int)length;
}

static void put_text(struct writer *writer, const char *text)
{
    if (*text) {
        put(writer, text, strlen(text));
    }
}

static void put_line_break(struct writer *writer, int indent)
{
    put_text(writer, "\n");
    for (int i = 0; i < indent; i++) {
        put_text(writer, " ");
    }
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

/* Unicode's own line breaks, further controls and the byte order mark: code, or 0. */
static unsigned special(const unsigned char *text)
{
    if (text[0] == 0xC2 && text[1] < 0xA0) {
        return text[1];
    }
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
        } else if (*p < 0x20 || *p == 0x7F) {
            snprintf(escape, sizeof escape, "\\x%02X", *p);
        } else {
            snprintf(escape, sizeof escape, "%c", *p);
        }
        put_text(writer, escape);
        p += !code ? 1 : code < 0x100 ? 2 : 3;
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

/* Recursion ends at TREE_MAX_DEPTH. */
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
    struct writer writer = {0};
    *text = NULL;
    put_node(&writer, tree->root, 0);
    put_text(&writer, "\n");
    if (writer.is_full) {
        free(writer.text);
        return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    *text = writer.text;
    return MASING_OK;
}
