/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/ports.h"

#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/symmetric.h"

void ports_modal_force(const struct masing_model *model, const double *pattern, double *force)
{
    const struct structure *structure = model->structure;
    dense_multiply_transposed(structure->n_modes, 1, structure->n_dofs, structure->shapes,
                              pattern, force);
}

void ports_flexible(const struct masing_model *model, const struct ports *ports,
                    const double *pattern, double *displacement)
{
    const struct structure *structure = model->structure;
    size_t n = (size_t)structure->n_dofs;
    memset(ports->reach, 0, n * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        if (pattern[j] != 0.0) {
            symmetric_add_column(n, structure->flexibility, j, pattern[j], ports->reach);
        }
    }
    dense_multiply_vector(structure->n_dofs, ports->n_ports, true, ports->patterns,
                          ports->reach, displacement);
}

double ports_flexible_value(const struct ports *ports, int port, const double *loads,
                            const double *joint_force)
{
    if (!ports->flexibility) {
        return 0.0;
    }
    double value = loads[port];
    for (int axis = 0; axis < ports->n_axes; axis++) {
        value -= ports->flexibility[(size_t)axis * (size_t)ports->n_ports + (size_t)port] *
                 joint_force[axis];
    }
    return value;
}

enum masing_status ports_create(const struct masing_model *model, struct arena *arena,
                                struct ports **created, struct masing_error *error)
{
    const struct structure *structure = model->structure;
    struct ports *ports = arena_array(arena, 1, sizeof *ports);
    NEED_ALLOCATED(ports);
    ports->n_modes = structure->n_modes;
    ports->n_axes = model->n_axes;
    ports->n_outputs = model->spec.n_outputs;
    ports->n_ports = ports->n_axes + ports->n_outputs;
    size_t n_ports = (size_t)ports->n_ports, n_axes = (size_t)ports->n_axes;
    ports->patterns = arena_doubles(arena, n_ports * (size_t)structure->n_dofs);
    ports->shapes = arena_doubles(arena, n_ports * (size_t)ports->n_modes);
    ports->is_massless = arena_array(arena, n_ports, sizeof *ports->is_massless);
    NEED_ALLOCATED(!arena->has_failed);
    for (size_t port = 0; port < n_ports; port++) {
        const struct masing_combination *combination =
            port < n_axes ? &model->axes[port]
                          : &model->spec.outputs[port - n_axes].combination;
        double *pattern = ports->patterns + port * (size_t)structure->n_dofs;
        for (int i = 0; i < combination->n_terms; i++) {
            pattern[combination->terms[i].dof] += combination->terms[i].weight;
        }
        ports_modal_force(model, pattern, ports->shapes + port * (size_t)ports->n_modes);
    }
    if (structure->flexibility) {
        double *moved = arena_doubles(arena, n_ports);
        ports->reach = arena_doubles(arena, (size_t)structure->n_dofs);
        ports->flexibility = arena_doubles(arena, n_axes * n_ports);
        NEED_ALLOCATED(moved && ports->reach && ports->flexibility);
        for (size_t port = 0; port < n_ports; port++) {
            ports_flexible(model, ports, ports->patterns + port * (size_t)structure->n_dofs,
                           moved);
            ports->is_massless[port] = !dense_is_zero(n_ports, moved);
            if (port < n_axes) {
                memcpy(ports->flexibility + port * n_ports, moved, n_ports * sizeof(double));
            }
        }
    }
    *created = ports;
    return MASING_OK;
}
