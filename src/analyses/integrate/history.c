/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/integrate/history.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/sink.h"
#include "model/joints.h"

static void name_columns(const struct masing_model *model, struct history *history)
{
    struct masing_column *column = history->columns;
    snprintf(column->name, sizeof column->name, "time");
    for (int i = 0; i < history->n_outputs; i++) {
        column++;
        snprintf(column->name, sizeof column->name, "%s", model->spec.outputs[i].name);
    }
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        for (int axis = 0; axis < joint->n_axes; axis++) {
            /* "force_damper", and "force_contact_normal" for an axis of several */
            char name[MASING_COLUMN_NAME - 16];
            struct masing_column *other = ++column + history->n_axes;
            joint_axis_text(joint->spec, axis, name, sizeof name);
            snprintf(column->name, sizeof column->name, "force_%s", name);
            snprintf(other->name, sizeof other->name, "displacement_%s", name);
        }
    }
    column += history->n_axes;
    for (int j = 0; j < history->n_works; j++) {
        column++;
        snprintf(column->name, sizeof column->name, "work_%s", model->spec.joints[j].name);
    }
}

enum masing_status history_create(const struct masing_model *model,
                                  const struct masing_sink *sink, bool has_work,
                                  struct history **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct history *history = memory_array(1, sizeof *history);
    TRY_ALLOCATED(history);
    history->sink = sink;
    history->n_outputs = model->spec.n_outputs;
    history->n_axes = model->n_axes;
    history->model = model;
    history->n_works = has_work ? model->spec.n_joints : 0;
    history->n_columns = 1 + history->n_outputs + 2 * history->n_axes + history->n_works;
    struct arena *arena = &history->arena;
    size_t n_columns = (size_t)history->n_columns, n_outputs = (size_t)history->n_outputs;
    history->columns = arena_array(arena, n_columns, sizeof *history->columns);
    history->cells = arena_array(arena, n_columns, sizeof *history->cells);
    history->value = arena_doubles(arena, n_outputs);
    history->rate = arena_doubles(arena, n_outputs);
    history->before = arena_doubles(arena, 2 * (size_t)history->n_axes);
    history->work = arena_doubles(arena, (size_t)history->n_works);
    TRY_ALLOCATED(!arena->has_failed);
    name_columns(model, history);
done:
    if (status != MASING_OK) {
        history_destroy(history);
        history = NULL;
    }
    *created = history;
    return status;
}

void history_destroy(struct history *history)
{
    if (history) {
        arena_clear(&history->arena);
        free(history);
    }
}

enum masing_status history_open(struct history *history, struct masing_error *error)
{
    if (!history->sink || history->is_open) {
        return MASING_OK;
    }
    history->is_open = true;
    return sink_open(history->sink, history->columns, history->n_columns, error);
}

/* What the joints have taken since the first row: force and displacement go straight from one
 * row to the next. */
static void add_work(struct history *history, const double *f, const double *x)
{
    double *f_before = history->before, *x_before = f_before + history->n_axes;
    for (int j = 0, axis = 0; j < history->n_works; j++) {
        for (int a = 0; a < history->model->joints[j].n_axes; a++, axis++) {
            double mean = 0.5 * (f[axis] + f_before[axis]);
            history->work[j] += history->has_row ? mean * (x[axis] - x_before[axis]) : 0.0;
            f_before[axis] = f[axis];
            x_before[axis] = x[axis];
        }
    }
    history->has_row = true;
}

enum masing_status history_write(struct history *history, const struct integrator *integrator,
                                 struct masing_error *error)
{
    if (!history->sink) {
        return MASING_OK;
    }
    struct masing_cell *cell = history->cells;
    cell->number = integrator_time(integrator);
    integrator_outputs(integrator, history->value, history->rate);
    for (int i = 0; i < history->n_outputs; i++) {
        (++cell)->number = history->value[i];
    }
    for (int i = 0; i < history->n_axes; i++) {
        cell++;
        cell->number = integrator->joints->f[i];
        cell[history->n_axes].number = integrator->joints->x[i];
    }
    cell += history->n_axes;
    add_work(history, integrator->joints->f, integrator->joints->x);
    for (int j = 0; j < history->n_works; j++) {
        (++cell)->number = history->work[j];
    }
    return sink_row(history->sink, history->cells, error);
}

enum masing_status history_close(struct history *history, enum masing_status status,
                                 struct masing_error *error)
{
    if (!history || !history->sink || !history->is_open) {
        return status;
    }
    if (status == MASING_OK || status == MASING_STOPPED) {
        enum masing_status closed = sink_finish(history->sink, error);
        return closed != MASING_OK ? closed : status;
    }
    sink_abandon(history->sink);
    return status;
}
