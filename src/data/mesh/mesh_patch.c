/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/mesh/mesh_patch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/box_tree.h"
#include "base/check.h"
#include "base/memory.h"
#include "data/suggest.h"

/* --- faces of solid elements between nodes that are looked at ------------------------------
 */

/* A face of a solid by its corners. */
struct candidate {
    int corners[4]; /* ascending; -1 first of a triangle */
    struct mesh_face face;
};

struct candidates {
    size_t n, capacity;
    struct candidate *list;
};

static int compare_int(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

static int compare_corners(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    for (int i = 0; i < 4; i++) {
        if (left->corners[i] != right->corners[i]) {
            return left->corners[i] < right->corners[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    int by_corners = compare_corners(a, b);
    return by_corners ? by_corners
                      : (left->face.element > right->face.element) -
                            (left->face.element < right->face.element);
}

static struct candidate make_candidate(const struct mesh *mesh, struct mesh_face face)
{
    struct candidate candidate = {{-1, -1, -1, -1}, face};
    int nodes[MESH_FACE_NODES];
    int n = mesh_form(mesh_face_nodes(mesh, face, nodes))->n_corners;
    memcpy(candidate.corners, nodes, (size_t)n * sizeof *nodes);
    qsort(candidate.corners, 4, sizeof *candidate.corners, compare_int);
    return candidate;
}

static bool are_marked(const struct candidate *candidate, const bool *is_marked)
{
    for (int i = 0; i < 4; i++) {
        if (candidate->corners[i] >= 0 && !is_marked[candidate->corners[i]]) {
            return false;
        }
    }
    return true;
}

/* Enough of an element's nodes are marked for a face to be. */
static bool may_have_face(const struct mesh *mesh, int element, const bool *is_marked)
{
    const struct mesh_form *form = mesh_form((enum mesh_shape)mesh->shapes[element]);
    const int *nodes = mesh->nodes + mesh->starts[element];
    int n = 0;
    for (int i = 0; i < form->n_corners; i++) {
        n += is_marked[nodes[i]] ? 1 : 0;
    }
    return n >= 3 && form->n_faces > 1;
}

/* All faces of solids whose corners are marked, in order of these. */
static enum masing_status collect(const struct mesh *mesh, const bool *is_marked,
                                  struct candidates *candidates, struct masing_error *error)
{
    for (int e = 0; e < mesh->n_elements; e++) {
        if (!may_have_face(mesh, e, is_marked)) {
            continue;
        }
        int n_faces = mesh_form((enum mesh_shape)mesh->shapes[e])->n_faces;
        for (int f = 0; f < n_faces; f++) {
            struct candidate candidate = make_candidate(mesh, (struct mesh_face){e, f});
            if (are_marked(&candidate, is_marked)) {
                NEED_ALLOCATED(memory_grow((void **)&candidates->list, candidates->n + 1,
                                           &candidates->capacity, sizeof *candidates->list));
                candidates->list[candidates->n++] = candidate;
            }
        }
    }
    if (candidates->n > 0) {
        qsort(candidates->list, candidates->n, sizeof *candidates->list, compare_candidates);
    }
    return MASING_OK;
}

/* The only face with these corners, NULL: there is none, or one on either side. */
static const struct candidate *find_only(const struct candidates *candidates,
                                         const struct candidate *sought)
{
    const struct candidate *found = candidates->n > 0
                                        ? bsearch(sought, candidates->list, candidates->n,
                                                  sizeof *candidates->list, compare_corners)
                                        : NULL;
    if (!found) {
        return NULL;
    }
    size_t i = (size_t)(found - candidates->list);
    bool is_double = (i > 0 && compare_corners(found - 1, found) == 0) ||
                     (i + 1 < candidates->n && compare_corners(found + 1, found) == 0);
    return is_double ? NULL : found;
}

/* --- areas and normals -------------------------------------------------------------------- */

static void take_points(const struct mesh *mesh, const int *nodes, int n, double *points)
{
    for (int i = 0; i < n; i++) {
        memcpy(points + 3 * i, mesh->points + 3 * (size_t)nodes[i], 3 * sizeof *points);
    }
}

/* +1 or -1: the vector area of the face points out of its element, or into it; 0 of a plane
 * element, which says nothing of its body. */
static double outward(const struct mesh *mesh, struct mesh_face face, const int *nodes,
                      int n_nodes, const double *vectors)
{
    enum mesh_shape shape = (enum mesh_shape)mesh->shapes[face.element];
    const struct mesh_form *form = mesh_form(shape);
    const int *element = mesh->nodes + mesh->starts[face.element];
    double product = 0.0;
    if (mesh_is_plane(shape)) {
        return 0.0;
    }
    for (int k = 0; k < 3; k++) {
        double inner = 0.0, own = 0.0, vector = 0.0;
        for (int i = 0; i < form->n_corners; i++) {
            inner += mesh->points[3 * (size_t)element[i] + (size_t)k] / form->n_corners;
        }
        for (int i = 0; i < n_nodes; i++) {
            own += mesh->points[3 * (size_t)nodes[i] + (size_t)k] / n_nodes;
            vector += vectors[3 * i + k];
        }
        product += vector * (own - inner);
    }
    return product < 0.0 ? -1.0 : 1.0;
}

static void add_face(struct mesh_patch *patch, struct mesh_face face)
{
    struct mesh_patch_face *own = &patch->faces[patch->n_faces++];
    double points[3 * MESH_FACE_NODES], areas[MESH_FACE_NODES], vectors[3 * MESH_FACE_NODES];
    own->shape = mesh_face_nodes(patch->mesh, face, own->nodes);
    int n = mesh_form(own->shape)->n_nodes;
    take_points(patch->mesh, own->nodes, n, points);
    mesh_face_shares(own->shape, points, areas, vectors);
    double sign = outward(patch->mesh, face, own->nodes, n, vectors);
    for (int i = 0; i < n; i++) {
        int place = mesh_find_number(patch->nodes, patch->n_nodes, own->nodes[i]);
        if (place < 0) {
            continue; /* the middle of an edge that a set of nodes leaves out */
        }
        patch->areas[place] += patch->has_areas ? areas[i] : 0.0;
        for (int k = 0; k < 3; k++) {
            patch->normals[3 * place + k] += sign * vectors[3 * i + k];
        }
    }
}

static void normalize(struct mesh_patch *patch)
{
    for (int i = 0; i < patch->n_nodes; i++) {
        double *normal = patch->normals + 3 * (size_t)i;
        double length = hypot(hypot(normal[0], normal[1]), normal[2]);
        for (int k = 0; k < 3; k++) {
            normal[k] = length > 0.0 ? normal[k] / length : 0.0;
        }
    }
}

static enum masing_status allocate(struct mesh_patch *patch, int n_faces,
                                   struct masing_error *error)
{
    size_t n = (size_t)patch->n_nodes;
    NEED_ALLOCATED(patch->areas = memory_array(n, sizeof *patch->areas));
    NEED_ALLOCATED(patch->normals = memory_array(3 * n, sizeof *patch->normals));
    NEED_ALLOCATED(patch->faces = memory_array((size_t)n_faces, sizeof *patch->faces));
    return MASING_OK;
}

/* --- by what a patch is named ------------------------------------------------------------- */

static void mark_faces(const struct mesh *mesh, const struct mesh_face *faces, int n,
                       bool *is_marked)
{
    int nodes[MESH_FACE_NODES];
    for (int f = 0; f < n; f++) {
        int n_nodes = mesh_form(mesh_face_nodes(mesh, faces[f], nodes))->n_nodes;
        for (int i = 0; i < n_nodes; i++) {
            is_marked[nodes[i]] = true;
        }
    }
}

static enum masing_status list_marked(struct mesh_patch *patch, const bool *is_marked,
                                      struct masing_error *error)
{
    int n = 0;
    for (int i = 0; i < patch->mesh->n_nodes; i++) {
        n += is_marked[i] ? 1 : 0;
    }
    NEED_ALLOCATED(patch->nodes = memory_array((size_t)n, sizeof *patch->nodes));
    for (int i = 0; i < patch->mesh->n_nodes; i++) {
        if (is_marked[i]) {
            patch->nodes[patch->n_nodes++] = i;
        }
    }
    return MASING_OK;
}

static bool has_plane(const struct mesh *mesh, const struct mesh_face *faces, int n)
{
    for (int f = 0; f < n; f++) {
        if (mesh_is_plane((enum mesh_shape)mesh->shapes[faces[f].element])) {
            return true;
        }
    }
    return false;
}

/* Where plane elements lie on a solid, its faces take their place. */
static enum masing_status of_faces(struct mesh_patch *patch, const struct mesh_face *faces,
                                   int n, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct mesh *mesh = patch->mesh;
    struct candidates solids = {0};
    bool *is_marked = memory_array((size_t)mesh->n_nodes, sizeof *is_marked);
    TRY_ALLOCATED(is_marked);
    patch->has_areas = true;
    mark_faces(mesh, faces, n, is_marked);
    TRY(list_marked(patch, is_marked, error));
    TRY(allocate(patch, n, error));
    TRY(has_plane(mesh, faces, n) ? collect(mesh, is_marked, &solids, error) : MASING_OK);
    for (int f = 0; f < n; f++) {
        struct candidate own = make_candidate(mesh, faces[f]);
        bool is_plane = mesh_is_plane((enum mesh_shape)mesh->shapes[faces[f].element]);
        const struct candidate *solid = is_plane ? find_only(&solids, &own) : NULL;
        add_face(patch, solid ? solid->face : faces[f]);
    }
done:
    free(solids.list);
    free(is_marked);
    return status;
}

/* The faces between them that are not inside the body say what is outwards. */
static enum masing_status of_nodes(struct mesh_patch *patch, const int *nodes, int n,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct mesh *mesh = patch->mesh;
    struct candidates solids = {0};
    bool *is_marked = memory_array((size_t)mesh->n_nodes, sizeof *is_marked);
    TRY_ALLOCATED(is_marked);
    for (int i = 0; i < n; i++) {
        is_marked[nodes[i]] = true;
    }
    TRY(list_marked(patch, is_marked, error));
    TRY(collect(mesh, is_marked, &solids, error));
    TRY(allocate(patch, (int)solids.n, error));
    for (size_t i = 0; i < solids.n; i++) {
        if (find_only(&solids, &solids.list[i])) {
            add_face(patch, solids.list[i].face);
        }
    }
done:
    free(solids.list);
    free(is_marked);
    return status;
}

static enum masing_status of_elements(struct mesh_patch *patch, const struct mesh_set *set,
                                      struct masing_error *error)
{
    int n = 0;
    struct mesh_face *faces = memory_array((size_t)set->n, sizeof *faces);
    NEED_ALLOCATED(faces);
    for (int i = 0; i < set->n; i++) {
        if (mesh_is_plane((enum mesh_shape)patch->mesh->shapes[set->members[i]])) {
            faces[n++] = (struct mesh_face){set->members[i], 0};
        }
    }
    enum masing_status status =
        n > 0 ? of_faces(patch, faces, n, error)
              : masing_error_set(error, MASING_INVALID,
                                 "'%.80s' is a set of elements that are not plane: expected a "
                                 "surface or a node set",
                                 set->name);
    free(faces);
    return status;
}

static bool has_planes(const struct mesh *mesh, const struct mesh_set *set)
{
    for (int i = 0; set && i < set->n; i++) {
        if (mesh_is_plane((enum mesh_shape)mesh->shapes[set->members[i]])) {
            return true;
        }
    }
    return false;
}

static enum masing_status fail_unknown(const struct mesh *mesh, const char *name,
                                       struct masing_error *error)
{
    char hint[100];
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (int i = 0; i < mesh->n_surfaces; i++) {
        masing_suggest_consider(&suggestion, mesh->surfaces[i].name);
    }
    for (int i = 0; i < mesh->n_node_sets; i++) {
        masing_suggest_consider(&suggestion, mesh->node_sets[i].name);
    }
    return masing_error_set(error, MASING_INVALID,
                            "the mesh has no surface or node set '%.80s'%s", name,
                            masing_suggest_text(&suggestion, hint, sizeof hint));
}

/* A group of gmsh is a set of nodes and of elements: plane ones have areas. */
static enum masing_status find(struct mesh_patch *patch, const char *name,
                               struct masing_error *error)
{
    const struct mesh *mesh = patch->mesh;
    const struct mesh_surface *surface = mesh_find_surface(mesh, name);
    const struct mesh_set *nodes = mesh_find_node_set(mesh, name);
    const struct mesh_set *elements = mesh_find_element_set(mesh, name);
    if (surface) {
        return surface->nodes ? of_nodes(patch, surface->nodes, surface->n_nodes, error)
                              : of_faces(patch, surface->faces, surface->n_faces, error);
    }
    if (has_planes(mesh, elements) || (elements && !nodes)) {
        return of_elements(patch, elements, error);
    }
    return nodes ? of_nodes(patch, nodes->members, nodes->n, error)
                 : fail_unknown(mesh, name, error);
}

enum masing_status mesh_patch_create(const struct mesh *mesh, const char *name,
                                     struct mesh_patch *patch, struct masing_error *error)
{
    *patch = (struct mesh_patch){.mesh = mesh};
    enum masing_status status = find(patch, name, error);
    if (status == MASING_OK && patch->n_nodes == 0) {
        status = masing_error_set(error, MASING_INVALID, "'%.80s' of the mesh is empty", name);
    }
    if (status == MASING_OK) {
        normalize(patch);
    } else {
        mesh_patch_clear(patch);
    }
    return status;
}

void mesh_patch_clear(struct mesh_patch *patch)
{
    free(patch->nodes);
    free(patch->areas);
    free(patch->normals);
    free(patch->faces);
    *patch = (struct mesh_patch){0};
}

/* --- what is opposite --------------------------------------------------------------------- */

/* Weights of at most this are rounding: the point lies on a node or an edge. */
static const double SMALL_WEIGHT = 1e-9;

static double distance_to_node(const void *context, int item, const double point[3])
{
    const struct mesh_patch *patch = context;
    const double *node = patch->mesh->points + 3 * (size_t)patch->nodes[item];
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        square += (node[k] - point[k]) * (node[k] - point[k]);
    }
    return square;
}

static double nearest_of_face(const struct mesh_patch *patch, int item, const double point[3],
                              double weights[MESH_FACE_NODES])
{
    const struct mesh_patch_face *face = &patch->faces[item];
    double points[3 * MESH_FACE_NODES];
    take_points(patch->mesh, face->nodes, mesh_form(face->shape)->n_nodes, points);
    return mesh_face_nearest(face->shape, points, point, weights);
}

static double distance_to_face(const void *context, int item, const double point[3])
{
    double weights[MESH_FACE_NODES];
    return nearest_of_face(context, item, point, weights);
}

static void extend(struct box *box, const double *point)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = fmin(box->low[k], point[k]);
        box->high[k] = fmax(box->high[k], point[k]);
    }
}

/* Quadratic faces leave the box of their nodes a little: half of its size is ample. */
static struct box box_of_face(const struct mesh_patch *patch, int item)
{
    const struct mesh_patch_face *face = &patch->faces[item];
    struct box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const struct mesh_form *form = mesh_form(face->shape);
    double margin = 0.0;
    for (int i = 0; i < form->n_nodes; i++) {
        extend(&box, patch->mesh->points + 3 * (size_t)face->nodes[i]);
    }
    for (int k = 0; k < 3; k++) {
        margin = fmax(margin, 0.5 * (box.high[k] - box.low[k]));
    }
    for (int k = 0; k < 3 && form->n_nodes > form->n_corners; k++) {
        box.low[k] -= margin;
        box.high[k] += margin;
    }
    return box;
}

/* What the search needs of the patch that is met. */
struct opposite {
    const struct mesh_patch *patch;
    struct box *boxes; /* of nodes, then of faces */
    struct box_tree nodes, faces;
};

static enum masing_status prepare(struct opposite *opposite, const struct mesh_patch *patch,
                                  struct masing_error *error)
{
    size_t n = (size_t)patch->n_nodes;
    opposite->patch = patch;
    NEED_ALLOCATED(opposite->boxes =
                       memory_array(n + (size_t)patch->n_faces, sizeof *opposite->boxes));
    for (int i = 0; i < patch->n_nodes; i++) {
        struct box *box = &opposite->boxes[i];
        memcpy(box->low, patch->mesh->points + 3 * (size_t)patch->nodes[i], sizeof box->low);
        memcpy(box->high, box->low, sizeof box->high);
    }
    for (int i = 0; i < patch->n_faces; i++) {
        opposite->boxes[n + (size_t)i] = box_of_face(patch, i);
    }
    bool is_made = box_tree_create(opposite->boxes, patch->n_nodes, &opposite->nodes) &&
                   box_tree_create(opposite->boxes + n, patch->n_faces, &opposite->faces);
    return is_made ? MASING_OK : masing_error_set(error, MASING_NO_MEMORY, "out of memory");
}

/* Weights that count, with the sum 1: a body that moves as a whole is met without a rest. */
static void put_weights(struct mesh_pair *pair, const struct mesh_patch_face *face,
                        const double *weights)
{
    double sum = 0.0;
    pair->n_to = 0;
    for (int i = 0; i < mesh_form(face->shape)->n_nodes; i++) {
        if (fabs(weights[i]) > SMALL_WEIGHT) {
            pair->to[pair->n_to] = face->nodes[i];
            pair->weights[pair->n_to++] = weights[i];
            sum += weights[i];
        }
    }
    for (int i = 0; i < pair->n_to; i++) {
        pair->weights[i] /= sum;
    }
}

static bool match_one(const struct opposite *opposite, const double point[3], double distance,
                      struct mesh_pair *pair)
{
    const struct mesh_patch *patch = opposite->patch;
    double square = distance * distance, weights[MESH_FACE_NODES];
    int node = box_tree_nearest(&opposite->nodes, point, distance_to_node, patch, &square);
    if (node >= 0) {
        pair->n_to = 1;
        pair->to[0] = patch->nodes[node];
        pair->weights[0] = 1.0;
        return true;
    }
    square = distance * distance;
    int face = box_tree_nearest(&opposite->faces, point, distance_to_face, patch, &square);
    if (face >= 0) {
        nearest_of_face(patch, face, point, weights);
        put_weights(pair, &patch->faces[face], weights);
    }
    return face >= 0;
}

enum masing_status mesh_patch_match(const struct mesh_patch *from, const struct mesh_patch *to,
                                    double distance, int *n_pairs, struct mesh_pair *pairs,
                                    int *n_unmatched, int *unmatched,
                                    struct masing_error *error)
{
    struct opposite opposite = {0};
    enum masing_status status = MASING_OK;
    *n_pairs = *n_unmatched = 0;
    TRY(prepare(&opposite, to, error));
    for (int i = 0; i < from->n_nodes; i++) {
        const double *point = from->mesh->points + 3 * (size_t)from->nodes[i];
        struct mesh_pair *pair = &pairs[*n_pairs];
        pair->place = i;
        if (match_one(&opposite, point, distance, pair)) {
            ++*n_pairs;
        } else {
            unmatched[(*n_unmatched)++] = i;
        }
    }
done:
    box_tree_clear(&opposite.nodes);
    box_tree_clear(&opposite.faces);
    free(opposite.boxes);
    return status;
}
