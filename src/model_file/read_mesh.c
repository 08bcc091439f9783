/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `structure.mesh:` and what is named by it: node sets with a direction in the place of a DOF,
 * directions of a whole structure, and why a node has no DOF. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/mesh/mesh_patch.h"
#include "data/suggest.h"
#include "model/structure/structure_cache.h"
#include "model_file/reader.h"
#include "model_file/reader_mesh.h"

const char *const mesh_directions[3] = {"x", "y", "z"};

/* --- the file ----------------------------------------------------------------------------- */

static void destroy(void *object)
{
    mesh_clear(object);
    free(object);
}

static enum masing_status read_and_keep(struct reader *reader, struct structure_cache *cache,
                                        const char *file, const struct mesh **kept)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct mesh *mesh = memory_array(1, sizeof *mesh);
    TRY_ALLOCATED(mesh);
    TRY(mesh_read(file, mesh, error));
    const struct structure_object object = {mesh, destroy, mesh->n_files, mesh->files};
    TRY_ALLOCATED(structure_cache_keep_object(cache, &object));
    *kept = mesh;
    mesh = NULL;
done:
    if (mesh) {
        destroy(mesh);
    }
    return status;
}

enum masing_status read_mesh(struct reader *reader, struct tree_node *node, void *object)
{
    struct masing_structure_spec *structure = object;
    struct structure_cache *cache = structure->cache;
    enum masing_status status = MASING_OK;
    char *file = NULL;
    TRY(reader_file(reader, node, "mesh", &file));
    structure_cache_lock(cache);
    reader->mesh = structure_cache_find_object(cache, file, destroy);
    status = reader->mesh ? MASING_OK : read_and_keep(reader, cache, file, &reader->mesh);
    structure_cache_unlock(cache);
    TRY(status);
    for (int i = 1; i < reader->mesh->n_files; i++) {
        TRY(reader_note_file(reader, reader->mesh->files[i]));
    }
    structure->mesh = reader->mesh;
    structure->keeps_motion = true;
    structure->mesh_extent = mesh_extent(reader->mesh);
done:
    free(file);
    return status;
}

/* --- why there is no DOF ------------------------------------------------------------------ */

/* In axes of its own, so that a displacement along those of the mesh depends on the others. */
static bool is_partly_held(const struct reader *reader, int node)
{
    const struct mesh_node_state *state = &reader->mesh->states[node];
    return state->is_turned && (state->held & 7) && !mesh_holds(state, 0);
}

/* Why directions have no meaning at a node, its DOFs not being along the axes of the mesh; NULL
 * where they have. */
static const char *axes_of_its_own(const struct reader *reader, int node,
                                   char text[MESH_ABSENCE])
{
    const struct mesh *mesh = reader->mesh;
    if (!mesh->states[node].is_turned) {
        return NULL;
    }
    if (!reader->spec->structure.has_global_axes) {
        snprintf(
            text, MESH_ABSENCE,
            "node %d has axes of its own (*TRANSFORM in '%.200s'), and the matrices may be "
            "along these or not: name its DOFs one by one, or export the matrices without "
            "*TRANSFORM",
            mesh->node_numbers[node], mesh->files[0]);
        return text;
    }
    snprintf(
        text, MESH_ABSENCE,
        "node %d is held in axes of its own (*BOUNDARY with *TRANSFORM in '%.200s'): one of "
        "its displacements is a sum of the others; hold it along x, y or z",
        mesh->node_numbers[node], mesh->files[0]);
    return is_partly_held(reader, node) ? text : NULL;
}

const char *reader_mesh_absence(const struct reader *reader, const char *name,
                                char text[MESH_ABSENCE])
{
    static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz"};
    const char *point = strrchr(name, '.');
    char *end = NULL;
    long number = reader->mesh ? strtol(name, &end, 10) : 0;
    int axis = -1;
    for (int k = 0; reader->mesh && point && k < 6; k++) {
        axis = strcmp(point + 1, axes[k]) == 0 ? k : axis;
    }
    if (axis < 0 || end != point || end == name || number <= 0 ||
        number > MESH_LARGEST_NUMBER) {
        return NULL;
    }
    int node = mesh_find_node(reader->mesh, (int)number);
    const char *why = reader_why_absent(reader, name);
    const char *file = reader->mesh->files[0];
    if (node < 0) {
        snprintf(text, MESH_ABSENCE, "is of node %ld, which the mesh '%.200s' does not have",
                 number, file);
    } else if (reader->mesh->states[node].dependent & (1 << axis)) {
        snprintf(text, MESH_ABSENCE,
                 "depends on others (*EQUATION, *TIE or *RIGID BODY in '%.200s') and is not "
                 "among those of the matrices: name one that it depends on, or, where that "
                 "glues the faces of a joint, export the matrices without it",
                 file);
    } else if (reader->spec->structure.has_global_axes && is_partly_held(reader, node)) {
        snprintf(text, MESH_ABSENCE,
                 "is of a node that is held in axes of its own (*BOUNDARY with *TRANSFORM in "
                 "'%.200s'): it depends on the node's other DOFs",
                 file);
    } else if (reader->mesh->states[node].held & (1 << axis)) {
        snprintf(text, MESH_ABSENCE, "is constrained (*BOUNDARY in '%.200s'): it does not move",
                 file);
    } else if (why) {
        snprintf(text, MESH_ABSENCE, "%.300s", why);
    } else {
        snprintf(text, MESH_ABSENCE,
                 "is of a node of the mesh, but not among those of the matrices: it is "
                 "constrained there or depends on others");
    }
    return text;
}

enum masing_status reader_mesh_dofs(struct reader *reader, const char *place, const char *what,
                                    int node, int dofs[3])
{
    const struct mesh *mesh = reader->mesh;
    char name[32], text[MESH_ABSENCE];
    const char *trouble = axes_of_its_own(reader, node, text);
    if (trouble && !mesh_holds(&mesh->states[node], 0)) {
        return masing_error_set(reader->error, MASING_UNSUPPORTED, "%s: %s: %s", place, what,
                                trouble);
    }
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%d.%s", mesh->node_numbers[node], mesh_directions[k]);
        dofs[k] = names_find(&reader->dofs, name);
        if (dofs[k] >= 0) {
            continue;
        }
        dofs[k] = MASING_GROUND;
        bool is_held = mesh->states[node].held & (1 << k) || reader_why_absent(reader, name);
        bool is_dependent = mesh->states[node].dependent & (1 << k);
        if (!is_held && !mesh->has_states) { /* a mesh alone says nothing: a warning does */
            reader->spec->structure.unexplained_node = mesh->node_numbers[node];
        } else if (!is_held || is_dependent) {
            return masing_error_set(reader->error, MASING_INVALID, "%s: %s: DOF '%s' %s", place,
                                    what, name, reader_mesh_absence(reader, name, text));
        }
    }
    return MASING_OK;
}

/* --- directions --------------------------------------------------------------------------- */

enum masing_status reader_direction(struct reader *reader, struct tree_node *node,
                                    double direction[3])
{
    double length = 0.0;
    if (node->kind == TREE_SCALAR) {
        int k = 0;
        while (k < 3 && strcmp(node->text, mesh_directions[k]) != 0) {
            direction[k++] = 0.0;
        }
        NEED(reader_refuse(reader, k == 3, node,
                           "%s: expected x, y, z or [dx, dy, dz], found '%.60s'", node->key,
                           node->text));
        for (int i = 0; i < 3; i++) {
            direction[i] = i == k ? 1.0 : 0.0;
        }
        return MASING_OK;
    }
    NEED(reader_refuse(reader, node->kind != TREE_SEQUENCE || node->count != 3, node,
                       "%s: expected x, y, z or [dx, dy, dz]", node->key));
    for (int k = 0; k < 3; k++) {
        NEED(reader_number(reader, tree_at(node, k), node->key, &direction[k]));
        length = hypot(length, direction[k]);
    }
    NEED(reader_refuse(reader, !(length > 0.0) || !isfinite(length), node,
                       "%s: expected a direction, found a vector without one", node->key));
    for (int k = 0; k < 3; k++) {
        direction[k] /= length;
    }
    return MASING_OK;
}

enum masing_status reader_whole_direction(struct reader *reader, struct tree_node *node,
                                          double **pattern)
{
    double direction[3];
    char text[MESH_ABSENCE];
    const struct mesh *mesh = reader->mesh;
    NEED(reader_refuse(reader, !mesh, node,
                       "%s: a direction of the whole structure needs 'structure: mesh'; else "
                       "expected a mapping {DOF: weight}",
                       node->key));
    NEED(reader_direction(reader, node, direction));
    NEED(reader_matrix(reader, 1, pattern));
    for (int i = 0; i < mesh->n_nodes; i++) {
        const char *trouble = axes_of_its_own(reader, i, text);
        NEED(reader_refuse(reader, trouble != NULL, node, "%s: %s", node->key, trouble));
        for (int k = 0; k < 3; k++) {
            char name[32];
            snprintf(name, sizeof name, "%d.%s", mesh->node_numbers[i], mesh_directions[k]);
            int dof = direction[k] != 0.0 ? names_find(&reader->dofs, name) : -1;
            if (dof >= 0) {
                (*pattern)[dof] = direction[k];
            }
        }
    }
    return MASING_OK;
}

/* --- sets in the place of a DOF ----------------------------------------------------------- */

struct set_weight {
    enum weights_meaning meaning;
    double direction[3];
};

static const struct reader_key set_keys[] = {{.name = "set"}, {.name = "direction"}, {0}};

static enum masing_status fail_set(struct reader *reader, const struct tree_node *node,
                                   const char *name)
{
    char hint[100];
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (int i = 0; i < reader->mesh->n_node_sets; i++) {
        masing_suggest_consider(&suggestion, reader->mesh->node_sets[i].name);
    }
    return reader_fail(reader, node, "%s: the mesh '%.200s' has no node set '%.60s'%s",
                       node->key ? node->key : "set", reader->mesh->files[0], name,
                       masing_suggest_text(&suggestion, hint, sizeof hint));
}

/* A direction at nodes, in equal parts or at each; those that the deck holds count with
 * nothing. */
static enum masing_status fill_nodes(struct reader *reader, const struct tree_node *node, int n,
                                     const int *nodes, const struct set_weight *weight,
                                     struct masing_combination *combination)
{
    struct masing_error *error = reader->error;
    const double *direction = weight->direction;
    int share = weight->meaning == WEIGHTS_OF_SUM ? n : 1;
    char place[READER_PLACE];
    tree_place(reader->file, node, place);
    NEED_ALLOCATED(combination->terms =
                       memory_array(3 * (size_t)n, sizeof *combination->terms));
    for (int i = 0; i < n; i++) {
        int dofs[3];
        NEED(reader_mesh_dofs(reader, place, "set", nodes[i], dofs));
        for (int k = 0; k < 3; k++) {
            if (dofs[k] != MASING_GROUND && direction[k] != 0.0) {
                combination->terms[combination->n_terms++] =
                    (struct masing_term){dofs[k], direction[k] / share};
            }
        }
    }
    return reader_refuse(reader, combination->n_terms == 0, node,
                         "set: no node of '%.60s' moves in this direction", node->text);
}

/* Also of a surface, or of plane elements as gmsh's .inp has them */
enum masing_status reader_set_nodes(struct reader *reader, const struct tree_node *node,
                                    int *n_nodes, const int **nodes)
{
    struct masing_error *error = reader->error, inner = {0};
    const char *name;
    struct mesh_patch patch;
    NEED(reader_text(reader, node, node->key ? node->key : "set", &name));
    NEED(reader_refuse(reader, !reader->mesh, node,
                       "%s: node sets are those of a mesh, expected 'structure: mesh'",
                       node->key ? node->key : "set"));
    const struct mesh_set *set = mesh_find_node_set(reader->mesh, name);
    if (set) {
        *n_nodes = set->n;
        *nodes = set->members;
        return MASING_OK;
    }
    enum masing_status status = mesh_patch_create(reader->mesh, name, &patch, &inner);
    if (status == MASING_INVALID) {
        return fail_set(reader, node, name);
    }
    if (status != MASING_OK) {
        return masing_error_set(reader->error, status, "%s", inner.message);
    }
    int *own = arena_array(&reader->tree->arena, (size_t)patch.n_nodes, sizeof *own);
    if (own) {
        memcpy(own, patch.nodes, (size_t)patch.n_nodes * sizeof *own);
    }
    *n_nodes = patch.n_nodes;
    *nodes = own;
    mesh_patch_clear(&patch);
    NEED_ALLOCATED(own);
    return MASING_OK;
}

bool reader_is_set(const struct tree_node *node)
{
    return tree_find(node, "set") != NULL;
}

enum masing_status reader_set(struct reader *reader, const struct tree_node *node,
                              enum weights_meaning meaning,
                              struct masing_combination *combination)
{
    struct tree_node *name_node, *direction_node;
    const int *nodes = NULL;
    int n = 0;
    struct set_weight weight = {.meaning = meaning};
    NEED(reader_check_keys(reader, node, set_keys, 0, NULL));
    NEED(reader_required(reader, node, "set", &name_node));
    NEED(reader_required(reader, node, "direction", &direction_node));
    NEED(reader_set_nodes(reader, name_node, &n, &nodes));
    NEED(reader_direction(reader, direction_node, weight.direction));
    return fill_nodes(reader, name_node, n, nodes, &weight, combination);
}

enum masing_status reader_fold_set(struct reader *reader, struct tree_node *map)
{
    struct masing_error *error = reader->error;
    struct tree_node *set = tree_find(map, "set"), *direction = tree_find(map, "direction");
    if (!set || tree_find(map, "dof")) {
        return MASING_OK;
    }
    struct tree_node *dof = tree_append_text(reader->tree, map, "dof", "");
    NEED_ALLOCATED(dof);
    dof->kind = TREE_MAPPING;
    dof->place = set->place;
    dof->key_place = set->key_place;
    tree_move(map, set, dof);
    if (direction) {
        tree_move(map, direction, dof);
    }
    return MASING_OK;
}
