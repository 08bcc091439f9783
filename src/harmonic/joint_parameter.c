/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/joint_parameter.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

static const double TWO_PI = 6.283185307179586476925286766559;

enum masing_status joint_parameter_create(struct joint_response *response,
                                          struct joint_parameter **parameter,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct basis *basis = response->basis;
    const struct masing_law *law = response->joint->law;
    struct joint_parameter *made = memory_array(1, sizeof *made);
    *parameter = made;
    TRY_ALLOCATED(made);
    made->response = response;
    if (response->method == JOINT_PHASES) {
        made->cosine = memory_array((size_t)basis->n_spectrum, sizeof(double));
        made->sine = memory_array((size_t)basis->n_spectrum, sizeof(double));
        TRY_ALLOCATED(made->cosine && made->sine);
    } else {
        made->samples =
            memory_array((size_t)basis->n_samples * (size_t)response->n_axes, sizeof(double));
        made->workspace = memory_array(law->family->workspace_size(law, basis->n_samples, 0, 1),
                                       sizeof(double));
        TRY_ALLOCATED(made->samples && made->workspace);
    }
done:
    return status;
}

void joint_parameter_destroy(struct joint_parameter *parameter)
{
    if (parameter) {
        free(parameter->cosine);
        free(parameter->sine);
        free(parameter->samples);
        free(parameter->workspace);
        free(parameter);
    }
}

/* The samples of the last evaluation once more, with the derivative by one parameter. */
static enum masing_status march(struct joint_parameter *parameter, const double *origin,
                                const void *tangent)
{
    struct joint_response *response = parameter->response;
    const struct masing_law *law = response->joint->law;
    int n_samples = response->basis->n_samples;
    const void *tangents[] = {tangent};
    const struct masing_path path = {
        .n_samples = n_samples,
        .n_axes = response->n_axes,
        .is_periodic = true,
        .time_step = TWO_PI / (response->omega * n_samples),
        .x = response->x_samples,
        .v = joint_needs_velocity(response->joint) ? response->v_samples : NULL,
        .origin = origin,
        .n_parameters = 1,
        .dp = tangents};
    struct masing_forces forces = {.f = response->f_samples, .dfp = parameter->samples};
    return law->family->march(law, response->joint->parameters, &path, NULL, &forces, NULL,
                              parameter->workspace);
}

enum masing_status joint_parameter_evaluate(struct joint_parameter *parameter,
                                            const double *origin, const void *tangent,
                                            double *change)
{
    struct joint_response *response = parameter->response;
    struct basis *basis = response->basis;
    if (response->method == JOINT_PHASES) {
        return joint_phases_parameter(response, tangent, parameter->cosine, parameter->sine,
                                      change);
    }
    enum masing_status status = march(parameter, origin, tangent);
    for (int a = 0; status == MASING_OK && a < response->n_axes; a++) {
        for (int i = 0; i < basis->n_samples; i++) {
            response->scratch[i] = parameter->samples[i * response->n_axes + a];
        }
        basis_analyse(basis, response->scratch, change + a * basis->n_coefficients);
    }
    return status;
}
