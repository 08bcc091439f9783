/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forces from samples, with the derivative in structured form: the law gives per sample its
 * tangent and the turning point it refers to, and the derivative is multiplication by the
 * tangent plus two dyads per branch (exact for the sampled force, at the price of one transform
 * more).
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "harmonic/joints/joint_scratch.h"

/* Basis functions at a turning point, as the weighted sum over samples that defines it.
 */
static void functions_at(const struct basis *basis, const struct masing_turning *turning,
                         double *functions)
{
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        double a = 0.0, b = 0.0;
        for (int m = 0; m < MASING_TURNING_WEIGHTS; m++) {
            double angle = TWO_PI * h * (turning->sample - 1 + m) / basis->n_samples;
            if (turning->weights[m] != 0.0) {
                a += turning->weights[m] * cos(angle);
                b += turning->weights[m] * sin(angle);
            }
        }
        functions[basis->position[k]] = a;
        if (h > 0) {
            functions[basis->position[k] + 1] = b;
        }
    }
}

/* Per turning point r: functions = d x(r), force = d f(r), by recursion over the parents. */
static enum masing_status fill_memory(struct joint_scratch *scratch)
{
    const struct masing_tangents *tangents = &scratch->tangents;
    int n = scratch->basis->n_coefficients;
    for (int r = 0; r < tangents->n_turnings; r++) {
        const struct masing_turning *turning = &tangents->turnings[r];
        double *functions = scratch->memory + 2 * (size_t)r * (size_t)n;
        double *force = functions + n;
        if (turning->parent >= r) {
            return MASING_INTERNAL;
        }
        functions_at(scratch->basis, turning, functions);
        const double *parent = NULL;
        if (turning->parent >= 0) {
            parent = scratch->memory + 2 * (size_t)turning->parent * (size_t)n;
        }
        for (int c = 0; c < n; c++) {
            force[c] = turning->tangent * (functions[c] - (parent ? parent[c] : 0.0)) +
                       (parent ? parent[n + c] : 0.0);
        }
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

/* A dyad whose left side is the transform of samples; dropped where either side is zero. */
static void add_dyad(struct joint_scratch *scratch, const double *samples, const double *right,
                     struct structured_derivative *derivative)
{
    int n = scratch->basis->n_coefficients;
    if (is_zero(right, n) || is_zero(samples, scratch->basis->n_samples)) {
        return;
    }
    size_t at = (size_t)derivative->n_dyads * (size_t)n;
    basis_analyse(scratch->basis, samples, derivative->left + at);
    memcpy(derivative->right + at, right, sizeof(double) * (size_t)n);
    derivative->n_dyads++;
}

static void add_branches(struct joint_scratch *scratch,
                         struct structured_derivative *derivative)
{
    const struct masing_tangents *tangents = &scratch->tangents;
    int n = scratch->basis->n_coefficients, n_samples = scratch->basis->n_samples;
    double *samples = scratch->column;
    for (int r = 0; r < tangents->n_turnings; r++) {
        const double *functions = scratch->memory + 2 * (size_t)r * (size_t)n;
        for (int i = 0; i < n_samples; i++) {
            samples[i] = tangents->branch[i] == r ? -tangents->fx[i] : 0.0;
        }
        add_dyad(scratch, samples, functions, derivative);
        for (int i = 0; i < n_samples; i++) {
            samples[i] = tangents->branch[i] == r ? 1.0 : 0.0;
        }
        add_dyad(scratch, samples, functions + n, derivative);
    }
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
    if (tangents->n_turnings > 0) {
        NEED(fill_memory(scratch));
        add_branches(scratch, derivative);
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
