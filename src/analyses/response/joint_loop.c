/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/joint_loop.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"

enum { LOOP_SAMPLES = 512 };

int joint_loop_samples(const struct balance *balance)
{
    int n_samples = balance->basis->n_samples;
    return n_samples > LOOP_SAMPLES ? n_samples : LOOP_SAMPLES;
}

/* Displacements x and velocities v [n_samples][n_axes] of a joint. The polynomials are summed
 * directly: planning a transform would cost more than this one use of it. */
static void sample_axes(const struct joint_response *response, double omega, int n_samples,
                        double *x, double *v)
{
    size_t n_axes = (size_t)response->n_axes;
    size_t n_coefficients = (size_t)response->basis->n_coefficients;
    for (size_t a = 0; a < n_axes; a++) {
        trigonometric_path_set(response->path, response->x + a * n_coefficients, 0.0);
        for (size_t i = 0; i < (size_t)n_samples; i++) {
            double values[4];
            trigonometric_path_evaluate(response->path, TWO_PI * (double)i / n_samples, values);
            x[i * n_axes + a] = values[0];
            v[i * n_axes + a] = omega * values[1];
        }
    }
}

/* Where the joint was found steady, so that its loop is that of the solution. */
static double *copy_state(const struct joint_response *response)
{
    const struct joint *joint = response->joint;
    size_t n = joint->law->family->state_size(joint->law, joint->parameters);
    double *state = memory_array(n + 1, sizeof(double));
    for (size_t i = 0; state && i < n; i++) {
        state[i] = response->state ? response->state[i] : NAN;
    }
    return state;
}

enum masing_status joint_loop_march(const struct balance *balance,
                                    const struct joint_response *response, double omega,
                                    int n_samples, double **samples, double **x, double **f,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = response->joint->law;
    size_t size = (size_t)n_samples * (size_t)response->n_axes;
    *samples = memory_array(3 * size, sizeof(double));
    double *workspace =
        memory_array(law->family->workspace_size(law, n_samples, 0, 0), sizeof(double));
    double *state = copy_state(response);
    TRY_ALLOCATED(*samples && workspace && state);
    double *v = *samples + 2 * size;
    *x = *samples;
    *f = *samples + size;
    sample_axes(response, omega, n_samples, *x, v);
    struct masing_path path = {
        .n_samples = n_samples,
        .n_axes = response->n_axes,
        .is_periodic = true,
        .time_step = TWO_PI / (omega * n_samples),
        .x = *x,
        .v = v,
        .origin = balance->origin + response->joint->first_axis,
        .origin_state = response->is_carried ? response->carried : NULL,
    };
    struct masing_forces forces = {.f = *f};
    TRY(law->family->march(law, response->joint->parameters, &path, state, &forces, NULL,
                           workspace));
done:
    free(state);
    free(workspace);
    return status;
}
