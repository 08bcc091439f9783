/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/static_contacts.h"
#include "analyses/field/field_grid.h"
#include "analyses/field/pair_file.h"
#include "analyses/field/static_motion.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "linalg/one_thread.h"
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

/* Displacements of points, values [n_points][3]; NAN where a node has axes of its own, along
 * which the matrices may be or not, too. */
static enum masing_status fill_motion(const struct masing_spec *spec,
                                      const struct static_motion *motion,
                                      struct field_grid *grid, double *values,
                                      struct masing_error *error)
{
    const struct mesh *mesh = grid->mesh;
    NEED(field_grid_name(grid, spec->structure.cyclic.n_sectors > 0, motion->n_dofs,
                         motion->dof_names, error));
    for (size_t s = 0; s < grid->n_sectors; s++) {
        field_grid_put(grid, s, motion->displacement, values);
    }
    for (size_t i = 0; i < 3 * grid->n_points; i++) {
        bool is_turned = mesh->states[i / 3 % (size_t)mesh->n_nodes].is_turned;
        values[i] = is_turned && !spec->structure.has_global_axes ? NAN : values[i];
    }
    return MASING_OK;
}

/* values [n_points]: 1 at the nodes of a set, in all sectors */
static void fill_set(const struct field_grid *grid, const struct mesh_set *set, double *values)
{
    for (size_t i = 0; i < grid->n_sectors * (size_t)set->n; i++) {
        size_t sector = i / (size_t)set->n, node = (size_t)set->members[i % (size_t)set->n];
        values[sector * (size_t)grid->mesh->n_nodes + node] = 1.0;
    }
}

static enum masing_status write_mesh(const struct masing_spec *spec,
                                     const struct static_motion *motion, const char *file,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct mesh *mesh = spec->structure.mesh;
    struct arena arena = {0};
    struct field_grid grid = {0};
    size_t n_sets = (size_t)mesh->n_node_sets;
    char **names = memory_array(n_sets, sizeof *names);
    TRY_ALLOCATED(names);
    TRY(field_grid_create(spec, file, &grid, error));
    struct vtk_array *arrays = arena_array(&arena, n_sets + 1, sizeof *arrays);
    double *values = arena_doubles(&arena, (n_sets + 3) * grid.n_points);
    TRY_ALLOCATED(!arena.has_failed);
    for (size_t s = 0; s < n_sets; s++) {
        fill_set(&grid, &mesh->node_sets[s], values + s * grid.n_points);
        TRY_ALLOCATED(names[s] = array_name(mesh->node_sets[s].name));
        arrays[s] = (struct vtk_array){names[s], 1, values + s * grid.n_points};
    }
    if (motion->displacement) {
        TRY(fill_motion(spec, motion, &grid, values + n_sets * grid.n_points, error));
        arrays[n_sets] = (struct vtk_array){"u_static", 3, values + n_sets * grid.n_points};
    }
    struct vtk_grid made = field_grid_vtk(&grid);
    made.n_arrays = (int)n_sets + (motion->displacement ? 1 : 0);
    made.arrays = arrays;
    status = vtk_write_hdf(file, &made, error);
done:
    field_grid_clear(&grid);
    memory_free_texts(names, (int)n_sets);
    arena_clear(&arena);
    return status;
}

enum pair_array {
    PAIR_AREA,
    PAIR_NORMAL,
    PAIR_JOINT,
    PAIR_STATUS,
    PAIR_NORMAL_FORCE,
    PAIR_PRESSURE,
    PAIR_TANGENTIAL_FORCE,
    PAIR_APPROACH,
    N_PAIR_ARRAYS
};

static void fill_pair(const struct masing_surface_pair *pair, int group,
                      const struct masing_static_contact *contact, size_t p,
                      double *const *values)
{
    double area = pair->area > 0.0 ? pair->area : NAN;
    values[PAIR_AREA][p] = area;
    memcpy(values[PAIR_NORMAL] + 3 * p, pair->normal, sizeof pair->normal);
    values[PAIR_JOINT][p] = group + 1;
    values[PAIR_STATUS][p] = contact->status;
    values[PAIR_NORMAL_FORCE][p] = contact->normal_force;
    values[PAIR_PRESSURE][p] = contact->normal_force / area;
    values[PAIR_TANGENTIAL_FORCE][p] = contact->tangential_force;
    values[PAIR_APPROACH][p] = contact->approach;
}

static enum masing_status write_pairs(const struct masing_model *model, const char *file,
                                      struct masing_error *error)
{
    static const char *const names[N_PAIR_ARRAYS] = {
        "area",     "normal",           "joint",   "status", "normal_force",
        "pressure", "tangential_force", "approach"};
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &model->spec;
    struct arena arena = {0};
    struct vtk_array arrays[N_PAIR_ARRAYS];
    double *values[N_PAIR_ARRAYS];
    size_t n = pair_file_count(spec), p = 0;
    int stem = (int)(strlen(file) - strlen(ending));
    char *name = memory_format("%.*s_pairs%s", stem, file, ending);
    struct masing_static_contact *contacts =
        arena_array(&arena, (size_t)spec->n_joints, sizeof *contacts);
    for (int a = 0; a < N_PAIR_ARRAYS; a++) {
        int n_components = a == PAIR_NORMAL ? 3 : 1;
        values[a] = arena_doubles(&arena, (size_t)n_components * n);
        arrays[a] = (struct vtk_array){names[a], n_components, values[a]};
    }
    TRY_ALLOCATED(name && !arena.has_failed);
    TRY(static_contacts_fill(model, contacts, error));
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        for (int j = 0; group->pairs && j < group->n_joints; j++, p++) {
            fill_pair(&group->pairs[j], g, &contacts[group->first + j], p, values);
        }
    }
    status = pair_file_write(spec, name, N_PAIR_ARRAYS, arrays, error);
done:
    free(name);
    arena_clear(&arena);
    return status;
}

enum masing_status masing_mesh_write(const struct masing_model *model, const char *file,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct static_motion motion = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(entry_need(file, "file", error));
    TRY(check(&model->spec, file, error));
    TRY(static_motion_find(model, &motion, error));
    TRY(write_mesh(&model->spec, &motion, file, error));
    status = pair_file_count(&model->spec) > 0 ? write_pairs(model, file, error) : MASING_OK;
done:
    static_motion_clear(&motion);
    release_blas();
    return status;
}
