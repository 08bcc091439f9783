/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `cyclic: {unroll: true}`: the specification of one sector becomes that of the whole disk; and
 * `mistuning`, factors by which numbers of the sectors differ: the model is read once for each
 * sector, with its numbers.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/number.h"
#include "model/structure/structure_cache.h"
#include "model/unroll.h"
#include "model_file/reader.h"

enum { LONGEST_PATH = 200 };

/* --- factors, read with the structure ----------------------------------------------------- */

/* The factors of a number, 1 as long as nobody says more; NULL without memory. */
static struct reader_mistuning *find_factors(struct reader *reader, const char *path,
                                             const struct tree_node *at)
{
    struct reader_cyclic *cyclic = &reader->cyclic;
    struct arena *arena = &reader->tree->arena;
    for (struct reader_mistuning *known = cyclic->mistuning; known; known = known->next) {
        if (strcmp(known->path, path) == 0) {
            return known;
        }
    }
    struct reader_mistuning *made = arena_array(arena, 1, sizeof *made);
    double *factors = arena_doubles(arena, (size_t)cyclic->n_sectors);
    const char *name = arena_text(arena, path, strlen(path));
    if (!made || !factors || !name) {
        return NULL;
    }
    for (int s = 0; s < cyclic->n_sectors; s++) {
        factors[s] = 1.0;
    }
    *made = (struct reader_mistuning){.path = name, .factors = factors, .column = -1, .at = at};
    struct reader_mistuning **last = &cyclic->mistuning;
    while (*last) {
        last = &(*last)->next;
    }
    return *last = made;
}

static enum masing_status read_file(struct reader *reader, struct tree_node *node)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    int n = reader->cyclic.n_sectors;
    struct csv_table table = {0};
    char *file = NULL;
    TRY(reader_file(reader, node, "mistuning", &file));
    TRY(csv_table_read(file, NULL, 0, CSV_OTHERS_NUMBERS, &table, error));
    if (table.n_rows != n) {
        TRY(csv_table_fail(&table, table.n_rows > n ? n : -1, error,
                           "mistuning: expected %d rows, one for each sector, found %d", n,
                           table.n_rows));
    }
    for (int c = 0; c < table.n_columns; c++) {
        struct reader_mistuning *factors = find_factors(reader, table.names[c], node);
        TRY_ALLOCATED(factors);
        factors->column = c;
        for (int s = 0; s < n; s++) {
            if (table.places[s * table.n_columns + c] == 0) {
                TRY(csv_table_fail(&table, s, error,
                                   "mistuning: nothing stands in column '%.100s', expected a "
                                   "factor, 1 for none",
                                   table.names[c]));
            }
            factors->factors[s] = csv_table_number(&table, s, c);
        }
    }
    TRY(reader_keep_rows(reader, node, &table));
done:
    csv_table_clear(&table);
    free(file);
    return status;
}

static enum masing_status read_list(struct reader *reader, struct tree_node *list,
                                    const char *path)
{
    struct masing_error *error = reader->error;
    int n = reader->cyclic.n_sectors, s = 0;
    struct reader_mistuning *factors = find_factors(reader, path, list);
    NEED_ALLOCATED(factors);
    NEED(reader_refuse(reader, list->count != n, list,
                       "%s: expected %d factors, one for each sector, found %d", path, n,
                       list->count));
    for (struct tree_node *child = list->first; child; child = child->next) {
        NEED(reader_number(reader, child, path, &factors->factors[s++]));
    }
    return MASING_OK;
}

/* The factor of one sector, whose number is the key. */
static enum masing_status read_factor(struct reader *reader, struct tree_node *node,
                                      const char *path)
{
    struct masing_error *error = reader->error;
    double number = -1.0;
    bool is_sector = number_parse(node->key, &number) == NULL && number == floor(number) &&
                     number >= 0.0 && number < reader->cyclic.n_sectors;
    NEED(!is_sector || !*path
             ? reader_fail(reader, node,
                           "mistuning: '%.60s' is no sector, expected lists of factors, as "
                           "springs.1.stiffness: [1, 1.01, ...], or the number of a sector "
                           "behind the path, 0 to %d",
                           node->key, reader->cyclic.n_sectors - 1)
             : MASING_OK);
    struct reader_mistuning *factors = find_factors(reader, path, node);
    NEED_ALLOCATED(factors);
    return reader_number(reader, node, path, &factors->factors[(int)number]);
}

/* Keys that lead to lists, joined by points. */
static enum masing_status read_paths(struct reader *reader, struct tree_node *map,
                                     const char *before)
{
    char path[LONGEST_PATH];
    enum masing_status status = MASING_OK;
    for (struct tree_node *child = map->first; child && !status; child = child->next) {
        int length =
            snprintf(path, sizeof path, "%s%s%s", before, *before ? "." : "", child->key);
        status =
            reader_refuse(reader, length >= LONGEST_PATH, child,
                          "mistuning: a path is longer than %d characters", LONGEST_PATH - 1);
        if (!status) {
            status = child->kind == TREE_SEQUENCE  ? read_list(reader, child, path)
                     : child->kind == TREE_MAPPING ? read_paths(reader, child, path)
                                                   : read_factor(reader, child, before);
        }
    }
    return status;
}

enum masing_status read_mistuning(struct reader *reader, struct tree_node *node, void *object)
{
    (void)object;
    return tree_is_null(node)           ? MASING_OK
           : node->kind == TREE_MAPPING ? read_paths(reader, node, "")
           : node->kind == TREE_SCALAR  ? read_file(reader, node)
                                        : reader_fail(reader, node,
                                                      "mistuning: expected a CSV file, or "
                                                       "lists of factors by their paths");
}

/* --- numbers of one sector ---------------------------------------------------------------- */

/* "FILE:LINE:COLUMN: mistuning: PATH of sector 3: ..."; sector -1: of all of them. */
static enum masing_status fail(struct reader *reader, const struct reader_mistuning *of,
                               int sector, const char *what)
{
    char place[READER_PLACE], where[40] = "";
    const struct csv_table *rows = of->at->rows;
    if (rows && sector < 0) {
        return csv_table_fail(rows, -1, reader->error, "mistuning: %.100s: %s", of->path, what);
    }
    if (rows) {
        csv_table_place(rows, sector, of->column, place, sizeof place);
    } else {
        reader_key_place(reader, of->at, place);
    }
    if (sector >= 0) {
        snprintf(where, sizeof where, " of sector %d", sector);
    }
    return masing_error_set(reader->error, MASING_INVALID, "%s: mistuning: %.100s%s: %s", place,
                            of->path, where, what);
}

static bool contains(const struct tree_node *root, const struct tree_node *node)
{
    bool is = root == node;
    for (const struct tree_node *child = root ? root->first : NULL; child && !is;
         child = child->next) {
        is = contains(child, node);
    }
    return is;
}

/* What a sector is made of: nothing else may differ between them. */
static bool is_of_sector(const struct tree *tree, const struct tree_node *node)
{
    static const char *const sections[] = {"parameters", "structure", "joints", "loads",
                                           "static_loads"};
    const struct tree_node *cyclic = tree_find(tree_find(tree->root, "structure"), "cyclic");
    bool is = false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        is = is || contains(tree_find(tree->root, sections[i]), node);
    }
    return is && !contains(cyclic, node);
}

/* The path as overrides have it, and the number that stands there in the model as read. */
static enum masing_status find_number(struct reader *reader, struct reader_mistuning *of)
{
    struct masing_error inner = {0}, *error = reader->error;
    struct arena *arena = &reader->tree->arena;
    const struct tree_node *node = NULL;
    char whole[LONGEST_PATH + 16];
    const char *reason = NULL;
    snprintf(whole, sizeof whole, "structure.%.*s", LONGEST_PATH, of->path);
    if (overrides_find(reader->tree, of->path, &node, &inner) == MASING_OK) {
        of->target = of->path;
    } else if (overrides_find(reader->tree, whole, &node, &inner) == MASING_OK) {
        NEED_ALLOCATED(of->target = arena_text(arena, whole, strlen(whole)));
    } else {
        return fail(reader, of, -1,
                    "no such number, expected a parameter, JOINT.KEY or the keys that lead to "
                    "a number of the sector, as springs.1.stiffness");
    }
    if (node->kind != TREE_SCALAR || !node->is_number) {
        return fail(reader, of, -1, "this is no number, and a factor needs one");
    }
    if (!is_of_sector(reader->tree, node)) {
        return fail(reader, of, -1,
                    "this is no number of a sector, expected one of parameters, structure, "
                    "joints or loads");
    }
    of->value = node->number;
    if (!node->is_computed) {
        reason = number_parse(node->text, &of->value);
    }
    return reason ? fail(reader, of, -1, reason) : MASING_OK;
}

/* What is said of an override, behind its name. */
static const char *said_of(const char *message)
{
    static const char set[] = "--set ";
    const char *behind = strstr(message, ": ");
    return strncmp(message, set, sizeof set - 1) == 0 && behind ? behind + 2 : message;
}

/* Why a sector cannot be read: of the number that the message names, of the only one, or else
 * of its row. */
static enum masing_status fail_sector(struct reader *reader, int sector,
                                      const struct masing_error *inner)
{
    const struct reader_mistuning *first = reader->cyclic.mistuning;
    const struct reader_mistuning *of = first->next ? NULL : first;
    for (const struct reader_mistuning *m = first; m; m = m->next) {
        char name[LONGEST_PATH + 16];
        snprintf(name, sizeof name, "--set %s:", m->target);
        of = strncmp(inner->message, name, strlen(name)) == 0 ? m : of;
    }
    const struct reader_mistuning any = {.path = "a number", .column = -1, .at = first->at};
    return fail(reader, of ? of : &any, sector, said_of(inner->message));
}

static enum masing_status list_overrides(struct reader *reader, int sector,
                                         struct masing_override **list, int *n)
{
    struct masing_error *error = reader->error;
    struct arena *arena = &reader->tree->arena;
    char text[NUMBER_TEXT];
    size_t most = 0;
    *n = 0;
    for (const struct reader_mistuning *m = reader->cyclic.mistuning; m; m = m->next) {
        most++;
    }
    NEED_ALLOCATED(*list = memory_array(most, sizeof **list));
    for (const struct reader_mistuning *m = reader->cyclic.mistuning; m; m = m->next) {
        if (m->factors[sector] != 1.0) {
            number_print(m->value * m->factors[sector], text);
            const char *kept = arena_text(arena, text, strlen(text));
            NEED_ALLOCATED(kept);
            (*list)[(*n)++] = (struct masing_override){m->target, kept};
        }
    }
    return MASING_OK;
}

/* The tree of a sector: without what is of the disk as a whole. */
static enum masing_status copy_tree(struct reader *reader, struct tree **tree)
{
    NEED(tree_copy(reader->tree, tree, reader->error));
    struct tree_node *root = (*tree)->root;
    struct tree_node *cyclic = tree_find(tree_find(root, "structure"), "cyclic");
    tree_remove(cyclic, tree_find(cyclic, "mistuning"));
    if (tree_find(root, "uncertain")) {
        tree_remove(root, tree_find(root, "uncertain"));
    }
    return MASING_OK;
}

static enum masing_status read_sector(struct reader *reader, int sector,
                                      struct masing_spec *spec)
{
    enum masing_status status = MASING_OK;
    struct masing_error inner = {0}, *error = &inner;
    struct masing_override *list = NULL;
    struct tree *tree = NULL;
    struct reader own = {
        .file = reader->file, .spec = spec, .is_of_sector = true, .error = error};
    int n = 0;
    TRY(copy_tree(reader, &tree));
    TRY(list_overrides(reader, sector, &list, &n));
    TRY(overrides_apply(tree, list, n, NULL, error));
    own.tree = tree;
    TRY(masing_spec_init(spec, error));
    spec->structure.cache = structure_cache_hold(reader->spec->structure.cache);
    TRY(read_model(&own));
done:
    names_clear(&own.dofs);
    tree_destroy(tree);
    free(list);
    return status == MASING_INVALID && *inner.message ? fail_sector(reader, sector, &inner)
           : status == MASING_OK                      ? MASING_OK
                                 : masing_error_set(reader->error, status, "%s", inner.message);
}

/* --- the disk ----------------------------------------------------------------------------- */

static bool is_tuned(const struct reader *reader, int sector)
{
    bool is = true;
    for (const struct reader_mistuning *m = reader->cyclic.mistuning; m; m = m->next) {
        is = is && m->factors[sector] == 1.0;
    }
    return is;
}

/* The peak's output of each sector, that of sector 0 as it is: blades [n_sectors]. */
static enum masing_status add_blades(struct reader *reader, size_t n_dofs,
                                     struct masing_spec *whole)
{
    struct masing_error *error = reader->error;
    size_t n = (size_t)reader->cyclic.n_sectors, capacity = (size_t)whole->n_outputs;
    NEED_ALLOCATED(whole->blades = memory_array(n, sizeof *whole->blades));
    NEED_ALLOCATED(
        memory_grow((void **)&whole->outputs, capacity + n, &capacity, sizeof *whole->outputs));
    whole->blades[whole->n_blades++] = whole->peak_output;
    for (size_t s = 1; s < n; s++) {
        const struct masing_output_spec *own = &whole->outputs[whole->peak_output];
        struct masing_output_spec *output = &whole->outputs[whole->n_outputs];
        const struct masing_combination *from = &own->combination;
        char *name = memory_format("%zu.%s", s, own->name);
        NEED_ALLOCATED(name);
        int known = 0;
        while (known < whole->n_outputs && strcmp(whole->outputs[known].name, name) != 0) {
            known++;
        }
        whole->blades[whole->n_blades++] = known;
        if (known < whole->n_outputs) {
            free(name);
            continue;
        }
        *output = *own;
        output->name = name;
        whole->n_outputs++;
        output->combination.terms =
            memory_copy(from->terms, (size_t)from->n_terms, sizeof *from->terms);
        NEED_ALLOCATED(output->combination.terms);
        for (int t = 0; t < from->n_terms; t++) {
            size_t dof = (size_t)from->terms[t].dof + s * n_dofs;
            output->combination.terms[t].dof = (int)(dof % (n * n_dofs));
        }
    }
    return MASING_OK;
}

/* Sectors of so many DOFs take no time beside the whole disk. */
enum { FEW_DOFS = 200 };

/* Of a disk of equal sectors one of them, for the first point of a curve: with the outputs that
 * it has, whichever they are; false: it is of no use. */
static bool can_begin(struct masing_spec *sector)
{
    int n = 0;
    for (int o = 0; o < sector->n_outputs; o++) {
        struct masing_output_spec *output = &sector->outputs[o];
        bool is_own = true;
        for (int t = 0; t < output->combination.n_terms; t++) {
            is_own = is_own && output->combination.terms[t].dof < 2 * sector->structure.n_dofs;
        }
        struct masing_output_spec kept = *output;
        *output = sector->outputs[n];
        sector->outputs[n] = kept;
        n += is_own;
    }
    for (int o = n; o < sector->n_outputs; o++) {
        free(sector->outputs[o].name);
        free(sector->outputs[o].combination.terms);
    }
    sector->n_outputs = n;
    sector->peak_output = 0;
    return n > 0 && sector->n_loads > 0 && sector->sweep != MASING_SWEEP_NONE &&
           sector->structure.n_dofs <= FEW_DOFS;
}

/* What was read becomes the tuned sector of a disk. */
static enum masing_status keep_tuned(struct reader *reader, bool is_mistuned,
                                     struct masing_spec *whole)
{
    struct masing_error *error = reader->error;
    if (!is_mistuned && !can_begin(reader->spec)) {
        return MASING_OK;
    }
    NEED(is_mistuned ? add_blades(reader, (size_t)reader->spec->structure.n_dofs, whole)
                     : MASING_OK);
    NEED_ALLOCATED(whole->tuned = memory_array(1, sizeof *whole->tuned));
    *whole->tuned = *reader->spec;
    *reader->spec = (struct masing_spec){0};
    return MASING_OK;
}

/* Also where the factors are still to be drawn. */
static bool is_mistuned(const struct reader *reader)
{
    const struct masing_uncertainty *uncertain = &reader->spec->uncertain;
    bool is = reader->cyclic.mistuning;
    for (int i = 0; i < uncertain->n; i++) {
        is = is || strncmp(uncertain->numbers[i].path, "mistuning.", 10) == 0;
    }
    return is;
}

enum masing_status read_disk(struct reader *reader)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = reader->error;
    int n = reader->cyclic.n_sectors;
    struct masing_spec whole = {0}, *read = memory_array((size_t)n, sizeof *read);
    const struct masing_spec **sectors = memory_array((size_t)n, sizeof *sectors);
    TRY_ALLOCATED(read && sectors);
    for (struct reader_mistuning *m = reader->cyclic.mistuning; m; m = m->next) {
        TRY(find_number(reader, m));
    }
    for (int s = 0; s < n; s++) {
        bool is_own = !is_tuned(reader, s);
        TRY(is_own ? read_sector(reader, s, &read[s]) : MASING_OK);
        sectors[s] = is_own ? &read[s] : reader->spec;
    }
    TRY(unroll_sectors(reader->spec, sectors, n, &whole, error));
    TRY(keep_tuned(reader, is_mistuned(reader), &whole));
    masing_spec_clear(reader->spec);
    *reader->spec = whole;
    whole = (struct masing_spec){0};
done:
    for (int s = 0; read && s < n; s++) {
        masing_spec_clear(&read[s]);
    }
    masing_spec_clear(&whole);
    free(read);
    free(sectors);
    return status;
}
