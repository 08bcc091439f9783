/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/start.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "transient/rigid_body.h"

/* The joints move in one straight step from the origin to x and stay there. */
static enum masing_status settle_joints(struct joints *joints, const double *origin,
                                        const double *x, const double *v)
{
    joints_rest(joints, origin);
    enum masing_status status = joints_evaluate(joints, x, v);
    joints_accept(joints, x);
    return status;
}

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
    TRY(settle_joints(integrator->joints, origin, x, zero));
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
    double complex *q;      /* [n_modes] */
    double complex *force;  /* [n_modes] */
    double complex *matrix; /* [n_modes * n_modes], coupled damping only */
    int *pivots;            /* [n_modes] */
    double *x, *v;          /* [n_axes] */
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
    enum masing_status status = MASING_OK;
    struct joints *joints = integrator->joints;
    int n_steps = integrator->n_steps;
    joints_rest(joints, motion->origin);
    for (int i = 0; i <= MARCHED_PERIODS * n_steps && joints->n_axes > 0; i++) {
        follow_axes(integrator, motion, i % n_steps, scratch->x, scratch->v);
        TRY(joints_evaluate(joints, scratch->x, scratch->v));
        joints_accept(joints, scratch->x);
    }
done:
    return status;
}

/* Diagonal of the modal dynamic stiffness. */
static double complex stiffness(const struct integrator *integrator, size_t mode,
                                struct stepper_rates rates)
{
    const struct structure *structure = integrator->model->structure;
    return integrator->modal->stiffness[mode] + rates.acceleration +
           rates.velocity * structure->modal_damping[mode];
}

/* force = Z q, which keeps up this motion. */
static void find_force(const struct integrator *integrator, struct stepper_rates rates,
                       struct scratch *scratch)
{
    const double *damping = integrator->modal->matrix;
    size_t n = (size_t)integrator->ports->n_modes;
    for (size_t i = 0; i < n; i++) {
        scratch->force[i] = stiffness(integrator, i, rates) * scratch->q[i];
        for (size_t j = 0; damping && j < n; j++) {
            scratch->force[i] +=
                i == j ? 0.0 : rates.velocity * damping[j * n + i] * scratch->q[j];
        }
    }
}

/* force becomes the motion Z^-1 force. */
static enum masing_status respond(const struct integrator *integrator,
                                  struct stepper_rates rates, struct scratch *scratch)
{
    enum masing_status status = MASING_OK;
    const double *damping = integrator->modal->matrix;
    size_t n = (size_t)integrator->ports->n_modes;
    if (!damping) {
        for (size_t i = 0; i < n; i++) {
            scratch->force[i] /= stiffness(integrator, i, rates);
        }
        return MASING_OK;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            scratch->matrix[j * n + i] =
                i == j ? stiffness(integrator, i, rates) : rates.velocity * damping[j * n + i];
        }
    }
    TRY(lu_factor_complex((int)n, scratch->matrix, scratch->pivots));
    lu_solve_complex((int)n, scratch->matrix, scratch->pivots, scratch->force, 1);
done:
    return status;
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
    enum masing_status status = MASING_OK;
    struct modal_state *modal = integrator->modal;
    if (!integrator_shows(integrator, harmonic)) {
        return MASING_OK;
    }
    double w = harmonic * integrator->omega;
    struct stepper_rates own = {.velocity = I * w, .acceleration = -w * w};
    struct stepper_rates rates = integrator_rates(integrator, harmonic);
    for (int m = 0; m < modal->n_modes; m++) {
        scratch->q[m] = a[m] - I * b[m];
    }
    find_force(integrator, own, scratch);
    TRY(respond(integrator, rates, scratch));
    for (int m = 0; m < modal->n_modes; m++) {
        modal->q[m] += creal(scratch->force[m]);
        modal->v[m] += creal(rates.velocity * scratch->force[m]);
    }
done:
    return status;
}

static enum masing_status place_modes(const struct integrator *integrator,
                                      const struct start_motion *motion,
                                      struct scratch *scratch)
{
    enum masing_status status = MASING_OK;
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
            TRY(add_harmonic(integrator, h, a, a + n, scratch));
        }
        a += h == 0 ? n : 2 * n;
    }
done:
    return status;
}

enum masing_status start_on_motion(struct integrator *integrator,
                                   const struct start_motion *motion,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    struct rigid_body rigid = {0};
    size_t n = (size_t)integrator->ports->n_modes, n_axes = (size_t)integrator->ports->n_axes;
    size_t z = sizeof(double complex);
    struct scratch scratch = {.q = arena_array(&arena, n, z),
                              .force = arena_array(&arena, n, z),
                              .pivots = arena_array(&arena, n, sizeof(int)),
                              .x = arena_doubles(&arena, n_axes),
                              .v = arena_doubles(&arena, n_axes)};
    scratch.matrix = integrator->modal->matrix ? arena_array(&arena, n * n, z) : NULL;
    TRY_ALLOCATED(!arena.has_failed);
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
