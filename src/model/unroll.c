/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/unroll.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/sparse.h"
#include "model/cyclic.h"
#include "model/message.h"
#include "model/seal.h"
#include "model/structure/structure_cache.h"

/* Up to so many DOFs matrices are dense. */
enum { MOST_DENSE = 1000 };

struct disk {
    const struct masing_spec *const *sectors; /* [n_sectors] */
    size_t n_sectors, n;                      /* DOFs of a sector */
    bool keeps_names;                         /* in sector 0 */
    struct masing_spec *whole;
    struct masing_error *error;
};

static size_t size_of(const struct disk *disk)
{
    return disk->n_sectors * disk->n;
}

static struct masing_place place_of(const struct disk *disk)
{
    return disk->sectors[0]->structure.cyclic.place;
}

/* --- matrices ----------------------------------------------------------------------------- */

/* What takes an entry: a matrix, or a list for a sparse one. */
struct target {
    double *matrix; /* [size * size], or NULL */
    size_t size;
    struct sparse_entry *entries; /* the lower triangle */
    size_t n;
};

static void put(struct target *target, size_t row, size_t column, double value)
{
    if (target->matrix) {
        target->matrix[row + column * target->size] += value;
    } else if (row >= column) {
        target->entries[target->n++] = (struct sparse_entry){(int)row, (int)column, value};
    }
}

/* A matrix [n * n] of a sector, what joins it to the following one, either of which may be
 * NULL.
 */
struct sector_matrix {
    const double *own, *coupling;
};

enum matrix_kind { OF_MASS, OF_STIFFNESS, OF_DAMPING, PER_SPEED_SQUARED };

static struct sector_matrix matrix_of(const struct disk *disk, size_t sector,
                                      enum matrix_kind kind)
{
    const struct masing_structure_spec *of = &disk->sectors[sector]->structure;
    const struct masing_cyclic_spec *cyclic = &of->cyclic;
    return kind == OF_MASS        ? (struct sector_matrix){of->mass, cyclic->mass}
           : kind == OF_STIFFNESS ? (struct sector_matrix){of->stiffness, cyclic->stiffness}
           : kind == OF_DAMPING
               ? (struct sector_matrix){of->damping, cyclic->damping}
               : (struct sector_matrix){of->per_speed_squared, cyclic->per_speed_squared};
}

static void put_sectors(const struct disk *disk, enum matrix_kind kind, struct target *target)
{
    size_t n = disk->n;
    for (size_t s = 0; s < disk->n_sectors; s++) {
        struct sector_matrix matrix = matrix_of(disk, s, kind);
        const double *own = matrix.own, *coupling = matrix.coupling;
        size_t here = s * n, next = (s + 1) % disk->n_sectors * n;
        for (size_t i = 0; i < n * n; i++) {
            size_t row = i % n, column = i / n;
            if (own && own[i] != 0.0) {
                put(target, here + row, here + column, own[i]);
            }
            if (coupling && coupling[i] != 0.0) {
                put(target, here + row, next + column, coupling[i]);
                put(target, next + column, here + row, coupling[i]);
            }
        }
    }
}

static size_t count_entries(const struct disk *disk, enum matrix_kind kind)
{
    size_t count = 0;
    for (size_t s = 0; s < disk->n_sectors; s++) {
        struct sector_matrix matrix = matrix_of(disk, s, kind);
        for (size_t i = 0; i < disk->n * disk->n; i++) {
            count += matrix.own && matrix.own[i] != 0.0;
            count += matrix.coupling && matrix.coupling[i] != 0.0 ? 2 : 0;
        }
    }
    return count;
}

/* The matrix of all sectors, in sparse form where there is a place for it. */
static enum masing_status unroll_matrix(const struct disk *disk, enum matrix_kind kind,
                                        double **matrix, struct masing_sparse *sparse)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = disk->error;
    struct target target = {.size = size_of(disk)};
    size_t count = count_entries(disk, kind);
    if (!matrix_of(disk, 0, kind).own) {
        return MASING_OK;
    }
    if (sparse) {
        TRY_ALLOCATED(target.entries = memory_array(count, sizeof *target.entries));
        put_sectors(disk, kind, &target);
        TRY(sparse_create((int)target.size, target.n, target.entries, sparse, error));
    } else {
        target.matrix = memory_array(target.size * target.size, sizeof *target.matrix);
        TRY_ALLOCATED(*matrix = target.matrix);
        put_sectors(disk, kind, &target);
    }
done:
    free(target.entries);
    return status;
}

static const struct masing_sparse *sparse_of(const struct disk *disk, size_t sector,
                                             enum matrix_kind kind)
{
    const struct masing_structure_spec *of = &disk->sectors[sector]->structure;
    return kind == OF_MASS ? &of->sparse_mass : &of->sparse_stiffness;
}

/* Of sectors by sparse matrices, each with the following one. */
static enum masing_status unroll_sparse(const struct disk *disk, enum matrix_kind kind,
                                        struct masing_sparse *whole)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = disk->error;
    struct sparse_entry *entries = NULL;
    size_t n = disk->n, count = 0, most = 0, size = size_of(disk);
    for (size_t s = 0; s < disk->n_sectors; s++) {
        const struct masing_sparse *sector = sparse_of(disk, s, kind);
        most += sector->n > 0 ? (size_t)sector->start[sector->n] : 0;
    }
    if (most == 0) {
        return MASING_OK;
    }
    TRY_ALLOCATED(entries = memory_array(most, sizeof *entries));
    for (size_t s = 0; s < disk->n_sectors; s++) {
        const struct masing_sparse *sector = sparse_of(disk, s, kind);
        for (size_t j = 0; j < 2 * n; j++) {
            for (int64_t e = sector->start[j]; e < sector->start[j + 1]; e++) {
                int row = (int)((s * n + (size_t)sector->rows[e]) % size);
                entries[count++] =
                    (struct sparse_entry){row, (int)((s * n + j) % size), sector->values[e]};
            }
        }
    }
    TRY(sparse_create((int)size, count, entries, whole, error));
done:
    free(entries);
    return status;
}

static enum masing_status unroll_matrices(const struct disk *disk)
{
    struct masing_structure_spec *structure = &disk->whole->structure;
    const struct masing_structure_spec *of = &disk->sectors[0]->structure;
    bool is_dense = of->damping || of->per_speed_squared;
    bool is_sparse = !is_dense && size_of(disk) > MOST_DENSE;
    if (is_dense && size_of(disk) > MAX_DENSE_DOFS) {
        return model_refuse(disk->sectors[0], place_of(disk), disk->error,
                            "unroll: %d DOFs with dampers, a damping matrix or "
                            "per_speed_squared, expected at most %d",
                            (int)size_of(disk), MAX_DENSE_DOFS);
    }
    NEED(unroll_sparse(disk, OF_MASS, &structure->sparse_mass));
    NEED(unroll_sparse(disk, OF_STIFFNESS, &structure->sparse_stiffness));
    NEED(unroll_matrix(disk, OF_MASS, &structure->mass,
                       is_sparse ? &structure->sparse_mass : NULL));
    NEED(unroll_matrix(disk, OF_STIFFNESS, &structure->stiffness,
                       is_sparse ? &structure->sparse_stiffness : NULL));
    NEED(unroll_matrix(disk, PER_SPEED_SQUARED, &structure->per_speed_squared, NULL));
    return unroll_matrix(disk, OF_DAMPING, &structure->damping, NULL);
}

/* --- names and vectors -------------------------------------------------------------------- */

static enum masing_status name_sector(const struct disk *disk, size_t sector, const char *name,
                                      char **named)
{
    struct masing_error *error = disk->error;
    bool is_kept = sector == 0 && disk->keeps_names;
    *named = is_kept ? memory_text(name) : memory_format("%zu.%s", sector, name);
    NEED_ALLOCATED(*named);
    return MASING_OK;
}

static enum masing_status unroll_names(const struct disk *disk)
{
    struct masing_structure_spec *structure = &disk->whole->structure;
    struct masing_error *error = disk->error;
    char **names = disk->sectors[0]->structure.dof_names;
    structure->n_dofs = (int)size_of(disk);
    if (!names) {
        return MASING_OK;
    }
    NEED_ALLOCATED(structure->dof_names = memory_array(size_of(disk), sizeof *names));
    for (size_t i = 0; i < size_of(disk); i++) {
        NEED(name_sector(disk, i / disk->n, names[i % disk->n], &structure->dof_names[i]));
    }
    return MASING_OK;
}

/* A pattern [n], NULL: none, at sectors first to end - 1. */
static enum masing_status widen(const struct disk *disk, size_t first, size_t end,
                                const double *own, double **pattern)
{
    struct masing_error *error = disk->error;
    if (own) {
        NEED_ALLOCATED(*pattern = memory_array(size_of(disk), sizeof **pattern));
    }
    for (size_t s = first; own && s < end; s++) {
        memcpy(*pattern + s * disk->n, own, disk->n * sizeof **pattern);
    }
    return MASING_OK;
}

static enum masing_status copy_combination(const struct masing_combination *from,
                                           struct masing_combination *to,
                                           struct masing_error *error)
{
    *to = (struct masing_combination){0};
    if (from->terms) {
        to->terms = memory_copy(from->terms, (size_t)from->n_terms, sizeof *to->terms);
        NEED_ALLOCATED(to->terms);
        to->n_terms = from->n_terms;
    }
    return MASING_OK;
}

/* --- joints ------------------------------------------------------------------------------- */

static enum masing_status copy_axes(const struct disk *disk, size_t sector,
                                    const struct masing_joint_spec *from,
                                    struct masing_joint_spec *joint)
{
    struct masing_error *error = disk->error;
    int n_axes = masing_joint_spec_axes(from);
    NEED_ALLOCATED(joint->axes = memory_array((size_t)n_axes, sizeof *joint->axes));
    for (int a = 0; a < n_axes; a++) {
        struct masing_combination *axis = &joint->axes[a];
        NEED(copy_combination(&from->axes[a], axis, error));
        for (int t = 0; t < axis->n_terms; t++) {
            size_t dof = (size_t)axis->terms[t].dof + sector * disk->n;
            axis->terms[t].dof = (int)(dof % size_of(disk));
        }
    }
    return MASING_OK;
}

static enum masing_status copy_joint(const struct disk *disk, size_t sector,
                                     const struct masing_joint_spec *from,
                                     struct masing_joint_spec *joint)
{
    struct masing_error *error = disk->error;
    *joint = (struct masing_joint_spec){.law = from->law,
                                        .n_axes = from->n_axes,
                                        .present = from->present,
                                        .area = from->area,
                                        .place = from->place};
    NEED(name_sector(disk, sector, from->name, &joint->name));
    joint->parameters = memory_copy(from->parameters, 1, from->law->parameters_size);
    NEED_ALLOCATED(joint->parameters);
    return copy_axes(disk, sector, from, joint);
}

static enum masing_status unroll_groups(const struct disk *disk)
{
    const struct masing_spec *sector = disk->sectors[0];
    struct masing_spec *whole = disk->whole;
    struct masing_error *error = disk->error;
    size_t n = (size_t)sector->n_groups;
    if (n == 0) {
        return MASING_OK;
    }
    NEED_ALLOCATED(whole->groups = memory_array(n * disk->n_sectors, sizeof *whole->groups));
    for (size_t i = 0; i < n * disk->n_sectors; i++) {
        const struct masing_joint_group *from = &sector->groups[i % n];
        int s = (int)(i / n);
        struct masing_joint_group *group = &whole->groups[whole->n_groups++];
        group->first = s * sector->n_joints + from->first;
        group->n_joints = from->n_joints;
        NEED(name_sector(disk, (size_t)s, from->name, &group->name));
    }
    return MASING_OK;
}

static enum masing_status unroll_joints(const struct disk *disk)
{
    struct masing_spec *whole = disk->whole;
    struct masing_error *error = disk->error;
    size_t n = (size_t)disk->sectors[0]->n_joints, n_all = n * disk->n_sectors;
    if (n_all > JOINT_TOTAL) {
        return model_refuse(disk->sectors[0], place_of(disk), error,
                            "unroll: %zu joints of all sectors, expected at most %d", n_all,
                            JOINT_TOTAL);
    }
    NEED_ALLOCATED(whole->joints = memory_array(n_all, sizeof *whole->joints));
    for (size_t i = 0; i < n_all; i++) {
        NEED(copy_joint(disk, i / n, &disk->sectors[i / n]->joints[i % n],
                        &whole->joints[whole->n_joints++]));
    }
    return unroll_groups(disk);
}

/* --- loads -------------------------------------------------------------------------------- */

static enum masing_status copy_load(const struct disk *disk, size_t sector,
                                    const struct masing_load_spec *from,
                                    struct masing_load_spec *load)
{
    struct masing_error *error = disk->error;
    long long n = (long long)disk->n_sectors;
    long long turn = ((long long)sector * (from->engine_order % n) % n + n) % n;
    *load = *from;
    load->name = NULL;
    load->pattern = load->pattern_imaginary = load->inertia = load->table = NULL;
    load->engine_order = 0;
    load->phase -= TWO_PI * (double)turn / (double)n;
    NEED(from->name ? name_sector(disk, sector, from->name, &load->name) : MASING_OK);
    if (from->table) {
        load->table = memory_copy(from->table, 3 * (size_t)from->n_table, sizeof *load->table);
        NEED_ALLOCATED(load->table);
    }
    NEED(widen(disk, sector, sector + 1, from->pattern, &load->pattern));
    return widen(disk, sector, sector + 1, from->pattern_imaginary, &load->pattern_imaginary);
}

/* A base moves all sectors at once. */
static enum masing_status add_base(const struct disk *disk, int index)
{
    const struct masing_load_spec *from = &disk->sectors[0]->loads[index];
    struct masing_spec *whole = disk->whole;
    struct masing_error *error = disk->error;
    struct masing_load_spec *load = &whole->loads[whole->n_loads++];
    *load = *from;
    load->name = NULL;
    load->pattern = load->pattern_imaginary = load->inertia = load->table = NULL;
    load->engine_order = 0;
    NEED(cyclic_check_base(disk->sectors[0], index, error));
    if (from->name) {
        NEED_ALLOCATED(load->name = memory_text(from->name));
    }
    return widen(disk, 0, disk->n_sectors, from->pattern, &load->pattern);
}

static enum masing_status unroll_static_loads(const struct disk *disk)
{
    const struct masing_spec *sector = disk->sectors[0];
    struct masing_spec *whole = disk->whole;
    struct masing_error *error = disk->error;
    size_t n = (size_t)sector->n_static_loads;
    NEED_ALLOCATED(whole->static_loads = memory_array(n, sizeof *whole->static_loads));
    for (size_t l = 0; l < n; l++) {
        struct masing_static_load_spec *load = &whole->static_loads[whole->n_static_loads++];
        *load = sector->static_loads[l];
        load->pattern = NULL;
        NEED_ALLOCATED(load->pattern = memory_array(size_of(disk), sizeof *load->pattern));
        for (size_t i = 0; i < size_of(disk); i++) {
            const struct masing_spec *of = disk->sectors[i / disk->n];
            load->pattern[i] = of->static_loads[l].pattern[i % disk->n];
        }
    }
    return MASING_OK;
}

/* Sector by sector as well. */
static enum masing_status unroll_loads(const struct disk *disk)
{
    struct masing_spec *whole = disk->whole;
    struct masing_error *error = disk->error;
    size_t n = (size_t)disk->sectors[0]->n_loads;
    NEED_ALLOCATED(whole->loads = memory_array(n * disk->n_sectors, sizeof *whole->loads));
    for (size_t i = 0; i < n * disk->n_sectors; i++) {
        const struct masing_load_spec *from = &disk->sectors[i / n]->loads[i % n];
        if (from->kind != MASING_LOAD_BASE_ACCELERATION) {
            NEED(copy_load(disk, i / n, from, &whole->loads[whole->n_loads++]));
        } else if (i < n) {
            NEED(add_base(disk, (int)i));
        }
    }
    return unroll_static_loads(disk);
}

/* --- what is not of a sector -------------------------------------------------------------- */

static enum masing_status copy_uncertain(const struct masing_uncertainty *from,
                                         struct masing_uncertainty *to,
                                         struct masing_error *error)
{
    size_t n = (size_t)from->n;
    to->place = from->place;
    if (n == 0) {
        return MASING_OK;
    }
    NEED_ALLOCATED(to->numbers = memory_array(n, sizeof *to->numbers));
    for (size_t i = 0; i < n; i++) {
        to->numbers[i] = from->numbers[i];
        to->n++;
        NEED_ALLOCATED(to->numbers[i].path = memory_text(from->numbers[i].path));
    }
    if (from->correlation) {
        to->correlation = memory_copy(from->correlation, n * n, sizeof *to->correlation);
        NEED_ALLOCATED(to->correlation);
    }
    return MASING_OK;
}

static enum masing_status copy_outputs(const struct masing_spec *from, struct masing_spec *to,
                                       struct masing_error *error)
{
    size_t n = (size_t)from->n_outputs;
    NEED_ALLOCATED(to->outputs = memory_array(n, sizeof *to->outputs));
    for (size_t i = 0; i < n; i++) {
        struct masing_output_spec *output = &to->outputs[to->n_outputs++];
        *output = from->outputs[i];
        output->name = NULL;
        NEED(copy_combination(&from->outputs[i].combination, &output->combination, error));
        NEED_ALLOCATED(output->name = memory_text(from->outputs[i].name));
    }
    return MASING_OK;
}

static enum masing_status copy_ringdown(const struct masing_ringdown_settings *from,
                                        struct masing_ringdown_settings *to,
                                        struct masing_error *error)
{
    *to = *from;
    to->modes = NULL;
    to->hit = to->displacements = to->velocities = (struct masing_combination){0};
    NEED(copy_combination(&from->hit, &to->hit, error));
    NEED(copy_combination(&from->displacements, &to->displacements, error));
    NEED(copy_combination(&from->velocities, &to->velocities, error));
    if (from->modes) {
        to->modes = memory_copy(from->modes, (size_t)from->n_modes, sizeof *to->modes);
        NEED_ALLOCATED(to->modes);
    }
    return MASING_OK;
}

/* Texts and lists of numbers. */
static enum masing_status copy_lists(const struct masing_spec *from, struct masing_spec *to,
                                     struct masing_error *error)
{
    NEED_ALLOCATED(!from->file || (to->file = memory_text(from->file)));
    NEED_ALLOCATED(!from->title || (to->title = memory_text(from->title)));
    size_t n_harmonics = (size_t)from->n_harmonics, n_files = (size_t)from->n_files;
    to->harmonics = memory_copy(from->harmonics, n_harmonics, sizeof *to->harmonics);
    NEED_ALLOCATED(to->harmonics);
    to->n_harmonics = from->n_harmonics;
    NEED_ALLOCATED(to->files = memory_array(n_files, sizeof *to->files));
    for (size_t i = 0; i < n_files; i++) {
        NEED_ALLOCATED(to->files[to->n_files++] = memory_text(from->files[i]));
    }
    return MASING_OK;
}

/* The mesh of a sector, where its copies have places. */
static enum masing_status copy_mesh(const struct masing_structure_spec *from,
                                    struct masing_structure_spec *to,
                                    struct masing_error *error)
{
    if (from->turned.n_sectors == 0) {
        return MASING_OK;
    }
    to->mesh = from->mesh;
    to->mesh_extent = from->mesh_extent;
    to->has_global_axes = from->has_global_axes;
    to->keeps_motion = from->keeps_motion;
    to->turned = from->turned;
    to->turned.partners = memory_copy(from->turned.partners, (size_t)from->turned.n_nodes,
                                      sizeof *to->turned.partners);
    NEED_ALLOCATED(to->turned.partners);
    return MASING_OK;
}

static enum masing_status copy_structure(const struct masing_structure_spec *from,
                                         struct masing_structure_spec *to,
                                         struct masing_error *error)
{
    to->form = from->form;
    to->form.ratios = NULL;
    to->place = from->place;
    to->mass_place = from->mass_place;
    to->stiffness_place = from->stiffness_place;
    to->damping_place = from->damping_place;
    to->speed_place = from->speed_place;
    to->is_active = from->is_active;
    to->has_spin = from->has_spin;
    to->spin = from->spin;
    if (from->form.ratios) {
        size_t n = (size_t)from->form.n_ratios;
        to->form.ratios = memory_copy(from->form.ratios, n, sizeof *to->form.ratios);
        NEED_ALLOCATED(to->form.ratios);
    }
    to->cache = structure_cache_hold(from->cache);
    return copy_mesh(from, to, error);
}

static enum masing_status copy_rest(const struct masing_spec *from, struct masing_spec *to,
                                    struct masing_error *error)
{
    to->locator = from->locator;
    to->load_factor = from->load_factor;
    to->peak_output = from->peak_output;
    to->peak_measure = from->peak_measure;
    to->sweep = from->sweep;
    to->omega_from = from->omega_from;
    to->omega_to = from->omega_to;
    to->frequency_unit = from->frequency_unit;
    to->is_of_shaft = from->is_of_shaft;
    to->frequency_place = from->frequency_place;
    to->harmonics_tolerance = from->harmonics_tolerance;
    to->harmonics_place = from->harmonics_place;
    to->n_samples = from->n_samples;
    to->samples_place = from->samples_place;
    to->forces = from->forces;
    to->start = from->start;
    to->solver = from->solver;
    to->integration = from->integration;
    to->mode = from->mode;
    NEED(copy_structure(&from->structure, &to->structure, error));
    NEED(copy_outputs(from, to, error));
    NEED(copy_ringdown(&from->ringdown, &to->ringdown, error));
    NEED(copy_combination(&from->initial.displacements, &to->initial.displacements, error));
    NEED(copy_combination(&from->initial.velocities, &to->initial.velocities, error));
    NEED(copy_uncertain(&from->uncertain, &to->uncertain, error));
    return copy_lists(from, to, error);
}

/* --- the disk ----------------------------------------------------------------------------- */

/* Numbers of modes of a sector say nothing of those of the disk. */
static enum masing_status check(const struct disk *disk)
{
    const struct masing_spec *sector = disk->sectors[0];
    const struct masing_damping_spec *form = &sector->structure.form;
    if (size_of(disk) > MAX_DOFS) {
        return model_refuse(sector, place_of(disk), disk->error,
                            "unroll: %zu DOFs, expected at most %d", size_of(disk), MAX_DOFS);
    }
    return form->n_ratios <= 1
               ? MASING_OK
               : model_refuse(sector, form->place, disk->error,
                              "modal_ratio: %d numbers, expected one for all modes: the modes "
                              "of a whole disk are not numbered as those of a sector",
                              form->n_ratios);
}

static enum masing_status fill(const struct disk *disk, const struct masing_spec *tuned)
{
    *disk->whole = (struct masing_spec){0};
    NEED(check(disk));
    NEED(copy_rest(tuned, disk->whole, disk->error));
    NEED(unroll_names(disk));
    NEED(unroll_joints(disk));
    NEED(unroll_loads(disk));
    return unroll_matrices(disk);
}

enum masing_status unroll_sectors(const struct masing_spec *tuned,
                                  const struct masing_spec *const *sectors, int n,
                                  struct masing_spec *whole, struct masing_error *error)
{
    const struct disk disk = {.sectors = sectors,
                              .n_sectors = (size_t)n,
                              .n = (size_t)tuned->structure.n_dofs,
                              .whole = whole,
                              .error = error};
    return fill(&disk, tuned);
}

/* --- of a sealed sector ------------------------------------------------------------------- */

/* mean - coupling - coupling^T: what is within the sector */
static enum masing_status unfold(size_t n, const double *mean, const double *coupling,
                                 struct arena *arena, double **own, struct masing_error *error)
{
    if (mean) {
        NEED_ALLOCATED(*own = arena_doubles(arena, n * n));
    }
    for (size_t i = 0; mean && i < n * n; i++) {
        double joined = coupling ? coupling[i] + coupling[i % n * n + i / n] : 0.0;
        (*own)[i] = mean[i] - joined;
    }
    return MASING_OK;
}

/* As it was before it was sealed; what differs is in the arena. */
static enum masing_status unseal(const struct masing_model *model, struct arena *arena,
                                 struct masing_spec *sector, struct masing_error *error)
{
    const struct cyclic *cyclic = model->cyclic;
    const struct masing_structure_spec *sealed = &model->spec.structure;
    struct masing_structure_spec *structure = &sector->structure;
    size_t n = (size_t)sealed->n_dofs;
    *sector = model->spec;
    sector->joints = arena_array(arena, (size_t)sector->n_joints, sizeof *sector->joints);
    sector->outputs = arena_array(arena, (size_t)sector->n_outputs, sizeof *sector->outputs);
    NEED_ALLOCATED(sector->joints && sector->outputs);
    NEED(unfold(n, sealed->mass, sealed->cyclic.mass, arena, &structure->mass, error));
    NEED(unfold(n, sealed->stiffness, sealed->cyclic.stiffness, arena, &structure->stiffness,
                error));
    NEED(unfold(n, sealed->damping, sealed->cyclic.damping, arena, &structure->damping, error));
    NEED(unfold(n, sealed->per_speed_squared, sealed->cyclic.per_speed_squared, arena,
                &structure->per_speed_squared, error));
    for (int j = 0, axis = 0; j < sector->n_joints; j++) {
        sector->joints[j] = model->spec.joints[j];
        sector->joints[j].axes = cyclic->axes + axis;
        sector->joints[j].parameters = cyclic->parameters[j];
        axis += masing_joint_spec_axes(&sector->joints[j]);
    }
    for (int o = 0; o < sector->n_outputs; o++) {
        sector->outputs[o] = model->spec.outputs[o];
        sector->outputs[o].combination = cyclic->outputs[o];
    }
    return MASING_OK;
}

enum masing_status unroll_model(const struct masing_model *model, struct masing_model **whole,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    struct masing_spec sector = {0}, made = {0};
    const struct masing_spec **sectors = NULL;
    int n = model->cyclic->n_sectors;
    *whole = NULL;
    if (cyclic_is_condensed(model->cyclic)) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "%s: of a sector by sparse matrices the whole disk is put "
                                "together by 'unroll: true' only",
                                model->spec.file ? model->spec.file : "model");
    }
    TRY(unseal(model, &arena, &sector, error));
    TRY_ALLOCATED(sectors = arena_array(&arena, (size_t)n, sizeof *sectors));
    for (int s = 0; s < n; s++) {
        sectors[s] = &sector;
    }
    const struct disk disk = {.sectors = sectors,
                              .n_sectors = (size_t)n,
                              .n = (size_t)sector.structure.n_dofs,
                              .keeps_names = true,
                              .whole = &made,
                              .error = error};
    TRY(fill(&disk, &sector));
    TRY(masing_model_create(&made, whole, error));
done:
    masing_spec_clear(&made);
    arena_clear(&arena);
    return status;
}
