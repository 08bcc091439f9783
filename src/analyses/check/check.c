/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/entry.h"
#include "base/pi.h"
#include "linalg/one_thread.h"
#include "masing/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/check/part.h"
#include "analyses/curve/row_table.h"
#include "analyses/curve/static_contacts.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "model/model.h"

void masing_check_clear(struct masing_check_result *result)
{
    if (result) {
        free(result->free_hz); /* of which the other arrays of numbers are parts */
        free(result->contacts);
        free(result->nodal_diameters);
        entry_zero(result, sizeof *result);
    }
}

struct mode_row {
    const struct check_part *part;
    int mode; /* of the part, from 0 */
    double free_hz, stuck_hz;
    const double *free, *stuck; /* shapes */
    struct masing_term *terms;  /* room for an output in a nodal diameter */
};

/* What the outputs do in the shapes; without outputs what the DOFs do. */
static void walk_mode(struct row_table *table, const void *context)
{
    const struct mode_row *row = context;
    const struct check_part *part = row->part;
    const struct masing_spec *spec = &part->model->spec;
    int n_places = spec->n_outputs > 0 ? spec->n_outputs : spec->structure.n_dofs;
    if (part->model->cyclic) {
        ROW_INTEGER(table, part->number, "nodal_diameter");
    }
    ROW_INTEGER(table, (double)(row->mode + 1), "mode");
    ROW_REAL(table, row->free_hz, "free_hz");
    ROW_REAL(table, row->stuck_hz, "stuck_hz");
    for (int i = 0; i < n_places; i++) {
        struct masing_term single = {i, 1.0};
        const struct masing_combination dof = {1, &single};
        const struct masing_combination *place =
            spec->n_outputs > 0 ? model_output(part->model, i) : &dof;
        char name[MASING_COLUMN_NAME - 8];
        snprintf(name, sizeof name, "%d", i + 1);
        if (spec->n_outputs > 0 || spec->structure.dof_names) {
            snprintf(name, sizeof name, "%s",
                     spec->n_outputs > 0 ? spec->outputs[i].name
                                         : spec->structure.dof_names[i]);
        }
        ROW_REAL(table, check_part_value(part, place, row->free, row->terms), "%s_free", name);
        ROW_REAL(table, check_part_value(part, place, row->stuck, row->terms), "%s_stuck",
                 name);
    }
}
/* A run over the parts. */
struct checking {
    const struct masing_model *model;
    const struct masing_sink *rows;
    struct row_sink table;
    struct masing_check_result *result; /* n_modes are those of the parts so far */
    struct arena arena;
    double *shapes[2];         /* of a part, joints free and stuck */
    struct masing_term *terms; /* of the longest output, projected */
};

static size_t room_for_modes(const struct masing_model *model)
{
    size_t n = (size_t)model->structure->n_dofs, n_parts = (size_t)check_part_count(model);
    size_t n_modes = (size_t)model->structure->n_modes;
    return !model->cyclic              ? n_modes
           : check_is_condensed(model) ? n_parts * n_modes
                                       : n_parts * n;
}

static enum masing_status allocate(struct checking *run, struct masing_error *error)
{
    const struct masing_model *model = run->model;
    struct masing_check_result *result = run->result;
    size_t n_modes = room_for_modes(model), n_axes = (size_t)model->n_axes, n_terms = 1;
    size_t n_dofs = (size_t)model->structure->n_dofs, n_shapes = n_modes * n_dofs;
    double *rest = NULL;
    result->contacts = memory_array((size_t)result->n_joints, sizeof *result->contacts);
    NEED_ALLOCATED(result->contacts);
    result->nodal_diameters =
        model->cyclic ? memory_array(n_modes, sizeof *result->nodal_diameters) : NULL;
    NEED_ALLOCATED(!model->cyclic || result->nodal_diameters);
    rest = memory_array(2 * (n_modes + n_shapes) + (3 * n_modes + 2) * n_axes, sizeof *rest);
    NEED_ALLOCATED(rest);
    result->free_hz = memory_part(&rest, n_modes);
    result->stuck_hz = memory_part(&rest, n_modes);
    result->free_motion = memory_part(&rest, n_modes * n_axes);
    result->stuck_motion = memory_part(&rest, n_modes * n_axes);
    result->stuck_energy = memory_part(&rest, n_modes * n_axes);
    result->static_displacement = memory_part(&rest, n_axes);
    result->static_force = memory_part(&rest, n_axes);
    result->free_shapes = memory_part(&rest, n_shapes);
    result->stuck_shapes = memory_part(&rest, n_shapes);
    for (int o = 0; o < model->spec.n_outputs; o++) {
        size_t own = (size_t)model_output(model, o)->n_terms;
        n_terms = own > n_terms ? own : n_terms;
    }
    size_t most =
        model->cyclic ? 2 * n_dofs * (n_modes / (size_t)check_part_count(model)) : n_shapes;
    run->shapes[0] = arena_doubles(&run->arena, most);
    run->shapes[1] = arena_doubles(&run->arena, most);
    run->terms = arena_array(&run->arena, 2 * n_terms, sizeof *run->terms);
    NEED_ALLOCATED(!run->arena.has_failed);
    return MASING_OK;
}

static enum masing_status write_rows(struct checking *run, const struct check_part *part,
                                     struct masing_error *error)
{
    const struct masing_check_result *result = run->result;
    size_t size = (size_t)part->structure->n_dofs;
    for (int k = 0; k < part->n_rows; k++) {
        size_t index = (size_t)result->n_modes + (size_t)k;
        const struct mode_row row = {.part = part,
                                     .mode = k,
                                     .free_hz = result->free_hz[index],
                                     .stuck_hz = result->stuck_hz[index],
                                     .free = run->shapes[0] + (size_t)k * size,
                                     .stuck = run->shapes[1] + (size_t)k * size,
                                     .terms = run->terms};
        NEED(index == 0 ? row_sink_begin(&run->table, run->rows, walk_mode, &row, error)
                        : MASING_OK);
        NEED(row_sink_write(&run->table, &row, error));
    }
    return MASING_OK;
}

/* The results of a part behind those before. */
static enum masing_status add_part(struct checking *run, const struct check_part *part,
                                   struct masing_error *error)
{
    struct masing_check_result *result = run->result;
    const struct structure *structure = part->structure;
    size_t n_axes = (size_t)result->n_axes, n_dofs = (size_t)result->n_dofs;
    size_t first = (size_t)result->n_modes, size = (size_t)structure->n_dofs;
    double *free_shapes = result->free_shapes + first * n_dofs;
    double *stuck_shapes = result->stuck_shapes + first * n_dofs;
    NEED(check_part_modes(part, JOINT_FREE, run->shapes[0],
                          n_axes ? result->free_motion + first * n_axes : NULL, NULL, error));
    NEED(check_part_modes(part, JOINT_STUCK, run->shapes[1],
                          n_axes ? result->stuck_motion + first * n_axes : NULL,
                          n_axes ? result->stuck_energy + first * n_axes : NULL, error));
    for (size_t k = 0; k < (size_t)part->n_rows; k++) {
        size_t mode = k * (size_t)part->copies;
        result->free_hz[first + k] = structure->omega_free[mode] / TWO_PI;
        result->stuck_hz[first + k] = structure->omega_stuck[mode] / TWO_PI;
        memcpy(free_shapes + k * n_dofs, run->shapes[0] + k * size, n_dofs * sizeof(double));
        memcpy(stuck_shapes + k * n_dofs, run->shapes[1] + k * size, n_dofs * sizeof(double));
        if (result->nodal_diameters) {
            result->nodal_diameters[first + k] = part->number;
        }
    }
    NEED(write_rows(run, part, error));
    result->n_modes += part->n_rows;
    result->n_rigid += structure->n_rigid / part->copies;
    return MASING_OK;
}

static enum masing_status check(struct checking *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = run->model;
    struct masing_check_result *result = run->result;
    struct check_part part = {.number = 0};
    int n_given = model->spec.structure.n_given, n_dofs = model->structure->n_dofs;
    *result = (struct masing_check_result){.n_given = n_given ? n_given : n_dofs,
                                           .n_dofs = n_dofs,
                                           .n_axes = model->n_axes,
                                           .n_joints = model->spec.n_joints};
    result->n_sectors = model->cyclic ? model->cyclic->n_sectors : 0;
    TRY(allocate(run, error));
    for (int a = 0; a < model->n_axes; a++) {
        result->static_displacement[a] = model->static_displacement[a];
        result->static_force[a] = model->static_reaction[a];
    }
    TRY(static_contacts_fill(model, result->contacts, error));
    for (int i = 0; i < check_part_count(model); i++) {
        TRY(check_part_create(model, i, &part, error));
        TRY(add_part(run, &part, error));
        check_part_clear(&part);
    }
done:
    check_part_clear(&part);
    arena_clear(&run->arena);
    return row_sink_end(&run->table, status, error);
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
    struct checking run = {.model = model, .rows = rows, .result = &found};
    status = check(&run, error);
done:
    release_blas();
    if (!entry_write(result, &found, sizeof found)) {
        masing_check_clear(&found);
    }
    return status;
}
