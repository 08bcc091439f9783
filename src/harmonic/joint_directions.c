/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forces from samples of any law with any number of axes: the law differentiates itself along
 * one direction per displacement coefficient (and one for the frequency where it needs
 * velocity), and each derivative is transformed like a force.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/joint_response.h"

static const double TWO_PI = 6.283185307179586476925286766559;

/* Seeds dx [n_samples][n_axes][n_directions]: direction a n_c + c moves axis a by function c.
 */
static void fill_seeds(struct joint_response *response)
{
    struct basis *basis = response->basis;
    int n = basis->n_coefficients, n_samples = basis->n_samples, n_axes = response->n_axes;
    size_t stride = (size_t)n_axes * (size_t)response->n_directions;
    double *unit = response->scratch, *samples = unit + n;
    memset(unit, 0, sizeof(double) * (size_t)n);
    for (int c = 0; c < n; c++) {
        unit[c] = 1.0;
        for (int order = 0; order < 2; order++) {
            double *seeds = order == 0 ? response->dx : response->slopes;
            if (!seeds) {
                continue;
            }
            basis_synthesise(basis, unit, order, samples);
            for (int i = 0; i < n_samples; i++) {
                for (int a = 0; a < n_axes; a++) {
                    size_t at = (size_t)i * stride + (size_t)(a * response->n_directions) +
                                (size_t)(a * n + c);
                    seeds[at] = samples[i];
                }
            }
        }
        unit[c] = 0.0;
    }
}

/* Nothing is known yet. */
static double *unknown_state(const struct joint *joint)
{
    size_t size = joint->law->family->state_size(joint->law, joint->parameters);
    double *state = memory_array(size > 0 ? size : 1, sizeof(double));
    for (size_t i = 0; state && i < size; i++) {
        state[i] = NAN;
    }
    return state;
}

enum masing_status joint_directions_create(struct joint_response *response,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct basis *basis = response->basis;
    bool needs_velocity = joint_needs_velocity(response->joint);
    size_t n = (size_t)response->n_axes * (size_t)basis->n_coefficients;
    response->n_directions = (int)n + (needs_velocity ? 1 : 0);
    size_t size =
        (size_t)basis->n_samples * (size_t)response->n_axes * (size_t)response->n_directions;
    response->dx = memory_array(size, sizeof(double));
    response->df = memory_array(size, sizeof(double));
    response->block = memory_array(n * n, sizeof(double));
    response->state = unknown_state(response->joint);
    response->omega_derivative = memory_array(n, sizeof(double));
    TRY_ALLOCATED(response->dx && response->df && response->block && response->state &&
                  response->omega_derivative);
    if (needs_velocity) {
        response->dv = memory_array(size, sizeof(double));
        response->slopes = memory_array(size, sizeof(double));
        TRY_ALLOCATED(response->dv && response->slopes);
    }
    fill_seeds(response);
done:
    return status;
}

/* Samples of all axes, interleaved as a law reads them. */
static void synthesise_axes(struct joint_response *response, int order, double factor,
                            double *out)
{
    struct basis *basis = response->basis;
    for (int a = 0; a < response->n_axes; a++) {
        basis_synthesise(basis, response->x + (size_t)a * (size_t)basis->n_coefficients, order,
                         response->scratch);
        for (int i = 0; i < basis->n_samples; i++) {
            out[(size_t)i * (size_t)response->n_axes + (size_t)a] =
                factor * response->scratch[i];
        }
    }
}

/* dv = omega times the slope of each direction; the last direction is the frequency itself. */
static void fill_velocity_seeds(struct joint_response *response)
{
    size_t rows = (size_t)response->basis->n_samples * (size_t)response->n_axes;
    size_t n = (size_t)response->n_directions;
    for (size_t i = 0; i < rows; i++) {
        for (size_t d = 0; d + 1 < n; d++) {
            response->dv[i * n + d] = response->omega * response->slopes[i * n + d];
        }
        response->dv[i * n + n - 1] = response->v_samples[i] / response->omega;
    }
}

/* Coefficients of column `column` of an interleaved array [n_samples][n_columns]. */
static void analyse_column(struct joint_response *response, const double *values,
                           size_t n_columns, size_t column, double *out)
{
    for (int i = 0; i < response->basis->n_samples; i++) {
        response->scratch[i] = values[(size_t)i * n_columns + column];
    }
    basis_analyse(response->basis, response->scratch, out);
}

static void gather_derivatives(struct joint_response *response)
{
    size_t n_c = (size_t)response->basis->n_coefficients;
    size_t n = (size_t)response->n_axes * n_c, n_directions = (size_t)response->n_directions;
    for (size_t d = 0; d < n_directions; d++) {
        double *out = d < n ? response->block + d * n : response->omega_derivative;
        for (size_t a = 0; a < (size_t)response->n_axes; a++) {
            analyse_column(response, response->df, (size_t)response->n_axes * n_directions,
                           a * n_directions + d, out + a * n_c);
        }
    }
}

enum masing_status joint_directions_evaluate(struct joint_response *response,
                                             const double *origin, bool with_derivative)
{
    const struct masing_law *law = response->joint->law;
    struct basis *basis = response->basis;
    struct masing_path path = {.n_samples = basis->n_samples,
                               .n_axes = response->n_axes,
                               .n_directions = with_derivative ? response->n_directions : 0,
                               .is_periodic = true,
                               .time_step = TWO_PI / (response->omega * basis->n_samples),
                               .x = response->x_samples,
                               .dx = response->dx,
                               .origin = origin};
    synthesise_axes(response, 0, 1.0, response->x_samples);
    if (joint_needs_velocity(response->joint)) {
        synthesise_axes(response, 1, response->omega, response->v_samples);
        path.v = response->v_samples;
        if (with_derivative) {
            fill_velocity_seeds(response);
            path.dv = response->dv;
        }
    }
    struct masing_forces forces = {.f = response->f_samples,
                                   .df = response->df,
                                   .slip_share = NAN,
                                   .open_share = NAN,
                                   .slip_margin = NAN};
    enum masing_status status =
        law->family->march(law, response->joint->parameters, &path, response->state, &forces,
                           NULL, response->workspace);
    if (status != MASING_OK) {
        return status;
    }
    response->slip_share = forces.slip_share;
    response->open_share = forces.open_share;
    response->range[0].slip_margin = forces.slip_margin;
    for (size_t a = 0; a < (size_t)response->n_axes; a++) {
        analyse_column(response, response->f_samples, (size_t)response->n_axes, a,
                       response->f + a * (size_t)basis->n_coefficients);
    }
    if (with_derivative) {
        gather_derivatives(response);
    }
    return MASING_OK;
}
