/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/reduce/needs.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* Sums of so many DOFs keep them all; of more they are kept as sums. */
enum { MOST_TERMS = 24 };

void needs_clear(struct needs *needs)
{
    free(needs->is_kept);
    free(needs->combinations);
    free(needs->are_directions);
    *needs = (struct needs){0};
}

void needs_add_dof(struct needs *needs, int dof)
{
    needs->n_kept += !needs->is_kept[dof];
    needs->is_kept[dof] = true;
}

static enum masing_status add_combination(struct needs *needs, const double *values,
                                          bool is_direction, struct masing_error *error)
{
    size_t n = (size_t)needs->n, n_dofs = (size_t)needs->n_dofs;
    NEED_ALLOCATED(memory_grow((void **)&needs->combinations, n + 1, &needs->capacity[0],
                               n_dofs * sizeof(double)));
    NEED_ALLOCATED(
        memory_grow((void **)&needs->are_directions, n + 1, &needs->capacity[1], sizeof(int)));
    memcpy(needs->combinations + n * n_dofs, values, n_dofs * sizeof *values);
    needs->are_directions[n] = is_direction;
    needs->n++;
    return MASING_OK;
}

static enum masing_status add_sum(struct needs *needs,
                                  const struct masing_combination *combination,
                                  struct masing_error *error)
{
    if (combination->n_terms <= MOST_TERMS) {
        for (int t = 0; t < combination->n_terms; t++) {
            needs_add_dof(needs, combination->terms[t].dof);
        }
        return MASING_OK;
    }
    double *values = memory_array((size_t)needs->n_dofs, sizeof *values);
    NEED_ALLOCATED(values);
    for (int t = 0; t < combination->n_terms; t++) {
        values[combination->terms[t].dof] += combination->terms[t].weight;
    }
    enum masing_status status = add_combination(needs, values, false, error);
    free(values);
    return status;
}

static enum masing_status add_force(struct needs *needs, const double *pattern,
                                    struct masing_error *error)
{
    int count = 0;
    for (int i = 0; pattern && i < needs->n_dofs; i++) {
        count += pattern[i] != 0.0;
    }
    for (int i = 0; count <= MOST_TERMS && pattern && i < needs->n_dofs; i++) {
        if (pattern[i] != 0.0) {
            needs_add_dof(needs, i);
        }
    }
    return count > MOST_TERMS ? add_combination(needs, pattern, false, error) : MASING_OK;
}

static enum masing_status add_loads(const struct masing_spec *spec, struct needs *needs,
                                    struct masing_error *error)
{
    for (int l = 0; l < spec->n_loads; l++) {
        const struct masing_load_spec *load = &spec->loads[l];
        if (load->kind == MASING_LOAD_BASE_ACCELERATION) {
            NEED(add_combination(needs, load->pattern, true, error));
            continue;
        }
        NEED(add_force(needs, load->pattern, error));
        NEED(add_force(needs, load->pattern_imaginary, error));
    }
    for (int l = 0; l < spec->n_static_loads; l++) {
        const struct masing_static_load_spec *load = &spec->static_loads[l];
        NEED(load->is_acceleration ? add_combination(needs, load->pattern, true, error)
                                   : add_force(needs, load->pattern, error));
    }
    return MASING_OK;
}

static void add_starts(const struct masing_spec *spec, struct needs *needs)
{
    const struct masing_combination *starts[] = {
        &spec->initial.displacements, &spec->initial.velocities, &spec->ringdown.displacements,
        &spec->ringdown.velocities};
    for (int s = 0; s < 4; s++) {
        for (int t = 0; t < starts[s]->n_terms; t++) {
            needs_add_dof(needs, starts[s]->terms[t].dof);
        }
    }
}

enum masing_status needs_create(const struct masing_spec *spec,
                                const struct masing_reduce_options *options,
                                struct needs *needs, struct masing_error *error)
{
    *needs = (struct needs){.n_dofs = spec->structure.n_dofs};
    needs->is_kept = memory_array((size_t)needs->n_dofs, sizeof *needs->is_kept);
    NEED_ALLOCATED(needs->is_kept);
    for (int j = 0; j < spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&spec->joints[j]); a++) {
            NEED(add_sum(needs, &spec->joints[j].axes[a], error));
        }
    }
    NEED(add_loads(spec, needs, error));
    for (int o = 0; o < spec->n_outputs; o++) {
        NEED(add_sum(needs, &spec->outputs[o].combination, error));
    }
    add_starts(spec, needs);
    NEED(add_sum(needs, &spec->ringdown.hit, error));
    for (int k = 0; k < options->n_keep; k++) {
        NEED(needs_keep(spec, options->keep[k], needs, error));
    }
    return MASING_OK;
}
