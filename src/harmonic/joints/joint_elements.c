/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/joints/joint_elements.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"

int joint_elements_count(const struct joint *joint)
{
    return joint->law->n_elements ? joint->law->n_elements(joint->parameters) : 0;
}

struct needs {
    size_t n_axes, n_states, n_workspace;
    int n_elements;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static struct needs needs_of(const struct masing_model *model, const struct basis *basis)
{
    struct needs most = {1, 1, 1, 0};
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        const struct masing_law *law = joint->law;
        int n = joint_elements_count(joint);
        if (n == 0) {
            continue;
        }
        most.n_axes = larger(most.n_axes, (size_t)joint->n_axes);
        most.n_states = larger(most.n_states, law->family->state_size(law, joint->parameters));
        most.n_workspace =
            larger(most.n_workspace, law->family->workspace_size(law, basis->n_samples, 0, 0));
        most.n_elements = n > most.n_elements ? n : most.n_elements;
    }
    return most;
}

enum masing_status joint_elements_create(const struct masing_model *model,
                                         const struct basis *basis,
                                         struct joint_elements **made,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct needs needs = needs_of(model, basis);
    size_t size = (size_t)basis->n_samples * needs.n_axes;
    *made = NULL;
    if (needs.n_elements == 0) {
        return MASING_OK;
    }
    struct joint_elements *elements = memory_array(1, sizeof *elements);
    TRY_ALLOCATED(elements);
    elements->basis = basis;
    elements->capacity = needs.n_elements;
    elements->x = memory_array(size, sizeof(double));
    elements->v = memory_array(size, sizeof(double));
    elements->f = memory_array(size, sizeof(double));
    elements->state = memory_array(needs.n_states, sizeof(double));
    elements->workspace = memory_array(needs.n_workspace, sizeof(double));
    elements->elements = memory_array((size_t)needs.n_elements, sizeof *elements->elements);
    TRY_ALLOCATED(elements->x && elements->v && elements->f && elements->state &&
                  elements->workspace && elements->elements);
    *made = elements;
    elements = NULL;
done:
    joint_elements_destroy(elements);
    return status;
}

void joint_elements_destroy(struct joint_elements *elements)
{
    if (elements) {
        free(elements->x);
        free(elements->v);
        free(elements->f);
        free(elements->state);
        free(elements->workspace);
        free(elements->elements);
        free(elements);
    }
}

/* Displacements and velocities, interleaved as a law reads them. */
static void sample(struct joint_elements *elements, const struct joint_response *response,
                   double omega)
{
    size_t n_axes = (size_t)response->n_axes;
    size_t n_coefficients = (size_t)elements->basis->n_coefficients;
    int n_samples = elements->basis->n_samples;
    for (size_t a = 0; a < n_axes; a++) {
        trigonometric_path_set(response->path, response->x + a * n_coefficients, 0.0);
        for (size_t i = 0; i < (size_t)n_samples; i++) {
            double values[4];
            trigonometric_path_evaluate(response->path, TWO_PI * (double)i / n_samples, values);
            elements->x[i * n_axes + a] = values[0];
            elements->v[i * n_axes + a] = omega * values[1];
        }
    }
}

enum masing_status joint_elements_evaluate(struct joint_elements *elements,
                                           const struct joint_response *response, double omega,
                                           const double *origin)
{
    const struct joint *joint = response->joint;
    const struct masing_law *law = joint->law;
    int n_samples = elements->basis->n_samples;
    size_t n_states = law->family->state_size(law, joint->parameters);
    sample(elements, response, omega);
    for (size_t i = 0; i < n_states; i++) { /* stay on the branch of the solution */
        elements->state[i] = response->state ? response->state[i] : NAN;
    }
    const struct masing_path path = {
        .n_samples = n_samples,
        .n_axes = response->n_axes,
        .is_periodic = true,
        .time_step = TWO_PI / (omega * n_samples),
        .x = elements->x,
        .v = elements->v,
        .origin = origin,
        .origin_state = response->is_carried ? response->carried : NULL,
    };
    struct masing_forces forces = {.f = elements->f, .elements = elements->elements};
    elements->n = joint_elements_count(joint);
    return law->family->march(law, joint->parameters, &path, elements->state, &forces, NULL,
                              elements->workspace);
}
