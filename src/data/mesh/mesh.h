/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mesh of a finite element model: nodes, elements and their faces, sets, surfaces, and what
 * the deck says of nodes that are not free. Sets, elements and faces name nodes by their index.
 */
#ifndef MASING_DATA_MESH_H
#define MASING_DATA_MESH_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/status.h"

/* Nodes in the order of Abaqus and CalculiX: corners, then the middles of edges. */
enum mesh_shape {
    MESH_OTHER, /* of which only the number is known, and perhaps the nodes */
    MESH_TRIANGLE_3,
    MESH_QUADRANGLE_4,
    MESH_TRIANGLE_6,
    MESH_QUADRANGLE_8,
    MESH_TETRAHEDRON_4,
    MESH_WEDGE_6,
    MESH_HEXAHEDRON_8,
    MESH_TETRAHEDRON_10,
    MESH_WEDGE_15,
    MESH_HEXAHEDRON_20,
    MESH_N_SHAPES
};

enum { MESH_FACE_NODES = 8, MESH_ELEMENT_NODES = 20, MESH_LARGEST_NUMBER = 2000000000 };

struct mesh_face_form {
    enum mesh_shape shape;
    int nodes[MESH_FACE_NODES]; /* of the element, from 0 */
};

struct mesh_form {
    int n_nodes, n_corners, n_faces;    /* a plane element is its own face */
    const struct mesh_face_form *faces; /* [n_faces] S1, S2, ... */
};

const struct mesh_form *mesh_form(enum mesh_shape shape);
static inline bool mesh_is_plane(enum mesh_shape shape)
{
    return shape >= MESH_TRIANGLE_3 && shape <= MESH_QUADRANGLE_8;
}

struct mesh_set {
    char *name;
    int n, *members; /* [n] indices of nodes or elements, ascending */
};

struct mesh_face {
    int element, face; /* indices, from 0 */
};

/* Of element faces, or of nodes */
struct mesh_surface {
    char *name;
    int n_faces;
    struct mesh_face *faces; /* [n_faces] */
    int n_nodes, *nodes;     /* [n_nodes] ascending, of a surface of nodes */
};

/* What the deck says of a node. Bit d of each: direction d + 1 (x, y, z and rotations). */
struct mesh_node_state {
    unsigned char held;      /* *BOUNDARY */
    unsigned char dependent; /* *EQUATION, *TIE, *RIGID BODY */
    bool is_turned;          /* *TRANSFORM: its DOFs have axes of their own */
};

/* Whether displacement k from 0 is held, in the axes of the mesh: of a node with axes of its
 * own only where all are. */
static inline bool mesh_holds(const struct mesh_node_state *state, int k)
{
    return state->is_turned && k < 3 ? (state->held & 7) == 7 : state->held & (1 << k);
}

struct mesh {
    int n_nodes;
    int *node_numbers;              /* [n_nodes] ascending */
    double *points;                 /* [n_nodes][3] */
    struct mesh_node_state *states; /* [n_nodes] */
    bool has_states; /* the deck says something of any node: it is no mesh alone */
    int n_elements;
    int *element_numbers;  /* [n_elements] ascending */
    unsigned char *shapes; /* [n_elements] enum mesh_shape */
    size_t *starts;        /* [n_elements + 1] in the nodes */
    int *nodes;            /* indices of nodes, element after element */
    int n_node_sets, n_element_sets, n_surfaces;
    struct mesh_set *node_sets, *element_sets;
    struct mesh_surface *surfaces;
    int n_files;
    char **files;          /* that it was read from, the one that was named first */
    int n_direct, *direct; /* index of a node by its number, -1: none; or NULL */
};

/*
 * Decks of CalculiX and Abaqus (and gmsh's .inp), and gmsh's .msh 2.2 and 4.1 in ASCII; which
 * of them is seen by what the text begins with.
 * Errors: MASING_IO, MASING_INVALID "FILE:LINE:COLUMN: ...", MASING_UNSUPPORTED,
 * MASING_NO_MEMORY.
 */
enum masing_status mesh_read(const char *file, struct mesh *mesh, struct masing_error *error);
/* The same of a text in memory; @p file is for messages and for what it includes. */
enum masing_status mesh_parse(const char *text, size_t length, const char *file,
                              struct mesh *mesh, struct masing_error *error);
void mesh_clear(struct mesh *mesh);

/* Index of a node by its number, or -1. */
int mesh_find_node(const struct mesh *mesh, int number);
/* By name, in any case; NULL: there is none. */
const struct mesh_set *mesh_find_node_set(const struct mesh *mesh, const char *name);
const struct mesh_set *mesh_find_element_set(const struct mesh *mesh, const char *name);
const struct mesh_surface *mesh_find_surface(const struct mesh *mesh, const char *name);

/* Index of a number in an ascending list, or -1. */
int mesh_find_number(const int *numbers, int n, int number);

/* Nodes of a face, as many as its shape has. */
enum mesh_shape mesh_face_nodes(const struct mesh *mesh, struct mesh_face face,
                                int nodes[MESH_FACE_NODES]);

/* Largest extent along a coordinate. */
double mesh_extent(const struct mesh *mesh);

#endif
