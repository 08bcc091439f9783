/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "transient/flow_solver_parts.h"
#include "transient/massless.h"

/* Internal steps between two times that are asked for. */
enum { MOST_STEPS = 200000 };

/* The library does not print. */
static void keep_quiet(int code, const char *module, const char *function, char *message,
                       void *context)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)context;
}

static enum masing_status refuse(const struct flow_solver_parts *parts,
                                 struct masing_error *error)
{
    for (int j = 0; j < parts->model->spec.n_joints; j++) {
        const struct joint *joint = &parts->model->joints[j];
        if (!joint->law->family->flow) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "integration.method: accurate does not support the law %s "
                                    "of joint '%s' yet: newmark does",
                                    joint->law->name, joint->name);
        }
    }
    return MASING_OK;
}

static void lay_out(struct flow_solver *solver)
{
    for (int j = 0; j < solver->n_joints; j++) {
        const struct joint *joint = &solver->parts.model->joints[j];
        struct masing_flow_size size;
        joint->law->family->flow->size(joint->law, joint->parameters, &size);
        solver->z_start[j + 1] = solver->z_start[j] + size.n_states;
        solver->g_start[j + 1] = solver->g_start[j] + size.n_guards;
        solver->r_start[j + 1] = solver->r_start[j] + size.n_regime;
        solver->needs_acceleration = solver->needs_acceleration || size.guards_by_acceleration;
    }
    solver->n_z = solver->z_start[solver->n_joints];
}

static enum masing_status allocate(struct flow_solver *solver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_modes = (size_t)solver->n_modes, n_axes = (size_t)solver->n_axes;
    size_t n_joints = (size_t)solver->n_joints;
    solver->z_start = memory_array(n_joints + 1, sizeof(int));
    solver->g_start = memory_array(n_joints + 1, sizeof(int));
    solver->r_start = memory_array(n_joints + 1, sizeof(int));
    TRY_ALLOCATED(solver->z_start && solver->g_start && solver->r_start);
    lay_out(solver);
    solver->regime = memory_array((size_t)solver->r_start[n_joints], sizeof(double));
    size_t n_y = 2 * n_modes + (size_t)solver->n_z;
    solver->roots = memory_array((size_t)solver->g_start[n_joints], sizeof(int));
    solver->guards = memory_array((size_t)solver->g_start[n_joints] + n_joints, sizeof(double));
    solver->size = memory_array(n_y + 2 * n_modes, sizeof(double));
    solver->force =
        memory_array(n_modes + (size_t)solver->parts.ports->n_ports, sizeof(double));
    solver->damping = memory_array(n_modes, sizeof(double));
    solver->x = memory_array(5 * n_axes, sizeof(double));
    solver->held = memory_array(solver->parts.joints->state_start[n_joints], sizeof(double));
    TRY_ALLOCATED(solver->regime && solver->roots && solver->size && solver->force);
    TRY_ALLOCATED(solver->damping && solver->x && solver->held && solver->guards);
    solver->rest = solver->guards + solver->g_start[n_joints];
    solver->largest = solver->size + n_y;
    solver->v = solver->x + n_axes;
    solver->a = solver->v + n_axes;
    solver->f = solver->a + n_axes;
    solver->span = solver->f + n_axes;
done:
    return status;
}

/* CVODE's norm of errors is a mean square over all of y. */
static void set_accuracy(struct flow_solver *solver)
{
    double n = 2.0 * solver->n_modes + solver->n_z;
    solver->accuracy = solver->parts.accuracy * (n > 0.0 ? sqrt(n / (n + FLOW_WORK)) : 1.0);
}

static enum masing_status create_cvode(struct flow_solver *solver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    sunindextype n = 2 * (sunindextype)solver->n_modes + solver->n_z + FLOW_WORK;
    bool is_good = SUNContext_Create(NULL, &solver->sundials) == 0;
    if (is_good) {
        solver->y = N_VNew_Serial(n, solver->sundials);
        solver->rate = N_VNew_Serial(n, solver->sundials);
        solver->tolerance = N_VNew_Serial(n, solver->sundials);
        solver->cvode = CVodeCreate(CV_ADAMS, solver->sundials);
    }
    is_good = is_good && solver->y && solver->rate && solver->tolerance && solver->cvode;
    if (is_good) {
        N_VConst(0.0, solver->y);
        N_VConst(1.0, solver->tolerance);
        solver->iteration = SUNNonlinSol_FixedPoint(solver->y, 0, solver->sundials);
    }
    is_good = is_good && solver->iteration &&
              CVodeSetErrHandlerFn(solver->cvode, keep_quiet, NULL) == CV_SUCCESS &&
              CVodeInit(solver->cvode, flow_solver_rates, 0.0, solver->y) == CV_SUCCESS &&
              CVodeWFtolerances(solver->cvode, flow_solver_weights) == CV_SUCCESS &&
              CVodeSetNonlinearSolver(solver->cvode, solver->iteration) == CV_SUCCESS &&
              CVodeSetUserData(solver->cvode, solver) == CV_SUCCESS &&
              CVodeSetMaxNumSteps(solver->cvode, MOST_STEPS) == CV_SUCCESS &&
              CVodeRootInit(solver->cvode, solver->g_start[solver->n_joints],
                            flow_solver_guards) == CV_SUCCESS &&
              CVodeSetNoInactiveRootWarn(solver->cvode) == CV_SUCCESS;
    TRY_ALLOCATED(is_good ? solver->cvode : NULL);
done:
    return status;
}

enum masing_status flow_solver_create(const struct flow_solver_parts *parts,
                                      struct flow_solver **solver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct flow_solver *made = NULL;
    TRY(refuse(parts, error));
    made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->parts = *parts;
    made->n_modes = parts->ports->n_modes;
    made->n_axes = parts->ports->n_axes;
    made->n_joints = parts->model->spec.n_joints;
    TRY(allocate(made, error));
    set_accuracy(made);
    TRY(massless_create(made, &made->massless, error));
    TRY(create_cvode(made, error));
    *solver = made;
    made = NULL;
done:
    flow_solver_destroy(made);
    return status;
}

void flow_solver_destroy(struct flow_solver *solver)
{
    if (!solver) {
        return;
    }
    CVodeFree(&solver->cvode);
    massless_destroy(solver->massless);
    if (solver->iteration) {
        SUNNonlinSolFree(solver->iteration);
    }
    N_VDestroy(solver->y);
    N_VDestroy(solver->rate);
    N_VDestroy(solver->tolerance);
    SUNContext_Free(&solver->sundials);
    free(solver->z_start);
    free(solver->g_start);
    free(solver->r_start);
    free(solver->regime);
    free(solver->roots);
    free(solver->guards);
    free(solver->size);
    free(solver->force);
    free(solver->damping);
    free(solver->x);
    free(solver->held);
    free(solver);
}
