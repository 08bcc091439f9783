/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/sparse_ports.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/sparse.h"

/* Patterns of more DOFs than these are ports of their own. */
enum { FEW_DOFS = 6 };

/* --- ports -------------------------------------------------------------------------------- */

/* terms are copied; name is owned by the ports then, NULL: none was to be had. */
static enum masing_status add_port(struct sparse_ports *ports, int n_terms,
                                   const struct masing_term *terms, char *name, int *index,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)ports->n;
    struct masing_combination port = {.n_terms = n_terms};
    port.terms = arena_array(&ports->arena, (size_t)n_terms, sizeof *terms);
    TRY_ALLOCATED(name && port.terms);
    TRY_ALLOCATED(
        memory_grow((void **)&ports->list, n + 1, &ports->capacity, sizeof *ports->list));
    TRY_ALLOCATED(memory_grow((void **)&ports->names, n + 1, &ports->names_capacity,
                              sizeof *ports->names));
    memcpy(port.terms, terms, (size_t)n_terms * sizeof *terms);
    *index = ports->n;
    ports->list[n] = port;
    ports->names[n] = name;
    ports->n++;
    name = NULL;
done:
    free(name);
    return status;
}

/* Of the following sector where it is behind those of the structure. */
static char *name_of(const struct sparse_ports *ports, int dof)
{
    char *const *names = ports->spec->structure.dof_names;
    bool is_next = dof >= ports->n_dofs;
    int own = is_next ? dof - ports->n_dofs : dof;
    return names ? memory_format("%s%s", is_next ? "next." : "", names[own])
                 : memory_format("%s%d", is_next ? "next." : "", own + 1);
}

static enum masing_status add_dof(struct sparse_ports *ports, int dof,
                                  struct masing_error *error)
{
    const struct masing_term term = {dof, 1.0};
    return ports->of_dof[dof] >= 0
               ? MASING_OK
               : add_port(ports, 1, &term, name_of(ports, dof), &ports->of_dof[dof], error);
}

/* DOFs of a combination become ports; one of more than so many DOFs becomes one port, of
 * weight 1. */
static enum masing_status take_combination(struct sparse_ports *ports, int most,
                                           struct masing_combination *combination,
                                           const char *what, int number,
                                           struct masing_error *error)
{
    int n = combination->n_terms;
    struct masing_term *terms = combination->terms;
    for (int t = 0; n <= most && t < n; t++) {
        NEED(add_dof(ports, terms[t].dof, error));
        terms[t].dof = ports->of_dof[terms[t].dof];
    }
    if (n > most) {
        NEED(add_port(ports, n, terms, memory_format("%s %d", what, number), &terms[0].dof,
                      error));
        terms[0].weight = 1.0;
        combination->n_terms = 1;
    }
    return MASING_OK;
}

static enum masing_status take_force(struct sparse_ports *ports, double **place,
                                     const double *pattern, const char *what, int number,
                                     struct sparse_force *force, struct masing_error *error)
{
    int count = 0;
    *force = (struct sparse_force){.place = place, .is_none = !pattern};
    for (int i = 0; pattern && i < ports->n_dofs; i++) {
        count += pattern[i] != 0.0;
    }
    struct masing_term *terms = arena_array(&ports->arena, (size_t)count, sizeof *terms);
    NEED_ALLOCATED(terms);
    force->over.terms = terms;
    for (int i = 0; pattern && i < ports->n_dofs; i++) {
        if (pattern[i] != 0.0) {
            terms[force->over.n_terms++] = (struct masing_term){i, pattern[i]};
        }
    }
    return take_combination(ports, FEW_DOFS, &force->over, what, number, error);
}

/* --- loads -------------------------------------------------------------------------------- */

static enum masing_status take_inertia(struct sparse_ports *ports, const double *direction,
                                       const double **force, struct masing_error *error)
{
    double *product = arena_doubles(&ports->arena, (size_t)ports->n_dofs);
    NEED_ALLOCATED(product);
    sparse_multiply(&ports->spec->structure.sparse_mass, 1, direction, product);
    *force = product;
    return MASING_OK;
}

static enum masing_status take_loads(struct sparse_ports *ports, struct masing_error *error)
{
    struct masing_spec *spec = ports->spec;
    const double *inertia = NULL;
    ports->forces =
        arena_array(&ports->arena, 2 * (size_t)spec->n_loads + (size_t)spec->n_static_loads,
                    sizeof *ports->forces);
    NEED_ALLOCATED(ports->forces);
    for (int l = 0; l < spec->n_loads; l++) {
        struct masing_load_spec *load = &spec->loads[l];
        struct sparse_force *force = &ports->forces[ports->n_forces];
        if (load->kind == MASING_LOAD_BASE_ACCELERATION) {
            NEED(take_inertia(ports, load->pattern, &inertia, error));
            NEED(
                take_force(ports, &load->inertia, inertia, "base motion", l + 1, force, error));
            ports->n_forces++;
            continue;
        }
        NEED(take_force(ports, &load->pattern, load->pattern, "load", l + 1, force, error));
        NEED(take_force(ports, &load->pattern_imaginary, load->pattern_imaginary,
                        "imaginary part of load", l + 1, force + 1, error));
        ports->n_forces += 2;
    }
    for (int l = 0; l < spec->n_static_loads; l++) {
        struct masing_static_load_spec *load = &spec->static_loads[l];
        inertia = load->pattern;
        if (load->is_acceleration) {
            NEED(take_inertia(ports, load->pattern, &inertia, error));
        }
        NEED(take_force(ports, &load->pattern, inertia, "static load", l + 1,
                        &ports->forces[ports->n_forces++], error));
    }
    return MASING_OK;
}

static enum masing_status take_combinations(struct sparse_ports *ports,
                                            struct masing_error *error)
{
    struct masing_spec *spec = ports->spec;
    int n_axes = 0;
    for (int j = 0; j < spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&spec->joints[j]); a++) {
            NEED(take_combination(ports, 1, &spec->joints[j].axes[a], "axis of joint", ++n_axes,
                                  error));
        }
    }
    for (int o = 0; o < spec->n_outputs; o++) {
        NEED(take_combination(ports, FEW_DOFS, &spec->outputs[o].combination, "output", o + 1,
                              error));
    }
    return take_combination(ports, FEW_DOFS, &spec->ringdown.hit, "impulse", 1, error);
}

enum masing_status sparse_ports_take(struct masing_spec *spec, int n_space,
                                     struct sparse_ports *ports, struct masing_error *error)
{
    *ports = (struct sparse_ports){.spec = spec, .n_dofs = spec->structure.n_dofs};
    ports->of_dof = arena_array(&ports->arena, (size_t)n_space, sizeof(int));
    NEED_ALLOCATED(ports->of_dof);
    for (int i = 0; i < n_space; i++) {
        ports->of_dof[i] = -1;
    }
    NEED(take_combinations(ports, error));
    NEED(take_loads(ports, error));
    return ports->n == 0 ? add_dof(ports, 0, error) : MASING_OK;
}

void sparse_ports_clear(struct sparse_ports *ports)
{
    memory_free_texts(ports->names, ports->n);
    free(ports->list);
    arena_clear(&ports->arena);
}

/* --- the specification afterwards --------------------------------------------------------- */

/* What take_combination did, undone. */
static void give_back(const struct sparse_ports *ports, struct masing_combination *combination)
{
    const struct masing_combination *over =
        combination->n_terms > 0 ? &ports->list[combination->terms[0].dof] : NULL;
    if (over && over->n_terms > 1) {
        combination->n_terms = over->n_terms;
        memcpy(combination->terms, over->terms,
               (size_t)over->n_terms * sizeof *combination->terms);
        return;
    }
    for (int t = 0; t < combination->n_terms; t++) {
        struct masing_term *term = &combination->terms[t];
        term->dof = ports->list[term->dof].terms[0].dof;
    }
}

void sparse_ports_give_back(const struct sparse_ports *ports)
{
    struct masing_spec *spec = ports->spec;
    for (int j = 0; j < spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&spec->joints[j]); a++) {
            give_back(ports, &spec->joints[j].axes[a]);
        }
    }
    for (int o = 0; o < spec->n_outputs; o++) {
        give_back(ports, &spec->outputs[o].combination);
    }
}

/* Owned by the specification: what a pattern is over the ports. */
static enum masing_status set_pattern(const struct sparse_ports *ports,
                                      const struct sparse_force *force,
                                      struct masing_error *error)
{
    double *pattern = force->is_none ? NULL : memory_array((size_t)ports->n, sizeof *pattern);
    NEED_ALLOCATED(pattern || force->is_none);
    for (int t = 0; pattern && t < force->over.n_terms; t++) {
        pattern[force->over.terms[t].dof] += force->over.terms[t].weight;
    }
    free(*force->place);
    *force->place = pattern;
    return MASING_OK;
}

/* The direction of the base over the ports. */
static enum masing_status set_direction(const struct sparse_ports *ports, double **direction,
                                        struct masing_error *error)
{
    double *values = memory_array((size_t)ports->n, sizeof *values);
    NEED_ALLOCATED(values);
    for (int p = 0; p < ports->n; p++) { /* alike in all sectors */
        const struct masing_combination *port = &ports->list[p];
        for (int t = 0; t < port->n_terms; t++) {
            values[p] +=
                port->terms[t].weight * (*direction)[port->terms[t].dof % ports->n_dofs];
        }
    }
    free(*direction);
    *direction = values;
    return MASING_OK;
}

enum masing_status sparse_ports_set_loads(const struct sparse_ports *ports,
                                          struct masing_error *error)
{
    struct masing_spec *spec = ports->spec;
    for (int l = 0; l < spec->n_loads; l++) {
        if (spec->loads[l].kind == MASING_LOAD_BASE_ACCELERATION) {
            NEED(set_direction(ports, &spec->loads[l].pattern, error));
        }
    }
    for (int f = 0; f < ports->n_forces; f++) {
        NEED(set_pattern(ports, &ports->forces[f], error));
    }
    for (int l = 0; l < spec->n_static_loads; l++) { /* forces now */
        struct masing_static_load_spec *load = &spec->static_loads[l];
        for (int p = 0; load->is_acceleration && p < ports->n; p++) {
            load->pattern[p] *= load->acceleration;
        }
        load->is_acceleration = false;
    }
    return MASING_OK;
}
