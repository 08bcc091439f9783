/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/start.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "transient/rigid_body.h"

/* Elastic modes under the static loads and the joints' forces; rigid-body modes where the
 * joints depend on them. */
static void place_static(struct integrator *integrator, struct rigid_body *rigid,
                         const double *x)
{
    const struct ports *ports = integrator->ports;
    const struct modal_state *modal = integrator->modal;
    int n_modes = ports->n_modes;
    memset(modal->q, 0, (size_t)n_modes * sizeof(double));
    memset(modal->v, 0, (size_t)n_modes * sizeof(double));
    for (int k = rigid->n; k < n_modes; k++) {
        double force = integrator->forcing->constant[k];
        for (int axis = 0; axis < ports->n_axes; axis++) {
            force -= ports->shapes[axis * n_modes + k] * integrator->joints->f[axis];
        }
        modal->q[k] = force / modal->stiffness[k];
    }
    rigid_body_place(rigid, integrator, x);
}

enum masing_status start_at_rest(struct integrator *integrator, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_axes = (size_t)integrator->ports->n_axes;
    const struct masing_model *model = integrator->model;
    struct rigid_body rigid = {0};
    double *zero = memory_array(3 * n_axes, sizeof(double));
    TRY_ALLOCATED(zero);
    TRY(rigid_body_create(integrator, &rigid, error));
    double *x = zero + n_axes, *origin = x + n_axes;
    if (model->static_displacement) {
        memcpy(x, model->static_displacement, n_axes * sizeof(double));
    }
    if (model->spec.start == MASING_START_STATIC) {
        memcpy(origin, x, n_axes * sizeof(double));
    }
    /* the joints move in one straight step from the origin to x and stay there */
    joints_rest(integrator->joints, origin);
    TRY(joints_evaluate(integrator->joints, x, zero));
    joints_accept(integrator->joints, x);
    place_static(integrator, &rigid, x);
    TRY(rigid_body_release(&rigid, integrator, error));
    integrator_begin(integrator);
done:
    rigid_body_clear(&rigid);
    free(zero);
    return status;
}

enum masing_status start_project(const struct structure *whole, const struct structure *shapes,
                                 const struct masing_combination *values, double *q,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_dofs = whole->n_dofs;
    double *u = memory_array(2 * (size_t)n_dofs, sizeof *u);
    TRY_ALLOCATED(u);
    for (int t = 0; t < values->n_terms; t++) {
        u[values->terms[t].dof] += values->terms[t].weight;
    }
    TRY(structure_inertia(whole, u, u + n_dofs, error));
    dense_multiply_transposed(shapes->n_modes, 1, n_dofs, shapes->shapes, u + n_dofs, q);
done:
    free(u);
    return status;
}

/* Laws with return-point memory have forgotten their start after one period that begins at the
 * largest displacement; evolution laws forget exponentially. */
enum { MARCHED_PERIODS = 4 };

struct scratch {
    struct modal_stiffness stiffness;
    double complex *x; /* [n_modes] */
    double *q, *v;     /* [n_axes] */
};

/* Displacement and velocity of the joints at a step of the period. */
static void follow_axes(const struct integrator *integrator, const struct start_motion *motion,
                        int step, double *x, double *v)
{
    const struct forcing *forcing = integrator->forcing;
    const double *a = motion->axes;
    int n = integrator->ports->n_axes;
    memset(x, 0, (size_t)n * sizeof(double));
    memset(v, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < motion->n_harmonics; k++) {
        int h = motion->harmonics[k], j = (int)((long long)h * step % integrator->n_steps);
        double c = forcing->cosines[j], s = forcing->sines[j], w = h * integrator->omega;
        const double *b = a + n;
        for (int i = 0; i < n; i++) {
            x[i] += h == 0 ? a[i] : a[i] * c + b[i] * s;
            v[i] += h == 0 ? 0.0 : w * (b[i] * c - a[i] * s);
        }
        a += h == 0 ? n : 2 * n;
    }
}

/* The joints' states after following the motion from the origin. */
static enum masing_status march_joints(const struct integrator *integrator,
                                       const struct start_motion *motion,
                                       struct scratch *scratch)
{
    struct joints *joints = integrator->joints;
    int n_steps = integrator->n_steps;
    joints_rest(joints, motion->origin);
    for (int i = 0; i <= MARCHED_PERIODS * n_steps && joints->n_axes > 0; i++) {
        follow_axes(integrator, motion, i % n_steps, scratch->q, scratch->v);
        NEED(joints_evaluate(joints, scratch->q, scratch->v));
        joints_accept(joints, scratch->q);
    }
    return MASING_OK;
}

/*
 * Add a harmonic a cos + b sin of the modal coordinates, as the rule responds to the forces
 * behind it: the rule's own periodic motion, differing in second order of the step. With the
 * equation's motion, what differs would be a transient, which hardly damped modes keep and
 * rigid-body modes drift away with. A harmonic that the steps cannot show is left out.
 */
static enum masing_status add_harmonic(const struct integrator *integrator, int harmonic,
                                       const double *a, const double *b,
                                       struct scratch *scratch)
{
    struct modal_state *modal = integrator->modal;
    if (!integrator_shows(integrator, harmonic)) {
        return MASING_OK;
    }
    const double *damping = modal->matrix;
    double w = harmonic * integrator->omega;
    struct stepper_rates rates = integrator_rates(integrator, harmonic);
    size_t n = (size_t)modal->n_modes;
    for (size_t i = 0; i < n; i++) { /* the equation's forces */
        double own = modal->stiffness[i] - w * w;
        scratch->x[i] = (own + I * w * modal->damping[i]) * (a[i] - I * b[i]);
        for (size_t j = 0; damping && j < n; j++) {
            scratch->x[i] += i == j ? 0.0 : I * w * damping[j * n + i] * (a[j] - I * b[j]);
        }
    }
    NEED(modal_stiffness_set(&scratch->stiffness, rates.acceleration, rates.velocity));
    modal_stiffness_solve(&scratch->stiffness, scratch->x);
    for (size_t i = 0; i < n; i++) {
        modal->q[i] += creal(scratch->x[i]);
        modal->v[i] += creal(rates.velocity * scratch->x[i]);
    }
    return MASING_OK;
}

static enum masing_status place_modes(const struct integrator *integrator,
                                      const struct start_motion *motion,
                                      struct scratch *scratch)
{
    struct modal_state *modal = integrator->modal;
    size_t n = (size_t)modal->n_modes;
    const double *a = motion->modal;
    memset(modal->q, 0, n * sizeof(double));
    memset(modal->v, 0, n * sizeof(double));
    for (int k = 0; k < motion->n_harmonics; k++) {
        int h = motion->harmonics[k];
        for (size_t m = 0; h == 0 && m < n; m++) {
            modal->q[m] += a[m];
        }
        if (h > 0) {
            NEED(add_harmonic(integrator, h, a, a + n, scratch));
        }
        a += h == 0 ? n : 2 * n;
    }
    return MASING_OK;
}

enum masing_status start_on_motion(struct integrator *integrator,
                                   const struct start_motion *motion,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    struct rigid_body rigid = {0};
    size_t n = (size_t)integrator->ports->n_modes, n_axes = (size_t)integrator->ports->n_axes;
    struct scratch scratch = {.x = arena_array(&arena, n, sizeof *scratch.x),
                              .q = arena_doubles(&arena, n_axes),
                              .v = arena_doubles(&arena, n_axes)};
    TRY(modal_stiffness_create(integrator->model->structure, (int)n, &arena, &scratch.stiffness,
                               error));
    TRY(march_joints(integrator, motion, &scratch));
    TRY(place_modes(integrator, motion, &scratch));
    if (integrator_rates(integrator, 1).lag != 0.0) {
        TRY(rigid_body_create(integrator, &rigid, error));
        TRY(rigid_body_release(&rigid, integrator, error));
    }
    integrator_begin(integrator);
done:
    arena_clear(&arena);
    rigid_body_clear(&rigid);
    return status;
}
