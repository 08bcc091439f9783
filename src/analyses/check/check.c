/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/entry.h"
#include "base/pi.h"
#include "linalg/one_thread.h"
#include "masing/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/row_table.h"
#include "analyses/curve/static_contacts.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "model/joints.h"
#include "model/model.h"
#include "model/springs.h"

void masing_check_clear(struct masing_check_result *result)
{
    if (result) {
        free(result->free_hz); /* of which the other arrays of numbers are parts */
        free(result->contacts);
        entry_zero(result, sizeof *result);
    }
}

/* What modes leave out gives way under the joints' own forces: shapes [n_dofs * n_modes]
 * -= F B f, forces [n_axes of the springs * n_modes]. */
static enum masing_status relax(const struct springs *springs, const double *forces,
                                double *shapes, struct masing_error *error)
{
    const struct structure *structure = springs->structure;
    size_t count = (size_t)structure->n_dofs * (size_t)structure->n_modes;
    size_t room = springs_rows(springs) * (size_t)structure->n_modes;
    double *change = memory_array(2 * room, sizeof *change);
    NEED_ALLOCATED(change);
    springs_deform(springs, structure->flexibility, structure->n_modes, forces, change + room,
                   change);
    for (size_t i = 0; i < count; i++) {
        shapes[i] -= change[i];
    }
    free(change);
    return MASING_OK;
}

/* w [n_springs] and forces alike, of a mode: motion [n_axes] where there are springs, energy
 * [n_axes] their share. */
static void take_springs(const struct springs *springs, const double *w, const double *forces,
                         double square, double *motion, double *energy)
{
    for (int i = 0; i < springs->n_axes; i++) {
        int a = springs->axes[i].axis;
        motion[a] = w[i];
        if (energy) {
            energy[a] = square > 0 ? 0.0 + w[i] * forces[i] / square : 0.0;
        }
    }
}

/* Shapes of the modes, and the motion of the joints in each, relative to the largest DOF of the
 * mode; energy: k w^2 / omega^2 of the mass-normalised mode, or NULL. */
static enum masing_status find_modes(const struct masing_model *model, enum joint_state state,
                                     double *shapes, double *motion, double *energy,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    int n_modes = structure->n_modes, n_dofs = structure->n_dofs;
    double shift = fmax(model->spec.omega_from, model->spec.omega_to);
    size_t rows = (size_t)n_dofs, columns = (size_t)n_modes, joints = (size_t)model->n_axes;
    struct springs springs = {0};
    struct arena arena = {0};
    if (joints == 0) {
        memcpy(shapes, structure->shapes, rows * columns * sizeof *shapes);
        goto done;
    }
    TRY(springs_create(&model->spec, structure, model->static_displacement, state, &springs,
                       error));
    size_t n = (size_t)springs.n_axes;
    double *squares = arena_doubles(&arena, columns);
    double *modal_shapes = arena_doubles(&arena, columns * columns);
    double *w = arena_doubles(&arena, n * columns),
           *forces = arena_doubles(&arena, n * columns);
    TRY_ALLOCATED(!arena.has_failed);
    TRY(springs_modes(&springs, shift * shift, squares, modal_shapes, error));
    dense_multiply(n_dofs, n_modes, n_modes, structure->shapes, modal_shapes, shapes);
    springs_displacements(&springs, n_modes, shapes, w);
    springs_yield(&springs, n_modes, w);
    springs_forces(&springs, n_modes, w, forces);
    TRY(structure->flexibility ? relax(&springs, forces, shapes, error) : MASING_OK);
    for (size_t k = 0; k < columns; k++) {
        const double *shape = shapes + k * rows;
        double largest = dense_max_norm(rows, shape), *own = motion + k * joints;
        for (size_t a = 0; a < joints; a++) {
            own[a] = axis_value(&model->axes[a], shape);
        }
        take_springs(&springs, w + k * n, forces + k * n, squares[k], own,
                     energy ? energy + k * joints : NULL);
        for (size_t a = 0; a < joints; a++) {
            own[a] /= largest;
        }
    }
done:
    springs_clear(&springs);
    arena_clear(&arena);
    return status;
}

struct mode_row {
    const struct masing_spec *spec;
    const struct masing_check_result *result;
    size_t mode; /* from 0 */
};

/* What the outputs do in the shapes; without outputs what the DOFs do. */
static void walk_mode(struct row_table *table, const void *context)
{
    const struct mode_row *row = context;
    const struct masing_check_result *result = row->result;
    const struct masing_spec *spec = row->spec;
    size_t first = row->mode * (size_t)result->n_dofs;
    ROW_INTEGER(table, (double)(row->mode + 1), "mode");
    ROW_REAL(table, result->free_hz[row->mode], "free_hz");
    ROW_REAL(table, result->stuck_hz[row->mode], "stuck_hz");
    for (int i = 0; i < (spec->n_outputs > 0 ? spec->n_outputs : result->n_dofs); i++) {
        struct masing_term single = {i, 1.0};
        const struct masing_combination dof = {1, &single};
        const struct masing_combination *place =
            spec->n_outputs > 0 ? &spec->outputs[i].combination : &dof;
        char name[MASING_COLUMN_NAME - 8];
        snprintf(name, sizeof name, "%d", i + 1);
        if (spec->n_outputs > 0 || spec->structure.dof_names) {
            snprintf(name, sizeof name, "%s",
                     spec->n_outputs > 0 ? spec->outputs[i].name
                                         : spec->structure.dof_names[i]);
        }
        ROW_REAL(table, axis_value(place, result->free_shapes + first), "%s_free", name);
        ROW_REAL(table, axis_value(place, result->stuck_shapes + first), "%s_stuck", name);
    }
}

/* The DOF that moves most is positive. */
static void turn_shapes(const struct masing_check_result *result, double *shapes)
{
    for (int k = 0; k < result->n_modes; k++) {
        double *shape = shapes + (size_t)k * (size_t)result->n_dofs;
        bool is_negative = shape[dense_largest(result->n_dofs, shape)] < 0.0;
        for (int i = 0; i < result->n_dofs && is_negative; i++) {
            shape[i] = -shape[i];
        }
    }
}

static enum masing_status check(const struct masing_model *model,
                                const struct masing_sink *rows,
                                struct masing_check_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    size_t n_modes = (size_t)structure->n_modes, n_axes = (size_t)model->n_axes;
    size_t n_shapes = n_modes * (size_t)structure->n_dofs;
    double *rest = NULL;
    struct row_sink table = {0};
    int n_given = model->spec.structure.n_given;
    *result = (struct masing_check_result){.n_given = n_given ? n_given : structure->n_dofs,
                                           .n_dofs = structure->n_dofs,
                                           .n_modes = structure->n_modes,
                                           .n_rigid = structure->n_rigid,
                                           .n_axes = model->n_axes,
                                           .n_joints = model->spec.n_joints};
    result->contacts = memory_array((size_t)result->n_joints, sizeof *result->contacts);
    TRY_ALLOCATED(result->contacts);
    rest = memory_array(2 * (n_modes + n_shapes) + (3 * n_modes + 2) * n_axes, sizeof *rest);
    TRY_ALLOCATED(rest);
    result->free_hz = memory_part(&rest, n_modes);
    result->stuck_hz = memory_part(&rest, n_modes);
    result->free_motion = memory_part(&rest, n_modes * n_axes);
    result->stuck_motion = memory_part(&rest, n_modes * n_axes);
    result->stuck_energy = memory_part(&rest, n_modes * n_axes);
    result->static_displacement = memory_part(&rest, n_axes);
    result->static_force = memory_part(&rest, n_axes);
    result->free_shapes = memory_part(&rest, n_shapes);
    result->stuck_shapes = memory_part(&rest, n_shapes);
    for (int k = 0; k < structure->n_modes; k++) {
        result->free_hz[k] = structure->omega_free[k] / TWO_PI;
        result->stuck_hz[k] = structure->omega_stuck[k] / TWO_PI;
    }
    TRY(find_modes(model, JOINT_FREE, result->free_shapes, result->free_motion, NULL, error));
    TRY(find_modes(model, JOINT_STUCK, result->stuck_shapes, result->stuck_motion,
                   result->stuck_energy, error));
    turn_shapes(result, result->free_shapes);
    turn_shapes(result, result->stuck_shapes);
    for (int a = 0; a < model->n_axes; a++) {
        result->static_displacement[a] = model->static_displacement[a];
        result->static_force[a] = model->static_reaction[a];
    }
    TRY(static_contacts_fill(model, result->contacts, error));
    struct mode_row row = {&model->spec, result, 0};
    TRY(row_sink_begin(&table, rows, walk_mode, &row, error));
    for (; row.mode < n_modes; row.mode++) {
        TRY(row_sink_write(&table, &row, error));
    }
done:
    return row_sink_end(&table, status, error);
}

enum masing_status masing_check(const struct masing_model *model,
                                const struct masing_sink *rows,
                                struct masing_check_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_check_result found = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(entry_check(result, "result", error));
    status = check(model, rows, &found, error);
done:
    release_blas();
    if (!entry_write(result, &found, sizeof found)) {
        masing_check_clear(&found);
    }
    return status;
}
