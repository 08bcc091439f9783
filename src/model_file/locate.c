/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of parts, followed as far as the file goes: what is missing there is wrong with what it
 * belongs to. */
#include "model_file/locate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_file/reader.h"

/* The first key of a path, and what is left behind it. */
struct step {
    char key[MASING_PART_LENGTH];
    const char *rest;
};

static struct step first_step(const char *path)
{
    struct step step;
    size_t length = strcspn(path, ".");
    length = length < sizeof step.key ? length : sizeof step.key - 1;
    memcpy(step.key, path, length);
    step.key[length] = '\0';
    step.rest = path + length + (path[length] == '.');
    return step;
}

/* A member of a list, those that the specification has nothing of not counted. */
static const struct tree_node *find_member(const struct tree_node *list, int index)
{
    for (const struct tree_node *node = list->first; node; node = node->next) {
        if (!node->is_left_out && index-- == 0) {
            return node;
        }
    }
    return NULL;
}

static const struct tree_node *find_child(const struct tree_node *node, const char *key)
{
    return node->kind == TREE_SEQUENCE ? find_member(node, atoi(key)) : tree_find(node, key);
}

/* The deepest node of a path, @p node itself where it has nothing of it. */
static const struct tree_node *descend(const struct tree_node *node, const char *path,
                                       const char **rest)
{
    *rest = path;
    while (**rest) {
        struct step step = first_step(*rest);
        const struct tree_node *child = find_child(node, step.key);
        if (!child) {
            break;
        }
        node = child;
        *rest = step.rest;
    }
    return node;
}

static void row_place(const struct tree_rows *rows, int row, int column, char *text,
                      size_t size)
{
    snprintf(text, size, "%.400s:%d:%d", rows->file, rows->lines[row], column > 0 ? column : 1);
}

/* --- joints ------------------------------------------------------------------------------- */

/* An entry of the file, and which row of its file of contacts a joint is; -1: it is none. */
struct joint_entry {
    const struct tree_node *node;
    const struct tree_rows *rows;
    int row;
};

static struct joint_entry find_joint(const struct tree_node *list, int index)
{
    struct joint_entry entry = {0};
    for (entry.node = list->first; entry.node; entry.node = entry.node->next) {
        const struct tree_node *pairs = tree_find(entry.node, "pairs");
        entry.rows = pairs ? pairs->rows : NULL;
        int n = entry.rows ? entry.rows->n_rows : 1;
        if (index < n) {
            break;
        }
        index -= n;
    }
    entry.row = entry.rows ? index : -1;
    return entry;
}

static const char *const *alternatives_of(const struct tree_node *joint, const char *key)
{
    const struct masing_law *law = reader_law_of(joint);
    int index = law ? masing_field_find(law->fields, law->n_fields, key) : -1;
    return index >= 0 ? law->fields[index].alternatives : NULL;
}

/* Where a field stands, or else what gives the same in another way, or else the joint. */
static const struct tree_node *find_field(const struct tree_node *joint, const char *key)
{
    const char *rest;
    const struct tree_node *found = descend(joint, key, &rest);
    const char *const *other = found == joint ? alternatives_of(joint, key) : NULL;
    while (found == joint && other && *other) {
        found = descend(joint, *other++, &rest);
    }
    return found;
}

/* Place of a number that a row has of its own, 0: it has none. */
static int own_place(const struct joint_entry *entry, const char *key)
{
    const struct tree_rows *rows = entry->rows;
    for (int i = 0; i < rows->n_columns; i++) {
        if (strcmp(rows->columns[i], key) == 0) {
            return rows->places[(size_t)entry->row * (size_t)rows->n_columns + (size_t)i];
        }
    }
    return 0;
}

static bool locate_joint(const struct tree_locator *locator, const struct tree_node *list,
                         const char *path, char *text, size_t size)
{
    char place[READER_PLACE];
    struct step step = first_step(path);
    struct joint_entry entry = find_joint(list, atoi(step.key));
    if (!entry.node) {
        return false;
    }
    const struct tree_node *found = find_field(entry.node, step.rest);
    int column = entry.row >= 0 ? own_place(&entry, step.rest) : 0;
    if (entry.row >= 0 && (column > 0 || found == entry.node)) {
        row_place(entry.rows, entry.row, column, text, size);
    } else {
        snprintf(text, size, "%s", tree_place(locator->file, found, place));
    }
    return true;
}

/* --- any part ----------------------------------------------------------------------------- */

static bool locate(const struct masing_locator *base, const char *part, char *text, size_t size)
{
    const struct tree_locator *locator = (const struct tree_locator *)(const void *)base;
    const struct tree_node *root = locator->tree->root;
    const char *rest;
    char place[READER_PLACE];
    struct step step = first_step(part);
    const struct tree_node *section = tree_find(root, step.key);
    if (!section) {
        return false;
    }
    if (strcmp(step.key, "joints") == 0 && *step.rest) {
        return locate_joint(locator, section, step.rest, text, size);
    }
    const struct tree_node *found = descend(section, step.rest, &rest);
    int row = *rest ? atoi(rest) : -1;
    if (found->rows && row >= 0 && row < found->rows->n_rows) {
        row_place(found->rows, row, 0, text, size);
    } else {
        snprintf(text, size, "%s", tree_place(locator->file, found, place));
    }
    return true;
}

struct tree_locator tree_locator(const char *file, const struct tree *tree)
{
    return (struct tree_locator){.locator = {locate}, .file = file, .tree = tree};
}
