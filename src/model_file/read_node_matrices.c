/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `structure:` as a finite element program has written it: stiffness and mass over directions
 * of nodes, in files beside the model. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/matrices/abaqus.h"
#include "data/matrices/calculix.h"
#include "data/matrices/nastran.h"
#include "data/table_csv.h"
#include "model/structure/structure_cache.h"
#include "model_file/reader.h"

enum { STIFFNESS, MASS, DOFS, N_FILES };

/* What one program's key names. */
struct sources {
    char *files[N_FILES];         /* owned; NULL: there is none */
    const char *names[DOFS];      /* of matrices within the files, or NULL */
    const struct tree_node *dofs; /* names of rows, or NULL */
};

typedef enum masing_status read_sources(const struct sources *sources,
                                        struct node_matrices *matrices,
                                        struct masing_error *error);

static void clear_sources(struct sources *sources)
{
    for (int i = 0; i < N_FILES; i++) {
        free(sources->files[i]);
    }
}

/* --- what the document keeps of them ------------------------------------------------------ */

/* Which matrix of a file, together with which other one; owned. */
static char *part_of(const struct sources *sources, int which)
{
    const char *own = sources->names[which], *other = sources->names[!which];
    return memory_format("%d\n%s\n%s\n%s", which, own ? own : "", sources->files[!which],
                         other ? other : "");
}

/* Numbers of rows, DOFs, those that are held, then all of them */
static enum masing_status pack(const struct node_matrices *matrices,
                               struct structure_labels *labels, struct masing_error *error)
{
    size_t n = (size_t)matrices->n, n_held = (size_t)matrices->n_held;
    labels->n = 3 + 2 * (n + n_held);
    NEED_ALLOCATED(labels->values = memory_array(labels->n, sizeof *labels->values));
    labels->values[0] = matrices->n_rows;
    labels->values[1] = matrices->n;
    labels->values[2] = matrices->n_held;
    for (size_t i = 0; i < n + n_held; i++) {
        const struct node_dof *dof = i < n ? &matrices->dofs[i] : &matrices->held[i - n];
        labels->values[3 + 2 * i] = dof->node;
        labels->values[4 + 2 * i] = dof->direction;
    }
    return MASING_OK;
}

static enum masing_status unpack(const struct structure_labels *labels,
                                 struct node_matrices *matrices, struct masing_error *error)
{
    size_t n = (size_t)labels->values[1], n_held = (size_t)labels->values[2];
    matrices->n_rows = labels->values[0];
    matrices->n = labels->values[1];
    matrices->n_held = labels->values[2];
    matrices->dofs = memory_array(n, sizeof *matrices->dofs);
    matrices->held = memory_array(n_held, sizeof *matrices->held);
    NEED_ALLOCATED(matrices->dofs && matrices->held);
    for (size_t i = 0; i < n + n_held; i++) {
        struct node_dof *dof = i < n ? &matrices->dofs[i] : &matrices->held[i - n];
        *dof = (struct node_dof){labels->values[3 + 2 * i], labels->values[4 + 2 * i]};
    }
    return MASING_OK;
}

static enum masing_status read_and_keep(struct structure_cache *cache, read_sources *read,
                                        const struct sources *sources, char *const *parts,
                                        struct node_matrices *matrices,
                                        struct masing_error *error)
{
    struct structure_labels labels = {0};
    NEED(read(sources, matrices, error));
    NEED(pack(matrices, &labels, error));
    structure_cache_keep_matrix(cache, sources->files[STIFFNESS], parts[STIFFNESS],
                                &matrices->stiffness, &labels);
    structure_cache_keep_matrix(cache, sources->files[MASS], parts[MASS], &matrices->mass,
                                NULL);
    free(labels.values);
    return MASING_OK;
}

static enum masing_status recall_or_read(struct structure_cache *cache, read_sources *read,
                                         const struct sources *sources,
                                         struct node_matrices *matrices,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct structure_labels labels = {0};
    char *parts[DOFS] = {part_of(sources, STIFFNESS), part_of(sources, MASS)};
    structure_cache_lock(cache);
    TRY_ALLOCATED(parts[STIFFNESS] && parts[MASS]);
    bool is_known =
        structure_cache_find_matrix(cache, sources->files[STIFFNESS], parts[STIFFNESS],
                                    &matrices->stiffness, &labels) &&
        structure_cache_find_matrix(cache, sources->files[MASS], parts[MASS], &matrices->mass,
                                    NULL);
    if (is_known) {
        TRY(unpack(&labels, matrices, error));
    } else {
        node_matrices_clear(matrices);
        TRY(read_and_keep(cache, read, sources, parts, matrices, error));
    }
done:
    structure_cache_unlock(cache);
    free(labels.values);
    free(parts[STIFFNESS]);
    free(parts[MASS]);
    return status;
}

/* --- names -------------------------------------------------------------------------------- */

/* Rows without nodes have numbers, or the names of a file. */
static enum masing_status name_rows(struct reader *reader, const struct sources *sources,
                                    const struct node_matrices *matrices,
                                    struct dof_entry *entries)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = reader->error;
    struct arena *arena = &reader->tree->arena;
    struct csv_table table = {0};
    TRY(reader_refuse(reader, matrices->n_rows == 0, sources->dofs,
                      "dofs: the files name nodes and directions already"));
    TRY(csv_table_read_names(sources->files[DOFS], &table, error));
    TRY(reader_refuse(reader, table.n_rows != matrices->n_rows, sources->dofs,
                      "dofs: the file has %d names, expected %d, one for each row",
                      table.n_rows, matrices->n_rows));
    for (int i = 0; i < matrices->n; i++) {
        const char *name = table.texts[matrices->dofs[i].node - 1];
        entries[i].at = sources->dofs;
        TRY_ALLOCATED(entries[i].name = arena_text(arena, name, strlen(name)));
    }
done:
    csv_table_clear(&table);
    return status;
}

static enum masing_status name_dofs(struct reader *reader, const struct tree_node *node,
                                    const struct sources *sources,
                                    const struct node_matrices *matrices)
{
    struct masing_error *error = reader->error;
    struct arena *arena = &reader->tree->arena;
    struct dof_entry *entries = arena_array(arena, (size_t)matrices->n, sizeof *entries);
    char name[NODE_DOF_TEXT];
    NEED_ALLOCATED(entries);
    for (int i = 0; i < matrices->n; i++) {
        node_dof_text(matrices->dofs[i], name);
        entries[i].at = node;
        NEED_ALLOCATED(entries[i].name = arena_text(arena, name, strlen(name)));
        reader->has_nodes = reader->has_nodes || matrices->dofs[i].direction > 0;
    }
    reader->has_rows = !reader->has_nodes && !sources->dofs;
    NEED(sources->dofs ? name_rows(reader, sources, matrices, entries) : MASING_OK);
    return read_dof_list(reader, node, entries, matrices->n);
}

static enum masing_status note_held(struct reader *reader, const struct node_matrices *matrices)
{
    struct masing_error *error = reader->error;
    struct arena *arena = &reader->tree->arena;
    for (int i = 0; i < matrices->n_held; i++) {
        char name[NODE_DOF_TEXT];
        struct reader_absent *absent = arena_allocate(arena, sizeof *absent);
        NEED_ALLOCATED(absent);
        node_dof_text(matrices->held[i], name);
        NEED_ALLOCATED(absent->name = arena_text(arena, name, strlen(name)));
        absent->why = "is held by a boundary condition (1e36 on the diagonal of the stiffness)";
        absent->next = reader->absent;
        reader->absent = absent;
    }
    return MASING_OK;
}

/* Directions of a node that there are, with a blank before each. */
static void list_directions(const struct reader *reader, int length, const char *node,
                            char list[40])
{
    static const char *const directions[] = {"x", "y", "z", "rx", "ry", "rz"};
    size_t used = 0;
    list[0] = 0;
    for (int d = 0; d < 6; d++) {
        char name[80];
        snprintf(name, sizeof name, "%.*s.%s", length, node, directions[d]);
        if (names_find(&reader->dofs, name) >= 0) {
            used += (size_t)snprintf(list + used, 40 - used, " .%s", directions[d]);
        }
    }
}

bool reader_missing_dof(const struct reader *reader, const char *name,
                        char reason[READER_REASON])
{
    int length = (int)strspn(name, "0123456789");
    const char *direction = name + length + (name[length] == '.');
    bool is_rotation = direction[0] == 'r';
    bool is_direction = direction[is_rotation] && strchr("xyz", direction[is_rotation]) &&
                        !direction[is_rotation + 1];
    char list[40];
    if (reader->has_rows && length > 0 && name[length]) {
        snprintf(reason, READER_REASON,
                 "the files have rows 1 to %d and no nodes: give their names in a file, "
                 "'dofs: names.txt', or write files that have them",
                 reader->spec->structure.n_dofs);
        return true;
    }
    if (!reader->has_nodes || length < 1 || length > 30 ||
        (direction == name + length && *direction)) {
        return false;
    }
    list_directions(reader, length, name, list);
    if (!name[length] && list[0]) {
        snprintf(reason, READER_REASON, "a node has directions, expected one of%s", list);
    } else if (name[length] && !is_direction) {
        snprintf(reason, READER_REASON, "directions are called x, y, z, rx, ry, rz");
    } else if (list[0]) {
        snprintf(reason, READER_REASON,
                 "of node %.*s the matrices have%s; the deck may hold it by a boundary "
                 "condition, or make it depend on others (equation, tie, rigid body)",
                 length, name, list);
    } else {
        snprintf(reason, READER_REASON,
                 "the matrices have nothing of node %.*s; the deck may hold it by a boundary "
                 "condition, or make it depend on others (equation, tie, rigid body), or has "
                 "no such node",
                 length, name);
    }
    return true;
}

/* --- the keys ----------------------------------------------------------------------------- */

/* The structure of files that are there. */
static enum masing_status read_program(struct reader *reader, struct tree_node *node,
                                       read_sources *read, const struct sources *sources,
                                       struct masing_structure_spec *structure)
{
    enum masing_status status = MASING_OK;
    struct node_matrices matrices = {0};
    TRY(recall_or_read(structure->cache, read, sources, &matrices, reader->error));
    TRY(name_dofs(reader, node, sources, &matrices));
    TRY(note_held(reader, &matrices));
    structure->sparse_stiffness = matrices.stiffness;
    structure->sparse_mass = matrices.mass;
    matrices.stiffness = matrices.mass = (struct masing_sparse){0};
    structure->mass_place = structure->stiffness_place = node->place;
done:
    node_matrices_clear(&matrices);
    return status;
}

static enum masing_status read_calculix_files(const struct sources *sources,
                                              struct node_matrices *matrices,
                                              struct masing_error *error)
{
    return calculix_read(sources->files[DOFS], sources->files[STIFFNESS], sources->files[MASS],
                         matrices, error);
}

/* STEM.sti, STEM.mas and STEM.dof */
enum masing_status read_calculix(struct reader *reader, struct tree_node *node, void *object)
{
    static const char *const ends[] = {[STIFFNESS] = "sti", [MASS] = "mas", [DOFS] = "dof"};
    enum masing_status status = MASING_OK;
    struct masing_error *error = reader->error;
    struct sources sources = {{NULL}, {NULL}, NULL};
    const char *stem;
    TRY(reader_text(reader, node, "calculix", &stem));
    for (int i = 0; i < N_FILES; i++) {
        char *name = memory_format("%s.%s", stem, ends[i]);
        TRY_ALLOCATED(name);
        status = reader_file_named(reader, node, "calculix", name, &sources.files[i]);
        free(name);
        TRY(status);
    }
    TRY(read_program(reader, node, read_calculix_files, &sources, object));
    /* *TRANSFORM turns boundary conditions and loads, not the matrices (checked with 2.20) */
    ((struct masing_structure_spec *)object)->has_global_axes = true;
done:
    clear_sources(&sources);
    return status;
}

static const struct reader_key matrix_keys[] = {
    {.name = "stiffness"}, {.name = "mass"}, {.name = "dofs"}, {0}};
static const struct reader_key source_keys[] = {{.name = "file"}, {.name = "name"}, {0}};

/* FILE, or {file: FILE, name: MATRIX} where a file may have several */
static enum masing_status read_source(struct reader *reader, struct tree_node *map,
                                      const char *key, bool may_have_name,
                                      struct sources *sources, int which)
{
    struct tree_node *node = NULL;
    NEED(reader_required(reader, map, key, &node));
    if (node->kind != TREE_MAPPING || !may_have_name) {
        return reader_file(reader, node, key, &sources->files[which]);
    }
    struct tree_node *file = NULL;
    const struct tree_node *name = tree_find(node, "name");
    NEED(reader_check_keys(reader, node, source_keys, 0, NULL));
    NEED(reader_required(reader, node, "file", &file));
    NEED(name ? reader_text(reader, name, "name", &sources->names[which]) : MASING_OK);
    return reader_file(reader, file, key, &sources->files[which]);
}

/* {stiffness: ..., mass: ..., dofs: ...} */
static enum masing_status read_sources_of(struct reader *reader, struct tree_node *node,
                                          bool may_have_names, read_sources *read,
                                          struct masing_structure_spec *structure)
{
    enum masing_status status = MASING_OK;
    struct sources sources = {{NULL}, {NULL}, NULL};
    TRY(reader_mapping(reader, node));
    TRY(reader_check_keys(reader, node, matrix_keys, 0, NULL));
    TRY(read_source(reader, node, "stiffness", may_have_names, &sources, STIFFNESS));
    TRY(read_source(reader, node, "mass", may_have_names, &sources, MASS));
    sources.dofs = tree_find(node, "dofs");
    TRY(sources.dofs ? reader_file(reader, sources.dofs, "dofs", &sources.files[DOFS])
                     : MASING_OK);
    TRY(read_program(reader, node, read, &sources, structure));
done:
    clear_sources(&sources);
    return status;
}

static enum masing_status read_abaqus_files(const struct sources *sources,
                                            struct node_matrices *matrices,
                                            struct masing_error *error)
{
    return abaqus_read(sources->files[STIFFNESS], sources->files[MASS], matrices, error);
}

enum masing_status read_abaqus(struct reader *reader, struct tree_node *node, void *object)
{
    return read_sources_of(reader, node, false, read_abaqus_files, object);
}

static enum masing_status read_nastran_files(const struct sources *sources,
                                             struct node_matrices *matrices,
                                             struct masing_error *error)
{
    const struct nastran_source stiffness = {sources->files[STIFFNESS],
                                             sources->names[STIFFNESS]};
    const struct nastran_source mass = {sources->files[MASS], sources->names[MASS]};
    return nastran_read(&stiffness, &mass, matrices, error);
}

enum masing_status read_nastran(struct reader *reader, struct tree_node *node, void *object)
{
    return read_sources_of(reader, node, true, read_nastran_files, object);
}
