/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "transient/exact_solver_parts.h"

static enum masing_status refuse(const struct flow_solver_parts *parts,
                                 struct masing_error *error)
{
    for (int j = 0; j < parts->model->spec.n_joints; j++) {
        const struct joint *joint = &parts->model->joints[j];
        const struct masing_law *law = joint->law;
        if (!law->is_piecewise_linear || !law->family->flow || !law->family->flow->line) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "integration.method: exact is for joints that are linear "
                                    "between events; joint '%s' has the law %s: accurate or "
                                    "newmark may do",
                                    joint->name, law->name);
        }
    }
    return MASING_OK;
}

static enum masing_status allocate(struct exact_solver *solver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct flow_solver_parts *parts = &solver->parts;
    size_t n_joints = (size_t)parts->model->spec.n_joints;
    size_t n_modes = (size_t)parts->ports->n_modes, n_axes = (size_t)parts->ports->n_axes;
    solver->lines = memory_array(n_joints, sizeof *solver->lines);
    solver->regime = memory_array(n_joints, sizeof *solver->regime);
    solver->root = memory_array(n_joints * MASING_FLOW_GUARDS, sizeof(double));
    solver->q = memory_array(2 * n_modes, sizeof(double));
    solver->x = memory_array(2 * n_axes, sizeof(double));
    solver->held = memory_array(parts->joints->state_start[n_joints], sizeof(double));
    TRY_ALLOCATED(solver->lines && solver->regime && solver->root);
    TRY_ALLOCATED(solver->q && solver->x && solver->held);
    solver->v = solver->q + n_modes;
    solver->w = solver->x + n_axes;
done:
    return status;
}

enum masing_status exact_solver_create(const struct flow_solver_parts *parts,
                                       struct exact_solver **solver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct exact_solver *made = NULL;
    TRY(refuse(parts, error));
    made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->parts = *parts;
    TRY(allocate(made, error));
    TRY(series_create(&made->parts, &made->series, error));
    TRY(series_work_create(&made->parts, &made->power, error));
    *solver = made;
    made = NULL;
done:
    exact_solver_destroy(made);
    return status;
}

void exact_solver_destroy(struct exact_solver *solver)
{
    if (solver) {
        series_destroy(solver->series);
        series_work_destroy(solver->power);
        free(solver->lines);
        free(solver->regime);
        free(solver->root);
        free(solver->q);
        free(solver->x);
        free(solver->held);
        free(solver);
    }
}
