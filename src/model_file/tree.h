/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model file as a small tree: scalars, sequences and mappings, each with its place.
 *
 * A tree as parsed is never changed. A model is read from a copy of it, on which overrides are
 * applied, defaults are filled in and computed numbers are noted; what is left is the resolved
 * model.
 */
#ifndef MASING_MODEL_FILE_TREE_H
#define MASING_MODEL_FILE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "data/table_csv.h"
#include "masing/model.h"
#include "masing/status.h"

enum tree_kind { TREE_SCALAR, TREE_SEQUENCE, TREE_MAPPING };

struct tree_node {
    enum tree_kind kind;
    bool is_plain;    /* a scalar without quotes */
    bool is_computed; /* a number was read: `number` holds it */
    bool is_number;   /* a number was asked for here */
    bool is_added;    /* an override's key that the file does not have */
    bool is_left_out; /* the specification has nothing of it */
    double number;
    const char *text;   /* scalars only */
    const char *key;    /* of a mapping's entry, else NULL */
    const char *origin; /* path of the override that this node comes from, else NULL */
    int stem;           /* bytes of that path before this node's key */
    struct masing_place place, key_place;
    int count; /* children */
    struct tree_node *first, *last, *next;
    const struct csv_table *rows; /* of the file that a scalar names, else NULL */
};

struct tree {
    struct arena arena;
    struct tree_node *root;
};

/* Parse YAML. Errors: MASING_INVALID "FILE:LINE:COLUMN: ...". */
enum masing_status tree_parse(const char *text, size_t length, const char *file,
                              struct tree **tree, struct masing_error *error);

enum masing_status tree_copy(const struct tree *source, struct tree **copy,
                             struct masing_error *error);
void tree_destroy(struct tree *tree);

/* New node at the end of @p parent's children (NULL: the root); NULL without memory. */
struct tree_node *tree_append(struct tree *tree, struct tree_node *parent, enum tree_kind kind);

/* A copy in which what a terminal must not see is escaped (see base/printable.h), as in all
 * keys and texts of a tree; NULL without memory. */
const char *tree_printable_text(struct tree *tree, const char *text, size_t length);

/* Append a plain scalar with a key to a mapping; NULL without memory. */
struct tree_node *tree_append_text(struct tree *tree, struct tree_node *map, const char *key,
                                   const char *text);

/* Entry of a mapping, or NULL (also where @p map is no mapping). */
struct tree_node *tree_find(const struct tree_node *map, const char *key);

/* Child of a sequence, from 0, or NULL. */
struct tree_node *tree_at(const struct tree_node *sequence, int index);

void tree_remove(struct tree_node *parent, const struct tree_node *child);
/* From one mapping to the end of another. */
void tree_move(struct tree_node *parent, struct tree_node *child, struct tree_node *to);

/* A plain `~`, `null` or nothing at all. */
bool tree_is_null(const struct tree_node *node);

/* Text being written, with printf's formats; what comes after memory ran out is lost. */
struct tree_text {
    char *bytes;
    size_t length, capacity;
    bool is_full;
};
void tree_text_put(struct tree_text *text, const char *format, ...) MASING_PRINTF(2, 3);
/* What was written, owned by the caller; NULL where memory ran out. */
char *tree_text_take(struct tree_text *text);

/* YAML text of a tree; *text is owned by the caller. */
enum masing_status tree_write(const struct tree *tree, char **text, struct masing_error *error);

#endif
