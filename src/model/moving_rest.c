/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/moving_rest.h"

#include <string.h>

static bool same_doubles(const double *a, const double *b, size_t n)
{
    return (!a == !b) && (!a || n == 0 || memcmp(a, b, n * sizeof *a) == 0);
}

static bool same_damping(const struct masing_damping_spec *a,
                         const struct masing_damping_spec *b)
{
    return a->kind == b->kind && a->modes_are_stuck == b->modes_are_stuck &&
           a->n_ratios == b->n_ratios && a->alpha == b->alpha && a->beta == b->beta &&
           a->loss_factor == b->loss_factor &&
           same_doubles(a->ratios, b->ratios, (size_t)a->n_ratios);
}

static bool same_structure(const struct masing_structure_spec *a,
                           const struct masing_structure_spec *b)
{
    size_t n = (size_t)a->n_dofs, n_modes = (size_t)a->n_modes;
    return a->n_dofs == b->n_dofs && a->n_modes == b->n_modes &&
           same_doubles(a->mass, b->mass, n * n) &&
           same_doubles(a->stiffness, b->stiffness, n * n) &&
           same_doubles(a->damping, b->damping, n * n) &&
           same_doubles(a->omega_modes, b->omega_modes, n_modes) &&
           same_doubles(a->mode_shapes, b->mode_shapes, n * n_modes) &&
           same_damping(&a->form, &b->form);
}

static bool same_axis(const struct masing_combination *a, const struct masing_combination *b)
{
    bool is_same = a->n_terms == b->n_terms;
    for (int t = 0; is_same && t < a->n_terms; t++) {
        is_same =
            a->terms[t].dof == b->terms[t].dof && a->terms[t].weight == b->terms[t].weight;
    }
    return is_same;
}

static bool same_joints(const struct masing_spec *a, const struct masing_spec *b)
{
    bool is_same = a->n_joints == b->n_joints;
    for (int j = 0; is_same && j < a->n_joints; j++) {
        const struct masing_joint_spec *p = &a->joints[j], *q = &b->joints[j];
        is_same = p->law == q->law && masing_joint_spec_axes(p) == masing_joint_spec_axes(q) &&
                  p->area == q->area;
        for (int i = 0; is_same && i < masing_joint_spec_axes(p); i++) {
            is_same = same_axis(&p->axes[i], &q->axes[i]);
        }
    }
    return is_same;
}

static bool same_loads(const struct masing_spec *a, const struct masing_spec *b)
{
    size_t n = (size_t)a->structure.n_dofs;
    bool is_same = a->n_loads == b->n_loads;
    for (int l = 0; is_same && l < a->n_loads; l++) {
        const struct masing_load_spec *p = &a->loads[l], *q = &b->loads[l];
        is_same = p->kind == q->kind && p->harmonic == q->harmonic && p->phase == q->phase &&
                  p->n_table == q->n_table && same_doubles(p->pattern, q->pattern, n) &&
                  same_doubles(p->pattern_imaginary, q->pattern_imaginary, n) &&
                  same_doubles(p->table, q->table, 3 * (size_t)p->n_table);
    }
    return is_same;
}

static bool same_static_loads(const struct masing_spec *a, const struct masing_spec *b)
{
    size_t n = (size_t)a->structure.n_dofs;
    bool is_same = a->n_static_loads == b->n_static_loads;
    for (int l = 0; is_same && l < a->n_static_loads; l++) {
        const struct masing_static_load_spec *p = &a->static_loads[l], *q = &b->static_loads[l];
        is_same = p->is_acceleration == q->is_acceleration &&
                  p->acceleration == q->acceleration && same_doubles(p->pattern, q->pattern, n);
    }
    /* the load factor scales them as well */
    return is_same && (a->n_static_loads == 0 || a->load_factor == b->load_factor);
}

static bool same_settings(const struct masing_spec *a, const struct masing_spec *b)
{
    size_t n = (size_t)a->n_harmonics;
    return a->n_outputs == b->n_outputs && a->n_harmonics == b->n_harmonics &&
           memcmp(a->harmonics, b->harmonics, n * sizeof *a->harmonics) == 0 &&
           a->n_samples == b->n_samples && a->omega_from == b->omega_from &&
           a->omega_to == b->omega_to && memcmp(&a->solver, &b->solver, sizeof a->solver) == 0;
}

enum masing_status moving_check_rest(const struct moving_specs *specs,
                                     struct masing_error *error)
{
    const struct masing_spec *first = specs->at[0];
    const char *what = NULL;
    for (int k = 1; k < 3 && !what; k++) {
        const struct masing_spec *other = specs->at[k];
        what = !same_structure(&first->structure, &other->structure) ? "the structure depends"
               : !same_joints(first, other)       ? "the axes of a joint depend"
               : !same_loads(first, other)        ? "a load depends, not only by its amplitude,"
               : !same_static_loads(first, other) ? "the static loads depend"
               : !same_settings(first, other)     ? "a setting depends"
                                                  : NULL;
    }
    return what ? masing_error_set(error, MASING_UNSUPPORTED,
                                   "%s on it, which is not supported yet: along a curve "
                                   "numbers of joints and amplitudes of loads can vary",
                                   what)
                : MASING_OK;
}
