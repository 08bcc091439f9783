/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forces from samples of any law with any number of axes: the law differentiates itself along
 * one direction per displacement coefficient (and one for the frequency where it needs
 * velocity), and each derivative is transformed like a force.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "harmonic/joints/joint_scratch.h"
#include "linalg/dense.h"

enum masing_status joint_directions_create(struct joint_response *response,
                                           struct joint_shared *shared,
                                           struct masing_error *error)
{
    const struct joint *joint = response->joint;
    struct arena *arena = &response->arena;
    size_t n = (size_t)response->n_axes * (size_t)response->basis->n_coefficients;
    size_t n_state = masing_law_state_size(joint->law, joint->parameters);
    NEED(joint_shared_seeds(shared, response->n_axes, joint_needs_velocity(joint),
                            &response->seeds, error));
    response->n_state = n_state;
    response->block = arena_doubles(arena, (n + 1) * n);
    response->state = arena_doubles(arena, n_state);
    response->carried = arena_doubles(arena, n_state);
    NEED_ALLOCATED(!arena->has_failed);
    response->omega_derivative = response->block + n * n;
    for (size_t i = 0; i < n_state; i++) {
        response->state[i] = NAN; /* nothing is known yet */
    }
    return MASING_OK;
}

/* dv = omega times the slope of each direction; the last direction is the frequency itself. All
 * but the last are the same for all joints with these seeds. */
static void fill_velocity_seeds(struct joint_scratch *scratch, const struct joint_seeds *seeds,
                                size_t n_axes, double omega)
{
    size_t rows = (size_t)scratch->basis->n_samples * n_axes;
    size_t n = (size_t)seeds->n_directions;
    if (scratch->dv_seeds != seeds || scratch->dv_omega != omega) {
        for (size_t i = 0; i < rows * n; i++) {
            scratch->dv[i] = omega * seeds->slopes[i];
        }
        scratch->dv_seeds = seeds;
        scratch->dv_omega = omega;
    }
    for (size_t i = 0; i < rows; i++) {
        scratch->dv[i * n + n - 1] = scratch->v[i] / omega;
    }
}

/*
 * All columns of an axis at once, as a product with the few functions that are wanted; the
 * column of the frequency comes to lie behind the block. Fast transforms column by column take
 * twice as long: they find all frequencies.
 */
static void gather_derivatives(struct joint_response *response,
                               const struct joint_scratch *scratch)
{
    int n_c = response->basis->n_coefficients, n_samples = response->basis->n_samples;
    int n_axes = response->n_axes, n_directions = response->seeds->n_directions;
    for (int a = 0; a < n_axes; a++) {
        dense_multiply_by_transposed(n_c, n_directions, n_samples, scratch->shared->analysis,
                                     n_c, scratch->df + a * n_directions, n_axes * n_directions,
                                     response->block + a * n_c, n_axes * n_c);
    }
}

enum masing_status joint_directions_evaluate(struct joint_response *response,
                                             struct joint_scratch *scratch,
                                             const double *origin, bool with_derivative)
{
    const struct masing_law *law = response->joint->law;
    const struct basis *basis = response->basis;
    const struct joint_seeds *seeds = response->seeds;
    struct masing_path path = joint_scratch_path(scratch, response, origin);
    path.n_directions = with_derivative ? seeds->n_directions : 0;
    path.dx = seeds->dx;
    joint_scratch_sample(scratch, response);
    if (seeds->slopes && with_derivative) {
        fill_velocity_seeds(scratch, seeds, (size_t)response->n_axes, response->omega);
        path.dv = scratch->dv;
    }
    struct masing_forces forces = {.f = scratch->f,
                                   .df = scratch->df,
                                   .slip_share = NAN,
                                   .open_share = NAN,
                                   .slip_margin = NAN,
                                   .slip_distance = NAN};
    NEED(masing_law_march(law, response->joint->parameters, &path, response->state, &forces,
                          NULL, scratch->workspace));
    response->slip_share = forces.slip_share;
    response->slip_distance = forces.slip_distance;
    response->open_share = forces.open_share;
    response->range[0].slip_margin = forces.slip_margin;
    for (int a = 0; a < response->n_axes; a++) {
        joint_scratch_analyse(scratch, scratch->f, response->n_axes, a,
                              response->f + a * basis->n_coefficients);
    }
    if (with_derivative) {
        gather_derivatives(response, scratch);
    }
    return MASING_OK;
}
