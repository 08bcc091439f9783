/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of a structure's DOFs. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/table_csv.h"
#include "model_file/reader.h"

enum { MAX_DOFS = 5000 };

static enum masing_status allocate_names(struct reader *reader, const struct tree_node *node,
                                         int n)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct masing_structure_spec *structure = &reader->spec->structure;
    if (n < 1 || n > MAX_DOFS) {
        TRY(reader_fail(reader, node, "%s: expected 1 to %d DOFs, found %d", node->key,
                        MAX_DOFS, n));
    }
    structure->dof_names = memory_array((size_t)n, sizeof *structure->dof_names);
    TRY_ALLOCATED(structure->dof_names);
    structure->n_dofs = n;
done:
    return status;
}

static enum masing_status take_name(struct reader *reader, const struct tree_node *at,
                                    int index, const char *name)
{
    const char *fault = names_fault(name);
    if (fault) {
        return reader_fail(reader, at, "'%.60s' cannot be a DOF: %s", name, fault);
    }
    reader->spec->structure.dof_names[index] = memory_text(name);
    return reader->spec->structure.dof_names[index]
               ? MASING_OK
               : masing_error_set(reader->error, MASING_NO_MEMORY, "out of memory");
}

static enum masing_status index_names(struct reader *reader, const struct tree_node *node,
                                      const struct tree_node *ats)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    enum masing_status status = MASING_OK;
    int first = 0;
    TRY(names_create(structure->dof_names, structure->n_dofs, &reader->dofs, reader->error));
    int repeated = names_repeated(&reader->dofs, &first);
    if (repeated >= 0) {
        for (int i = 0; ats && i < repeated; i++) {
            ats = ats->next;
        }
        TRY(reader_fail(reader, ats ? ats : node, "DOF '%s' stands here twice (%d and %d)",
                        structure->dof_names[repeated], first + 1, repeated + 1));
    }
done:
    return status;
}

static enum masing_status names_from_file(struct reader *reader, const struct tree_node *node)
{
    enum masing_status status = MASING_OK;
    char *file = NULL, **names = NULL;
    int *lines = NULL, n = 0;
    TRY(reader_file(reader, node, "dofs", &file));
    TRY(table_names_read(file, &names, &lines, &n, reader->error));
    TRY(allocate_names(reader, node, n));
    for (int i = 0; i < n; i++) {
        const char *fault = names_fault(names[i]);
        if (fault) {
            status = masing_error_set(reader->error, MASING_INVALID,
                                      "%.400s:%d:1: '%.60s' cannot be a DOF: %s", file,
                                      lines[i], names[i], fault);
            goto done;
        }
        TRY(take_name(reader, node, i, names[i]));
    }
done:
    for (int i = 0; i < n; i++) {
        free(names[i]);
    }
    free(names);
    free(lines);
    free(file);
    return status;
}

/* The keys of a mapping, the members of a list or the lines of a file. */
enum masing_status read_dof_names(struct reader *reader, const struct tree_node *node)
{
    enum masing_status status = MASING_OK;
    if (node->kind == TREE_SCALAR) {
        TRY(names_from_file(reader, node));
        TRY(index_names(reader, node, NULL));
        return MASING_OK;
    }
    TRY(node->kind == TREE_MAPPING ? reader_open_mapping(reader, node) : MASING_OK);
    TRY(allocate_names(reader, node, node->count));
    int index = 0;
    for (const struct tree_node *child = node->first; child; child = child->next, index++) {
        struct tree_node at_key = *child;
        const char *name = child->key;
        if (name) {
            at_key.place = child->key_place;
        } else {
            TRY(reader_text(reader, child, "dofs", &name));
        }
        TRY(take_name(reader, &at_key, index, name));
    }
    TRY(index_names(reader, node, node->first));
done:
    return status;
}

enum masing_status read_dof_list(struct reader *reader, const struct tree_node *node,
                                 const struct dof_entry *entries, int n)
{
    enum masing_status status = MASING_OK;
    TRY(allocate_names(reader, node, n));
    for (int i = 0; i < n; i++) {
        TRY(take_name(reader, entries[i].at, i, entries[i].name));
    }
    TRY(index_names(reader, node, NULL));
done:
    return status;
}
