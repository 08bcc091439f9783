/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DOFs: their names, weighted sums and vectors over them. */
#include "model_file/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/suggest.h"
#include "data/table_csv.h"

/* --- the names of a structure ------------------------------------------------------------- */

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

static enum masing_status take_name(struct reader *reader, const char *place, int index,
                                    const char *name)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const char *fault = names_fault(name);
    if (fault) {
        TRY(masing_error_set(error, MASING_INVALID, "%s: '%.60s' cannot be a DOF: %s", place,
                             name, fault));
    }
    reader->spec->structure.dof_names[index] = memory_text(name);
    TRY_ALLOCATED(reader->spec->structure.dof_names[index]);
done:
    return status;
}

/* Fills the reader's index; node: the list of the names, or what stands for it */
static enum masing_status index_names(struct reader *reader, const struct tree_node *node)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    enum masing_status status =
        names_create(structure->dof_names, structure->n_dofs, sizeof *structure->dof_names,
                     &reader->dofs, reader->error);
    int first = 0, repeated = status ? -1 : names_repeated(&reader->dofs, &first);
    if (repeated < 0) {
        return status;
    }
    const struct tree_node *member = tree_at(node, repeated);
    return reader_fail(reader, member ? member : node, "DOF '%s' stands here twice (%d and %d)",
                       structure->dof_names[repeated], first + 1, repeated + 1);
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
        char place[READER_PLACE];
        snprintf(place, sizeof place, "%.400s:%d:1", file, lines[i]);
        TRY(take_name(reader, place, i, names[i]));
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
    char place[READER_PLACE];
    int index = 0;
    if (node->kind == TREE_SCALAR) {
        status = names_from_file(reader, node);
        return status ? status : index_names(reader, node);
    }
    TRY(node->kind == TREE_MAPPING ? reader_open_mapping(reader, node) : MASING_OK);
    TRY(allocate_names(reader, node, node->count));
    for (const struct tree_node *child = node->first; child; child = child->next) {
        const char *name = child->key;
        TRY(name ? MASING_OK : reader_text(reader, child, "dofs", &name));
        TRY(take_name(reader, reader_key_place(reader, child, place), index++, name));
    }
    TRY(index_names(reader, node));
done:
    return status;
}

enum masing_status read_dof_list(struct reader *reader, const struct tree_node *node,
                                 const struct dof_entry *entries, int n)
{
    enum masing_status status = MASING_OK;
    char place[READER_PLACE];
    TRY(allocate_names(reader, node, n));
    for (int i = 0; i < n; i++) {
        reader_key_place(reader, entries[i].at, place);
        TRY(take_name(reader, place, i, entries[i].name));
    }
    TRY(index_names(reader, node));
done:
    return status;
}

enum masing_status read_dof_numbers(struct reader *reader, const struct tree_node *node, int n)
{
    enum masing_status status = MASING_OK;
    char place[READER_PLACE], name[16];
    reader_place(reader, node, place);
    TRY(allocate_names(reader, node, n));
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%d", i + 1);
        TRY(take_name(reader, place, i, name));
    }
    TRY(index_names(reader, node));
done:
    return status;
}

/* --- DOFs by name ------------------------------------------------------------------------- */

static enum masing_status fail_unknown(struct reader *reader, const char *place,
                                       const char *what, const char *name, bool may_be_ground)
{
    char hint[100];
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (const struct reader_absent *absent = reader->absent; absent; absent = absent->next) {
        if (strcmp(absent->name, name) == 0) {
            return masing_error_set(reader->error, MASING_INVALID, "%s: %s: DOF '%.60s' %s",
                                    place, what, name, absent->why);
        }
    }
    if (may_be_ground) {
        masing_suggest_consider(&suggestion, "ground");
    }
    for (int i = 0; i < reader->spec->structure.n_dofs; i++) {
        masing_suggest_consider(&suggestion, reader->spec->structure.dof_names[i]);
    }
    return masing_error_set(reader->error, MASING_INVALID, "%s: %s: unknown DOF '%.60s'%s",
                            place, what, name,
                            masing_suggest_text(&suggestion, hint, sizeof hint));
}

enum masing_status reader_dof_at(struct reader *reader, const char *place, const char *what,
                                 const char *name, bool may_be_ground, int *dof)
{
    if (strcmp(name, "ground") == 0) {
        *dof = MASING_GROUND;
        return may_be_ground
                   ? MASING_OK
                   : masing_error_set(reader->error, MASING_INVALID,
                                      "%s: %s: the ground does not move", place, what);
    }
    *dof = names_find(&reader->dofs, name);
    return *dof >= 0 ? MASING_OK : fail_unknown(reader, place, what, name, may_be_ground);
}

enum masing_status reader_dof(struct reader *reader, const struct tree_node *node,
                              const char *what, bool may_be_ground, int *dof)
{
    char place[READER_PLACE];
    const char *name;
    enum masing_status status = reader_text(reader, node, what, &name);
    return status ? status
                  : reader_dof_at(reader, reader_place(reader, node, place), what, name,
                                  may_be_ground, dof);
}

enum masing_status reader_key_dof(struct reader *reader, const struct tree_node *child,
                                  const char *what, int *dof)
{
    char place[READER_PLACE];
    return reader_dof_at(reader, reader_key_place(reader, child, place), what, child->key,
                         false, dof);
}

enum masing_status reader_combination(struct reader *reader, const struct masing_term *terms,
                                      int n, struct masing_combination *combination)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    combination->terms = memory_array((size_t)n, sizeof *combination->terms);
    TRY_ALLOCATED(combination->terms);
    for (int t = 0; t < n; t++) {
        if (terms[t].dof != MASING_GROUND) {
            combination->terms[combination->n_terms++] = terms[t];
        }
    }
done:
    return status;
}

enum masing_status reader_from_to(struct reader *reader, const struct tree_node *map,
                                  struct masing_combination *combination)
{
    enum masing_status status = MASING_OK;
    struct tree_node *from, *to;
    struct masing_term terms[] = {{.weight = -1.0}, {.weight = 1.0}};
    TRY(reader_required(reader, map, "from", &from));
    TRY(reader_required(reader, map, "to", &to));
    TRY(reader_dof(reader, from, "from", true, &terms[0].dof));
    TRY(reader_dof(reader, to, "to", true, &terms[1].dof));
    if (terms[0].dof == terms[1].dof) {
        TRY(reader_fail(reader, to, "'from' and 'to' are both '%s'", to->text));
    }
    TRY(reader_combination(reader, terms, 2, combination));
done:
    return status;
}

enum masing_status reader_weights(struct reader *reader, const struct tree_node *node,
                                  struct masing_combination *combination)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    bool has_weight = false;
    TRY(reader_open_mapping(reader, node));
    combination->terms = memory_array((size_t)node->count, sizeof *combination->terms);
    TRY_ALLOCATED(combination->terms);
    for (struct tree_node *child = node->first; child; child = child->next) {
        struct masing_term *term = &combination->terms[combination->n_terms];
        TRY(reader_key_dof(reader, child, node->key, &term->dof));
        TRY(reader_number(reader, child, child->key, &term->weight));
        has_weight = has_weight || term->weight != 0.0;
        combination->n_terms++;
    }
    if (!has_weight) {
        TRY(reader_fail(reader, node, "%s: expected at least one weight that is not zero",
                        node->key ? node->key : "weights"));
    }
done:
    return status;
}

enum masing_status reader_matrix(struct reader *reader, int n_columns, double **matrix)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    size_t n_dofs = (size_t)reader->spec->structure.n_dofs;
    *matrix = memory_array(n_dofs * (size_t)n_columns, sizeof **matrix);
    TRY_ALLOCATED(*matrix);
done:
    return status;
}

static enum masing_status fill_pattern(struct reader *reader,
                                       const struct masing_combination *combination,
                                       double **pattern)
{
    enum masing_status status = reader_matrix(reader, 1, pattern);
    for (int i = 0; i < combination->n_terms && !status; i++) {
        (*pattern)[combination->terms[i].dof] = combination->terms[i].weight;
    }
    return status;
}

enum masing_status reader_pattern(struct reader *reader, const struct tree_node *node,
                                  double **pattern)
{
    struct masing_combination combination = {0};
    enum masing_status status = reader_weights(reader, node, &combination);
    status = status ? status : fill_pattern(reader, &combination, pattern);
    free(combination.terms);
    return status;
}

enum masing_status reader_unit_pattern(struct reader *reader, const struct tree_node *node,
                                       double **pattern)
{
    struct masing_term term = {.weight = 1.0};
    const struct masing_combination combination = {1, &term};
    enum masing_status status =
        reader_dof(reader, node, node->key ? node->key : "dof", false, &term.dof);
    return status ? status : fill_pattern(reader, &combination, pattern);
}
