/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/springs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/symmetric.h"
#include "model/structure/modes.h"

/* A joint's axes with a spring; tangent [n * n] of all of its axes. */
static void add_joint(struct springs *springs, const struct masing_joint_spec *joint,
                      int first_axis, int n, const double *tangent)
{
    int kept[MASING_MAX_AXES], n_kept = 0, first = springs->n_axes;
    for (int a = 0; a < n; a++) {
        if (!dense_is_zero((size_t)n, tangent + a * n)) {
            kept[n_kept++] = a;
        }
    }
    for (int i = 0; i < n_kept; i++) {
        struct spring_axis *axis = &springs->axes[springs->n_axes++];
        *axis = (struct spring_axis){.over = &joint->axes[kept[i]],
                                     .axis = first_axis + kept[i],
                                     .first = first,
                                     .count = n_kept};
        for (int j = 0; j < n_kept; j++) {
            axis->tangent[j] = tangent[kept[i] * n + kept[j]];
        }
    }
}

static enum masing_status add_joints(struct springs *springs, const struct masing_spec *spec,
                                     const double *at, bool is_stuck,
                                     struct masing_error *error)
{
    int n_axes = 0, first = 0;
    for (int j = 0; j < spec->n_joints; j++) {
        n_axes += masing_joint_spec_axes(&spec->joints[j]);
    }
    springs->axes = arena_array(&springs->arena, (size_t)n_axes, sizeof *springs->axes);
    NEED_ALLOCATED(springs->axes);
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *joint = &spec->joints[j];
        int n = masing_joint_spec_axes(joint);
        double tangent[MASING_MAX_AXES * MASING_MAX_AXES];
        joint_spec_stiffness(joint, at ? at + first : NULL, is_stuck, tangent);
        add_joint(springs, joint, first, n, tangent);
        first += n;
    }
    return MASING_OK;
}

/* Between two axes. */
/* 1 + R k, factored: the columns of R first, then those of each joint times its springs. */
static enum masing_status factor(struct springs *springs, struct masing_error *error)
{
    size_t n = (size_t)springs->n_axes;
    springs->lu = arena_doubles(&springs->arena, n * n);
    springs->pivots = arena_array(&springs->arena, n, sizeof *springs->pivots);
    NEED_ALLOCATED(!springs->arena.has_failed);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            springs->lu[i + j * n] = structure_flexibility_between(
                springs->structure, springs->axes[i].over, springs->axes[j].over);
        }
    }
    for (size_t first = 0, count = 1; first < n; first += count) {
        double *columns = springs->lu + first * n, row[MASING_MAX_AXES];
        count = (size_t)springs->axes[first].count;
        for (size_t i = 0; i < n; i++) {
            for (size_t a = 0; a < count; a++) {
                row[a] = columns[i + a * n];
            }
            for (size_t a = 0; a < count; a++) {
                const double *tangent = springs->axes[first + a].tangent;
                columns[i + a * n] = first + a == i ? 1.0 : 0.0;
                for (size_t b = 0; b < count; b++) {
                    columns[i + a * n] += row[b] * tangent[b];
                }
            }
        }
    }
    return n > 0 ? lu_factor((int)n, springs->lu, springs->pivots) : MASING_OK;
}

enum masing_status springs_create(const struct masing_spec *spec,
                                  const struct structure *structure, const double *at,
                                  enum joint_state state, struct springs *springs,
                                  struct masing_error *error)
{
    *springs = (struct springs){.structure = structure};
    NEED(add_joints(springs, spec, at, state == JOINT_STUCK, error));
    springs->modal =
        arena_doubles(&springs->arena, (size_t)springs->n_axes * (size_t)structure->n_modes);
    NEED_ALLOCATED(springs->modal);
    springs_displacements(springs, structure->n_modes, structure->shapes, springs->modal);
    return structure->flexibility ? factor(springs, error) : MASING_OK;
}

void springs_clear(struct springs *springs)
{
    arena_clear(&springs->arena);
    *springs = (struct springs){0};
}

void springs_forces(const struct springs *springs, int n_columns, const double *w,
                    double *forces)
{
    size_t n = (size_t)springs->n_axes;
    for (size_t c = 0; c < (size_t)n_columns; c++) {
        for (size_t i = 0; i < n; i++) {
            const struct spring_axis *axis = &springs->axes[i];
            forces[c * n + i] =
                dense_dot(axis->count, axis->tangent, w + c * n + (size_t)axis->first);
        }
    }
}

void springs_yield(const struct springs *springs, int n_columns, double *w)
{
    if (springs->lu && springs->n_axes > 0 && n_columns > 0) {
        lu_solve(springs->n_axes, springs->lu, springs->pivots, w, n_columns);
    }
}

size_t springs_rows(const struct springs *springs)
{
    return symmetric_rows((size_t)springs->structure->n_dofs);
}

void springs_deform(const struct springs *springs, const double *flexibility, int n_columns,
                    const double *forces, double *loads, double *motion)
{
    size_t n = (size_t)springs->n_axes, n_dofs = (size_t)springs->structure->n_dofs;
    size_t rows = springs_rows(springs);
    memset(loads, 0, rows * (size_t)n_columns * sizeof *loads);
    memset(motion, 0, rows * (size_t)n_columns * sizeof *motion);
    for (size_t c = 0; c < (size_t)n_columns; c++) {
        for (size_t i = 0; i < n; i++) {
            const struct masing_combination *over = springs->axes[i].over;
            for (int t = 0; t < over->n_terms; t++) {
                loads[c * rows + (size_t)over->terms[t].dof] +=
                    over->terms[t].weight * forces[c * n + i];
            }
        }
    }
    symmetric_add_product(n_dofs, flexibility, n_columns, loads, motion);
    for (size_t c = 1; c < (size_t)n_columns; c++) {
        memmove(motion + c * n_dofs, motion + c * rows, n_dofs * sizeof *motion);
    }
}

void springs_displacements(const struct springs *springs, int n_columns, const double *motion,
                           double *w)
{
    size_t n = (size_t)springs->n_axes, n_dofs = (size_t)springs->structure->n_dofs;
    for (size_t c = 0; c < (size_t)n_columns; c++) {
        for (size_t i = 0; i < n; i++) {
            w[c * n + i] = axis_value(springs->axes[i].over, motion + c * n_dofs);
        }
    }
}

/* Of a rigid-body motion at an axis, before its terms cancel. */
static const double SHAPE_ERROR = 1e-8;

double springs_rounding(const struct springs *springs)
{
    const struct structure *structure = springs->structure;
    double sum = 0.0;
    for (int k = 0; k < structure->n_rigid; k++) {
        const double *shape = structure->shapes + (size_t)k * (size_t)structure->n_dofs;
        for (int i = 0; i < springs->n_axes; i++) {
            const struct spring_axis *axis = &springs->axes[i];
            double gross = 0.0;
            for (int t = 0; t < axis->over->n_terms; t++) {
                gross += fabs(axis->over->terms[t].weight * shape[axis->over->terms[t].dof]);
            }
            sum += fabs(axis->tangent[i - axis->first]) * pow(SHAPE_ERROR * gross, 2.0);
        }
    }
    return sum;
}

/* stiffness [n_modes * n_modes] = diag(omega^2) + modal^T forces, exactly symmetric */
static void assemble(const struct springs *springs, const double *forces, double *stiffness)
{
    const struct structure *structure = springs->structure;
    size_t n = (size_t)structure->n_modes;
    memset(stiffness, 0, n * n * sizeof *stiffness);
    if (springs->n_axes > 0) {
        dense_multiply_transposed((int)n, (int)n, springs->n_axes, springs->modal, forces,
                                  stiffness);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            double mean = 0.5 * (stiffness[i + j * n] + stiffness[j + i * n]);
            stiffness[i + j * n] = stiffness[j + i * n] = mean;
        }
        stiffness[j + j * n] += structure->omega[j] * structure->omega[j];
    }
}

enum masing_status springs_modes(const struct springs *springs, double shift,
                                 double *omega_squared, double *shapes,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_modes = springs->structure->n_modes;
    size_t n = (size_t)n_modes, columns = (size_t)springs->n_axes * n;
    struct modes modes = {0};
    double *stiffness = memory_array(2 * (n * n + columns), sizeof *stiffness);
    TRY_ALLOCATED(stiffness);
    double *mass = stiffness + n * n, *w = mass + n * n, *forces = w + columns;
    for (size_t k = 0; k < n; k++) {
        mass[k + k * n] = 1;
    }
    memcpy(w, springs->modal, columns * sizeof *w);
    springs_yield(springs, n_modes, w);
    springs_forces(springs, n_modes, w, forces);
    assemble(springs, forces, stiffness);
    for (size_t i = 0; springs->structure->stiffening && i < n * n; i++) {
        stiffness[i] += springs->spin.stiffness * springs->structure->stiffening[i];
        mass[i] -= springs->spin.inertia * springs->structure->stiffening[i];
    }
    TRY(modes_create(n_modes, mass, stiffness, shift, shapes != NULL, &modes, error));
    if (omega_squared) {
        memcpy(omega_squared, modes.omega_squared, n * sizeof *omega_squared);
    }
    if (shapes) {
        memcpy(shapes, modes.shapes, n * n * sizeof *shapes);
    }
done:
    free(stiffness);
    modes_clear(&modes);
    return status;
}
