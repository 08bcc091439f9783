/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of a tree replaced from outside. */
#include "model_file/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "data/number.h"
#include "data/suggest.h"

enum { LONGEST_PATH = 200, OWNER = 96 };

/* --- a path that leads nowhere ------------------------------------------------------------ */

/* `name:` of a joint or load, "" where it has none. */
static const char *name_of(const struct tree_node *node)
{
    const struct tree_node *name = tree_find(node, "name");
    return name && name->kind == TREE_SCALAR ? name->text : "";
}

static void consider_names(struct masing_suggestion *suggestion, const struct tree_node *list)
{
    for (const struct tree_node *node = list ? list->first : NULL; node; node = node->next) {
        masing_suggest_consider(suggestion, name_of(node));
    }
}

/* Of a joint a key of its law, of a load what a number stands at. */
static bool is_number(const struct tree_node *node, const struct tree_node *entry)
{
    double number;
    const struct masing_law *law = reader_law_of(node);
    if (tree_find(node, "law")) {
        return law && reader_field_is_key(law->fields, law->n_fields, entry->key);
    }
    return entry->kind == TREE_SCALAR &&
           (expression_is(entry->text) || number_parse(entry->text, &number) == NULL);
}

/* `preload` alone: the joint or load with the nearest key becomes the owner, by its name or its
 * number in the list. */
static void consider_keys(struct masing_suggestion *suggestion, const struct tree *tree,
                          const char *section, char owner[OWNER])
{
    const struct tree_node *list = tree_find(tree->root, section);
    const struct tree_node *node = list ? list->first : NULL;
    for (int index = 0; node; node = node->next, index++) {
        const char *before = suggestion->nearest;
        for (const struct tree_node *entry = node->first; entry; entry = entry->next) {
            if (entry->key && is_number(node, entry)) {
                masing_suggest_consider(suggestion, entry->key);
            }
        }
        if (suggestion->nearest != before && *name_of(node)) {
            snprintf(owner, OWNER, "%.60s.", name_of(node));
        } else if (suggestion->nearest != before) {
            snprintf(owner, OWNER, "%s.%d.", section, index);
        }
    }
}

/* "--set PATH: no such number; did you mean ...?", MASING_INVALID. */
static enum masing_status fail_unknown(const struct tree *tree, const char *path,
                                       struct masing_error *error)
{
    const struct tree_node *root = tree->root;
    const struct tree_node *parameters = tree_find(root, "parameters");
    size_t length = strcspn(path, ".");
    char first[LONGEST_PATH + 1] = "", owner[OWNER] = "";
    memcpy(first, path, length);
    struct masing_suggestion suggestion = masing_suggest_begin(first);
    for (const struct tree_node *node = parameters && !path[length] ? parameters->first : NULL;
         node; node = node->next) {
        masing_suggest_consider(&suggestion, node->key);
    }
    consider_names(&suggestion, tree_find(root, "joints"));
    consider_names(&suggestion, tree_find(root, "loads"));
    for (const struct reader_key *key = model_keys; key->name; key++) {
        masing_suggest_consider(&suggestion, key->name);
    }
    if (!path[length]) {
        consider_keys(&suggestion, tree, "joints", owner);
        consider_keys(&suggestion, tree, "loads", owner);
    }
    if (!suggestion.nearest) {
        return masing_error_set(error, MASING_INVALID,
                                "--set %.200s: no such number; a number is named by a "
                                "parameter, JOINT.KEY, LOAD.KEY or the keys that lead to it, "
                                "joined by points",
                                path);
    }
    return masing_error_set(error, MASING_INVALID,
                            "--set %.200s: no such number; did you mean %s%.60s%.100s?", path,
                            owner, suggestion.nearest, path + length);
}

/* --- paths followed ----------------------------------------------------------------------- */

struct replacement {
    struct tree *tree;
    const char *path, *value; /* in the tree's memory */
    const struct tree_node *target;
    struct masing_error *error;
    bool only_finds; /* nothing is replaced, and all of the path has to be there */
};

/* Where a path begins in the tree, and what is left of it. */
struct beginning {
    struct tree_node *node;
    const char *rest;
    int length;       /* of the name that was taken */
    const char *kind; /* "joint", "load", "section"; NULL: nothing found */
    bool is_ambiguous;
};

/* "--set PATH: ..." */
static enum masing_status fail(const struct replacement *replacement, const char *what)
{
    return masing_error_set(replacement->error, MASING_INVALID, "--set %.200s: %s",
                            replacement->path, what);
}

/* Length of @p name if the path begins with it, else 0. */
static int prefix_length(const char *path, const char *name)
{
    size_t length = strlen(name);
    bool is_prefix =
        length && strncmp(path, name, length) == 0 && (path[length] == '.' || !path[length]);
    return is_prefix ? (int)length : 0;
}

static void consider(struct beginning *beginning, struct tree_node *node, const char *kind,
                     const char *path, int length)
{
    if (!length || length < beginning->length) {
        return;
    }
    beginning->is_ambiguous = length == beginning->length;
    beginning->node = node;
    beginning->kind = kind;
    beginning->length = length;
    beginning->rest = path + length + (path[length] == '.');
}

static struct beginning find_beginning(const struct tree *tree, const char *path)
{
    struct beginning beginning = {0};
    static const char *const lists[][2] = {{"joints", "joint"}, {"loads", "load"}};
    for (int i = 0; i < 2; i++) {
        const struct tree_node *list = tree_find(tree->root, lists[i][0]);
        for (struct tree_node *node = list ? list->first : NULL; node; node = node->next) {
            consider(&beginning, node, lists[i][1], path, prefix_length(path, name_of(node)));
        }
    }
    for (const struct reader_key *key = model_keys; key->name; key++) {
        consider(&beginning, tree->root, "section", path, prefix_length(path, key->name));
    }
    if (beginning.node == tree->root) {
        beginning.rest = path;
    }
    struct tree_node *cyclic = tree_find(tree_find(tree->root, "structure"), "cyclic");
    if (!beginning.kind && cyclic && prefix_length(path, "mistuning")) {
        beginning = (struct beginning){.node = cyclic, .rest = path, .kind = "section"};
    }
    return beginning;
}

/* --- the value ---------------------------------------------------------------------------- */

static void mark(const struct replacement *replacement, struct tree_node *node,
                 const char *rest)
{
    node->origin = replacement->path;
    node->stem = (int)(rest - replacement->path);
    node->is_computed = node->is_number = false;
    node->is_plain = true;
    node->kind = TREE_SCALAR;
    node->first = node->last = NULL;
    node->count = 0;
}

/* A list of scalars in brackets. */
static enum masing_status store_list(const struct replacement *replacement,
                                     struct tree_node *node)
{
    struct masing_error *error = replacement->error, inner = {0};
    enum masing_status status = MASING_OK;
    struct tree *list = NULL;
    status = tree_parse(replacement->value, strlen(replacement->value), "", &list, &inner);
    if (status == MASING_INVALID) {
        status = fail(replacement, "expected a number or a list of numbers, [1, 2, ...]");
    }
    TRY(status);
    node->kind = TREE_SEQUENCE;
    for (const struct tree_node *child = list->root->first; child; child = child->next) {
        if (child->kind != TREE_SCALAR) {
            TRY(fail(replacement, "expected a number or a list of numbers, [1, 2, ...]"));
        }
        struct tree_node *member = tree_append(replacement->tree, node, TREE_SCALAR);
        TRY_ALLOCATED(member);
        mark(replacement, member, replacement->path);
        TRY_ALLOCATED(member->text = arena_text(&replacement->tree->arena, child->text,
                                                strlen(child->text)));
    }
done:
    if (status == MASING_NO_MEMORY) {
        masing_error_set(error, status, "out of memory");
    }
    tree_destroy(list);
    return status;
}

static enum masing_status store(struct replacement *replacement, struct tree_node *node,
                                const char *rest)
{
    replacement->target = node;
    if (replacement->only_finds) {
        return MASING_OK;
    }
    if (node->kind == TREE_MAPPING) {
        return fail(replacement, "this is a section; name a number in it");
    }
    mark(replacement, node, rest);
    if (replacement->value[0] == '[') {
        return store_list(replacement, node);
    }
    node->text =
        tree_printable_text(replacement->tree, replacement->value, strlen(replacement->value));
    return node->text ? MASING_OK
                      : masing_error_set(replacement->error, MASING_NO_MEMORY, "out of memory");
}

/* Keys that stand for each other: what is given from outside replaces what the file says. */
static void drop_alternatives(struct tree_node *joint, const char *key)
{
    const char *const *alternative = reader_alternatives(joint, key);
    for (; alternative && *alternative; alternative++) {
        const struct tree_node *other = tree_find(joint, *alternative);
        if (other && !other->origin) {
            tree_remove(joint, other);
        }
    }
}

/* A number that can be a mapping as well becomes what the path asks for. */
static void change_kind(const struct replacement *replacement, const struct tree_node *joint,
                        struct tree_node *node, const char *rest, bool is_stem)
{
    const struct masing_law *law = reader_law_of(joint);
    if (!law || !reader_field_is_either(law->fields, law->n_fields, node->key)) {
        return;
    }
    if (is_stem && node->kind == TREE_SCALAR) {
        mark(replacement, node, rest);
        node->kind = TREE_MAPPING;
    } else if (!is_stem && node->kind == TREE_MAPPING) {
        mark(replacement, node, rest);
    }
}

/* --- the steps of a path ------------------------------------------------------------------ */

/* A key that is not there; the tables of keys say later whether it may be. */
static enum masing_status add(const struct replacement *replacement, struct tree_node *map,
                              const char *rest, struct tree_node **child)
{
    struct masing_error *error = replacement->error;
    size_t length = strcspn(rest, ".");
    const char *key = arena_text(&replacement->tree->arena, rest, length);
    NEED_ALLOCATED(key);
    NEED_ALLOCATED(*child = tree_append_text(replacement->tree, map, key, ""));
    mark(replacement, *child, rest);
    (*child)->is_added = true;
    (*child)->kind = rest[length] ? TREE_MAPPING : TREE_SCALAR;
    return MASING_OK;
}

/* The child that a path leads to: of a list by its number from 0 or by its name, of a mapping
 * by the longest key. *length: bytes of its name, of the path up to the next dot where there is
 * none. */
static struct tree_node *find_child(const struct tree_node *parent, const char *rest,
                                    int *length)
{
    bool is_list = parent->kind == TREE_SEQUENCE;
    struct tree_node *found = NULL;
    int longest = 0;
    *length = (int)strcspn(rest, ".");
    if (is_list && *length && (int)strspn(rest, "0123456789") == *length && *length < 9) {
        return tree_at(parent, atoi(rest));
    }
    for (struct tree_node *child = parent->first; child; child = child->next) {
        int taken = prefix_length(rest, is_list ? name_of(child) : child->key);
        if (taken > longest) {
            *length = longest = taken;
            found = child;
        }
    }
    return found;
}

static enum masing_status step_down(const struct replacement *replacement,
                                    struct tree_node **node, const char **rest)
{
    struct tree_node *parent = *node;
    int length = 0;
    if (parent->kind == TREE_SCALAR) {
        return fail(replacement, "no such number: the path leads beyond a single value");
    }
    *node = find_child(parent, *rest, &length);
    if (parent->kind == TREE_SEQUENCE && !*node) {
        return masing_error_set(replacement->error, MASING_INVALID,
                                "--set %.200s: no such number: '%.*s' is no member of a "
                                "list of %d (they are counted from 0)",
                                replacement->path, length, *rest, parent->count);
    }
    if (!*node && replacement->only_finds) {
        return fail(replacement, "no such number");
    }
    NEED(*node ? MASING_OK : add(replacement, parent, *rest, node));
    if (tree_find(parent, "law") && !replacement->only_finds) {
        drop_alternatives(parent, (*node)->key);
        change_kind(replacement, parent, *node, *rest, (*rest)[length] == '.');
    }
    *rest += length + ((*rest)[length] == '.');
    return MASING_OK;
}

static enum masing_status apply(struct replacement *replacement)
{
    struct tree_node *root = replacement->tree->root;
    struct tree_node *parameters = tree_find(root, "parameters");
    struct tree_node *parameter = tree_find(parameters, replacement->path);
    if (parameter) {
        return store(replacement, parameter, replacement->path);
    }
    struct beginning beginning = find_beginning(replacement->tree, replacement->path);
    if (!beginning.kind) {
        return fail_unknown(replacement->tree, replacement->path, replacement->error);
    }
    if (beginning.is_ambiguous) {
        return fail(replacement, "the name is used twice; write joints.NAME... or "
                                 "loads.NAME...");
    }
    if (!*beginning.rest) {
        return masing_error_set(replacement->error, MASING_INVALID,
                                "--set %.200s: this is a %s, not a number; write %.200s.KEY",
                                replacement->path, beginning.kind, replacement->path);
    }
    struct tree_node *node = beginning.node;
    const char *rest = beginning.rest, *last = rest;
    enum masing_status status = MASING_OK;
    while (*rest && !status) {
        last = rest;
        status = step_down(replacement, &node, &rest);
    }
    return status ? status : store(replacement, node, last);
}

static bool is_path(const char *path)
{
    size_t length = strlen(path);
    return length && length <= LONGEST_PATH && path[0] != '.' && path[length - 1] != '.' &&
           !strstr(path, "..");
}

static enum masing_status take(struct replacement *replacement,
                               const struct masing_override *override)
{
    struct masing_error *error = replacement->error;
    struct arena *arena = &replacement->tree->arena;
    const char *value = override->value + strspn(override->value, " \t");
    size_t length = strlen(value);
    while (length && strchr(" \t", value[length - 1])) {
        length--;
    }
    replacement->path = arena_text(arena, override->path, strlen(override->path));
    replacement->value = arena_text(arena, value, length);
    NEED_ALLOCATED(replacement->path);
    NEED_ALLOCATED(replacement->value);
    if (!is_path(replacement->path)) {
        NEED(fail(replacement, "expected names of a number, joined by points"));
    }
    if (!length) {
        NEED(fail(replacement, "a value is missing"));
    }
    return apply(replacement);
}

enum masing_status overrides_apply(struct tree *tree, const struct masing_override *overrides,
                                   int n_overrides, const struct tree_node **targets,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct replacement replacement = {.tree = tree, .error = error};
    if (n_overrides && tree->root->kind != TREE_MAPPING) {
        return MASING_OK; /* the schema refuses such a file with its place */
    }
    for (int i = 0; i < n_overrides && !status; i++) {
        status = take(&replacement, &overrides[i]);
        if (targets) {
            targets[i] = replacement.target;
        }
    }
    return status;
}

enum masing_status overrides_find(struct tree *tree, const char *path,
                                  const struct tree_node **node, struct masing_error *error)
{
    struct replacement replacement = {
        .tree = tree, .path = path, .only_finds = true, .error = error};
    enum masing_status status =
        is_path(path) ? apply(&replacement) : fail(&replacement, "expected names of a number");
    *node = replacement.target;
    return status;
}
