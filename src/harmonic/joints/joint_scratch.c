/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/joints/joint_scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"

/* ---- constants of all ---- */

enum masing_status joint_shared_create(struct basis *basis, struct joint_shared **shared,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct joint_shared *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->basis = basis;
    TRY(trigonometric_grid_create(basis->harmonics, basis->n_harmonics, &made->grid, error));
    *shared = made;
    made = NULL;
done:
    joint_shared_destroy(made);
    return status;
}

void joint_shared_destroy(struct joint_shared *shared)
{
    if (!shared) {
        return;
    }
    for (int a = 0; a <= MASING_MAX_AXES; a++) {
        for (int v = 0; v < 2; v++) {
            free(shared->seeds[a][v].dx);
            free(shared->seeds[a][v].slopes);
        }
    }
    trigonometric_grid_destroy(shared->grid);
    free(shared->analysis);
    free(shared->circle);
    free(shared);
}

/* samples [n_samples]: one basis function or its derivative by theta */
static void sample_function(struct basis *basis, int c, int order, double *unit,
                            double *samples)
{
    memset(unit, 0, sizeof(double) * (size_t)basis->n_coefficients);
    unit[c] = 1.0;
    basis_synthesise(basis, unit, order, samples);
}

static void fill_seeds(struct basis *basis, int n_axes, int n_directions, int order,
                       double *unit, double *seeds)
{
    double *samples = unit + basis->n_coefficients;
    for (int c = 0; c < basis->n_coefficients; c++) {
        sample_function(basis, c, order, unit, samples);
        for (int i = 0; i < basis->n_samples; i++) {
            for (int a = 0; a < n_axes; a++) {
                size_t row = (size_t)i * (size_t)n_axes + (size_t)a;
                seeds[row * (size_t)n_directions + (size_t)(a * basis->n_coefficients + c)] =
                    samples[i];
            }
        }
    }
}

/* The mean of samples times a function, twice that where the function is not constant. */
static void fill_analysis(struct basis *basis, double *unit, double *analysis)
{
    double *samples = unit + basis->n_coefficients;
    for (int c = 0; c < basis->n_coefficients; c++) {
        bool is_constant = c == 0 && basis->harmonics[0] == 0;
        double scale = (is_constant ? 1.0 : 2.0) / basis->n_samples;
        sample_function(basis, c, 0, unit, samples);
        for (int i = 0; i < basis->n_samples; i++) {
            analysis[i * basis->n_coefficients + c] = scale * samples[i];
        }
    }
}

enum masing_status joint_shared_seeds(struct joint_shared *shared, int n_axes,
                                      bool with_velocity, const struct joint_seeds **seeds,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct basis *basis = shared->basis;
    struct joint_seeds *made = &shared->seeds[n_axes][with_velocity];
    size_t n_c = (size_t)basis->n_coefficients, n_samples = (size_t)basis->n_samples;
    double *unit = NULL; /* [n_c] and a column of samples */
    *seeds = made;
    if (made->n_directions > 0) {
        return MASING_OK;
    }
    int n_directions = n_axes * basis->n_coefficients + (with_velocity ? 1 : 0);
    size_t size = n_samples * (size_t)n_axes * (size_t)n_directions;
    unit = memory_array(n_c + n_samples, sizeof *unit);
    made->dx = memory_array(size, sizeof(double));
    TRY_ALLOCATED(unit && made->dx);
    fill_seeds(basis, n_axes, n_directions, 0, unit, made->dx);
    if (with_velocity) {
        TRY_ALLOCATED(made->slopes = memory_array(size, sizeof(double)));
        fill_seeds(basis, n_axes, n_directions, 1, unit, made->slopes);
    }
    if (!shared->analysis) {
        TRY_ALLOCATED(shared->analysis = memory_array(n_c * n_samples, sizeof(double)));
        fill_analysis(basis, unit, shared->analysis);
    }
    made->n_directions = n_directions;
done:
    free(unit);
    return status;
}

enum masing_status joint_shared_circle(struct joint_shared *shared, struct masing_error *error)
{
    int n = shared->basis->n_samples;
    if (!shared->circle) {
        shared->circle = memory_array((size_t)n, sizeof *shared->circle);
        NEED_ALLOCATED(shared->circle);
        for (int i = 0; i < n; i++) {
            shared->circle[i][0] = cos(TWO_PI * i / n);
            shared->circle[i][1] = sin(TWO_PI * i / n);
        }
    }
    return MASING_OK;
}

/* ---- workspaces ---- */

/* Room for the largest of the joints; 0: none needs it. */
struct room {
    int max_phases, max_turnings;
    size_t n;           /* axes times coefficients */
    size_t n_axes;      /* where a joint is sampled */
    size_t n_columns;   /* axes times directions */
    bool with_velocity; /* of joints with directions */
    bool with_parts;
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
        room.with_parts = room.with_parts || response->n_parts > 1;
        room.with_velocity = room.with_velocity || (response->seeds && response->seeds->slopes);
        room.workspace =
            larger(room.workspace, law->family->workspace_size(law, response->basis->n_samples,
                                                               n_directions, 1));
    }
    return room;
}

static void create_arrays(struct joint_scratch *made, const struct room *room)
{
    struct arena *arena = &made->arena;
    struct masing_tangents *tangents = &made->tangents;
    size_t n_samples = (size_t)made->basis->n_samples, lines = (size_t)made->basis->n_spectrum;
    size_t n_turnings = (size_t)room->max_turnings, n = n_samples * room->n_axes;
    made->block = arena_doubles(arena, room->n * room->n);
    made->change = arena_doubles(arena, 2 * room->n);
    made->max_phases = room->max_phases;
    made->phases = arena_array(arena, (size_t)made->max_phases, sizeof *made->phases);
    made->integrals = arena_doubles(arena, 2 * lines);
    made->spectrum.cosine = arena_doubles(arena, lines);
    made->spectrum.sine = arena_doubles(arena, lines);
    tangents->max_turnings = room->max_turnings;
    tangents->fx = arena_doubles(arena, n_samples);
    tangents->fv = arena_doubles(arena, n_samples);
    tangents->branch = arena_array(arena, n_samples, sizeof(int));
    tangents->turnings = arena_array(arena, n_turnings, sizeof *tangents->turnings);
    made->memory = arena_doubles(arena, n_turnings);
    made->x = arena_doubles(arena, n);
    made->v = arena_doubles(arena, n);
    made->f = arena_doubles(arena, n);
    made->dfp = arena_doubles(arena, n);
    made->column = arena_doubles(arena, n_samples);
    made->workspace = arena_doubles(arena, room->workspace);
    made->df = arena_doubles(arena, n_samples * room->n_columns);
    made->dv = arena_doubles(arena, room->with_velocity ? n_samples * room->n_columns : 0);
    if (room->with_parts) {
        made->part_f = arena_doubles(arena, n);
        made->part_df = arena_doubles(arena, n_samples * room->n_columns);
    }
}

static struct joint_part part_of(double *f, double *df)
{
    return (struct joint_part){.forces = {.f = f, .df = df}};
}

/* Places for parts: the one of each scratch, and where the others than the first one's thread
 * would put a joint of their own. */
enum masing_status joint_scratch_lead(struct joint_scratch *const *scratch, int n,
                                      struct thread_pool *pool, struct masing_error *error)
{
    struct arena *arena = &scratch[0]->arena;
    struct joint_crew *crew = &scratch[0]->crew;
    crew->workspaces = arena_array(arena, (size_t)n, sizeof *crew->workspaces);
    crew->parts = arena_array(arena, 2 * (size_t)n, sizeof *crew->parts);
    NEED_ALLOCATED(crew->workspaces && crew->parts);
    crew->n_parts = 0;
    for (int w = 0; w < n; w++) {
        crew->workspaces[w] = scratch[w]->workspace;
        if (scratch[w]->part_f) {
            crew->parts[crew->n_parts++] = part_of(scratch[w]->part_f, scratch[w]->part_df);
        }
    }
    for (int w = 1; w < n && crew->n_parts > 0; w++) {
        crew->parts[crew->n_parts++] = part_of(scratch[w]->f, scratch[w]->df);
    }
    crew->pool = pool;
    return MASING_OK;
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
    create_arrays(made, &room);
    TRY_ALLOCATED(!made->arena.has_failed);
    TRY(joint_scratch_lead(&made, 1, NULL, error));
    *scratch = made;
    made = NULL;
done:
    joint_scratch_destroy(made);
    return status;
}

void joint_scratch_destroy(struct joint_scratch *scratch)
{
    if (scratch) {
        basis_destroy(scratch->basis);
        trigonometric_grid_destroy(scratch->grid);
        arena_clear(&scratch->arena);
        free(scratch);
    }
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

struct masing_path joint_scratch_path(const struct joint_scratch *scratch,
                                      const struct joint_response *response,
                                      const double *origin)
{
    int n_samples = scratch->basis->n_samples;
    return (struct masing_path){
        .n_samples = n_samples,
        .n_axes = response->n_axes,
        .is_periodic = true,
        .time_step = TWO_PI / (response->omega * n_samples),
        .x = scratch->x,
        .v = joint_needs_velocity(response->joint) ? scratch->v : NULL,
        .origin = origin,
        .origin_state = response->is_carried ? response->carried : NULL,
        .smoothing = response->smoothing,
    };
}

void joint_scratch_analyse(struct joint_scratch *scratch, const double *values, int n_columns,
                           int column, double *coefficients)
{
    for (int i = 0; i < scratch->basis->n_samples; i++) {
        scratch->column[i] = values[i * n_columns + column];
    }
    basis_analyse(scratch->basis, scratch->column, coefficients);
}
