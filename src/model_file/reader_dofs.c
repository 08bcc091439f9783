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
#include "model_file/reader_mesh.h"

/* --- the names of a structure ------------------------------------------------------------- */

/* "FILE:LINE:1" of the file that a node names, or where the entry stands in the model file */
static const char *entry_place(const struct reader *reader, const struct dof_entry *entry,
                               const char *file, char place[READER_PLACE])
{
    if (!file) {
        return reader_key_place(reader, entry->at, place);
    }
    snprintf(place, READER_PLACE, "%.400s:%d:1", file, entry->line);
    return place;
}

static enum masing_status set_names(struct reader *reader, const struct dof_entry *entries,
                                    int n, const char *file)
{
    struct masing_error *error = reader->error;
    struct masing_structure_spec *structure = &reader->spec->structure;
    int first = 0;
    NEED_ALLOCATED(structure->dof_names =
                       memory_array((size_t)n, sizeof *structure->dof_names));
    structure->n_dofs = n;
    for (int i = 0; i < n; i++) {
        char place[READER_PLACE];
        const char *fault = names_fault(entries[i].name);
        if (fault) {
            return masing_error_set(error, MASING_INVALID, "%s: '%.60s' cannot be a DOF: %s",
                                    entry_place(reader, &entries[i], file, place),
                                    entries[i].name, fault);
        }
        if (reader_is_next(reader, entries[i].name)) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: '%.60s' cannot be a DOF: 'next.' stands for the "
                                    "following sector",
                                    entry_place(reader, &entries[i], file, place),
                                    entries[i].name);
        }
        NEED_ALLOCATED(structure->dof_names[i] = memory_text(entries[i].name));
    }
    NEED(names_create(structure->dof_names, n, sizeof *structure->dof_names, &reader->dofs,
                      error));
    int repeated = names_repeated(&reader->dofs, &first);
    if (repeated >= 0) {
        return reader_fail(reader, entries[repeated].at,
                           "DOF '%s' stands here twice (%d and %d)",
                           structure->dof_names[repeated], first + 1, repeated + 1);
    }
    return MASING_OK;
}

static enum masing_status check_count(struct reader *reader, const struct tree_node *node,
                                      int n)
{
    return reader_refuse(reader, n < 1 || n > MAX_DOFS, node,
                         "%s: expected 1 to %d DOFs, found %d", node->key, MAX_DOFS, n);
}

enum masing_status read_dof_list(struct reader *reader, const struct tree_node *node,
                                 const struct dof_entry *entries, int n)
{
    NEED(check_count(reader, node, n));
    return set_names(reader, entries, n, NULL);
}

static enum masing_status make_entries(struct reader *reader, const struct tree_node *node,
                                       int n, struct dof_entry **entries)
{
    struct masing_error *error = reader->error;
    NEED(check_count(reader, node, n));
    NEED_ALLOCATED(*entries = arena_array(&reader->tree->arena, (size_t)n, sizeof **entries));
    return MASING_OK;
}

static enum masing_status names_from_file(struct reader *reader, const struct tree_node *node)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    char *file = NULL;
    struct csv_table table = {0};
    struct dof_entry *entries;
    TRY(reader_file(reader, node, "dofs", &file));
    TRY(csv_table_read_names(file, &table, error));
    TRY(make_entries(reader, node, table.n_rows, &entries));
    for (int i = 0; i < table.n_rows; i++) {
        entries[i] = (struct dof_entry){table.texts[i], node, table.lines[i]};
    }
    TRY(set_names(reader, entries, table.n_rows, file));
done:
    csv_table_clear(&table);
    free(file);
    return status;
}

enum masing_status read_dof_names(struct reader *reader, const struct tree_node *node)
{
    struct dof_entry *entries;
    int n = 0;
    if (node->kind == TREE_SCALAR) {
        return names_from_file(reader, node);
    }
    NEED(node->kind == TREE_MAPPING ? reader_open_mapping(reader, node) : MASING_OK);
    NEED(make_entries(reader, node, node->count, &entries));
    for (const struct tree_node *child = node->first; child; child = child->next) {
        entries[n].at = child;
        entries[n].name = child->key;
        NEED(child->key ? MASING_OK : reader_text(reader, child, "dofs", &entries[n].name));
        n++;
    }
    return set_names(reader, entries, n, NULL);
}

enum masing_status read_dof_numbers(struct reader *reader, const struct tree_node *node, int n)
{
    struct masing_error *error = reader->error;
    struct dof_entry *entries;
    NEED(make_entries(reader, node, n, &entries));
    for (int i = 0; i < n; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "%d", i + 1);
        entries[i].at = node;
        NEED_ALLOCATED(entries[i].name =
                           arena_text(&reader->tree->arena, name, (size_t)length));
    }
    return set_names(reader, entries, n, NULL);
}

/* --- DOFs by name ------------------------------------------------------------------------- */

const char *reader_why_absent(const struct reader *reader, const char *name)
{
    const struct reader_absent *absent = reader->absent;
    while (absent && strcmp(absent->name, name) != 0) {
        absent = absent->next;
    }
    return absent ? absent->why : NULL;
}

/* Names like one, "next." and a sector aside; of a DOF that is there, what is wrong with these.
 */
static const char *suggest(const struct reader *reader, const char *name, bool may_be_ground,
                           char *hint, size_t size)
{
    char nearest[100], prefix[20] = "";
    const char *own = reader_own_name(reader, name, prefix, sizeof prefix);
    struct masing_suggestion suggestion = masing_suggest_begin(own);
    if (*prefix && names_find(&reader->dofs, own) >= 0) {
        snprintf(hint, size,
                 reader->cyclic.is_unrolled ? ": expected a sector from 0 to %d"
                                            : ": sectors have DOFs of their own with 'unroll: "
                                              "true' only, where they are 0 to %d",
                 reader->cyclic.n_sectors - 1);
        return hint;
    }
    if (may_be_ground && !*prefix) {
        masing_suggest_consider(&suggestion, "ground");
    }
    for (int i = 0; i < reader->spec->structure.n_dofs; i++) {
        masing_suggest_consider(&suggestion, reader->spec->structure.dof_names[i]);
    }
    if (*prefix && suggestion.nearest) {
        snprintf(hint, size, " (did you mean '%s%.60s'?)", prefix, suggestion.nearest);
        return hint;
    }
    masing_suggest_text(&suggestion, nearest, sizeof nearest);
    snprintf(hint, size, "%s", nearest);
    return hint;
}

/* What is known of a name goes from the mesh's deck over the matrices to names like it. */
static enum masing_status fail_unknown(struct reader *reader, const char *place,
                                       const char *what, const char *name, bool may_be_ground)
{
    char hint[140], absence[MESH_ABSENCE], reason[READER_REASON];
    const char *why = reader_mesh_absence(reader, name, absence);
    why = why ? why : reader_why_absent(reader, name);
    if (why) {
        return masing_error_set(reader->error, MASING_INVALID, "%s: %s: DOF '%.60s' %s", place,
                                what, name, why);
    }
    if (reader_missing_dof(reader, name, reason)) {
        return masing_error_set(reader->error, MASING_INVALID,
                                "%s: %s: unknown DOF '%.60s': %s", place, what, name, reason);
    }
    return masing_error_set(reader->error, MASING_INVALID, "%s: %s: unknown DOF '%.60s'%s",
                            place, what, name,
                            suggest(reader, name, may_be_ground, hint, sizeof hint));
}

enum masing_status reader_dof_at(struct reader *reader, const char *place, const char *what,
                                 const char *name, bool may_be_ground, int *dof)
{
    what = what ? what : "weights"; /* of a list, whose items have no key */
    if (strcmp(name, "ground") == 0) {
        *dof = MASING_GROUND;
        return may_be_ground
                   ? MASING_OK
                   : masing_error_set(reader->error, MASING_INVALID,
                                      "%s: %s: the ground does not move", place, what);
    }
    *dof = reader_find_dof(reader, name);
    return *dof >= 0 ? MASING_OK : fail_unknown(reader, place, what, name, may_be_ground);
}

enum masing_status reader_dof(struct reader *reader, const struct tree_node *node,
                              const char *what, bool may_be_ground, int *dof)
{
    char place[READER_PLACE];
    const char *name;
    NEED(reader_text(reader, node, what, &name));
    return reader_dof_at(reader, tree_place(reader->file, node, place), what, name,
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
    NEED_ALLOCATED(combination->terms = memory_array((size_t)n, sizeof *combination->terms));
    for (int t = 0; t < n; t++) {
        if (terms[t].dof != MASING_GROUND) {
            combination->terms[combination->n_terms++] = terms[t];
        }
    }
    return MASING_OK;
}

enum masing_status reader_displacement(struct reader *reader, const struct tree_node *node,
                                       const char *what, bool may_be_ground,
                                       struct masing_combination *combination)
{
    struct masing_term term = {.weight = 1.0};
    if (reader_is_set(node)) {
        return reader_set(reader, node, WEIGHTS_OF_SUM, combination);
    }
    NEED(reader_dof(reader, node, what, may_be_ground, &term.dof));
    return reader_combination(reader, &term, 1, combination);
}

/* The sum of combinations, each with its factor; a DOF of several has the sum of its weights.
 */
static enum masing_status add_up(struct reader *reader, int n,
                                 const struct masing_combination *parts, const double *factors,
                                 struct masing_combination *combination)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = reader->error;
    size_t count = 0;
    int n_moving = 0;
    double *weights = NULL;
    for (int p = 0; p < n; p++) {
        count += (size_t)parts[p].n_terms;
    }
    struct masing_term *terms = memory_array(count, sizeof *terms);
    TRY_ALLOCATED(terms);
    TRY(reader_matrix(reader, reader->cyclic.is_unrolled ? reader->cyclic.n_sectors : 2,
                      &weights)); /* and of other sectors */
    for (int p = 0; p < n; p++) {
        for (int t = 0; t < parts[p].n_terms; t++) {
            weights[parts[p].terms[t].dof] += factors[p] * parts[p].terms[t].weight;
        }
    }
    for (int p = 0; p < n; p++) {
        for (int t = 0; t < parts[p].n_terms; t++) {
            int dof = parts[p].terms[t].dof;
            if (weights[dof] != 0.0) {
                terms[n_moving++] = (struct masing_term){dof, weights[dof]};
                weights[dof] = 0.0;
            }
        }
    }
    TRY(reader_combination(reader, terms, n_moving, combination));
done:
    free(terms);
    free(weights);
    return status;
}

/* Between the ground, DOFs and node sets. */
static enum masing_status from_to_of_sets(struct reader *reader, const struct tree_node *from,
                                          const struct tree_node *to,
                                          struct masing_combination *combination)
{
    static const double signs[] = {-1.0, 1.0};
    struct masing_combination ends[2] = {{0}};
    enum masing_status status = MASING_OK;
    TRY(reader_displacement(reader, from, "from", true, &ends[0]));
    TRY(reader_displacement(reader, to, "to", true, &ends[1]));
    TRY(add_up(reader, 2, ends, signs, combination));
    TRY(reader_refuse(reader, combination->n_terms == 0, to,
                      "'from' and 'to' are the same displacement"));
done:
    free(ends[0].terms);
    free(ends[1].terms);
    return status;
}

enum masing_status reader_from_to(struct reader *reader, const struct tree_node *map,
                                  struct masing_combination *combination)
{
    struct tree_node *from, *to;
    struct masing_term terms[] = {{.weight = -1.0}, {.weight = 1.0}};
    NEED(reader_required(reader, map, "from", &from));
    NEED(reader_required(reader, map, "to", &to));
    if (reader_is_set(from) || reader_is_set(to)) {
        return from_to_of_sets(reader, from, to, combination);
    }
    NEED(reader_dof(reader, from, "from", true, &terms[0].dof));
    NEED(reader_dof(reader, to, "to", true, &terms[1].dof));
    NEED(reader_refuse(reader, terms[0].dof == terms[1].dof, to,
                       "'from' and 'to' are both '%s'", to->text));
    return reader_combination(reader, terms, 2, combination);
}

/* --- weights ------------------------------------------------------------------------------ */

static const struct reader_key sum_keys[] = {{.name = "dof"}, {.name = "weight"}, {0}};
static const struct reader_key each_keys[] = {{.name = "dof"}, {.name = "value"}, {0}};

bool reader_is_weight_list(const struct tree_node *node)
{
    return node->kind == TREE_SEQUENCE && node->first && node->first->kind == TREE_MAPPING;
}

/* One set alone, unless a DOF bears that name; its record has it in a mapping `dof`. */
static bool is_weighted_set(const struct reader *reader, const struct tree_node *node)
{
    const struct tree_node *dof = tree_find(node, "dof");
    return (reader_is_set(node) && names_find(&reader->dofs, "set") < 0) ||
           (dof && reader_is_set(dof));
}

/* {dof, weight} or {set, direction, weight}: in a sum a weight of 1 may be left out. */
static enum masing_status read_weighted(struct reader *reader, struct tree_node *node,
                                        enum weights_meaning meaning,
                                        struct masing_combination *part, double *factor)
{
    bool is_sum = meaning == WEIGHTS_OF_SUM;
    const struct reader_key *keys = is_sum ? sum_keys : each_keys;
    struct tree_node *dof, *number = NULL;
    NEED(reader_mapping(reader, node));
    NEED(reader_fold_set(reader, node));
    NEED(reader_check_keys(reader, node, keys, 0, NULL));
    NEED(reader_required(reader, node, "dof", &dof));
    *factor = 1.0;
    number = tree_find(node, keys[1].name);
    NEED(is_sum ? MASING_OK : reader_required(reader, node, keys[1].name, &number));
    NEED(number ? reader_number(reader, number, keys[1].name, factor) : MASING_OK);
    return reader_is_set(dof) ? reader_set(reader, dof, meaning, part)
                              : reader_displacement(reader, dof, "dof", false, part);
}

static enum masing_status read_weight_list(struct reader *reader, struct tree_node *node,
                                           enum weights_meaning meaning,
                                           struct masing_combination *combination)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = reader->error;
    bool is_one = node->kind == TREE_MAPPING;
    int count = is_one ? 1 : node->count, n = 0;
    double *factors = memory_array((size_t)count, sizeof *factors);
    struct masing_combination *parts = memory_array((size_t)count, sizeof *parts);
    TRY_ALLOCATED(factors && parts);
    for (struct tree_node *child = is_one ? node : node->first; child && n < count;
         child = child->next, n++) {
        TRY(read_weighted(reader, child, meaning, &parts[n], &factors[n]));
    }
    TRY(add_up(reader, count, parts, factors, combination));
done:
    for (int i = 0; parts && i < count; i++) {
        free(parts[i].terms);
    }
    free(parts);
    free(factors);
    return status;
}

static enum masing_status read_weight_mapping(struct reader *reader, struct tree_node *node,
                                              struct masing_combination *combination)
{
    struct masing_error *error = reader->error;
    NEED(reader_open_mapping(reader, node));
    NEED_ALLOCATED(combination->terms =
                       memory_array((size_t)node->count, sizeof *combination->terms));
    for (struct tree_node *child = node->first; child; child = child->next) {
        struct masing_term *term = &combination->terms[combination->n_terms];
        NEED(reader_key_dof(reader, child, node->key, &term->dof));
        NEED(reader_number(reader, child, child->key, &term->weight));
        combination->n_terms++;
    }
    return MASING_OK;
}

enum masing_status reader_weights(struct reader *reader, struct tree_node *node,
                                  enum weights_meaning meaning,
                                  struct masing_combination *combination)
{
    bool has_weight = false;
    NEED(is_weighted_set(reader, node) || reader_is_weight_list(node)
             ? read_weight_list(reader, node, meaning, combination)
             : read_weight_mapping(reader, node, combination));
    for (int t = 0; t < combination->n_terms; t++) {
        has_weight = has_weight || combination->terms[t].weight != 0.0;
    }
    return reader_refuse(reader, !has_weight, node,
                         "%s: expected at least one weight that is not zero",
                         node->key ? node->key : "weights");
}

enum masing_status reader_matrix(struct reader *reader, int n_columns, double **matrix)
{
    struct masing_error *error = reader->error;
    size_t n_dofs = (size_t)reader->spec->structure.n_dofs;
    NEED_ALLOCATED(*matrix = memory_array(n_dofs * (size_t)n_columns, sizeof **matrix));
    return MASING_OK;
}

static enum masing_status fill_pattern(struct reader *reader, const struct tree_node *node,
                                       const struct masing_combination *combination,
                                       double **pattern)
{
    int n_dofs = reader->spec->structure.n_dofs;
    enum masing_status status = reader_matrix(reader, cyclic_reach(reader), pattern);
    for (int i = 0; i < combination->n_terms && !status; i++) {
        int dof = combination->terms[i].dof;
        if (dof >= n_dofs && !cyclic_is_high(reader, dof)) {
            const char *name = reader->spec->structure.dof_names[dof % n_dofs];
            return reader_fail(reader, node,
                               "a load on '%.60s' of another sector: expected '%.60s', since "
                               "all sectors are loaded alike",
                               name, name);
        }
        (*pattern)[dof] = combination->terms[i].weight;
    }
    return status;
}

enum masing_status reader_pattern(struct reader *reader, struct tree_node *node,
                                  enum weights_meaning meaning, double **pattern)
{
    struct masing_combination combination = {0};
    bool is_direction = (node->kind == TREE_SEQUENCE && !reader_is_weight_list(node)) ||
                        (node->kind == TREE_SCALAR && !tree_is_null(node));
    if (is_direction) {
        return reader_whole_direction(reader, node, pattern);
    }
    enum masing_status status = reader_weights(reader, node, meaning, &combination);
    status = status ? status : fill_pattern(reader, node, &combination, pattern);
    free(combination.terms);
    return status;
}

enum masing_status reader_unit_pattern(struct reader *reader, const struct tree_node *node,
                                       double **pattern)
{
    struct masing_combination combination = {0};
    enum masing_status status =
        reader_displacement(reader, node, node->key ? node->key : "dof", false, &combination);
    status = status ? status : fill_pattern(reader, node, &combination, pattern);
    free(combination.terms);
    return status;
}
