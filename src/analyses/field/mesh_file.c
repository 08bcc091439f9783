/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/field/pair_file.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "data/mesh/mesh.h"
#include "masing/motion_field.h"

static const char ending[] = ".vtkhdf";

static enum masing_status check(const struct masing_spec *spec, const char *file,
                                struct masing_error *error)
{
    size_t length = strlen(file), of_ending = sizeof ending - 1;
    if (length <= of_ending || strcmp(file + length - of_ending, ending) != 0) {
        return masing_error_set(error, MASING_INVALID,
                                "%.400s: expected a name that ends in %s", file, ending);
    }
    return spec->structure.mesh
               ? MASING_OK
               : masing_error_set(error, MASING_UNSUPPORTED,
                                  "%.400s: the model has no mesh that could be written: give "
                                  "its deck as structure.mesh",
                                  file);
}

/* A slash would make a group of HDF5. */
static char *array_name(const char *name)
{
    char *text = memory_text(name);
    for (char *at = text; at && (at = strchr(at, '/')) != NULL;) {
        *at = '_';
    }
    return text;
}

static enum masing_status write_mesh(const struct mesh *mesh, const char *file,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    struct vtk_cells cells = {0};
    size_t n = (size_t)mesh->n_nodes, n_sets = (size_t)mesh->n_node_sets;
    char **names = memory_array(n_sets, sizeof *names);
    struct vtk_array *arrays = arena_array(&arena, n_sets, sizeof *arrays);
    double *values = arena_doubles(&arena, n_sets * n);
    TRY_ALLOCATED(names && !arena.has_failed);
    for (size_t s = 0; s < n_sets; s++) {
        const struct mesh_set *set = &mesh->node_sets[s];
        for (int i = 0; i < set->n; i++) {
            values[s * n + (size_t)set->members[i]] = 1.0;
        }
        TRY_ALLOCATED(names[s] = array_name(set->name));
        arrays[s] = (struct vtk_array){names[s], 1, values + s * n};
    }
    TRY(vtk_cells_of_mesh(mesh, &cells, error));
    const struct vtk_grid grid = {.n_points = n,
                                  .n_cells = cells.n,
                                  .points = mesh->points,
                                  .offsets = cells.offsets,
                                  .connectivity = cells.connectivity,
                                  .types = cells.types,
                                  .n_arrays = (int)n_sets,
                                  .arrays = arrays};
    status = vtk_write_hdf(file, &grid, error);
done:
    vtk_cells_clear(&cells);
    memory_free_texts(names, (int)n_sets);
    arena_clear(&arena);
    return status;
}

static enum masing_status write_pairs(const struct masing_spec *spec, const char *file,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = pair_file_count(spec), p = 0;
    int stem = (int)(strlen(file) - strlen(ending));
    char *name = memory_format("%.*s_pairs%s", stem, file, ending);
    double *areas = memory_array(n, sizeof *areas),
           *normals = memory_array(3 * n, sizeof *areas);
    TRY_ALLOCATED(name && areas && normals);
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        for (int j = 0; group->pairs && j < group->n_joints; j++, p++) {
            const struct masing_surface_pair *pair = &group->pairs[j];
            areas[p] = pair->area > 0.0 ? pair->area : NAN;
            memcpy(normals + 3 * p, pair->normal, sizeof pair->normal);
        }
    }
    const struct vtk_array arrays[] = {{"area", 1, areas}, {"normal", 3, normals}};
    status = pair_file_write(spec, name, 2, arrays, error);
done:
    free(name);
    free(areas);
    free(normals);
    return status;
}

enum masing_status masing_mesh_write(const struct masing_spec *spec, const char *file,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(spec, "spec", error));
    TRY(entry_need(file, "file", error));
    TRY(check(spec, file, error));
    TRY(write_mesh(spec->structure.mesh, file, error));
    status = pair_file_count(spec) > 0 ? write_pairs(spec, file, error) : MASING_OK;
done:
    return status;
}
