/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/mesh/mesh_builder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "base/memory.h"

/* A table by number is kept where it is at most so many times as long as the nodes. */
static const double LARGEST_COORDINATE = 1e60;
enum { DIRECT_FACTOR = 8, DIRECT_LEAST = 1024 };

static enum masing_status fail(const struct mesh_builder *builder, int file, int line,
                               const char *format, ...) MASING_PRINTF(4, 5);

static enum masing_status fail(const struct mesh_builder *builder, int file, int line,
                               const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return masing_error_set(builder->error, MASING_INVALID, "%.400s:%d:1: %s",
                            builder->files[file], line, what);
}

/* --- adding ------------------------------------------------------------------------------- */

enum masing_status mesh_builder_file(struct mesh_builder *builder, const char *file)
{
    struct masing_error *error = builder->error;
    int n = builder->n_files;
    NEED_ALLOCATED(memory_grow((void **)&builder->files, (size_t)n + 1, &builder->file_capacity,
                               sizeof *builder->files));
    NEED_ALLOCATED(builder->files[n] = memory_text(file));
    builder->file = builder->n_files++;
    return MASING_OK;
}

enum masing_status mesh_builder_node(struct mesh_builder *builder, int number,
                                     const double point[3])
{
    struct masing_error *error = builder->error;
    for (int k = 0; k < 3; k++) {
        if (fabs(point[k]) > LARGEST_COORDINATE) {
            return fail(builder, builder->file, builder->line,
                        "node %d: a coordinate beyond %g", number, LARGEST_COORDINATE);
        }
    }
    NEED_ALLOCATED(memory_grow((void **)&builder->nodes, builder->n_nodes + 1,
                               &builder->node_capacity, sizeof *builder->nodes));
    builder->nodes[builder->n_nodes++] = (struct mesh_raw_node){
        number, builder->file, builder->line, {point[0], point[1], point[2]}};
    return MASING_OK;
}

enum masing_status mesh_builder_element(struct mesh_builder *builder, int number,
                                        enum mesh_shape shape, const int *nodes)
{
    struct masing_error *error = builder->error;
    size_t n = (size_t)mesh_form(shape)->n_nodes;
    NEED_ALLOCATED(memory_grow((void **)&builder->elements, builder->n_elements + 1,
                               &builder->element_capacity, sizeof *builder->elements));
    NEED_ALLOCATED(memory_grow((void **)&builder->connections, builder->n_connections + n,
                               &builder->connection_capacity, sizeof *builder->connections));
    builder->elements[builder->n_elements++] = (struct mesh_raw_element){
        number, builder->file, builder->line, (unsigned char)shape, builder->n_connections};
    for (size_t i = 0; i < n; i++) {
        builder->connections[builder->n_connections++] = nodes[i];
    }
    return MASING_OK;
}

int mesh_builder_find(const struct mesh_builder *builder, enum mesh_kind kind, const char *name,
                      size_t length)
{
    for (size_t i = 0; i < builder->n_collections; i++) {
        const struct mesh_collection *one = &builder->collections[i];
        if (one->kind == kind && strncasecmp(one->name, name, length) == 0 &&
            one->name[length] == '\0') {
            return (int)i;
        }
    }
    return -1;
}

enum masing_status mesh_builder_collection(struct mesh_builder *builder, enum mesh_kind kind,
                                           const char *name, size_t length, int *collection)
{
    struct masing_error *error = builder->error;
    *collection = mesh_builder_find(builder, kind, name, length);
    if (*collection >= 0) {
        return MASING_OK;
    }
    NEED_ALLOCATED(memory_grow((void **)&builder->collections, builder->n_collections + 1,
                               &builder->collection_capacity, sizeof *builder->collections));
    struct mesh_collection *one = &builder->collections[builder->n_collections];
    *one = (struct mesh_collection){.kind = kind, .visited = -1};
    NEED_ALLOCATED(one->name = memory_format("%.*s", (int)length, name));
    *collection = (int)builder->n_collections++;
    return MASING_OK;
}

enum masing_status mesh_builder_add(struct mesh_builder *builder, int collection, int first,
                                    int last, int step, int label)
{
    struct masing_error *error = builder->error;
    struct mesh_collection *one = &builder->collections[collection];
    NEED_ALLOCATED(memory_grow((void **)&one->items, (size_t)one->n_items + 1, &one->capacity,
                               sizeof *one->items));
    one->items[one->n_items++] =
        (struct mesh_item){first, last, step, label, builder->file, builder->line};
    return MASING_OK;
}

void mesh_builder_clear(struct mesh_builder *builder)
{
    for (size_t i = 0; i < builder->n_collections; i++) {
        free(builder->collections[i].name);
        free(builder->collections[i].items);
    }
    memory_free_texts(builder->files, builder->n_files);
    free(builder->collections);
    free(builder->nodes);
    free(builder->elements);
    free(builder->connections);
    *builder = (struct mesh_builder){0};
}

/* --- nodes and elements in order ---------------------------------------------------------- */

struct numbered {
    int number, index;
};

static int compare_numbered(const void *a, const void *b)
{
    const struct numbered *left = a, *right = b;
    int by_number = (left->number > right->number) - (left->number < right->number);
    return by_number ? by_number : (left->index > right->index) - (left->index < right->index);
}

static int compare_int(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

/* Sorted, unless it is already; equal numbers stay as they come. */
static void sort_numbered(struct numbered *list, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (list[i].number < list[i - 1].number) {
            qsort(list, n, sizeof *list, compare_numbered);
            return;
        }
    }
}

static enum masing_status make_direct(struct mesh *mesh, struct masing_error *error)
{
    long long most = mesh->n_nodes ? (long long)mesh->node_numbers[mesh->n_nodes - 1] + 1 : 0;
    if (most > (long long)DIRECT_FACTOR * mesh->n_nodes + DIRECT_LEAST) {
        return MASING_OK;
    }
    NEED_ALLOCATED(mesh->direct = memory_array((size_t)most, sizeof *mesh->direct));
    mesh->n_direct = (int)most;
    memset(mesh->direct, 0xFF, (size_t)most * sizeof *mesh->direct); /* -1 */
    for (int i = 0; i < mesh->n_nodes; i++) {
        mesh->direct[mesh->node_numbers[i]] = i;
    }
    return MASING_OK;
}

static enum masing_status put_nodes(const struct mesh_builder *builder,
                                    const struct numbered *order, struct mesh *mesh)
{
    for (size_t i = 0; i < builder->n_nodes; i++) {
        const struct mesh_raw_node *raw = &builder->nodes[order[i].index];
        double *point = mesh->points + 3 * (size_t)mesh->n_nodes;
        if (mesh->n_nodes && mesh->node_numbers[mesh->n_nodes - 1] == raw->number) {
            if (memcmp(point - 3, raw->point, sizeof raw->point) != 0) {
                return fail(builder, raw->file, raw->line,
                            "node %d stands here again, at another place", raw->number);
            }
            continue;
        }
        memcpy(point, raw->point, sizeof raw->point);
        mesh->node_numbers[mesh->n_nodes++] = raw->number;
    }
    return MASING_OK;
}

static enum masing_status finish_nodes(const struct mesh_builder *builder, struct mesh *mesh)
{
    struct masing_error *error = builder->error;
    enum masing_status status = MASING_OK;
    size_t n = builder->n_nodes;
    struct numbered *order = memory_array(n, sizeof *order);
    TRY_ALLOCATED(order);
    TRY_ALLOCATED(mesh->node_numbers = memory_array(n, sizeof *mesh->node_numbers));
    TRY_ALLOCATED(mesh->points = memory_array(3 * n, sizeof *mesh->points));
    TRY_ALLOCATED(mesh->states = memory_array(n, sizeof *mesh->states));
    for (size_t i = 0; i < n; i++) {
        order[i] = (struct numbered){builder->nodes[i].number, (int)i};
    }
    sort_numbered(order, n);
    TRY(put_nodes(builder, order, mesh));
    TRY(make_direct(mesh, error));
done:
    free(order);
    return status;
}

/* An element that stands twice is one, as gmsh has those of several groups. */
static bool is_same(const struct mesh_builder *builder, const struct mesh_raw_element *a,
                    const struct mesh_raw_element *b)
{
    size_t n = (size_t)mesh_form((enum mesh_shape)a->shape)->n_nodes;
    return a->shape == b->shape &&
           (n == 0 || memcmp(builder->connections + a->start, builder->connections + b->start,
                             n * sizeof *builder->connections) == 0);
}

static enum masing_status connect(const struct mesh_builder *builder,
                                  const struct mesh_raw_element *raw, struct mesh *mesh)
{
    size_t n = (size_t)mesh_form((enum mesh_shape)raw->shape)->n_nodes;
    size_t *end = &mesh->starts[mesh->n_elements + 1];
    *end = mesh->starts[mesh->n_elements];
    for (size_t k = 0; k < n; k++) {
        int number = builder->connections[raw->start + k];
        int node = mesh_find_node(mesh, number);
        if (node < 0) {
            return fail(builder, raw->file, raw->line,
                        "element %d has node %d, which the mesh does not have", raw->number,
                        number);
        }
        mesh->nodes[(*end)++] = node;
    }
    mesh->shapes[mesh->n_elements] = raw->shape;
    mesh->element_numbers[mesh->n_elements++] = raw->number;
    return MASING_OK;
}

static enum masing_status put_elements(const struct mesh_builder *builder,
                                       const struct numbered *order, struct mesh *mesh)
{
    const struct mesh_raw_element *before = NULL;
    for (size_t i = 0; i < builder->n_elements; i++) {
        const struct mesh_raw_element *raw = &builder->elements[order[i].index];
        if (before && before->number == raw->number) {
            if (!is_same(builder, before, raw)) {
                return fail(builder, raw->file, raw->line,
                            "element %d stands here again, with other nodes", raw->number);
            }
            continue;
        }
        NEED(connect(builder, raw, mesh));
        before = raw;
    }
    return MASING_OK;
}

static enum masing_status finish_elements(const struct mesh_builder *builder, struct mesh *mesh)
{
    struct masing_error *error = builder->error;
    enum masing_status status = MASING_OK;
    size_t n = builder->n_elements;
    struct numbered *order = memory_array(n, sizeof *order);
    TRY_ALLOCATED(order);
    TRY_ALLOCATED(mesh->element_numbers = memory_array(n, sizeof *mesh->element_numbers));
    TRY_ALLOCATED(mesh->shapes = memory_array(n, sizeof *mesh->shapes));
    TRY_ALLOCATED(mesh->starts = memory_array(n + 1, sizeof *mesh->starts));
    TRY_ALLOCATED(mesh->nodes = memory_array(builder->n_connections, sizeof *mesh->nodes));
    for (size_t i = 0; i < n; i++) {
        order[i] = (struct numbered){builder->elements[i].number, (int)i};
    }
    sort_numbered(order, n);
    TRY(put_elements(builder, order, mesh));
done:
    free(order);
    return status;
}

/* --- sets --------------------------------------------------------------------------------- */

/* Indices being gathered, and what of collections is yet to be looked at. */
struct gathering {
    struct mesh_builder *builder;
    const struct mesh *mesh;
    bool is_of_nodes;
    int n, *members;
    size_t capacity;
};

static enum masing_status gather_one(struct gathering *gathering, int index)
{
    struct masing_error *error = gathering->builder->error;
    NEED_ALLOCATED(memory_grow((void **)&gathering->members, (size_t)gathering->n + 1,
                               &gathering->capacity, sizeof *gathering->members));
    gathering->members[gathering->n++] = index;
    return MASING_OK;
}

static enum masing_status gather_range(struct gathering *gathering,
                                       const struct mesh_item *item, const char *name)
{
    const struct mesh *mesh = gathering->mesh;
    bool is_of_nodes = gathering->is_of_nodes;
    const int *numbers = is_of_nodes ? mesh->node_numbers : mesh->element_numbers;
    int n = is_of_nodes ? mesh->n_nodes : mesh->n_elements, low = 0, high = n;
    int index = is_of_nodes ? mesh_find_node(mesh, item->first)
                            : mesh_find_number(numbers, n, item->first);
    if (item->first == item->last) {
        return index >= 0
                   ? gather_one(gathering, index)
                   : fail(gathering->builder, item->file, item->line,
                          "%s%.80s%s: the mesh has no %s %d", *name ? "'" : "", name,
                          *name ? "'" : "", is_of_nodes ? "node" : "element", item->first);
    }
    while (low < high) { /* the first that is not below the range */
        int middle = low + (high - low) / 2;
        if (numbers[middle] < item->first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (int i = low; i < n && numbers[i] <= item->last; i++) {
        if ((numbers[i] - item->first) % item->step == 0) {
            NEED(gather_one(gathering, i));
        }
    }
    return MASING_OK;
}

/* Nodes of an element set, which is in the mesh already */
static enum masing_status gather_elements(struct gathering *gathering,
                                          const struct mesh_collection *one)
{
    const struct mesh *mesh = gathering->mesh;
    const struct mesh_set *set = &mesh->element_sets[one->index];
    for (int e = 0; e < set->n; e++) {
        int element = set->members[e];
        for (size_t k = mesh->starts[element]; k < mesh->starts[element + 1]; k++) {
            NEED(gather_one(gathering, mesh->nodes[k]));
        }
    }
    return MASING_OK;
}

/* Sets within sets: each is visited once for the one that is gathered, depth first. */
static enum masing_status gather(struct gathering *gathering, int collection, int visitor)
{
    struct mesh_builder *builder = gathering->builder;
    struct masing_error *error = builder->error;
    enum masing_status status = MASING_OK;
    int n = 0, *stack = memory_array(builder->n_collections, sizeof *stack);
    TRY_ALLOCATED(stack);
    stack[n++] = collection;
    builder->collections[collection].visited = visitor;
    while (n > 0) {
        const struct mesh_collection *one = &builder->collections[stack[--n]];
        if (gathering->is_of_nodes && one->kind == MESH_ELEMENT_SET) {
            TRY(gather_elements(gathering, one));
            continue;
        }
        for (int i = 0; i < one->n_items; i++) {
            const struct mesh_item *item = &one->items[i];
            if (item->step > 0) {
                TRY(gather_range(gathering, item, one->name));
            } else if (builder->collections[item->first].visited != visitor) {
                builder->collections[item->first].visited = visitor;
                stack[n++] = item->first;
            }
        }
    }
done:
    free(stack);
    return status;
}

static void make_unique(int *n, int *members)
{
    int kept = 0;
    qsort(members, (size_t)*n, sizeof *members, compare_int);
    for (int i = 0; i < *n; i++) {
        if (kept == 0 || members[kept - 1] != members[i]) {
            members[kept++] = members[i];
        }
    }
    *n = kept;
}

/* Members of a collection of nodes or elements, ascending; *members is owned by the caller. */
static enum masing_status take_members(struct mesh_builder *builder, const struct mesh *mesh,
                                       int collection, bool is_of_nodes, int *n, int **members)
{
    struct masing_error *error = builder->error;
    enum masing_status status = MASING_OK;
    struct gathering gathering = {builder, mesh, is_of_nodes, 0, NULL, 0};
    TRY(gather(&gathering, collection, collection));
    if (!gathering.members) {
        TRY_ALLOCATED(gathering.members = memory_array(1, sizeof *gathering.members));
    }
    make_unique(&gathering.n, gathering.members);
    *n = gathering.n;
    *members = gathering.members;
    gathering.members = NULL;
done:
    free(gathering.members);
    return status;
}

static enum masing_status finish_sets(struct mesh_builder *builder, enum mesh_kind kind,
                                      const struct mesh *mesh, struct mesh_set *sets, int *n)
{
    struct masing_error *error = builder->error;
    for (size_t i = 0; i < builder->n_collections; i++) {
        struct mesh_collection *one = &builder->collections[i];
        if (one->kind == kind) {
            struct mesh_set *set = &sets[*n];
            one->index = (*n)++;
            NEED_ALLOCATED(set->name = memory_text(one->name));
            NEED(take_members(builder, mesh, (int)i, kind == MESH_NODE_SET, &set->n,
                              &set->members));
        }
    }
    return MASING_OK;
}

/* --- surfaces ----------------------------------------------------------------------------- */

static int compare_faces(const void *a, const void *b)
{
    const struct mesh_face *left = a, *right = b;
    int by_element = (left->element > right->element) - (left->element < right->element);
    return by_element ? by_element : (left->face > right->face) - (left->face < right->face);
}

static enum masing_status add_face(const struct mesh_builder *builder,
                                   const struct mesh_item *item, const char *name, int element,
                                   const struct mesh *mesh, struct mesh_surface *surface,
                                   size_t *capacity)
{
    struct masing_error *error = builder->error;
    enum mesh_shape shape = (enum mesh_shape)mesh->shapes[element];
    int n_faces = mesh_form(shape)->n_faces, face = mesh_is_plane(shape) ? 0 : item->label;
    if (n_faces == 0) {
        return fail(builder, item->file, item->line,
                    "surface '%.80s': element %d is of a type without faces that are known",
                    name, mesh->element_numbers[element]);
    }
    if (face < 0 || face >= n_faces) {
        return fail(builder, item->file, item->line,
                    "surface '%.80s': element %d has the faces S1 to S%d, expected one of them",
                    name, mesh->element_numbers[element], n_faces);
    }
    NEED_ALLOCATED(memory_grow((void **)&surface->faces, (size_t)surface->n_faces + 1, capacity,
                               sizeof *surface->faces));
    surface->faces[surface->n_faces++] = (struct mesh_face){element, face};
    return MASING_OK;
}

static enum masing_status add_faces(struct mesh_builder *builder, const struct mesh_item *item,
                                    const char *name, struct mesh *mesh,
                                    struct mesh_surface *surface, size_t *capacity)
{
    enum masing_status status = MASING_OK;
    struct gathering gathering = {builder, mesh, false, 0, NULL, 0};
    const int *members;
    int n;
    if (item->step == 0) {
        const struct mesh_set *set =
            &mesh->element_sets[builder->collections[item->first].index];
        members = set->members;
        n = set->n;
    } else {
        TRY(gather_range(&gathering, item, name));
        members = gathering.members;
        n = gathering.n;
    }
    for (int i = 0; i < n; i++) {
        TRY(add_face(builder, item, name, members[i], mesh, surface, capacity));
    }
done:
    free(gathering.members);
    return status;
}

static enum masing_status finish_faces(struct mesh_builder *builder,
                                       const struct mesh_collection *one, struct mesh *mesh,
                                       struct mesh_surface *surface)
{
    size_t capacity = 0;
    int kept = 0;
    for (int i = 0; i < one->n_items; i++) {
        NEED(add_faces(builder, &one->items[i], one->name, mesh, surface, &capacity));
    }
    if (surface->n_faces > 0) {
        qsort(surface->faces, (size_t)surface->n_faces, sizeof *surface->faces, compare_faces);
    }
    for (int i = 0; i < surface->n_faces; i++) {
        if (kept == 0 || compare_faces(&surface->faces[kept - 1], &surface->faces[i]) != 0) {
            surface->faces[kept++] = surface->faces[i];
        }
    }
    surface->n_faces = kept;
    return MASING_OK;
}

static enum masing_status finish_surfaces(struct mesh_builder *builder, struct mesh *mesh)
{
    struct masing_error *error = builder->error;
    for (size_t i = 0; i < builder->n_collections; i++) {
        struct mesh_collection *one = &builder->collections[i];
        if (one->kind != MESH_SURFACE && one->kind != MESH_NODE_SURFACE) {
            continue;
        }
        struct mesh_surface *surface = &mesh->surfaces[mesh->n_surfaces];
        one->index = mesh->n_surfaces++;
        NEED_ALLOCATED(surface->name = memory_text(one->name));
        NEED(one->kind == MESH_SURFACE ? finish_faces(builder, one, mesh, surface)
                                       : take_members(builder, mesh, (int)i, true,
                                                      &surface->n_nodes, &surface->nodes));
    }
    return MASING_OK;
}

/* --- what nodes are not free ---------------------------------------------------------------
 */

static void mark(struct mesh *mesh, int node, int label)
{
    struct mesh_node_state *state = &mesh->states[node];
    state->held |= (unsigned char)(label & 0xFF);
    state->dependent |= (unsigned char)((label >> MESH_DEPENDENT_SHIFT) & 0xFF);
    state->is_turned = state->is_turned || (label & MESH_TURNED);
}

static void mark_elements(struct mesh *mesh, const int *elements, int n, int label)
{
    for (int e = 0; e < n; e++) {
        for (size_t k = mesh->starts[elements[e]]; k < mesh->starts[elements[e] + 1]; k++) {
            mark(mesh, mesh->nodes[k], label);
        }
    }
}

static void mark_surface(struct mesh *mesh, const struct mesh_surface *surface, int label)
{
    int nodes[MESH_FACE_NODES];
    for (int i = 0; i < surface->n_nodes; i++) {
        mark(mesh, surface->nodes[i], label);
    }
    for (int f = 0; f < surface->n_faces; f++) {
        enum mesh_shape shape = mesh_face_nodes(mesh, surface->faces[f], nodes);
        for (int k = 0; k < mesh_form(shape)->n_nodes; k++) {
            mark(mesh, nodes[k], label);
        }
    }
}

static enum masing_status finish_states(struct mesh_builder *builder, struct mesh *mesh)
{
    int collection = mesh_builder_find(builder, MESH_STATES, "", 0);
    const struct mesh_collection *states =
        collection < 0 ? NULL : &builder->collections[collection];
    mesh->has_states = states != NULL;
    for (int i = 0; states && i < states->n_items; i++) {
        const struct mesh_item *item = &states->items[i];
        if (item->step > 0) { /* what has no such node says nothing of it */
            int node = mesh_find_node(mesh, item->first);
            if (node >= 0) {
                mark(mesh, node, item->label);
            }
            continue;
        }
        const struct mesh_collection *of = &builder->collections[item->first];
        if (of->kind == MESH_NODE_SET) {
            const struct mesh_set *set = &mesh->node_sets[of->index];
            for (int k = 0; k < set->n; k++) {
                mark(mesh, set->members[k], item->label);
            }
        } else if (of->kind == MESH_ELEMENT_SET) {
            const struct mesh_set *set = &mesh->element_sets[of->index];
            mark_elements(mesh, set->members, set->n, item->label);
        } else {
            mark_surface(mesh, &mesh->surfaces[of->index], item->label);
        }
    }
    return MASING_OK;
}

/* --- all ---------------------------------------------------------------------------------- */

static enum masing_status finish(struct mesh_builder *builder, struct mesh *mesh)
{
    struct masing_error *error = builder->error;
    size_t n = builder->n_collections;
    if (builder->n_nodes == 0) {
        return fail(builder, 0, 1, "the file has no nodes");
    }
    if (builder->n_nodes > MESH_LARGEST_NUMBER || builder->n_elements > MESH_LARGEST_NUMBER) {
        return fail(builder, 0, 1, "more than %d nodes or elements", MESH_LARGEST_NUMBER);
    }
    NEED(finish_nodes(builder, mesh));
    NEED(finish_elements(builder, mesh));
    NEED_ALLOCATED(mesh->node_sets = memory_array(n, sizeof *mesh->node_sets));
    NEED_ALLOCATED(mesh->element_sets = memory_array(n, sizeof *mesh->element_sets));
    NEED_ALLOCATED(mesh->surfaces = memory_array(n, sizeof *mesh->surfaces));
    NEED(finish_sets(builder, MESH_ELEMENT_SET, mesh, mesh->element_sets,
                     &mesh->n_element_sets));
    NEED(finish_sets(builder, MESH_NODE_SET, mesh, mesh->node_sets, &mesh->n_node_sets));
    NEED(finish_surfaces(builder, mesh));
    NEED(finish_states(builder, mesh));
    mesh->n_files = builder->n_files;
    mesh->files = builder->files;
    builder->n_files = 0;
    builder->files = NULL;
    return MASING_OK;
}

enum masing_status mesh_builder_finish(struct mesh_builder *builder, struct mesh *mesh)
{
    *mesh = (struct mesh){0};
    enum masing_status status = finish(builder, mesh);
    if (status != MASING_OK) {
        mesh_clear(mesh);
    }
    return status;
}
