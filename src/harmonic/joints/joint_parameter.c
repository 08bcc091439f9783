/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/joints/joint_parameter.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

enum masing_status joint_parameter_create(struct joint_response *response,
                                          struct joint_scratch *scratch,
                                          struct joint_parameter **parameter,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct basis *basis = response->basis;
    struct joint_parameter *made = memory_array(1, sizeof *made);
    *parameter = made;
    TRY_ALLOCATED(made);
    made->response = response;
    made->scratch = scratch;
    if (response->method == JOINT_PHASES) {
        made->cosine = memory_array((size_t)basis->n_spectrum, sizeof(double));
        made->sine = memory_array((size_t)basis->n_spectrum, sizeof(double));
        TRY_ALLOCATED(made->cosine && made->sine);
    } else {
        made->samples =
            memory_array((size_t)basis->n_samples * (size_t)response->n_axes, sizeof(double));
        TRY_ALLOCATED(made->samples);
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
        free(parameter);
    }
}

/* The samples of the last evaluation once more, with the derivative by one parameter. */
static enum masing_status march(struct joint_parameter *parameter, const double *origin,
                                const void *tangent)
{
    const struct joint_response *response = parameter->response;
    struct joint_scratch *scratch = parameter->scratch;
    const struct masing_law *law = response->joint->law;
    const void *tangents[] = {tangent};
    struct masing_path path = joint_scratch_path(scratch, response, origin);
    path.smoothing = 0.0;
    path.n_parameters = 1;
    path.dp = tangents;
    joint_scratch_sample(scratch, response);
    struct masing_forces forces = {.f = scratch->f, .dfp = parameter->samples};
    return masing_law_march(law, response->joint->parameters, &path, NULL, &forces, NULL,
                            scratch->workspace);
}

enum masing_status joint_parameter_evaluate(struct joint_parameter *parameter,
                                            const double *origin, const void *tangent,
                                            double *change)
{
    struct joint_response *response = parameter->response;
    int n_axes = response->n_axes;
    if (response->method == JOINT_PHASES) {
        return joint_phases_parameter(response, parameter->scratch, tangent, parameter->cosine,
                                      parameter->sine, change);
    }
    enum masing_status status = march(parameter, origin, tangent);
    for (int a = 0; status == MASING_OK && a < n_axes; a++) {
        joint_scratch_analyse(parameter->scratch, parameter->samples, n_axes, a,
                              change + a * response->basis->n_coefficients);
    }
    return status;
}
