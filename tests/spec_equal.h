/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Are two specifications the same to the last bit? Places and file names do not count. */
#ifndef MASING_TESTS_SPEC_EQUAL_H
#define MASING_TESTS_SPEC_EQUAL_H

#include <string.h>

#include "masing/model.h"

static inline bool spec_same_bytes(const void *a, const void *b, size_t count, size_t size)
{
    return (!a == !b) && (!a || !count || memcmp(a, b, count * size) == 0);
}

static inline bool spec_same_text(const char *a, const char *b)
{
    return (!a == !b) && (!a || strcmp(a, b) == 0);
}

static inline bool spec_same_combination(const struct masing_combination *a,
                                         const struct masing_combination *b)
{
    bool is_same = a->n_terms == b->n_terms;
    for (int i = 0; is_same && i < a->n_terms; i++) {
        is_same =
            a->terms[i].dof == b->terms[i].dof && a->terms[i].weight == b->terms[i].weight;
    }
    return is_same;
}

static inline bool spec_same_reduced(const struct masing_structure_spec *a,
                                     const struct masing_structure_spec *b)
{
    const struct masing_reduced_structure *f = a->reduced, *g = b->reduced;
    if (!f || !g || f->n != g->n || f->n_combinations != g->n_combinations) {
        return !f && !g;
    }
    size_t n = (size_t)f->n, n_dofs = (size_t)a->n_dofs, sums = (size_t)f->n_combinations;
    return f->n_rigid == g->n_rigid && spec_same_bytes(f->dofs, g->dofs, n, sizeof(int)) &&
           spec_same_bytes(f->shapes, g->shapes, n * n_dofs, sizeof(double)) &&
           spec_same_bytes(f->combinations, g->combinations, sums * n_dofs, sizeof(double)) &&
           spec_same_bytes(f->are_directions, g->are_directions, sums, sizeof(int)) &&
           spec_same_bytes(f->inertias, g->inertias, sums * n, sizeof(double));
}

static inline bool spec_same_structure(const struct masing_structure_spec *a,
                                       const struct masing_structure_spec *b)
{
    if (a->n_dofs != b->n_dofs || a->n_modes != b->n_modes || !spec_same_reduced(a, b)) {
        return false;
    }
    size_t n = (size_t)a->n_dofs, modes = (size_t)a->n_modes;
    bool is_same = true;
    for (size_t i = 0; i < n; i++) {
        is_same = is_same && spec_same_text(a->dof_names[i], b->dof_names[i]);
    }
    const struct masing_damping_spec *f = &a->form, *g = &b->form;
    n = a->reduced ? (size_t)a->reduced->n : n; /* rows of the matrices */
    const struct masing_cyclic_spec *c = &a->cyclic, *d = &b->cyclic;
    return is_same && c->n_sectors == d->n_sectors &&
           spec_same_bytes(c->mass, d->mass, n * n, sizeof(double)) &&
           spec_same_bytes(c->stiffness, d->stiffness, n * n, sizeof(double)) &&
           spec_same_bytes(c->damping, d->damping, n * n, sizeof(double)) &&
           spec_same_bytes(a->mass, b->mass, n * n, sizeof(double)) &&
           spec_same_bytes(a->stiffness, b->stiffness, n * n, sizeof(double)) &&
           spec_same_bytes(a->damping, b->damping, n * n, sizeof(double)) &&
           spec_same_bytes(a->omega_modes, b->omega_modes, modes, sizeof(double)) &&
           spec_same_bytes(a->mode_shapes, b->mode_shapes, n * modes, sizeof(double)) &&
           f->kind == g->kind && f->modes_are_stuck == g->modes_are_stuck &&
           f->n_ratios == g->n_ratios && f->alpha == g->alpha && f->beta == g->beta &&
           f->loss_factor == g->loss_factor &&
           spec_same_bytes(f->ratios, g->ratios, (size_t)f->n_ratios, sizeof(double));
}

static inline bool spec_same_joint(const struct masing_joint_spec *a,
                                   const struct masing_joint_spec *b)
{
    bool is_same = spec_same_text(a->name, b->name) && a->law == b->law &&
                   masing_joint_spec_axes(a) == masing_joint_spec_axes(b) &&
                   a->present == b->present && a->area == b->area &&
                   spec_same_bytes(a->parameters, b->parameters, 1, a->law->parameters_size);
    for (int i = 0; is_same && i < masing_joint_spec_axes(a); i++) {
        is_same = spec_same_combination(&a->axes[i], &b->axes[i]);
    }
    return is_same;
}

static inline bool spec_same_load(const struct masing_load_spec *a,
                                  const struct masing_load_spec *b, size_t n)
{
    return spec_same_text(a->name, b->name) && a->kind == b->kind &&
           a->harmonic == b->harmonic && a->engine_order == b->engine_order &&
           a->amplitude == b->amplitude && a->phase == b->phase &&
           spec_same_bytes(a->pattern, b->pattern, n, sizeof(double)) &&
           spec_same_bytes(a->pattern_imaginary, b->pattern_imaginary, n, sizeof(double)) &&
           a->n_table == b->n_table &&
           spec_same_bytes(a->table, b->table, 3 * (size_t)a->n_table, sizeof(double));
}

static inline bool spec_same_static_load(const struct masing_static_load_spec *a,
                                         const struct masing_static_load_spec *b, size_t n)
{
    return a->is_acceleration == b->is_acceleration && a->acceleration == b->acceleration &&
           spec_same_bytes(a->pattern, b->pattern, n, sizeof(double));
}

static inline bool spec_same_lists(const struct masing_spec *a, const struct masing_spec *b)
{
    size_t n = (size_t)a->structure.n_dofs;
    bool is_same = a->n_joints == b->n_joints && a->n_loads == b->n_loads &&
                   a->n_static_loads == b->n_static_loads && a->n_outputs == b->n_outputs;
    for (int i = 0; is_same && i < a->n_joints; i++) {
        is_same = spec_same_joint(&a->joints[i], &b->joints[i]);
    }
    for (int i = 0; is_same && i < a->n_loads; i++) {
        is_same = spec_same_load(&a->loads[i], &b->loads[i], n);
    }
    for (int i = 0; is_same && i < a->n_static_loads; i++) {
        is_same = spec_same_static_load(&a->static_loads[i], &b->static_loads[i], n);
    }
    for (int i = 0; is_same && i < a->n_outputs; i++) {
        is_same = spec_same_text(a->outputs[i].name, b->outputs[i].name) &&
                  a->outputs[i].quantity == b->outputs[i].quantity &&
                  spec_same_combination(&a->outputs[i].combination, &b->outputs[i].combination);
    }
    return is_same;
}

static inline bool spec_same_fields(const struct masing_field *fields, int n_fields,
                                    const void *a, const void *b)
{
    for (int i = 0; i < n_fields; i++) {
        if (masing_field_value(&fields[i], a) != masing_field_value(&fields[i], b)) {
            return false;
        }
    }
    return true;
}

/* The number of samples is compared only where both say it. */
static inline bool spec_same(const struct masing_spec *a, const struct masing_spec *b)
{
    return spec_same_text(a->title, b->title) &&
           spec_same_structure(&a->structure, &b->structure) && spec_same_lists(a, b) &&
           a->mode.number == b->mode.number &&
           a->mode.amplitude_from == b->mode.amplitude_from &&
           a->mode.amplitude_to == b->mode.amplitude_to && a->load_factor == b->load_factor &&
           a->peak_output == b->peak_output && a->peak_measure == b->peak_measure &&
           a->omega_from == b->omega_from && a->omega_to == b->omega_to &&
           a->n_harmonics == b->n_harmonics &&
           a->harmonics_tolerance == b->harmonics_tolerance &&
           spec_same_bytes(a->harmonics, b->harmonics, (size_t)a->n_harmonics, sizeof(int)) &&
           (!a->n_samples || !b->n_samples || a->n_samples == b->n_samples) &&
           a->forces == b->forces && a->start == b->start &&
           spec_same_fields(masing_solver_fields, masing_n_solver_fields, &a->solver,
                            &b->solver) &&
           spec_same_fields(masing_integration_fields, masing_n_integration_fields,
                            &a->integration, &b->integration);
}

#endif
