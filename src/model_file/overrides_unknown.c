/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may have been meant by a path that leads nowhere. */
#include <stdio.h>
#include <string.h>

#include "data/number.h"
#include "model_file/overrides.h"
#include "model_file/reader.h"
#include "data/suggest.h"

const char *overrides_name_of(const struct tree_node *node)
{
    const struct tree_node *name = tree_find(node, "name");
    return name && name->kind == TREE_SCALAR ? name->text : "";
}

static void consider_names(struct masing_suggestion *suggestion, const struct tree_node *list)
{
    for (const struct tree_node *node = list ? list->first : NULL; node; node = node->next) {
        masing_suggest_consider(suggestion, overrides_name_of(node));
    }
}

/* Whose key it is that was meant: a name, or the number in a list. */
struct owner {
    char text[96];
};

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

/* `preload` alone: the joint or load with the nearest key becomes the owner. */
static void consider_keys(struct masing_suggestion *suggestion, const struct tree *tree,
                          const char *section, struct owner *owner)
{
    const struct tree_node *list = tree_find(tree->root, section);
    int index = 0;
    for (const struct tree_node *node = list ? list->first : NULL; node; node = node->next) {
        for (const struct tree_node *entry = node->first; entry; entry = entry->next) {
            const char *before = suggestion->nearest;
            if (entry->key && is_number(node, entry)) {
                masing_suggest_consider(suggestion, entry->key);
            }
            if (suggestion->nearest == before) {
                continue;
            }
            if (*overrides_name_of(node)) {
                snprintf(owner->text, sizeof owner->text, "%.60s.", overrides_name_of(node));
            } else {
                snprintf(owner->text, sizeof owner->text, "%s.%d.", section, index);
            }
        }
        index++;
    }
}

enum masing_status overrides_fail_unknown(const struct tree *tree, const char *path,
                                          struct masing_error *error)
{
    const struct tree_node *root = tree->root;
    const struct tree_node *parameters = tree_find(root, "parameters");
    size_t length = strcspn(path, ".");
    char first[OVERRIDES_LONGEST_PATH + 1] = "";
    memcpy(first, path, length);
    struct masing_suggestion suggestion = masing_suggest_begin(first);
    struct owner owner = {""};
    for (const struct tree_node *node = parameters && !path[length] ? parameters->first : NULL;
         node; node = node->next) {
        masing_suggest_consider(&suggestion, node->key);
    }
    consider_names(&suggestion, tree_find(root, "joints"));
    consider_names(&suggestion, tree_find(root, "loads"));
    suggest_consider_all(&suggestion, read_model_keys);
    if (!path[length]) {
        consider_keys(&suggestion, tree, "joints", &owner);
        consider_keys(&suggestion, tree, "loads", &owner);
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
                            owner.text, suggestion.nearest, path + length);
}
