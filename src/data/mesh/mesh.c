/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/memory.h"

/* --- shapes ------------------------------------------------------------------------------- */

/* Faces as Abaqus and CalculiX count them; a linear face takes the corners, which come first.
 */
#define TRIANGLE(a, b, c, ab, bc, ca)                                                          \
    {                                                                                          \
        MESH_TRIANGLE_6,                                                                       \
        {                                                                                      \
            a, b, c, ab, bc, ca                                                                \
        }                                                                                      \
    }
#define QUADRANGLE(a, b, c, d, ab, bc, cd, da)                                                 \
    {                                                                                          \
        MESH_QUADRANGLE_8,                                                                     \
        {                                                                                      \
            a, b, c, d, ab, bc, cd, da                                                         \
        }                                                                                      \
    }

static const struct mesh_face_form triangle[] = {TRIANGLE(0, 1, 2, 3, 4, 5)};
static const struct mesh_face_form quadrangle[] = {QUADRANGLE(0, 1, 2, 3, 4, 5, 6, 7)};
static const struct mesh_face_form tetrahedron[] = {
    TRIANGLE(0, 1, 2, 4, 5, 6),
    TRIANGLE(0, 3, 1, 7, 8, 4),
    TRIANGLE(1, 3, 2, 8, 9, 5),
    TRIANGLE(2, 3, 0, 9, 7, 6),
};
static const struct mesh_face_form wedge[] = {
    TRIANGLE(0, 1, 2, 6, 7, 8),
    TRIANGLE(3, 5, 4, 11, 10, 9),
    QUADRANGLE(0, 3, 4, 1, 12, 9, 13, 6),
    QUADRANGLE(1, 4, 5, 2, 13, 10, 14, 7),
    QUADRANGLE(2, 5, 3, 0, 14, 11, 12, 8),
};
static const struct mesh_face_form hexahedron[] = {
    QUADRANGLE(0, 1, 2, 3, 8, 9, 10, 11),   QUADRANGLE(4, 7, 6, 5, 15, 14, 13, 12),
    QUADRANGLE(0, 4, 5, 1, 16, 12, 17, 8),  QUADRANGLE(1, 5, 6, 2, 17, 13, 18, 9),
    QUADRANGLE(2, 6, 7, 3, 18, 14, 19, 10), QUADRANGLE(3, 7, 4, 0, 19, 15, 16, 11),
};

static const struct mesh_form forms[MESH_N_SHAPES] = {
    [MESH_OTHER] = {0, 0, 0, NULL},
    [MESH_TRIANGLE_3] = {3, 3, 1, triangle},
    [MESH_QUADRANGLE_4] = {4, 4, 1, quadrangle},
    [MESH_TRIANGLE_6] = {6, 3, 1, triangle},
    [MESH_QUADRANGLE_8] = {8, 4, 1, quadrangle},
    [MESH_TETRAHEDRON_4] = {4, 4, 4, tetrahedron},
    [MESH_WEDGE_6] = {6, 6, 5, wedge},
    [MESH_HEXAHEDRON_8] = {8, 8, 6, hexahedron},
    [MESH_TETRAHEDRON_10] = {10, 4, 4, tetrahedron},
    [MESH_WEDGE_15] = {15, 6, 5, wedge},
    [MESH_HEXAHEDRON_20] = {20, 8, 6, hexahedron},
};

const struct mesh_form *mesh_form(enum mesh_shape shape)
{
    return &forms[shape];
}

enum mesh_shape mesh_face_nodes(const struct mesh *mesh, struct mesh_face face,
                                int nodes[MESH_FACE_NODES])
{
    const struct mesh_form *form = mesh_form((enum mesh_shape)mesh->shapes[face.element]);
    const struct mesh_face_form *own = &form->faces[face.face];
    const int *element = mesh->nodes + mesh->starts[face.element];
    enum mesh_shape shape = own->shape;
    if (form->n_nodes == form->n_corners) {
        shape = shape == MESH_TRIANGLE_6 ? MESH_TRIANGLE_3 : MESH_QUADRANGLE_4;
    }
    for (int i = 0; i < mesh_form(shape)->n_nodes; i++) {
        nodes[i] = element[own->nodes[i]];
    }
    return shape;
}

/* --- look-up ------------------------------------------------------------------------------ */

int mesh_find_number(const int *numbers, int n, int number)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (numbers[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && numbers[low] == number ? low : -1;
}

int mesh_find_node(const struct mesh *mesh, int number)
{
    if (mesh->direct) {
        return number >= 0 && number < mesh->n_direct ? mesh->direct[number] : -1;
    }
    return mesh_find_number(mesh->node_numbers, mesh->n_nodes, number);
}

static const struct mesh_set *find_set(const struct mesh_set *sets, int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (strcasecmp(sets[i].name, name) == 0) {
            return &sets[i];
        }
    }
    return NULL;
}

const struct mesh_set *mesh_find_node_set(const struct mesh *mesh, const char *name)
{
    return find_set(mesh->node_sets, mesh->n_node_sets, name);
}

const struct mesh_set *mesh_find_element_set(const struct mesh *mesh, const char *name)
{
    return find_set(mesh->element_sets, mesh->n_element_sets, name);
}

const struct mesh_surface *mesh_find_surface(const struct mesh *mesh, const char *name)
{
    for (int i = 0; i < mesh->n_surfaces; i++) {
        if (strcasecmp(mesh->surfaces[i].name, name) == 0) {
            return &mesh->surfaces[i];
        }
    }
    return NULL;
}

double mesh_extent(const struct mesh *mesh)
{
    double extent = 0.0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < mesh->n_nodes; i++) {
            low = fmin(low, mesh->points[3 * (size_t)i + (size_t)k]);
            high = fmax(high, mesh->points[3 * (size_t)i + (size_t)k]);
        }
        extent = fmax(extent, high - low);
    }
    return extent;
}

static void clear_sets(struct mesh_set *sets, int n)
{
    for (int i = 0; sets && i < n; i++) {
        free(sets[i].name);
        free(sets[i].members);
    }
    free(sets);
}

void mesh_clear(struct mesh *mesh)
{
    clear_sets(mesh->node_sets, mesh->n_node_sets);
    clear_sets(mesh->element_sets, mesh->n_element_sets);
    for (int i = 0; mesh->surfaces && i < mesh->n_surfaces; i++) {
        free(mesh->surfaces[i].name);
        free(mesh->surfaces[i].faces);
        free(mesh->surfaces[i].nodes);
    }
    free(mesh->surfaces);
    memory_free_texts(mesh->files, mesh->n_files);
    free(mesh->node_numbers);
    free(mesh->points);
    free(mesh->states);
    free(mesh->element_numbers);
    free(mesh->shapes);
    free(mesh->starts);
    free(mesh->nodes);
    free(mesh->direct);
    *mesh = (struct mesh){0};
}
