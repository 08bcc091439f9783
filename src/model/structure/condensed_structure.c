/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/condensed_structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/sparse.h"
#include "linalg/sparse_factor.h"
#include "linalg/sparse_modes.h"
#include "model/structure/residual_series.h"

/* Modes that were found twice are the same to this part of the largest value. */
static const double SAME_MODES = 1e-8;

struct condensed_field {
    const struct condensed_structure *structure;
    struct sparse_factor *factor;
    struct sparse_modes modes;
};

void condensed_structure_destroy(struct condensed_structure *condensed)
{
    if (condensed) {
        memory_free_texts(condensed->dof_names, condensed->n_dofs);
        free(condensed->shapes);
        sparse_clear(&condensed->mass);
        sparse_clear(&condensed->stiffness);
        for (int p = 0; condensed->ports && p < condensed->n_ports; p++) {
            free(condensed->ports[p].terms);
        }
        free(condensed->ports);
        free(condensed);
    }
}

void condensed_structure_expand(const struct condensed_structure *reduced, int n_columns,
                                const double *coordinates, double *values)
{
    size_t n = (size_t)reduced->n_coordinates, n_c = (size_t)n_columns;
    memset(values, 0, (size_t)reduced->n_dofs * n_c * sizeof *values);
    for (size_t i = 0; i < (size_t)reduced->n_dofs; i++) {
        for (size_t k = 0; k < n; k++) {
            double weight = reduced->shapes[i * n + k];
            for (size_t c = 0; weight != 0.0 && c < n_c; c++) {
                values[i * n_c + c] += weight * coordinates[k * n_c + c];
            }
        }
    }
}

/* The same computation finds the same modes, of equal frequencies too, whose combinations
 * nothing else decides. */
static enum masing_status check_modes(const struct condensed_field *field,
                                      const double *at_ports, struct masing_error *error)
{
    const struct condensed_structure *structure = field->structure;
    size_t n_ports = (size_t)structure->n_ports;
    double largest = 0.0, off = 0.0;
    for (int m = 0; m < structure->n_modes; m++) {
        const double *shape = condensed_field_mode(field, m);
        for (size_t p = 0; p < n_ports; p++) {
            double before = at_ports[(size_t)m * n_ports + p];
            largest = fmax(largest, fabs(before));
            off = fmax(off, fabs(residual_series_port(&structure->ports[p], shape) - before));
        }
    }
    return off <= SAME_MODES * largest
               ? MASING_OK
               : masing_error_set(
                     error, MASING_INTERNAL,
                     "the modes of the structure differ when they are found again");
}

enum masing_status condensed_field_create(const struct condensed_structure *condensed,
                                          const double *at_ports,
                                          struct condensed_field **field,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int weak;
    struct condensed_field *made = memory_array(1, sizeof *made);
    *field = NULL;
    NEED_ALLOCATED(made);
    made->structure = condensed;
    TRY(sparse_factor_create(&condensed->stiffness, &condensed->mass, condensed->shift,
                             &made->factor, &weak, error));
    TRY(sparse_modes_create(&condensed->stiffness, &condensed->mass, condensed->shift,
                            made->factor, condensed->n_modes, &made->modes, error));
    TRY(check_modes(made, at_ports, error));
    *field = made;
    made = NULL;
done:
    condensed_field_destroy(made);
    return status;
}

void condensed_field_destroy(struct condensed_field *field)
{
    if (field) {
        sparse_factor_destroy(field->factor);
        sparse_modes_clear(&field->modes);
        free(field);
    }
}

const double *condensed_field_mode(const struct condensed_field *field, int mode)
{
    return field->modes.shapes + (size_t)mode * (size_t)field->structure->n_dofs;
}

/* x [2 n_columns][n_dofs] = B f, real and imaginary parts side by side. */
static void spread(const struct condensed_structure *structure, int n_columns,
                   const double *forces, double *x)
{
    size_t n = (size_t)structure->n_dofs, n_ports = (size_t)structure->n_ports;
    memset(x, 0, 2 * (size_t)n_columns * n * sizeof *x);
    for (size_t c = 0; c < (size_t)n_columns; c++) {
        for (size_t p = 0; p < n_ports; p++) {
            const struct masing_combination *port = &structure->ports[p];
            const double *force = forces + 2 * (c * n_ports + p);
            for (int t = 0; t < port->n_terms; t++) {
                size_t dof = (size_t)port->terms[t].dof;
                x[2 * c * n + dof] += port->terms[t].weight * force[0];
                x[(2 * c + 1) * n + dof] += port->terms[t].weight * force[1];
            }
        }
    }
}

/* motion += factor x of each column */
static void add_term(size_t n, int n_columns, size_t n_terms, const double *factors,
                     const double *x, double *motion)
{
    for (size_t c = 0; c < (size_t)n_columns; c++) {
        const double *factor = factors + 2 * c * n_terms;
        const double *re = x + 2 * c * n, *im = re + n;
        double *to = motion + 2 * c * n;
        for (size_t i = 0; i < n; i++) {
            to[2 * i] += factor[0] * re[i] - factor[1] * im[i];
            to[2 * i + 1] += factor[0] * im[i] + factor[1] * re[i];
        }
    }
}

enum masing_status condensed_field_add_series(const struct condensed_field *field,
                                              int n_columns, const double *forces,
                                              const double *factors, double *motion,
                                              struct masing_error *error)
{
    const struct condensed_structure *structure = field->structure;
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    int n_parts = 2 * n_columns;
    size_t n = (size_t)structure->n_dofs, count = n * (size_t)n_parts;
    double *x = arena_doubles(&scratch, count), *y = arena_doubles(&scratch, count);
    double *inner = arena_doubles(&scratch, (size_t)field->modes.n * (size_t)n_parts);
    double *wide = arena_doubles(&scratch, 16 * n);
    TRY_ALLOCATED(!scratch.has_failed);
    spread(structure, n_columns, forces, x);
    for (int t = 0; t < structure->n_terms; t++) {
        if (t > 0) {
            sparse_multiply_many(&structure->mass, n_parts, x, y, wide);
            for (size_t i = 0; i < count; i++) {
                x[i] = structure->scale * y[i];
            }
        }
        TRY(sparse_factor_solve(field->factor, n_parts, x, error));
        sparse_modes_deflate(&field->modes, structure->n_dofs, n_parts, t > 0 ? 1 : 2, x,
                             inner);
        add_term(n, n_columns, (size_t)structure->n_terms, factors + 2 * t, x, motion);
    }
done:
    arena_clear(&scratch);
    return status;
}
