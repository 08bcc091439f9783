/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sector of large sparse matrices. They are there once for it and the following one, [2 n];
 * those of a nodal diameter are made of them and condensed to ports, as the matrices of an
 * ordinary structure are: weighted sums of DOFs of both sectors, of which a pair has the
 * cosines and, behind them, the sines.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/sparse.h"
#include "model/cyclic.h"
#include "model/message.h"
#include "model/structure/sparse_ports.h"
#include "model/structure/sparse_structure.h"
#include "model/structure/structure_cache.h"

/* Sectors of so few DOFs are handled as dense ones; those that need all modes up to so many. */
enum { FEW_DOFS = 200, MOST_DENSE = 1000 };

/* --- matrices of a nodal diameter --------------------------------------------------------- */

struct entry_list {
    struct sparse_entry *entries;
    size_t n;
    int size; /* DOFs of a sector */
    bool is_pair;
};

/* An entry of the cosines, and of the sines as well. */
static void put_even(struct entry_list *list, int row, int column, double value)
{
    list->entries[list->n++] = (struct sparse_entry){row, column, value};
    if (list->is_pair) {
        list->entries[list->n++] =
            (struct sparse_entry){row + list->size, column + list->size, value};
    }
}

/* Value at (p, q), and at (q, p): once on the diagonal. */
static void put_coupling(struct entry_list *list, int p, int q, double value)
{
    put_even(list, p, q, p == q ? 2.0 * value : value);
}

/* Between a cosine and a sine. */
static void put_odd(struct entry_list *list, int p, int q, double value)
{
    if (list->is_pair && p != q) {
        list->entries[list->n++] = (struct sparse_entry){p, q + list->size, value};
        list->entries[list->n++] = (struct sparse_entry){q, p + list->size, -value};
    }
}

/* First the mean, then what the angle takes from it: a little in few nodal diameters. */
static void put_sector(const struct masing_sparse *sector, struct cyclic_angle angle,
                       struct entry_list *list)
{
    int n = list->size;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < sector->n; j++) {
            for (int64_t e = sector->start[j]; e < sector->start[j + 1]; e++) {
                int row = (int)sector->rows[e];
                double value = sector->values[e];
                bool is_coupling = j < n && row >= n;
                if (is_coupling && pass == 1) {
                    put_coupling(list, j, row - n, -angle.versine * value);
                    put_odd(list, j, row - n, angle.sine * value);
                } else if (is_coupling) {
                    put_coupling(list, j, row - n, value);
                } else if (pass == 0) {
                    put_even(list, row % n, j % n, value);
                }
            }
        }
    }
}

static enum masing_status make_matrix(const struct cyclic *cyclic,
                                      const struct masing_sparse *sector, int number,
                                      struct masing_sparse *matrix, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct entry_list list = {.size = sector->n / 2, .is_pair = cyclic_is_pair(cyclic, number)};
    size_t count = (size_t)sector->start[sector->n]; /* of which each is six entries at most */
    TRY_ALLOCATED(list.entries = memory_array(6 * count, sizeof *list.entries));
    put_sector(sector, cyclic_angle_of(cyclic, number), &list);
    TRY(sparse_create(list.is_pair ? sector->n : list.size, list.n, list.entries, matrix,
                      error));
done:
    free(list.entries);
    return status;
}

/* --- ports -------------------------------------------------------------------------------- */

/* Those of a nodal diameter, in the arena. */
static enum masing_status project_ports(const struct cyclic *cyclic, int n, int number,
                                        struct arena *arena, struct masing_combination **ports,
                                        struct masing_error *error)
{
    int copies = cyclic_is_pair(cyclic, number) ? 2 : 1;
    *ports = arena_array(arena, (size_t)(cyclic->n_ports * copies), sizeof **ports);
    NEED_ALLOCATED(*ports);
    for (int p = 0; p < cyclic->n_ports * copies; p++) {
        const struct masing_combination *port = &cyclic->ports[p % cyclic->n_ports];
        struct masing_term *terms =
            arena_array(arena, 2 * (size_t)port->n_terms, sizeof *terms);
        NEED_ALLOCATED(terms);
        (*ports)[p] = cyclic_project_over(cyclic, n, number, p >= cyclic->n_ports, port, terms);
    }
    return MASING_OK;
}

static enum masing_status keep_ports(const struct sparse_ports *ports, struct cyclic *cyclic,
                                     struct masing_error *error)
{
    cyclic->ports = memory_array((size_t)ports->n, sizeof *cyclic->ports);
    NEED_ALLOCATED(cyclic->ports);
    for (int p = 0; p < ports->n; p++) {
        const struct masing_combination *port = &ports->list[p];
        struct masing_combination *kept = &cyclic->ports[cyclic->n_ports++];
        kept->n_terms = port->n_terms;
        kept->terms = memory_copy(port->terms, (size_t)port->n_terms, sizeof *port->terms);
        NEED_ALLOCATED(kept->terms);
    }
    return MASING_OK;
}

static void forget_ports(struct cyclic *cyclic)
{
    for (int p = 0; p < cyclic->n_ports; p++) {
        free(cyclic->ports[p].terms);
    }
    free(cyclic->ports);
    cyclic->ports = NULL;
    cyclic->n_ports = 0;
}

/* --- the mean ----------------------------------------------------------------------------- */

static enum masing_status expand_matrix(int n_dofs, struct masing_sparse *sector, double **own,
                                        double **coupling, struct masing_error *error)
{
    size_t n = (size_t)n_dofs;
    NEED_ALLOCATED(*own = memory_array(n * n, sizeof **own));
    NEED_ALLOCATED(*coupling = memory_array(n * n, sizeof **coupling));
    for (size_t j = 0; j < 2 * n; j++) {
        for (int64_t e = sector->start[j]; e < sector->start[j + 1]; e++) {
            size_t row = (size_t)sector->rows[e], own_row = row % n, column = j % n;
            double value = sector->values[e];
            if (j < n && row >= n) {
                (*coupling)[j + own_row * n] += value;
            } else {
                (*own)[own_row + column * n] += value;
                (*own)[column + own_row * n] += own_row == column ? 0.0 : value;
            }
        }
    }
    sparse_clear(sector);
    return MASING_OK;
}

static enum masing_status expand(struct masing_structure_spec *structure,
                                 struct masing_error *error)
{
    NEED(expand_matrix(structure->n_dofs, &structure->sparse_mass, &structure->mass,
                       &structure->cyclic.mass, error));
    return expand_matrix(structure->n_dofs, &structure->sparse_stiffness, &structure->stiffness,
                         &structure->cyclic.stiffness, error);
}

/* The sector's matrices go to the model and come back. */
static void swap_matrices(struct cyclic *cyclic, struct masing_structure_spec *structure)
{
    struct masing_sparse mass = cyclic->mass, stiffness = cyclic->stiffness;
    cyclic->mass = structure->sparse_mass;
    cyclic->stiffness = structure->sparse_stiffness;
    structure->sparse_mass = mass;
    structure->sparse_stiffness = stiffness;
}

static enum masing_status take_mean(struct masing_model *model, struct sparse_ports *ports,
                                    bool *wants_all, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_structure_spec *structure = &model->spec.structure;
    struct cyclic *cyclic = model->cyclic;
    struct masing_combination *projected;
    struct arena arena = {0};
    int n = structure->n_dofs;
    TRY(make_matrix(cyclic, &cyclic->mass, 0, &structure->sparse_mass, error));
    TRY(make_matrix(cyclic, &cyclic->stiffness, 0, &structure->sparse_stiffness, error));
    TRY(sparse_structure_check(&model->spec, error));
    TRY(sparse_ports_take(&model->spec, 2 * n, ports, error));
    TRY(keep_ports(ports, cyclic, error));
    TRY(project_ports(cyclic, n, 0, &arena, &projected, error));
    TRY(sparse_structure_condense_to(&model->spec, ports->n, projected, ports->names, wants_all,
                                     error));
done:
    arena_clear(&arena);
    return status;
}

static enum masing_status check_size(const struct masing_spec *spec, struct masing_error *error)
{
    const struct masing_structure_spec *given = &spec->structure;
    int rows = 2 * given->n_dofs;
    return given->sparse_mass.n == rows && given->sparse_stiffness.n == rows
               ? MASING_OK
               : model_refuse(spec, given->place, error,
                              "structure: sparse matrices of %d and %d rows, expected %d, one "
                              "for each DOF of a sector and of the following one",
                              given->sparse_mass.n, given->sparse_stiffness.n, rows);
}

enum masing_status cyclic_take_sparse(struct masing_model *model, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_structure_spec *structure = &model->spec.structure;
    struct cyclic *cyclic = model->cyclic;
    struct sparse_ports ports = {.n = 0};
    bool needs_all = sparse_structure_needs_all(&model->spec), wants_all = false;
    int n = structure->n_dofs;
    if (structure->sparse_mass.n == 0) {
        return MASING_OK;
    }
    NEED(check_size(&model->spec, error));
    if (n <= (needs_all ? MOST_DENSE : FEW_DOFS)) {
        return expand(structure, error);
    }
    NEED(sparse_structure_refuse_large(&model->spec, MOST_DENSE, 2, error));
    swap_matrices(cyclic, structure);
    status = take_mean(model, &ports, &wants_all, error);
    if (status != MASING_OK && wants_all && n <= MOST_DENSE) {
        sparse_ports_give_back(&ports);
        forget_ports(cyclic);
        swap_matrices(cyclic, structure);
        sparse_clear(&cyclic->mass);
        sparse_clear(&cyclic->stiffness);
        status = expand(structure, error);
        goto done;
    }
    TRY(status);
    TRY(sparse_ports_set_loads(&ports, error));
done:
    sparse_ports_clear(&ports);
    return status;
}

/* --- the other nodal diameters ------------------------------------------------------------ */

enum masing_status cyclic_condense(const struct masing_model *model, int number,
                                   struct masing_spec *modal, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct cyclic *cyclic = model->cyclic;
    const struct masing_structure_spec *given = &model->spec.structure;
    struct masing_combination *ports;
    struct arena arena = {0};
    bool wants_all = false;
    int copies = cyclic_is_pair(cyclic, number) ? 2 : 1;
    struct masing_spec asked = model->spec; /* for its range and where it stands */
    asked.structure = (struct masing_structure_spec){
        .n_dofs = copies * cyclic->mass.n / 2,
        .keeps_motion = given->keeps_motion,
        .cache = given->cache,
        .place = given->place,
        .mass_place = given->mass_place,
        .stiffness_place = given->stiffness_place,
    };
    TRY(make_matrix(cyclic, &cyclic->mass, number, &asked.structure.sparse_mass, error));
    TRY(make_matrix(cyclic, &cyclic->stiffness, number, &asked.structure.sparse_stiffness,
                    error));
    TRY(project_ports(cyclic, cyclic->mass.n / 2, number, &arena, &ports, error));
    TRY(sparse_structure_condense_to(&asked, copies * cyclic->n_ports, ports, NULL, &wants_all,
                                     error));
done:
    asked.structure.cache = NULL;
    modal->structure = asked.structure;
    arena_clear(&arena);
    return status == MASING_UNSUPPORTED && wants_all
               ? model_refuse(&model->spec, given->place, error,
                              "structure: too few modes of a sector's nodal diameter %d were "
                              "found below its highest harmonic: expected fewer harmonics or "
                              "lower frequencies",
                              number)
               : status;
}
