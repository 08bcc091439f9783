/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `structure:` in one of its ways. */
#include <string.h>

#include "base/check.h"
#include "model_file/reader.h"

static const char *const keys[] = {"masses", "springs",   "dampers", "dofs",
                                   "mass",   "stiffness", "damping", "modes",
                                   "beams",  "cyclic",    NULL};

/* Which ways a key belongs to; `damping` belongs to all. */
enum way { LUMPED = 1, MATRICES = 2, MODES = 4 };

static enum way way_of(const char *key)
{
    if (!strcmp(key, "beams") || !strcmp(key, "masses") || !strcmp(key, "springs") ||
        !strcmp(key, "dampers")) {
        return LUMPED;
    }
    if (!strcmp(key, "dofs") || !strcmp(key, "mass") || !strcmp(key, "stiffness")) {
        return MATRICES;
    }
    return strcmp(key, "modes") ? LUMPED | MATRICES | MODES : MODES;
}

static enum masing_status find_way(struct reader *reader, const struct tree_node *section,
                                   int *way)
{
    const struct tree_node *decisive = NULL;
    *way = 0;
    for (const struct tree_node *child = section->first; child; child = child->next) {
        int own = (int)way_of(child->key);
        if (own == (LUMPED | MATRICES | MODES)) {
            continue;
        }
        if (decisive && own != *way) {
            struct tree_node at_key = *child;
            at_key.place = child->key_place;
            return reader_fail(reader, &at_key,
                               "structure: '%s' does not go with '%s'; give beams, masses, "
                               "springs and dampers, or dofs, mass and stiffness, or modes",
                               child->key, decisive->key);
        }
        decisive = decisive ? decisive : child;
        *way = own;
    }
    return decisive
               ? MASING_OK
               : reader_fail(reader, section,
                             "structure: expected beams, masses, springs and dampers, or dofs, "
                             "mass and stiffness, or modes");
}

static enum masing_status refuse_unsupported(struct reader *reader,
                                             const struct tree_node *section)
{
    static const char *const names[] = {"cyclic", NULL};
    for (int i = 0; names[i]; i++) {
        const struct tree_node *node = tree_find(section, names[i]);
        if (node) {
            struct tree_node at_key = *node;
            at_key.place = node->key_place;
            return reader_fail_unsupported(reader, &at_key, names[i]);
        }
    }
    return MASING_OK;
}

enum masing_status read_structure(struct reader *reader)
{
    enum masing_status status = MASING_OK;
    struct tree_node *section;
    int way;
    TRY(reader_required(reader, reader->tree->root, "structure", &section));
    reader->spec->structure.place = section->place;
    TRY(reader_keys(reader, section, keys, NULL));
    TRY(refuse_unsupported(reader, section));
    TRY(find_way(reader, section, &way));
    if (way == LUMPED) {
        TRY(read_lumped(reader, section));
    } else if (way == MATRICES) {
        TRY(read_matrices(reader, section));
    } else {
        TRY(read_modes(reader, section));
    }
done:
    return status;
}
