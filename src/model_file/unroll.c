/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `cyclic: {unroll: true}`: all sectors of a disk as one ordinary structure. DOFs, joints,
 * loads stand sector by sector, those of sector 0 first: displacements of it and of the
 * following one have the indices that they had.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/sparse.h"
#include "model_file/reader.h"

/* Up to so many DOFs matrices are dense. */
enum { MOST_DENSE = 1000 };

struct disk {
    struct reader *reader;
    struct masing_spec *spec;
    size_t n_sectors, n; /* DOFs of a sector */
};

static size_t size_of(const struct disk *disk)
{
    return disk->n_sectors * disk->n;
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

/* own and coupling [n * n], either of which may be NULL */
static void put_sectors(const struct disk *disk, const double *own, const double *coupling,
                        struct target *target)
{
    size_t n = disk->n;
    for (size_t s = 0; s < disk->n_sectors; s++) {
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

static size_t count_entries(const struct disk *disk, const double *a)
{
    size_t count = 0;
    for (size_t i = 0; a && i < disk->n * disk->n; i++) {
        count += a[i] != 0.0;
    }
    return count;
}

/* *own becomes the matrix of all sectors, in sparse form where there is a place for it. */
static enum masing_status unroll_matrix(const struct disk *disk, double **own,
                                        const double *coupling, struct masing_sparse *sparse)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = disk->reader->error;
    struct target target = {.size = size_of(disk)};
    if (!*own) {
        return MASING_OK;
    }
    if (sparse) {
        size_t room = count_entries(disk, *own) + 2 * count_entries(disk, coupling);
        target.entries = memory_array(room * disk->n_sectors, sizeof *target.entries);
        TRY_ALLOCATED(target.entries);
        put_sectors(disk, *own, coupling, &target);
        TRY(sparse_create((int)target.size, target.n, target.entries, sparse, error));
    } else {
        target.matrix = memory_array(target.size * target.size, sizeof *target.matrix);
        TRY_ALLOCATED(target.matrix);
        put_sectors(disk, *own, coupling, &target);
    }
    free(*own);
    *own = target.matrix;
done:
    free(target.entries);
    return status;
}

/* *sector, that of one and the following one, becomes that of all. */
static enum masing_status unroll_sparse(const struct disk *disk, struct masing_sparse *sector)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = disk->reader->error;
    struct masing_sparse made = {0};
    struct sparse_entry *entries = NULL;
    size_t n = disk->n, count = 0, size = size_of(disk);
    if (sector->n == 0) {
        return MASING_OK;
    }
    entries = memory_array((size_t)sector->start[sector->n] * disk->n_sectors, sizeof *entries);
    TRY_ALLOCATED(entries);
    for (size_t s = 0; s < disk->n_sectors; s++) {
        for (size_t j = 0; j < 2 * n; j++) {
            for (int64_t e = sector->start[j]; e < sector->start[j + 1]; e++) {
                int row = (int)((s * n + (size_t)sector->rows[e]) % size);
                entries[count++] =
                    (struct sparse_entry){row, (int)((s * n + j) % size), sector->values[e]};
            }
        }
    }
    TRY(sparse_create((int)size, count, entries, &made, error));
    sparse_clear(sector);
    *sector = made;
done:
    free(entries);
    return status;
}

static enum masing_status unroll_matrices(const struct disk *disk)
{
    struct masing_structure_spec *structure = &disk->spec->structure;
    struct masing_cyclic_spec *cyclic = &structure->cyclic;
    bool is_dense = structure->damping || structure->per_speed_squared;
    bool is_sparse = !is_dense && size_of(disk) > MOST_DENSE;
    NEED(reader_refuse(disk->reader, is_dense && size_of(disk) > MAX_DENSE_DOFS,
                       tree_find(tree_find(disk->reader->tree->root, "structure"), "cyclic"),
                       "unroll: %d DOFs with dampers, a damping matrix or per_speed_squared, "
                       "expected at most %d",
                       (int)size_of(disk), MAX_DENSE_DOFS));
    NEED(unroll_sparse(disk, &structure->sparse_mass));
    NEED(unroll_sparse(disk, &structure->sparse_stiffness));
    NEED(unroll_matrix(disk, &structure->mass, cyclic->mass,
                       is_sparse ? &structure->sparse_mass : NULL));
    NEED(unroll_matrix(disk, &structure->stiffness, cyclic->stiffness,
                       is_sparse ? &structure->sparse_stiffness : NULL));
    NEED(unroll_matrix(disk, &structure->per_speed_squared, cyclic->per_speed_squared, NULL));
    return unroll_matrix(disk, &structure->damping, cyclic->damping, NULL);
}

/* --- names and vectors -------------------------------------------------------------------- */

static enum masing_status name_sector(const struct disk *disk, size_t sector, const char *name,
                                      char **named)
{
    struct masing_error *error = disk->reader->error;
    NEED_ALLOCATED(*named = memory_format("%zu.%s", sector, name));
    return MASING_OK;
}

static enum masing_status unroll_names(const struct disk *disk)
{
    struct masing_structure_spec *structure = &disk->spec->structure;
    struct masing_error *error = disk->reader->error;
    char **names = structure->dof_names;
    enum masing_status status = MASING_OK;
    structure->dof_names = memory_array(size_of(disk), sizeof *names);
    TRY_ALLOCATED(structure->dof_names);
    for (size_t i = 0; i < size_of(disk) && !status; i++) {
        status = name_sector(disk, i / disk->n, names[i % disk->n], &structure->dof_names[i]);
    }
done:
    memory_free_texts(names, (int)disk->n);
    structure->n_dofs = (int)size_of(disk);
    return status;
}

/* *pattern [n] at one sector, or at all of them. */
static enum masing_status widen(const struct disk *disk, size_t first, size_t end,
                                double **pattern)
{
    struct masing_error *error = disk->reader->error;
    double *own = *pattern, *wide = NULL;
    if (!own) {
        return MASING_OK;
    }
    NEED_ALLOCATED(wide = memory_array(size_of(disk), sizeof *wide));
    for (size_t s = first; s < end; s++) {
        memcpy(wide + s * disk->n, own, disk->n * sizeof *wide);
    }
    free(own);
    *pattern = wide;
    return MASING_OK;
}

/* --- joints ------------------------------------------------------------------------------- */

static enum masing_status copy_axes(const struct disk *disk, size_t sector,
                                    const struct masing_joint_spec *from,
                                    struct masing_joint_spec *joint)
{
    struct masing_error *error = disk->reader->error;
    int n_axes = masing_joint_spec_axes(from);
    NEED_ALLOCATED(joint->axes = memory_array((size_t)n_axes, sizeof *joint->axes));
    for (int a = 0; a < n_axes; a++) {
        struct masing_combination *axis = &joint->axes[a];
        axis->terms = memory_copy(from->axes[a].terms, (size_t)from->axes[a].n_terms,
                                  sizeof *axis->terms);
        NEED_ALLOCATED(axis->terms);
        axis->n_terms = from->axes[a].n_terms;
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
    struct masing_error *error = disk->reader->error;
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

static enum masing_status unroll_groups(const struct disk *disk, int n_joints)
{
    struct masing_spec *spec = disk->spec;
    struct masing_error *error = disk->reader->error;
    int n = spec->n_groups;
    struct masing_joint_group *groups;
    if (n == 0) {
        return MASING_OK;
    }
    groups = memory_array((size_t)n * disk->n_sectors, sizeof *groups);
    NEED_ALLOCATED(groups);
    struct masing_joint_group *sector = spec->groups;
    spec->groups = groups;
    enum masing_status status = MASING_OK;
    for (size_t i = 0; i < (size_t)n * disk->n_sectors && !status; i++) {
        const struct masing_joint_group *from = &sector[i % (size_t)n];
        int s = (int)(i / (size_t)n);
        groups[i].first = s * n_joints + from->first;
        groups[i].n_joints = from->n_joints;
        spec->n_groups = (int)i + 1;
        status = name_sector(disk, (size_t)s, from->name, &groups[i].name);
    }
    for (int g = 0; g < n; g++) {
        free(sector[g].name);
        free(sector[g].pairs);
        free(sector[g].unmatched);
    }
    free(sector);
    return status;
}

static void clear_joints(struct masing_joint_spec *joints, int n)
{
    for (int j = 0; j < n; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&joints[j]); a++) {
            free(joints[j].axes[a].terms);
        }
        free(joints[j].axes);
        free(joints[j].parameters);
        free(joints[j].name);
    }
    free(joints);
}

static enum masing_status unroll_joints(const struct disk *disk)
{
    struct masing_spec *spec = disk->spec;
    struct masing_error *error = disk->reader->error;
    int n = spec->n_joints, n_all = n * (int)disk->n_sectors;
    struct masing_joint_spec *joints, *sector = spec->joints;
    enum masing_status status = MASING_OK;
    const struct tree_node *list = tree_find(disk->reader->tree->root, "joints");
    NEED(reader_refuse(disk->reader, (size_t)n * disk->n_sectors > JOINT_TOTAL, list,
                       "joints: %zu of all sectors, expected at most %d",
                       (size_t)n * disk->n_sectors, JOINT_TOTAL));
    if (n == 0) {
        return MASING_OK;
    }
    NEED_ALLOCATED(joints = memory_array((size_t)n_all, sizeof *joints));
    spec->joints = joints;
    spec->n_joints = 0;
    while (spec->n_joints < n_all && !status) {
        int index = spec->n_joints++;
        status = copy_joint(disk, (size_t)(index / n), &sector[index % n], &joints[index]);
    }
    clear_joints(sector, n);
    NEED(status);
    return unroll_groups(disk, n);
}

/* --- loads -------------------------------------------------------------------------------- */

static enum masing_status copy_load(const struct disk *disk, size_t sector,
                                    const struct masing_load_spec *from,
                                    struct masing_load_spec *load)
{
    struct masing_error *error = disk->reader->error;
    long long n = (long long)disk->n_sectors;
    long long turn = ((long long)sector * (from->engine_order % n) % n + n) % n;
    *load = *from;
    load->name = NULL;
    load->pattern_imaginary = load->inertia = load->table = NULL;
    load->engine_order = 0;
    load->phase -= TWO_PI * (double)turn / (double)n;
    load->pattern = memory_copy(from->pattern, disk->n, sizeof *load->pattern);
    NEED_ALLOCATED(load->pattern);
    NEED(from->name ? name_sector(disk, sector, from->name, &load->name) : MASING_OK);
    if (from->pattern_imaginary) {
        load->pattern_imaginary =
            memory_copy(from->pattern_imaginary, disk->n, sizeof *load->pattern);
        NEED_ALLOCATED(load->pattern_imaginary);
    }
    if (from->table) {
        load->table = memory_copy(from->table, 3 * (size_t)from->n_table, sizeof *load->table);
        NEED_ALLOCATED(load->table);
    }
    NEED(widen(disk, sector, sector + 1, &load->pattern));
    return widen(disk, sector, sector + 1, &load->pattern_imaginary);
}

static void clear_load(struct masing_load_spec *load)
{
    free(load->name);
    free(load->pattern);
    free(load->pattern_imaginary);
    free(load->inertia);
    free(load->table);
}

/* A base moves all sectors at once. */
static enum masing_status add_base(const struct disk *disk, struct masing_load_spec *from)
{
    struct masing_spec *spec = disk->spec;
    struct masing_load_spec *load = &spec->loads[spec->n_loads++];
    *load = *from;
    from->name = NULL;
    from->pattern = from->pattern_imaginary = from->inertia = from->table = NULL;
    load->engine_order = 0;
    NEED(reader_refuse(disk->reader, from->engine_order % (int)disk->n_sectors != 0,
                       tree_find(disk->reader->tree->root, "loads"),
                       "base_acceleration: engine order %d, expected 0: the base moves all "
                       "sectors alike",
                       from->engine_order));
    return widen(disk, 0, disk->n_sectors, &load->pattern);
}

/* Sector by sector as well. */
static enum masing_status unroll_loads(const struct disk *disk)
{
    struct masing_spec *spec = disk->spec;
    struct masing_error *error = disk->reader->error;
    int n = spec->n_loads;
    struct masing_load_spec *sector = spec->loads, *loads;
    enum masing_status status = MASING_OK;
    NEED_ALLOCATED(loads = memory_array((size_t)n * disk->n_sectors, sizeof *loads));
    spec->loads = loads;
    spec->n_loads = 0;
    for (size_t i = 0; i < (size_t)n * disk->n_sectors && !status; i++) {
        struct masing_load_spec *from = &sector[i % (size_t)n];
        size_t s = i / (size_t)n;
        if (from->kind != MASING_LOAD_BASE_ACCELERATION) {
            status = copy_load(disk, s, from, &loads[spec->n_loads++]);
        } else if (s == 0) {
            status = add_base(disk, from);
        }
    }
    for (int l = 0; l < n; l++) {
        clear_load(&sector[l]);
    }
    free(sector);
    for (int l = 0; l < spec->n_static_loads && !status; l++) {
        status = widen(disk, 0, disk->n_sectors, &spec->static_loads[l].pattern);
    }
    return status;
}

/* --- the disk ----------------------------------------------------------------------------- */

/* Numbers of modes of a sector say nothing of those of the disk. */
static enum masing_status check_ratios(const struct disk *disk)
{
    const struct masing_damping_spec *form = &disk->spec->structure.form;
    const struct tree_node *section = tree_find(disk->reader->tree->root, "structure");
    return reader_refuse(disk->reader, form->n_ratios > 1,
                         tree_find(tree_find(section, "damping"), "modal_ratio"),
                         "modal_ratio: %d numbers, expected one for all modes: the modes of a "
                         "whole disk are not numbered as those of a sector",
                         form->n_ratios);
}

enum masing_status unroll(struct reader *reader)
{
    struct masing_spec *spec = reader->spec;
    struct masing_cyclic_spec *cyclic = &spec->structure.cyclic;
    const struct disk disk = {reader, spec, (size_t)cyclic->n_sectors,
                              (size_t)spec->structure.n_dofs};
    NEED(reader_refuse(reader, size_of(&disk) > MAX_DOFS,
                       tree_find(tree_find(reader->tree->root, "structure"), "cyclic"),
                       "unroll: %zu DOFs, expected at most %d", size_of(&disk), MAX_DOFS));
    NEED(check_ratios(&disk));
    NEED(unroll_joints(&disk));
    NEED(unroll_loads(&disk));
    NEED(unroll_matrices(&disk));
    NEED(unroll_names(&disk));
    free(cyclic->mass);
    free(cyclic->stiffness);
    free(cyclic->damping);
    free(cyclic->per_speed_squared);
    *cyclic = (struct masing_cyclic_spec){0};
    spec->structure.mesh = NULL; /* of one sector, whose nodes are the DOFs of none */
    spec->structure.keeps_motion = false;
    return MASING_OK;
}
