/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/mesh/mesh.h"
#include "data/vtk/vtk.h"

enum { VTK_VERTEX = 1 };

/* VTK's number of a shape, 0: none. Its nodes have the order of Abaqus and CalculiX. */
static const unsigned char vtk_types[MESH_N_SHAPES] = {
    [MESH_TRIANGLE_3] = 5,     [MESH_QUADRANGLE_4] = 9,    [MESH_TRIANGLE_6] = 22,
    [MESH_QUADRANGLE_8] = 23,  [MESH_TETRAHEDRON_4] = 10,  [MESH_WEDGE_6] = 13,
    [MESH_HEXAHEDRON_8] = 12,  [MESH_TETRAHEDRON_10] = 24, [MESH_WEDGE_15] = 26,
    [MESH_HEXAHEDRON_20] = 25,
};

static enum masing_status create(size_t n, size_t n_places, struct vtk_cells *cells,
                                 struct masing_error *error)
{
    *cells = (struct vtk_cells){
        .n = n,
        .offsets = memory_array(n + 1, sizeof *cells->offsets),
        .connectivity = memory_array(n_places, sizeof *cells->connectivity),
        .types = memory_array(n, sizeof *cells->types),
    };
    if (!cells->offsets || !cells->connectivity || !cells->types) {
        vtk_cells_clear(cells);
        return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    return MASING_OK;
}

void vtk_cells_clear(struct vtk_cells *cells)
{
    free(cells->offsets);
    free(cells->connectivity);
    free(cells->types);
    *cells = (struct vtk_cells){0};
}

enum masing_status vtk_cells_of_mesh(const struct mesh *mesh, struct vtk_cells *cells,
                                     struct masing_error *error)
{
    size_t n = 0, place = 0, n_elements = (size_t)mesh->n_elements;
    for (size_t e = 0; e < n_elements; e++) {
        bool is_known = vtk_types[mesh->shapes[e]] > 0;
        n += is_known;
        place += is_known ? mesh->starts[e + 1] - mesh->starts[e] : 0;
    }
    NEED(create(n, place, cells, error));
    n = place = 0;
    for (size_t e = 0; e < n_elements; e++) {
        if (vtk_types[mesh->shapes[e]] == 0) {
            continue;
        }
        cells->types[n] = vtk_types[mesh->shapes[e]];
        for (size_t i = mesh->starts[e]; i < mesh->starts[e + 1]; i++) {
            cells->connectivity[place++] = mesh->nodes[i];
        }
        cells->offsets[++n] = (int64_t)place;
    }
    return MASING_OK;
}

enum masing_status vtk_cells_of_points(size_t n_points, struct vtk_cells *cells,
                                       struct masing_error *error)
{
    NEED(create(n_points, n_points, cells, error));
    for (size_t p = 0; p < n_points; p++) {
        cells->types[p] = VTK_VERTEX;
        cells->connectivity[p] = (int64_t)p;
        cells->offsets[p + 1] = (int64_t)p + 1;
    }
    return MASING_OK;
}

enum masing_status vtk_cells_repeat(size_t n_copies, size_t n_points, struct vtk_cells *cells,
                                    struct masing_error *error)
{
    struct vtk_cells made;
    size_t n = cells->n, n_places = (size_t)cells->offsets[n];
    NEED(create(n_copies * n, n_copies * n_places, &made, error));
    for (size_t c = 0; c < n_copies; c++) {
        for (size_t i = 0; i < n_places; i++) {
            made.connectivity[c * n_places + i] =
                cells->connectivity[i] + (int64_t)(c * n_points);
        }
        for (size_t i = 0; i < n; i++) {
            made.types[c * n + i] = cells->types[i];
            made.offsets[c * n + i + 1] = cells->offsets[i + 1] + (int64_t)(c * n_places);
        }
    }
    vtk_cells_clear(cells);
    *cells = made;
    return MASING_OK;
}
