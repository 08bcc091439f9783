/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/ports.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"

/* Up to this many products a plain loop is faster than a call. */
enum { SMALL_PRODUCT = 64 };

static void scatter(const struct masing_combination *combination, double *pattern)
{
    for (int i = 0; i < combination->n_terms; i++) {
        pattern[combination->terms[i].dof] += combination->terms[i].weight;
    }
}

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
    int n = structure->n_dofs;
    for (int port = 0; port < ports->n_ports; port++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            const double *column = structure->flexibility + (size_t)j * (size_t)n;
            sum +=
                pattern[j] * dense_dot(n, column, ports->patterns + (size_t)port * (size_t)n);
        }
        displacement[port] = sum;
    }
}

static void fill_patterns(const struct masing_model *model, struct ports *ports)
{
    size_t n_dofs = (size_t)model->structure->n_dofs, n_modes = (size_t)ports->n_modes;
    for (int port = 0; port < ports->n_ports; port++) {
        double *pattern = ports->patterns + (size_t)port * n_dofs;
        scatter(port < ports->n_axes ? &model->axes[port]
                                     : &model->spec.outputs[port - ports->n_axes].combination,
                pattern);
        ports_modal_force(model, pattern, ports->shapes + (size_t)port * n_modes);
    }
}

static enum masing_status fill_flexibility(const struct masing_model *model,
                                           struct ports *ports, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *moved = NULL;
    size_t n_dofs = (size_t)model->structure->n_dofs, n_ports = (size_t)ports->n_ports;
    if (!model->structure->flexibility) {
        goto done;
    }
    ports->flexibility = memory_array((size_t)ports->n_axes * n_ports, sizeof(double));
    TRY_ALLOCATED(ports->flexibility);
    moved = memory_array(n_ports, sizeof(double));
    TRY_ALLOCATED(moved);
    for (size_t port = 0; port < n_ports; port++) {
        ports_flexible(model, ports, ports->patterns + port * n_dofs, moved);
        for (size_t i = 0; i < n_ports; i++) {
            ports->is_massless[port] = ports->is_massless[port] || moved[i] != 0.0;
        }
        if (port < (size_t)ports->n_axes) {
            memcpy(ports->flexibility + port * n_ports, moved, n_ports * sizeof(double));
        }
    }
done:
    free(moved);
    return status;
}

enum masing_status ports_create(const struct masing_model *model, struct ports **created,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct ports *ports = memory_array(1, sizeof *ports);
    TRY_ALLOCATED(ports);
    ports->n_modes = model->structure->n_modes;
    ports->n_axes = model->n_axes;
    ports->n_outputs = model->spec.n_outputs;
    ports->n_ports = ports->n_axes + ports->n_outputs;
    size_t n_ports = (size_t)ports->n_ports;
    ports->patterns = memory_array(n_ports * (size_t)model->structure->n_dofs, sizeof(double));
    ports->shapes = memory_array(n_ports * (size_t)ports->n_modes, sizeof(double));
    ports->is_massless = memory_array(n_ports, sizeof *ports->is_massless);
    TRY_ALLOCATED(ports->patterns);
    TRY_ALLOCATED(ports->shapes);
    TRY_ALLOCATED(ports->is_massless);
    fill_patterns(model, ports);
    TRY(fill_flexibility(model, ports, error));
done:
    if (status != MASING_OK) {
        ports_destroy(ports);
        ports = NULL;
    }
    *created = ports;
    return status;
}

void ports_destroy(struct ports *ports)
{
    if (ports) {
        free(ports->patterns);
        free(ports->shapes);
        free(ports->flexibility);
        free(ports->is_massless);
        free(ports);
    }
}

void ports_project(int n_ports, int n_modes, const double *shapes, const double *x,
                   double *ports)
{
    if (n_ports * n_modes > SMALL_PRODUCT) {
        dense_multiply_transposed(n_ports, 1, n_modes, shapes, x, ports);
        return;
    }
    for (int i = 0; i < n_ports; i++) {
        double sum = 0.0;
        for (int k = 0; k < n_modes; k++) {
            sum += shapes[i * n_modes + k] * x[k];
        }
        ports[i] = sum;
    }
}
