/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/joints/joint_response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/joints/joint_scratch.h"
#include "harmonic/basis/basis.h"

static enum joint_method choose_method(const struct joint *joint,
                                       enum masing_forces_choice choice)
{
    const struct masing_law *law = joint->law;
    if (law->n_axes == 1 && law->phases && choice != MASING_FORCES_SAMPLED) {
        return JOINT_PHASES;
    }
    return law->n_axes == 1 && law->family->has_tangents ? JOINT_TANGENTS : JOINT_DIRECTIONS;
}

static void create_derivative(struct joint_response *made, int max_dyads)
{
    struct arena *arena = &made->arena;
    struct structured_derivative *derivative = &made->derivative;
    size_t lines = (size_t)made->basis->n_spectrum;
    size_t n = (size_t)made->basis->n_coefficients;
    derivative->max_dyads = max_dyads;
    derivative->cosine = arena_doubles(arena, lines);
    derivative->sine = arena_doubles(arena, lines);
    derivative->velocity_cosine = arena_doubles(arena, lines);
    derivative->velocity_sine = arena_doubles(arena, lines);
    made->change = arena_doubles(arena, 2 * n);
    derivative->left = arena_doubles(arena, (size_t)max_dyads * n);
    derivative->right = arena_doubles(arena, (size_t)max_dyads * n);
}

/* Between two of at most 2 H turning points: one stick and one slip phase; twice that where a
 * law needs a slot for the wrap-around or for both sides. A sampled path turns as often, and
 * each turning point makes a dyad. */
static int count_dyads(const struct joint_response *response)
{
    return 8 * response->basis->highest + (joint_response_has_samples(response) ? 32 : 16);
}

static enum masing_status create_method(struct joint_response *made,
                                        struct joint_shared *shared, struct masing_error *error)
{
    if (joint_response_has_samples(made)) {
        NEED(basis_plan(shared->basis, error));
        NEED(joint_shared_circle(shared, error));
    }
    if (made->method == JOINT_DIRECTIONS) {
        NEED(joint_directions_create(made, shared, error));
    } else {
        create_derivative(made, count_dyads(made));
    }
    NEED_ALLOCATED(!made->arena.has_failed);
    return MASING_OK;
}

enum masing_status joint_response_create(const struct joint *joint, struct joint_shared *shared,
                                         enum masing_forces_choice choice,
                                         struct joint_response **response,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct joint_response *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->joint = joint;
    made->basis = shared->basis;
    made->n_axes = joint->n_axes;
    made->open_share = NAN;
    made->method = choose_method(joint, choice);
    size_t n = (size_t)made->n_axes * (size_t)made->basis->n_coefficients;
    made->x = arena_doubles(&made->arena, n);
    made->f = arena_doubles(&made->arena, n);
    made->range = arena_array(&made->arena, (size_t)made->n_axes, sizeof *made->range);
    TRY(trigonometric_path_create_on(shared->grid, &made->path, error));
    TRY(create_method(made, shared, error));
    *response = made;
    made = NULL;
done:
    joint_response_destroy(made);
    return status;
}

void joint_response_destroy(struct joint_response *response)
{
    if (response) {
        trigonometric_path_destroy(response->path);
        arena_clear(&response->arena);
        free(response);
    }
}

void joint_response_pack(struct joint_response *response, struct packing *packing)
{
    size_t bytes = response->n_state * sizeof(double);
    PACK(packing, response->is_carried);
    packing_bytes(packing, response->state, bytes);
    packing_bytes(packing, response->carried, response->carried ? bytes : 0);
}

void joint_response_carry(struct joint_response *response, double *origin)
{
    const struct joint *joint = response->joint;
    if (joint->law->contact) {
        memcpy(response->carried, response->state, sizeof(double) * response->n_state);
        response->is_carried = true;
    }
    for (int a = 0; joint->law->settle && a < joint->n_axes; a++) {
        origin[a] = joint->law->settle(joint->law, joint->parameters, &response->range[a]);
    }
}

void joint_response_range(struct joint_response *response, int axis)
{
    double origin = response->range[axis].origin;
    struct trigonometric_path *path = response->path;
    struct masing_range *range = &response->range[axis];
    trigonometric_path_set(
        path, response->x + (size_t)axis * (size_t)response->basis->n_coefficients, origin);
    range->maximum = range->minimum = path->smooth.constant;
    for (int i = 0; i < path->n_extrema; i++) {
        range->maximum = fmax(range->maximum, path->extrema[i].x);
        range->minimum = fmin(range->minimum, path->extrema[i].x);
    }
}

double joint_response_reach(struct joint_response *response, const double *origin)
{
    double reach = 0.0;
    for (int a = 0; a < response->n_axes; a++) {
        joint_response_range(response, a);
        reach = fmax(reach, fmax(fabs(response->range[a].maximum - origin[a]),
                                 fabs(response->range[a].minimum - origin[a])));
    }
    return reach;
}

enum masing_status joint_response_evaluate(struct joint_response *response,
                                           struct joint_scratch *scratch, double omega,
                                           const double *origin, bool with_derivative)
{
    response->omega = omega;
    response->has_derivative = with_derivative;
    response->path->grid = scratch->grid;
    if (response->method == JOINT_PHASES || response->joint->law->n_events > 0) {
        for (int a = 0; a < response->n_axes; a++) {
            response->range[a].origin = origin[a];
            joint_response_range(response, a);
        }
    }
    switch (response->method) {
    case JOINT_PHASES:
        if (response->smoothing > 0.0) { /* rounded transitions have no phases */
            return joint_tangents_evaluate(response, scratch, origin, with_derivative);
        }
        response->has_derivative = true;
        return joint_phases_evaluate(response, scratch);
    case JOINT_TANGENTS:
        return joint_tangents_evaluate(response, scratch, origin, with_derivative);
    case JOINT_DIRECTIONS:
        return joint_directions_evaluate(response, scratch, origin, with_derivative);
    }
    return MASING_INTERNAL;
}

enum masing_status joint_response_parameter(struct joint_response *response,
                                            struct joint_scratch *scratch, const double *origin,
                                            const void *tangent, double *change)
{
    if (response->method == JOINT_PHASES && !(response->smoothing > 0.0)) {
        return joint_phases_parameter(response, scratch, tangent, change);
    }
    /* the samples of the last evaluation once more */
    const struct joint *joint = response->joint;
    struct masing_forces forces = {.f = scratch->f, .dfp = scratch->dfp};
    struct masing_path path = joint_scratch_path(scratch, response, origin);
    path.n_parameters = 1;
    path.dp = &tangent;
    joint_scratch_sample(scratch, response);
    enum masing_status status = masing_law_march(joint->law, joint->parameters, &path, NULL,
                                                 &forces, NULL, scratch->workspace);
    for (int a = 0; status == MASING_OK && a < response->n_axes; a++) {
        joint_scratch_analyse(scratch, scratch->dfp, response->n_axes, a,
                              change + a * response->basis->n_coefficients);
    }
    return status;
}

static bool has_velocity(const struct joint_response *response)
{
    return response->method == JOINT_TANGENTS && joint_needs_velocity(response->joint);
}

/* block += multiplication by the velocity tangent after differentiation in time. */
static void add_velocity(const struct joint_response *response, double *block)
{
    const struct basis *basis = response->basis;
    const struct structured_derivative *derivative = &response->derivative;
    size_t n = (size_t)basis->n_coefficients;
    for (size_t k = 0; k < (size_t)basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        for (size_t side = 0; side < (h > 0 ? 2u : 0u); side++) {
            /* x = a cos: v = -omega h a sin; x = b sin: v = omega h b cos */
            size_t column = (size_t)basis->position[k] + side;
            double *unit = response->change;
            memset(unit, 0, sizeof(double) * n);
            unit[(size_t)basis->position[k] + 1 - side] =
                (side == 0 ? -h : h) * response->omega;
            multiplication_apply(basis, derivative->velocity_cosine, derivative->velocity_sine,
                                 unit, block + column * n);
        }
    }
}

void joint_response_matrix(const struct joint_response *response, double *block)
{
    size_t n = (size_t)response->basis->n_coefficients;
    if (response->method == JOINT_DIRECTIONS) {
        size_t size = n * (size_t)response->n_axes;
        memcpy(block, response->block, sizeof(double) * size * size);
        return;
    }
    const struct structured_derivative *derivative = &response->derivative;
    memset(block, 0, sizeof(double) * n * n);
    multiplication_add(response->basis, derivative->cosine, derivative->sine, block);
    if (has_velocity(response)) {
        add_velocity(response, block);
    }
    for (size_t d = 0; d < (size_t)derivative->n_dyads; d++) {
        const double *left = derivative->left + d * n, *right = derivative->right + d * n;
        for (size_t c = 0; c < n; c++) {
            for (size_t r = 0; r < n; r++) {
                block[c * n + r] += left[r] * right[c];
            }
        }
    }
}

static void apply_block(const struct joint_response *response, const double *dx, double d_omega,
                        double *df)
{
    size_t size = (size_t)response->n_axes * (size_t)response->basis->n_coefficients;
    bool with_omega = joint_needs_velocity(response->joint);
    for (size_t r = 0; r < size; r++) {
        df[r] = with_omega ? d_omega * response->omega_derivative[r] : 0.0;
    }
    for (size_t c = 0; c < size; c++) {
        for (size_t r = 0; r < size; r++) {
            df[r] += response->block[c * size + r] * dx[c];
        }
    }
}

/* df += velocity tangent times the change of v = omega x'. */
static void apply_velocity(const struct joint_response *response, const double *dx,
                           double d_omega, double *df)
{
    const struct basis *basis = response->basis;
    double *slope = response->change, *change = slope + basis->n_coefficients;
    basis_differentiate(basis, dx, change);
    basis_differentiate(basis, response->x, slope);
    for (int c = 0; c < basis->n_coefficients; c++) {
        change[c] = response->omega * change[c] + d_omega * slope[c];
    }
    multiplication_apply(basis, response->derivative.velocity_cosine,
                         response->derivative.velocity_sine, change, df);
}

void joint_response_apply(const struct joint_response *response, const double *dx,
                          double d_omega, double *df)
{
    if (response->method == JOINT_DIRECTIONS) {
        apply_block(response, dx, d_omega, df);
        return;
    }
    const struct structured_derivative *derivative = &response->derivative;
    size_t n = (size_t)response->basis->n_coefficients;
    memset(df, 0, sizeof(double) * n);
    multiplication_apply(response->basis, derivative->cosine, derivative->sine, dx, df);
    if (has_velocity(response)) {
        apply_velocity(response, dx, d_omega, df);
    }
    for (size_t d = 0; d < (size_t)derivative->n_dyads; d++) {
        const double *left = derivative->left + d * n, *right = derivative->right + d * n;
        double product = 0.0;
        for (size_t c = 0; c < n; c++) {
            product += right[c] * dx[c];
        }
        for (size_t r = 0; r < n; r++) {
            df[r] += left[r] * product;
        }
    }
}
