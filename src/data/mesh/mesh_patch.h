/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a mesh's boundary that meets another one: areas and normals of its nodes, and which
 * of the other's nodes are opposite to each. */
#ifndef MASING_DATA_MESH_PATCH_H
#define MASING_DATA_MESH_PATCH_H

#include "data/mesh/mesh.h"

struct mesh_patch_face {
    enum mesh_shape shape;
    int nodes[MESH_FACE_NODES]; /* of the mesh */
};

struct mesh_patch {
    const struct mesh *mesh; /* lent */
    int n_nodes, *nodes;     /* [n_nodes] of the mesh, ascending */
    double *areas;   /* [n_nodes] shares of the faces' area, 0 without faces of its own */
    double *normals; /* [n_nodes][3] unit vectors out of the body; 0: not decided */
    bool has_areas;  /* a surface of faces, not a set of nodes */
    int n_faces;
    struct mesh_patch_face *faces; /* [n_faces] a set of nodes has those between them */
};

/* A surface, a set of nodes, or a set of plane elements, by its name. Errors: MASING_INVALID,
 * without a place. */
enum masing_status mesh_patch_create(const struct mesh *mesh, const char *name,
                                     struct mesh_patch *patch, struct masing_error *error);
void mesh_patch_clear(struct mesh_patch *patch);

/* A node and what is opposite to it: a node, or a point of a face by its shape functions. */
struct mesh_pair {
    int place; /* of the node in its patch */
    int n_to, to[MESH_FACE_NODES];
    double weights[MESH_FACE_NODES];
};

/*
 * For each node of @p from the nearest node of @p to within a distance, or else the nearest
 * point of a face within it. pairs, unmatched: [from->n_nodes], the second places in `from`.
 */
enum masing_status mesh_patch_match(const struct mesh_patch *from, const struct mesh_patch *to,
                                    double distance, int *n_pairs, struct mesh_pair *pairs,
                                    int *n_unmatched, int *unmatched,
                                    struct masing_error *error);

/* Shape functions at the point of a face [n_nodes][3] that is nearest to a point; the square of
 * its distance. */
double mesh_face_nearest(enum mesh_shape shape, const double *points, const double point[3],
                         double weights[MESH_FACE_NODES]);

/* Shares of a face's area that its nodes have, all positive, and of its vector area: a
 * quadratic face is taken as linear ones. [n_nodes], [n_nodes][3] */
void mesh_face_shares(enum mesh_shape shape, const double *points,
                      double areas[MESH_FACE_NODES], double vectors[3 * MESH_FACE_NODES]);

#endif
