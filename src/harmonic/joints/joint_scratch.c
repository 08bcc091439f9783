/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/joints/joint_scratch.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

/* Room for the largest of the joints; 0: none needs it. */
struct room {
    int max_phases, max_turnings;
    size_t n;           /* axes times coefficients */
    size_t n_axes;      /* where a joint is sampled */
    size_t n_columns;   /* axes times directions */
    bool with_velocity; /* of joints with directions */
    size_t workspace;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static struct room measure(struct joint_response *const *joints, int n_joints)
{
    struct room room = {0};
    for (int j = 0; j < n_joints; j++) {
        const struct joint_response *response = joints[j];
        const struct masing_law *law = response->joint->law;
        int n_directions = response->seeds ? response->seeds->n_directions : 0;
        size_t n_axes = (size_t)response->n_axes;
        room.n = larger(room.n, n_axes * (size_t)response->basis->n_coefficients);
        if (response->method == JOINT_PHASES) {
            room.max_phases = response->derivative.max_dyads;
        }
        if (!joint_response_has_samples(response)) {
            continue;
        }
        if (response->method != JOINT_DIRECTIONS) {
            room.max_turnings = response->derivative.max_dyads / 2;
        }
        room.n_axes = larger(room.n_axes, n_axes);
        room.n_columns = larger(room.n_columns, n_axes * (size_t)n_directions);
        room.with_velocity = room.with_velocity || (response->seeds && response->seeds->slopes);
        room.workspace =
            larger(room.workspace, law->family->workspace_size(law, response->basis->n_samples,
                                                               n_directions, 1));
    }
    return room;
}

static enum masing_status create_phases(struct joint_scratch *made, const struct room *room,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    made->max_phases = room->max_phases;
    made->phases = memory_array((size_t)made->max_phases, sizeof *made->phases);
    made->integrals = memory_array(2 * (size_t)made->basis->n_spectrum, sizeof(double));
    TRY_ALLOCATED(made->phases && made->integrals);
done:
    return status;
}

static enum masing_status create_tangents(struct joint_scratch *made, const struct room *room,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_tangents *tangents = &made->tangents;
    size_t n_samples = (size_t)made->basis->n_samples;
    size_t n_turnings = (size_t)room->max_turnings;
    tangents->max_turnings = room->max_turnings;
    tangents->fx = memory_array(n_samples, sizeof(double));
    tangents->fv = memory_array(n_samples, sizeof(double));
    tangents->branch = memory_array(n_samples, sizeof(int));
    tangents->turnings = memory_array(n_turnings, sizeof *tangents->turnings);
    made->memory =
        memory_array(2 * n_turnings * (size_t)made->basis->n_coefficients, sizeof(double));
    TRY_ALLOCATED(tangents->fx && tangents->fv && tangents->branch && tangents->turnings &&
                  made->memory);
done:
    return status;
}

static enum masing_status create_samples(struct joint_scratch *made, const struct room *room,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_samples = (size_t)made->basis->n_samples;
    made->x = memory_array(n_samples * room->n_axes, sizeof(double));
    made->v = memory_array(n_samples * room->n_axes, sizeof(double));
    made->f = memory_array(n_samples * room->n_axes, sizeof(double));
    made->column = memory_array(n_samples, sizeof(double));
    made->workspace = memory_array(room->workspace, sizeof(double));
    TRY_ALLOCATED(made->x && made->v && made->f && made->column && made->workspace);
    if (room->n_columns > 0) {
        TRY_ALLOCATED(made->df = memory_array(n_samples * room->n_columns, sizeof(double)));
    }
    if (room->with_velocity) {
        TRY_ALLOCATED(made->dv = memory_array(n_samples * room->n_columns, sizeof(double)));
    }
done:
    return status;
}

enum masing_status joint_scratch_create(const struct joint_shared *shared,
                                        struct joint_response *const *joints, int n_joints,
                                        struct joint_scratch **scratch,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct room room = measure(joints, n_joints);
    struct joint_scratch *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->shared = shared;
    TRY(basis_share(shared->basis, &made->basis, error));
    TRY(trigonometric_grid_share(shared->grid, &made->grid, error));
    made->block = memory_array(room.n * room.n, sizeof(double));
    made->change = memory_array(2 * room.n, sizeof(double));
    TRY_ALLOCATED(made->block && made->change);
    if (room.max_phases > 0) {
        TRY(create_phases(made, &room, error));
    }
    if (room.max_turnings > 0) {
        TRY(create_tangents(made, &room, error));
    }
    if (room.n_axes > 0) {
        TRY(create_samples(made, &room, error));
    }
    *scratch = made;
    made = NULL;
done:
    joint_scratch_destroy(made);
    return status;
}

void joint_scratch_destroy(struct joint_scratch *scratch)
{
    if (!scratch) {
        return;
    }
    basis_destroy(scratch->basis);
    trigonometric_grid_destroy(scratch->grid);
    void *owned[] = {
        scratch->phases,
        scratch->integrals,
        scratch->tangents.fx,
        scratch->tangents.fv,
        scratch->tangents.branch,
        scratch->tangents.turnings,
        scratch->memory,
        scratch->x,
        scratch->v,
        scratch->f,
        scratch->column,
        scratch->workspace,
        scratch->dv,
        scratch->df,
        scratch->block,
        scratch->change,
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
    free(scratch);
}

static void synthesise(struct joint_scratch *scratch, const struct joint_response *response,
                       int order, double factor, double *out)
{
    struct basis *basis = scratch->basis;
    for (int a = 0; a < response->n_axes; a++) {
        basis_synthesise(basis, response->x + a * basis->n_coefficients, order,
                         scratch->column);
        for (int i = 0; i < basis->n_samples; i++) {
            out[i * response->n_axes + a] = factor * scratch->column[i];
        }
    }
}

void joint_scratch_sample(struct joint_scratch *scratch, const struct joint_response *response)
{
    synthesise(scratch, response, 0, 1.0, scratch->x);
    if (joint_needs_velocity(response->joint)) {
        synthesise(scratch, response, 1, response->omega, scratch->v);
    }
}

void joint_scratch_analyse(struct joint_scratch *scratch, const double *values, int n_columns,
                           int column, double *coefficients)
{
    for (int i = 0; i < scratch->basis->n_samples; i++) {
        scratch->column[i] = values[i * n_columns + column];
    }
    basis_analyse(scratch->basis, scratch->column, coefficients);
}
