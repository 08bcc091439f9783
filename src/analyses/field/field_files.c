/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyses/field/field_grid.h"
#include "analyses/field/pair_file.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "data/vtk/vtk.h"
#include "masing/motion_field.h"

enum { MOST_FRAMES = 9999, ARRAY_NAME = 32 };

struct masing_motion_field_files {
    const struct masing_spec *spec; /* lent */
    char *file;
    const char *ending; /* of it */
    int n_frames;       /* 0: VTKHDF */
    struct field_grid grid;
    size_t n_names, capacity;
    char **names; /* [n_names] that were written */
};

/* Before hours are computed; each file says by itself what is wrong with it later. */
static enum masing_status check_folder(const char *file, struct masing_error *error)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash ? memory_format("%.*s", (int)(slash - file) + 1, file) : NULL;
    NEED_ALLOCATED(folder || !slash);
    bool is_writable = access(folder ? folder : ".", W_OK | X_OK) == 0;
    const char *why = is_writable ? NULL : strerror(errno);
    free(folder);
    return !why ? MASING_OK
                : masing_error_set(error, MASING_IO, "%.400s: cannot write: %s", file, why);
}

static enum masing_status check(const struct masing_spec *spec, const char *file, int n_frames,
                                const char *ending, struct masing_error *error)
{
    const struct mesh *mesh = spec->structure.mesh;
    bool is_collection = ending && strcmp(ending, ".pvd") == 0;
    if (!ending || (!is_collection && strcmp(ending, ".vtkhdf") != 0)) {
        return masing_error_set(error, MASING_INVALID,
                                "%.400s: expected a name that ends in .vtkhdf or .pvd", file);
    }
    if (is_collection && (n_frames < 1 || n_frames > MOST_FRAMES)) {
        return masing_error_set(error, MASING_INVALID,
                                "%.400s: %d instants of a period, expected 1 to %d", file,
                                n_frames, MOST_FRAMES);
    }
    if (!mesh) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "%.400s: fields are written over the nodes of a mesh, and the "
                                "model has none: give its deck as structure.mesh",
                                file);
    }
    for (int i = 0; i < mesh->n_nodes; i++) {
        if (mesh->states[i].is_turned && !spec->structure.has_global_axes) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "%.400s: node %d of the mesh has axes of its own "
                                    "(*TRANSFORM), along which the matrices may be or not: "
                                    "export them without",
                                    file, mesh->node_numbers[i]);
        }
    }
    return MASING_OK;
}

enum masing_status masing_motion_field_files_create(const struct masing_spec *spec,
                                                    const char *file, int n_frames,
                                                    struct masing_motion_field_files **files,
                                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_motion_field_files *made = NULL;
    error = entry_begin(error, &own);
    TRY(entry_need(files, "files", error));
    *files = NULL;
    TRY(entry_need(spec, "spec", error));
    TRY(entry_need(file, "file", error));
    const char *slash = strrchr(file, '/'), *ending = strrchr(slash ? slash : file, '.');
    TRY(check(spec, file, n_frames, ending, error));
    TRY(check_folder(file, error));
    TRY(strcmp(ending, ".pvd") == 0 ? MASING_OK : vtk_check_hdf(error));
    TRY_ALLOCATED(made = memory_array(1, sizeof *made));
    TRY_ALLOCATED(made->file = memory_text(file));
    made->spec = spec;
    made->ending = made->file + (ending - file);
    made->n_frames = strcmp(ending, ".pvd") == 0 ? n_frames : 0;
    TRY(field_grid_create(spec, file, &made->grid, error));
    *files = made;
    made = NULL;
done:
    masing_motion_field_files_destroy(made);
    return status;
}

void masing_motion_field_files_destroy(struct masing_motion_field_files *files)
{
    if (files) {
        for (size_t i = 0; i < files->n_names; i++) {
            free(files->names[i]);
        }
        free(files->names);
        free(files->file);
        field_grid_clear(&files->grid);
        free(files);
    }
}

const char *masing_motion_field_files_name(const struct masing_motion_field_files *files,
                                           int index)
{
    bool is_there = files && index >= 0 && (size_t)index < files->n_names;
    return is_there ? files->names[index] : NULL;
}

/* ---- names ---- */

/* Takes the name over. */
static enum masing_status note_name(struct masing_motion_field_files *files, char *name,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY_ALLOCATED(name);
    TRY_ALLOCATED(memory_grow((void **)&files->names, files->n_names + 1, &files->capacity,
                              sizeof *files->names));
    files->names[files->n_names++] = name;
    name = NULL;
done:
    free(name);
    return status;
}

static bool is_taken(const struct masing_motion_field_files *files, const char *name)
{
    for (size_t i = 0; i < files->n_names; i++) {
        if (strcmp(files->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static char *name_of(const struct masing_motion_field_files *files, const char *place, int pass)
{
    int stem = (int)(files->ending - files->file);
    return pass > 1
               ? memory_format("%.*s_%s_%d%s", stem, files->file, place, pass, files->ending)
               : memory_format("%.*s_%s%s", stem, files->file, place, files->ending);
}

/* The name of a field's file, noted, and its stem's length. */
static enum masing_status add_name(struct masing_motion_field_files *files,
                                   const struct masing_motion_field *field, const char **name,
                                   int *stem, struct masing_error *error)
{
    char place[64] = "peak", *found = NULL;
    if (field->amplitude > 0.0) {
        snprintf(place, sizeof place, "%.10g", field->amplitude);
    } else if (field->event != MASING_EVENT_PEAK) {
        snprintf(place, sizeof place, "%.10ghz", field->frequency_hz);
    }
    for (int pass = 1; !found; pass++) {
        NEED_ALLOCATED(found = name_of(files, place, pass));
        if (is_taken(files, found)) {
            free(found);
            found = NULL;
        }
    }
    *name = found;
    *stem = (int)(strlen(found) - strlen(files->ending));
    return note_name(files, found, error);
}

/* ---- motions of nodes ---- */

/* Of a harmonic the motion at this angle of its own, of which -90 degrees is the imaginary part
 * of a - i b; or of all of them at an instant, theta = Omega t. */
struct instant {
    int only; /* index among the harmonics; -1: all */
    double angle;
};

/* Weights of the coefficients: of a sector later by its delay. */
static void set_weights(const struct masing_motion_field *field, struct instant instant,
                        size_t sector, double *weights)
{
    size_t c = 0;
    for (int k = 0; k < field->n_harmonics; k++) {
        int h = field->harmonics[k], n = field->n_sectors;
        long long steps = n > 0 ? (long long)h * field->delay % n * (long long)sector % n : 0;
        bool is_in = instant.only < 0 || instant.only == k;
        double angle = instant.only < 0 ? h * instant.angle : instant.angle;
        angle -= n > 0 ? TWO_PI * (double)steps / n : 0.0;
        weights[c++] = !is_in ? 0.0 : h > 0 ? cos(angle) : 1.0;
        if (h > 0) {
            weights[c++] = is_in ? sin(angle) : 0.0;
        }
    }
}

/* values [n_points][3]; weights [n_coefficients] and motion [n_dofs] are scratch. */
static void fill_points(const struct field_grid *grid, const struct masing_motion_field *field,
                        struct instant instant, double *weights, double *motion, double *values)
{
    size_t n_c = (size_t)field->n_coefficients, n_dofs = (size_t)field->n_dofs;
    for (size_t sector = 0; sector < grid->n_sectors; sector++) {
        set_weights(field, instant, sector, weights);
        for (size_t i = 0; (sector == 0 || field->n_sectors > 0) && i < n_dofs; i++) {
            motion[i] = 0.0;
            for (size_t c = 0; c < n_c; c++) {
                motion[i] += weights[c] * field->coefficients[i * n_c + c];
            }
        }
        field_grid_put(grid, sector, motion, values);
    }
}

/* Real and imaginary part of each harmonic, and the mean. */
static enum masing_status write_harmonics(struct masing_motion_field_files *files,
                                          const struct masing_motion_field *field,
                                          const char *name, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    size_t n_c = (size_t)field->n_coefficients, n = 3 * files->grid.n_points;
    struct vtk_array *arrays = arena_array(&arena, n_c, sizeof *arrays);
    char(*names)[ARRAY_NAME] = arena_array(&arena, n_c, sizeof *names);
    double *values = arena_doubles(&arena, n_c * n), *weights = arena_doubles(&arena, n_c);
    double *motion = arena_doubles(&arena, (size_t)field->n_dofs);
    TRY_ALLOCATED(!arena.has_failed);
    for (size_t c = 0, k = 0; c < n_c; k++) {
        int h = field->harmonics[k];
        for (int side = 0; side < (h > 0 ? 2 : 1); side++, c++) {
            const struct instant instant = {(int)k, -TWO_PI / 4.0 * side};
            snprintf(names[c], ARRAY_NAME, h == 0 ? "u_mean" : "u_h%d_%s", h,
                     side == 0 ? "real" : "imag");
            fill_points(&files->grid, field, instant, weights, motion, values + c * n);
            arrays[c] = (struct vtk_array){names[c], 3, values + c * n};
        }
    }
    struct vtk_grid grid = field_grid_vtk(&files->grid);
    grid.n_arrays = (int)n_c;
    grid.arrays = arrays;
    status = vtk_write_hdf(name, &grid, error);
done:
    arena_clear(&arena);
    return status;
}

static enum masing_status write_frames(struct masing_motion_field_files *files,
                                       const struct masing_motion_field *field,
                                       const char *name, int stem, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    size_t n_frames = (size_t)files->n_frames;
    double *times = arena_doubles(&arena, n_frames);
    char **frames = arena_array(&arena, n_frames, sizeof *frames);
    double *weights = arena_doubles(&arena, (size_t)field->n_coefficients);
    double *values = arena_doubles(&arena, 3 * files->grid.n_points);
    double *motion = arena_doubles(&arena, (size_t)field->n_dofs);
    struct vtk_grid grid = field_grid_vtk(&files->grid);
    grid.n_arrays = 1;
    grid.arrays = &(struct vtk_array){"u", 3, values};
    TRY_ALLOCATED(!arena.has_failed);
    for (size_t f = 0; f < n_frames; f++) {
        double part = (double)f / (double)n_frames;
        char *frame = memory_format("%.*s_%04zu.vtu", stem, name, f + 1);
        TRY(note_name(files, frame, error));
        fill_points(&files->grid, field, (struct instant){-1, TWO_PI * part}, weights, motion,
                    values);
        TRY(vtk_write_xml(frame, &grid, error));
        const char *slash = strrchr(frame, '/');
        times[f] = part / field->frequency_hz;
        frames[f] = slash ? frame + (slash + 1 - frame) : frame;
    }
    status = vtk_write_collection(name, files->n_frames, times, frames, error);
done:
    arena_clear(&arena);
    return status;
}

/* ---- contacts ---- */

enum { N_PAIR_ARRAYS = 5 };

/* values [N_PAIR_ARRAYS], n apart */
static void fill_pair(const struct masing_joint_state *state, double area, size_t n,
                      double *values)
{
    values[0] = state->open >= 1.0  ? 3.0
                : state->open > 0.0 ? 2.0
                : state->slip > 0.0 ? 1.0
                                    : 0.0;
    values[n] = state->slip;
    values[2 * n] = state->open;
    values[3 * n] = state->loss;
    values[4 * n] = area > 0.0 ? state->normal_force / area : NAN;
}

static void fill_pairs(const struct masing_spec *spec, const struct masing_motion_field *field,
                       size_t n, double *values)
{
    size_t p = 0;
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        for (int j = 0; group->pairs && j < group->n_joints; j++, p++) {
            fill_pair(&field->joints[group->first + j], group->pairs[j].area, n, values + p);
        }
    }
}

static enum masing_status write_pairs(struct masing_motion_field_files *files,
                                      const struct masing_motion_field *field, const char *name,
                                      int stem, struct masing_error *error)
{
    static const char *const names[N_PAIR_ARRAYS] = {"status", "slip", "open", "loss",
                                                     "pressure"};
    enum masing_status status = MASING_OK;
    struct vtk_array arrays[N_PAIR_ARRAYS];
    size_t n = pair_file_count(files->spec);
    double *values = NULL;
    if (n == 0) {
        return MASING_OK;
    }
    char *file = memory_format("%.*s_pairs%s", stem, name, files->ending);
    TRY(note_name(files, file, error));
    TRY_ALLOCATED(values = memory_array(N_PAIR_ARRAYS * n, sizeof *values));
    fill_pairs(files->spec, field, n, values);
    for (size_t a = 0; a < N_PAIR_ARRAYS; a++) {
        arrays[a] = (struct vtk_array){names[a], 1, values + a * n};
    }
    status = pair_file_write(files->spec, file, N_PAIR_ARRAYS, arrays, error);
done:
    free(values);
    return status;
}

/* ---- the sink ---- */

static enum masing_status take(void *context, const struct masing_motion_field *field,
                               struct masing_error *error)
{
    struct masing_motion_field_files *files = context;
    const char *name = NULL;
    int stem = 0;
    if (!files->grid.dofs) {
        NEED(field_grid_name(&files->grid, field->n_sectors > 0, field->n_dofs,
                             field->dof_names, error));
    }
    NEED(add_name(files, field, &name, &stem, error));
    if (files->n_frames > 0) {
        return write_frames(files, field, name, stem, error);
    }
    NEED(write_harmonics(files, field, name, error));
    return write_pairs(files, field, name, stem, error);
}

struct masing_motion_field_sink
masing_motion_field_files_sink(struct masing_motion_field_files *files)
{
    return (struct masing_motion_field_sink){files, take};
}
