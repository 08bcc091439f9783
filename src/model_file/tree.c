/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model_file/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

static void link_child(struct tree_node *parent, struct tree_node *child)
{
    if (parent->last) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
}

struct tree_node *tree_append(struct tree *tree, struct tree_node *parent, enum tree_kind kind)
{
    struct tree_node *node = arena_allocate(&tree->arena, sizeof *node);
    if (!node) {
        return NULL;
    }
    node->kind = kind;
    if (parent) {
        link_child(parent, node);
    } else {
        tree->root = node;
    }
    return node;
}

struct tree_node *tree_append_text(struct tree *tree, struct tree_node *map, const char *key,
                                   const char *text)
{
    char *key_copy = arena_text(&tree->arena, key, strlen(key));
    char *text_copy = arena_text(&tree->arena, text, strlen(text));
    if (!key_copy || !text_copy) {
        return NULL;
    }
    struct tree_node *node = tree_append(tree, map, TREE_SCALAR);
    if (node) {
        node->is_plain = true;
        node->key = key_copy;
        node->text = text_copy;
    }
    return node;
}

static struct tree_node *copy_node(struct tree *tree, struct tree_node *parent,
                                   const struct tree_node *source)
{
    struct tree_node *node = tree_append(tree, parent, source->kind);
    if (!node) {
        return NULL;
    }
    struct tree_node *next = node->next;
    *node = *source;
    node->next = next;
    node->first = node->last = NULL;
    node->count = 0;
    if (source->key) {
        node->key = arena_text(&tree->arena, source->key, strlen(source->key));
    }
    if (source->text) {
        node->text = arena_text(&tree->arena, source->text, strlen(source->text));
    }
    if ((source->key && !node->key) || (source->text && !node->text)) {
        return NULL;
    }
    for (const struct tree_node *child = source->first; child; child = child->next) {
        if (!copy_node(tree, node, child)) {
            return NULL;
        }
    }
    return node;
}

enum masing_status tree_copy(const struct tree *source, struct tree **copy,
                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *copy = memory_array(1, sizeof **copy);
    TRY_ALLOCATED(*copy);
    TRY_ALLOCATED(copy_node(*copy, NULL, source->root));
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

bool tree_is_null(const struct tree_node *node)
{
    if (node->kind != TREE_SCALAR || !node->is_plain) {
        return false;
    }
    const char *text = node->text;
    return !*text || !strcmp(text, "~") || !strcmp(text, "null") || !strcmp(text, "Null") ||
           !strcmp(text, "NULL");
}
