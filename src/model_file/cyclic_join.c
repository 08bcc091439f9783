/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sector whose boundaries are joined: the DOFs of one are sums of those of the other in the
 * following sector. What was read over all DOFs, matrices, joints, loads, outputs, becomes what
 * it is over those that stay.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model/message.h"
#include "model_file/reader_cyclic.h"

/* Dense matrices of a nodal diameter are twice as large. */
enum { MOST_DENSE = 1000 };

/* --- matrices ----------------------------------------------------------------------------- */

/* Index of a term among the DOFs of a sector, n, and the following one. */
static int place_of(const struct joined_dof *joined, int term, int n)
{
    return joined->dofs[term] + (joined->is_next ? n : 0);
}

/* *matrix [n * n] becomes that of the DOFs that stay, of which the structure speaks already. */
static enum masing_status join_dense(struct reader *reader, size_t n,
                                     const struct joined_dof *joined, double **matrix,
                                     double **coupling)
{
    double *whole = *matrix, *own = NULL;
    int n_kept = reader->spec->structure.n_dofs;
    enum masing_status status = whole ? reader_matrix(reader, n_kept, &own) : MASING_OK;
    for (size_t i = 0; whole && i < n * n && !status; i++) {
        const struct joined_dof *row = &joined[i % n], *column = &joined[i / n];
        int n_terms = whole[i] != 0.0 ? row->n * column->n : 0;
        for (int t = 0; t < n_terms && !status; t++) {
            int p = t % row->n, q = t / row->n;
            status = cyclic_add(reader, place_of(row, p, n_kept), place_of(column, q, n_kept),
                                whole[i] * row->weights[p] * column->weights[q], own, coupling);
        }
    }
    free(whole);
    *matrix = own;
    return status;
}

struct entry_list {
    struct sparse_entry *entries;
    size_t n;
    int n_kept;
};

/* An entry between two DOFs stands for both triangles: where both are the same one afterwards,
 * twice. What is within the following sector is the own one's. */
static void put(struct entry_list *list, const struct joined_dof *row, int p,
                const struct joined_dof *column, int q, double value)
{
    bool is_next = row->is_next && column->is_next;
    int i = is_next ? row->dofs[p] : place_of(row, p, list->n_kept);
    int j = is_next ? column->dofs[q] : place_of(column, q, list->n_kept);
    double weight = row->weights[p] * column->weights[q] * (i == j ? 2.0 : 1.0);
    list->entries[list->n++] = (struct sparse_entry){i, j, value * weight};
}

static void put_all(const struct masing_sparse *whole, const struct joined_dof *joined,
                    struct entry_list *list)
{
    for (int j = 0; j < whole->n; j++) {
        for (int64_t e = whole->start[j]; e < whole->start[j + 1]; e++) {
            const struct joined_dof *row = &joined[whole->rows[e]], *column = &joined[j];
            bool is_diagonal = row == column;
            for (int t = 0; t < row->n * column->n; t++) {
                int p = t % row->n, q = t / row->n;
                if (!is_diagonal || p > q) {
                    put(list, row, p, column, q, whole->values[e]);
                } else if (p == q) {
                    put(list, row, p, column, q, 0.5 * whole->values[e]);
                }
            }
        }
    }
}

/* *sparse becomes that of a sector and the following one. */
static enum masing_status join_sparse(struct reader *reader, const struct joined_dof *joined,
                                      struct masing_sparse *sparse)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = reader->error;
    struct masing_sparse made = {0};
    struct entry_list list = {.n_kept = reader->spec->structure.n_dofs};
    size_t count = 0;
    if (sparse->n == 0) {
        return MASING_OK;
    }
    for (int j = 0; j < sparse->n; j++) {
        for (int64_t e = sparse->start[j]; e < sparse->start[j + 1]; e++) {
            count += (size_t)(joined[sparse->rows[e]].n * joined[j].n);
        }
    }
    TRY_ALLOCATED(list.entries = memory_array(count, sizeof *list.entries));
    put_all(sparse, joined, &list);
    TRY(sparse_create(2 * list.n_kept, list.n, list.entries, &made, error));
    sparse_clear(sparse);
    *sparse = made;
done:
    free(list.entries);
    return status;
}

/* --- names -------------------------------------------------------------------------------- */

/* What stays keeps its order, and its name. */
static void number_joined(struct reader *reader, struct joined_dof *joined)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    int n = structure->n_dofs, n_kept = 0;
    for (int i = 0; i < n; i++) {
        char *name = structure->dof_names[i];
        structure->dof_names[i] = NULL;
        if (joined[i].n > 0) {
            free(name);
        } else {
            structure->dof_names[n_kept] = name;
            joined[i] = (struct joined_dof){1, {n_kept++}, {1.0}, false};
        }
    }
    for (int i = 0; i < n; i++) {
        for (int t = 0; joined[i].is_next && t < joined[i].n; t++) {
            joined[i].dofs[t] = joined[joined[i].dofs[t]].dofs[0];
        }
    }
    names_clear(&reader->dofs);
    structure->n_dofs = n_kept;
}

enum masing_status join_structure(struct reader *reader, struct joined_dof *joined)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    struct masing_cyclic_spec *cyclic = &structure->cyclic;
    const struct tree_node *section = tree_find(reader->tree->root, "structure");
    size_t n = (size_t)structure->n_dofs;
    NEED(reader_refuse(reader, structure->mass && n > MOST_DENSE, tree_find(section, "cyclic"),
                       "cyclic: a sector of %d DOFs with dense matrices or a damping matrix, "
                       "expected at most %d; larger ones are sparse, in files in coordinate "
                       "format",
                       (int)n, MOST_DENSE));
    number_joined(reader, joined);
    NEED(join_dense(reader, n, joined, &structure->mass, &cyclic->mass));
    NEED(join_dense(reader, n, joined, &structure->stiffness, &cyclic->stiffness));
    NEED(join_dense(reader, n, joined, &structure->damping, &cyclic->damping));
    NEED(join_dense(reader, n, joined, &structure->per_speed_squared,
                    &cyclic->per_speed_squared));
    NEED(join_sparse(reader, joined, &structure->sparse_mass));
    return join_sparse(reader, joined, &structure->sparse_stiffness);
}

/* --- joints, loads and outputs ------------------------------------------------------------ */

/* What was read over n DOFs of each sector. */
struct joining {
    struct reader *reader;
    const struct joined_dof *joined; /* [n] */
    int n;
};

/* Index of a term of a sum that had a DOF of @p sector; -1: of a sector that is not there. */
static int place_in_disk(const struct joining *joining, int sector,
                         const struct joined_dof *joined, int term)
{
    const struct reader *reader = joining->reader;
    int n_sectors = reader->cyclic.n_sectors, there = sector + (joined->is_next ? 1 : 0);
    there = reader->cyclic.is_unrolled ? there % n_sectors : there;
    return there > 1 && !reader->cyclic.is_unrolled
               ? -1
               : joined->dofs[term] + there * reader->spec->structure.n_dofs;
}

static enum masing_status join_sum(const struct joining *joining, struct masing_place place,
                                   struct masing_combination *sum)
{
    struct masing_error *error = joining->reader->error;
    struct masing_combination made = {.n_terms = 0};
    NEED_ALLOCATED(made.terms = memory_array(3 * (size_t)sum->n_terms, sizeof *made.terms));
    for (int t = 0; t < sum->n_terms; t++) {
        const struct joined_dof *joined = &joining->joined[sum->terms[t].dof % joining->n];
        for (int i = 0; i < joined->n; i++) {
            int dof = place_in_disk(joining, sum->terms[t].dof / joining->n, joined, i);
            if (dof < 0) {
                free(made.terms);
                return model_refuse(joining->reader->spec, place, error,
                                    "a displacement of 'high' of the following sector is one "
                                    "of the sector behind that, expected sector 0 and the "
                                    "following one");
            }
            made.terms[made.n_terms++] =
                (struct masing_term){dof, sum->terms[t].weight * joined->weights[i]};
        }
    }
    free(sum->terms);
    *sum = made;
    return MASING_OK;
}

/* Values of a motion: those of 'high' follow from 'low', and cannot be given. */
static enum masing_status join_values(const struct joining *joining, struct masing_place place,
                                      struct masing_combination *values)
{
    for (int t = 0; t < values->n_terms; t++) {
        if (joining->joined[values->terms[t].dof % joining->n].is_next) {
            return model_refuse(joining->reader->spec, place, joining->reader->error,
                                "initial: expected no DOFs of 'high', which are those of 'low' "
                                "of the following sector");
        }
    }
    return values->n_terms > 0 ? join_sum(joining, place, values) : MASING_OK;
}

/* Forces: those on 'high' act on 'low' of the following sector, so that on 'low' those of the
 * sector before act, an angle earlier. */
static enum masing_status join_forces(const struct joining *joining, double angle,
                                      double **pattern, double **imaginary)
{
    struct reader *reader = joining->reader;
    double *re = *pattern, *im = imaginary ? *imaginary : NULL, *parts[2] = {NULL, NULL};
    NEED(reader_matrix(reader, 1, &parts[0]));
    NEED(imaginary ? reader_matrix(reader, 1, &parts[1]) : MASING_OK);
    bool is_complex = false;
    for (int i = 0; i < joining->n; i++) {
        const struct joined_dof *joined = &joining->joined[i];
        double c = joined->is_next ? cos(angle) : 1.0, s = joined->is_next ? sin(angle) : 0.0;
        double a = re[i], b = im ? im[i] : 0.0;
        for (int t = 0; t < joined->n; t++) {
            double weight = joined->weights[t];
            parts[0][joined->dofs[t]] += weight * (c * a - s * b);
            if (parts[1]) {
                parts[1][joined->dofs[t]] += weight * (s * a + c * b);
                is_complex = is_complex || s * a + c * b != 0.0;
            }
        }
    }
    free(re);
    *pattern = parts[0];
    if (imaginary) {
        free(im);
        *imaginary = is_complex ? parts[1] : NULL;
        if (!is_complex) {
            free(parts[1]);
        }
    }
    return MASING_OK;
}

/* A motion of all sectors alike, each in its own axes. */
static enum masing_status join_motion(const struct joining *joining, struct masing_place place,
                                      double **motion)
{
    static const double SAME = 1e-9;
    struct reader *reader = joining->reader;
    double *whole = *motion, *own = NULL, off = 0.0, largest = 0.0;
    NEED(reader_matrix(reader, 1, &own));
    for (int i = 0; i < joining->n; i++) {
        if (!joining->joined[i].is_next) {
            own[joining->joined[i].dofs[0]] = whole[i];
        }
    }
    for (int i = 0; i < joining->n; i++) {
        const struct joined_dof *joined = &joining->joined[i];
        double expected = 0.0;
        for (int t = 0; t < joined->n; t++) {
            expected += joined->weights[t] * own[joined->dofs[t]];
        }
        off = fmax(off, fabs(whole[i] - expected));
        largest = fmax(largest, fabs(whole[i]));
    }
    free(whole);
    *motion = own;
    return off <= SAME * largest
               ? MASING_OK
               : model_refuse(reader->spec, place, reader->error,
                              "direction: in the axes of each sector it is not the same at "
                              "both boundaries, expected one along the axis of the disk, which "
                              "moves all sectors alike");
}

static enum masing_status join_loads(const struct joining *joining)
{
    struct masing_spec *spec = joining->reader->spec;
    for (int l = 0; l < spec->n_loads; l++) {
        struct masing_load_spec *load = &spec->loads[l];
        int n = joining->reader->cyclic.n_sectors;
        double angle = TWO_PI * (load->engine_order % n) / n;
        NEED(load->kind == MASING_LOAD_BASE_ACCELERATION
                 ? join_motion(joining, load->place, &load->pattern)
                 : join_forces(joining, angle, &load->pattern, &load->pattern_imaginary));
    }
    for (int l = 0; l < spec->n_static_loads; l++) {
        struct masing_static_load_spec *load = &spec->static_loads[l];
        NEED(load->is_acceleration ? join_motion(joining, load->place, &load->pattern)
                                   : join_forces(joining, 0.0, &load->pattern, NULL));
    }
    return MASING_OK;
}

enum masing_status join_the_rest(struct reader *reader, const struct joined_dof *joined, int n)
{
    struct masing_spec *spec = reader->spec;
    const struct joining joining = {reader, joined, n};
    struct masing_ringdown_settings *ringdown = &spec->ringdown;
    for (int j = 0; j < spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&spec->joints[j]); a++) {
            NEED(join_sum(&joining, spec->joints[j].place, &spec->joints[j].axes[a]));
        }
    }
    for (int o = 0; o < spec->n_outputs; o++) {
        NEED(join_sum(&joining, spec->outputs[o].place, &spec->outputs[o].combination));
    }
    NEED(ringdown->hit.n_terms > 0 ? join_sum(&joining, ringdown->place, &ringdown->hit)
                                   : MASING_OK);
    NEED(join_values(&joining, ringdown->place, &ringdown->displacements));
    NEED(join_values(&joining, ringdown->place, &ringdown->velocities));
    NEED(join_values(&joining, spec->structure.place, &spec->initial.displacements));
    NEED(join_values(&joining, spec->structure.place, &spec->initial.velocities));
    return join_loads(&joining);
}
