/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forces from samples, with the derivative in structured form: the law gives per sample its
 * tangent and the turning point it refers to, and the derivative is multiplication by the
 * tangent plus one dyad per turning point (exact for the sampled force, at the price of a
 * transform each). With G the derivative of the forces at turning points r by their
 * displacements s,
 *   df(i) = fx(i) dx(i) + sum_s [G(branch(i), s) - fx(i) (branch(i) = s)] dx(s),
 *   G(r, s) = t_r [(r = s) - (parent(r) = s)] + G(parent(r), s).
 */
#include <math.h>

#include "base/check.h"
#include "harmonic/joints/joint_scratch.h"

/* Basis functions at a turning point, as the weighted sum over samples that defines it. */
static void functions_at(const struct joint_scratch *scratch,
                         const struct masing_turning *turning, double *functions)
{
    const struct basis *basis = scratch->basis;
    double(*circle)[2] = scratch->shared->circle;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k], last = basis->n_samples - 1; /* a power of two, less one */
        double a = 0.0, b = 0.0;
        for (int m = 0; m < MASING_TURNING_WEIGHTS; m++) {
            const double *at = circle[(h * (turning->sample - 1 + m)) & last];
            a += turning->weights[m] * at[0];
            b += turning->weights[m] * at[1];
        }
        functions[basis->position[k]] = a;
        if (h > 0) {
            functions[basis->position[k] + 1] = b;
        }
    }
}

/* Column s of G, below the diagonal. */
static enum masing_status fill_memory(struct joint_scratch *scratch, int s)
{
    const struct masing_tangents *tangents = &scratch->tangents;
    double *memory = scratch->memory;
    for (int r = s; r < tangents->n_turnings; r++) {
        const struct masing_turning *turning = &tangents->turnings[r];
        int parent = turning->parent;
        if (parent >= r) {
            return MASING_INTERNAL;
        }
        memory[r] = parent >= s ? memory[parent] : 0.0;
        memory[r] += r == s ? turning->tangent : parent == s ? -turning->tangent : 0.0;
    }
    return MASING_OK;
}

static bool is_zero(const double *values, int n)
{
    for (int i = 0; i < n; i++) {
        if (values[i] != 0.0) {
            return false;
        }
    }
    return true;
}

/* One dyad, unless its left side is zero. */
static enum masing_status add_dyad(struct joint_scratch *scratch, int s,
                                   struct structured_derivative *derivative)
{
    const struct masing_tangents *tangents = &scratch->tangents;
    int n_samples = scratch->basis->n_samples;
    double *samples = scratch->column;
    NEED(fill_memory(scratch, s));
    for (int i = 0; i < n_samples; i++) {
        int branch = tangents->branch[i];
        double own = branch == s ? tangents->fx[i] : 0.0;
        samples[i] = (branch >= s ? scratch->memory[branch] : 0.0) - own;
    }
    if (!is_zero(samples, n_samples)) {
        size_t at = (size_t)derivative->n_dyads * (size_t)scratch->basis->n_coefficients;
        basis_analyse(scratch->basis, samples, derivative->left + at);
        functions_at(scratch, &tangents->turnings[s], derivative->right + at);
        derivative->n_dyads++;
    }
    return MASING_OK;
}

static enum masing_status differentiate(struct joint_response *response,
                                        struct joint_scratch *scratch)
{
    struct structured_derivative *derivative = &response->derivative;
    const struct masing_tangents *tangents = &scratch->tangents;
    basis_spectrum(scratch->basis, tangents->fx, derivative->cosine, derivative->sine);
    if (joint_needs_velocity(response->joint)) {
        basis_spectrum(scratch->basis, tangents->fv, derivative->velocity_cosine,
                       derivative->velocity_sine);
    }
    derivative->n_dyads = 0;
    for (int s = 0; s < tangents->n_turnings; s++) {
        NEED(add_dyad(scratch, s, derivative));
    }
    return MASING_OK;
}

enum masing_status joint_tangents_evaluate(struct joint_response *response,
                                           struct joint_scratch *scratch, const double *origin,
                                           bool with_derivative)
{
    const struct masing_law *law = response->joint->law;
    const struct masing_path path = joint_scratch_path(scratch, response, origin);
    joint_scratch_sample(scratch, response);
    struct masing_forces forces = {.f = scratch->f, .slip_distance = NAN};
    NEED(masing_law_march(law, response->joint->parameters, &path, NULL, &forces,
                          with_derivative ? &scratch->tangents : NULL, scratch->workspace));
    response->slip_share = forces.slip_share;
    response->slip_distance = forces.slip_distance;
    basis_analyse(scratch->basis, scratch->f, response->f);
    return with_derivative ? differentiate(response, scratch) : MASING_OK;
}
