/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mesh while it is read: everything by number and in any order, put in order at the end. */
#ifndef MASING_DATA_MESH_BUILDER_H
#define MASING_DATA_MESH_BUILDER_H

#include "data/mesh/mesh.h"

/* What members belong to. Names of one kind are found in any case. */
enum mesh_kind {
    MESH_NODE_SET,
    MESH_ELEMENT_SET,
    MESH_SURFACE, /* of element faces */
    MESH_NODE_SURFACE,
    MESH_STATES, /* one without a name: labels are the bits of struct mesh_node_state */
    MESH_N_KINDS
};

/* Labels of members of surfaces: a face from 0, or these. */
enum { MESH_NO_FACE = -1, MESH_PLANE_SIDE = -2 };
/* Labels of states, beside bits of held directions. */
enum { MESH_DEPENDENT_SHIFT = 8, MESH_TURNED = 1 << 16 };

struct mesh_item {
    int first, last, step; /* numbers; step 0: all members of the collection `first` */
    int label, file, line;
};

struct mesh_collection {
    enum mesh_kind kind;
    char *name;
    int n_items;
    size_t capacity;
    struct mesh_item *items;
    int index;   /* in the mesh, once it is there */
    int visited; /* by the collection that is being gathered */
};

struct mesh_raw_node {
    int number, file, line;
    double point[3];
};

struct mesh_raw_element {
    int number, file, line;
    unsigned char shape;
    size_t start; /* in the connectivity */
};

struct mesh_builder {
    struct masing_error *error;
    int file, line; /* of what is being added */
    int n_files;
    size_t file_capacity;
    char **files;
    size_t n_nodes, n_elements, n_connections, n_collections;
    size_t node_capacity, element_capacity, connection_capacity, collection_capacity;
    struct mesh_raw_node *nodes;
    struct mesh_raw_element *elements;
    int *connections; /* numbers of nodes */
    struct mesh_collection *collections;
};

/* What follows comes from this file; its index. */
enum masing_status mesh_builder_file(struct mesh_builder *builder, const char *file);
/* Coordinates are finite, and so are their products: larger ones are refused. */
enum masing_status mesh_builder_node(struct mesh_builder *builder, int number,
                                     const double point[3]);
/* nodes: numbers, as many as the shape has. */
enum masing_status mesh_builder_element(struct mesh_builder *builder, int number,
                                        enum mesh_shape shape, const int *nodes);
/* Index of a collection, -1: there is none of this name. */
int mesh_builder_find(const struct mesh_builder *builder, enum mesh_kind kind, const char *name,
                      size_t length);
/* The same, made where there is none. */
enum masing_status mesh_builder_collection(struct mesh_builder *builder, enum mesh_kind kind,
                                           const char *name, size_t length, int *collection);
/* first .. last by step; one alone has to be there. Step 0: what the collection `first` has. */
enum masing_status mesh_builder_add(struct mesh_builder *builder, int collection, int first,
                                    int last, int step, int label);
/* The mesh, which is empty after a failure. The builder is to be cleared in any case. */
enum masing_status mesh_builder_finish(struct mesh_builder *builder, struct mesh *mesh);
void mesh_builder_clear(struct mesh_builder *builder);

/* Readers of texts (mesh_deck.c, mesh_gmsh.c) */
enum masing_status mesh_deck_read(struct mesh_builder *builder, const char *text, size_t length,
                                  const char *file);
enum masing_status mesh_gmsh_read(struct mesh_builder *builder, const char *text, size_t length,
                                  const char *file);

#endif
