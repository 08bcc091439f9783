/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/rigid_body.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"

/* Axes that a motion moves by less than this part of their size do not see it: rounding of the
 * modes, or so little that no joint ever resists. */
static const double UNSEEN_SHARE = 1e-9;
/* Means below this part of the motion are zero. */
static const double ZERO_MEAN_SHARE = 1e-9;

/* The modal displacement of an axis if its terms did not cancel: sum |weight| |shape|, the
 * shapes of all modes together, which is a size for what rounding leaves of them too. */
static double axis_size(const struct integrator *integrator, int axis)
{
    const struct structure *structure = integrator->model->structure;
    const struct masing_combination *combination = &integrator->model->axes[axis];
    double size = 0.0;
    for (int t = 0; t < combination->n_terms; t++) {
        const double *shape = structure->shapes + combination->terms[t].dof;
        double sum = 0.0;
        for (int k = 0; k < structure->n_modes; k++) {
            double part = shape[(size_t)k * (size_t)structure->n_dofs];
            sum += part * part;
        }
        size += fabs(combination->terms[t].weight) * sqrt(sum);
    }
    return size;
}

/* Rigid-body modes at the axes, relative to the sizes of these; rows of zeros below. */
static void fill_matrix(const struct integrator *integrator, struct rigid_body *rigid)
{
    const struct ports *ports = integrator->ports;
    size_t n_rows = (size_t)rigid->svd.n_rows;
    memset(rigid->svd.matrix, 0, n_rows * (size_t)rigid->n * sizeof(double));
    for (int axis = 0; axis < ports->n_axes; axis++) {
        double size = rigid->sizes[axis] = axis_size(integrator, axis);
        const double *row = ports->shapes + (size_t)axis * (size_t)ports->n_modes;
        for (int k = 0; k < rigid->n; k++) {
            rigid->svd.matrix[(size_t)k * n_rows + (size_t)axis] =
                size > 0.0 ? row[k] / size : 0.0;
        }
    }
}

enum masing_status rigid_body_create(const struct integrator *integrator,
                                     struct rigid_body *rigid, struct masing_error *error)
{
    int n = integrator->model->structure->n_rigid, n_axes = integrator->ports->n_axes;
    *rigid = (struct rigid_body){.n = n};
    if (n == 0) {
        return MASING_OK;
    }
    int n_rows = n_axes > n ? n_axes : n;
    NEED(svd_create(n_rows, n, &rigid->svd, error));
    rigid->sizes = memory_array((size_t)n_axes, sizeof(double));
    rigid->rest = memory_array((size_t)n_rows, sizeof(double));
    NEED_ALLOCATED(rigid->sizes && rigid->rest);
    fill_matrix(integrator, rigid);
    enum masing_status status = svd_factor(n, &rigid->svd);
    if (status != MASING_OK) {
        return masing_error_set(error, status, "rigid-body modes: %s",
                                masing_status_name(status));
    }
    while (rigid->n_seen < n && rigid->svd.values[rigid->n_seen] > UNSEEN_SHARE) {
        rigid->n_seen++;
    }
    size_t n_free = (size_t)(n - rigid->n_seen);
    rigid->free = memory_array(n_free * (size_t)n, sizeof(double));
    NEED_ALLOCATED(rigid->free);
    for (size_t i = 0; i < n_free; i++) {
        for (size_t k = 0; k < (size_t)n; k++) {
            rigid->free[i * (size_t)n + k] =
                rigid->svd.vt[k * (size_t)n + (size_t)rigid->n_seen + i];
        }
    }
    return MASING_OK;
}

void rigid_body_clear(struct rigid_body *rigid)
{
    svd_clear(&rigid->svd);
    free(rigid->free);
    free(rigid->sizes);
    free(rigid->rest);
    *rigid = (struct rigid_body){0};
}

/* to += factor (vector . from) vector, for what no joint sees */
static void add_free(const struct rigid_body *rigid, double factor, const double *from,
                     double *to)
{
    for (int i = 0; i < rigid->n - rigid->n_seen; i++) {
        const double *vector = rigid->free + (size_t)i * (size_t)rigid->n;
        double part = factor * dense_dot(rigid->n, vector, from);
        for (int k = 0; k < rigid->n; k++) {
            to[k] += part * vector[k];
        }
    }
}

void rigid_body_keep_seen(const struct rigid_body *rigid, double *x)
{
    add_free(rigid, -1.0, x, x);
}

void rigid_body_place(struct rigid_body *rigid, struct integrator *integrator, const double *x)
{
    const struct ports *ports = integrator->ports;
    double *q = integrator->modal->q;
    if (rigid->n_seen == 0) {
        return;
    }
    memset(q, 0, (size_t)rigid->n * sizeof(double));
    memset(rigid->rest, 0, (size_t)rigid->svd.n_rows * sizeof(double));
    for (int axis = 0; axis < ports->n_axes; axis++) {
        const double *row = ports->shapes + (size_t)axis * (size_t)ports->n_modes;
        double flexible = ports_flexible_value(
            ports, axis, integrator->forcing->constant + ports->n_modes, integrator->joints->f);
        double rest = x[axis] - flexible - dense_dot(ports->n_modes, row, q);
        rigid->rest[axis] = rigid->sizes[axis] > 0.0 ? rest / rigid->sizes[axis] : 0.0;
    }
    svd_solve(&rigid->svd, rigid->rest, 0.0, UNSEEN_SHARE / rigid->svd.values[0], q);
}

/* Periodic motion of the rigid-body modes under the loads, displacement and velocity at time 0:
 * by their own dynamic stiffness, without what damping ties them to. */
static enum masing_status find_periodic(const struct integrator *integrator, int n, double *q,
                                        double *v, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct forcing *forcing = integrator->forcing;
    struct arena arena = {0};
    struct modal_stiffness stiffness;
    double complex *x = arena_array(&arena, (size_t)n, sizeof *x);
    TRY(modal_stiffness_create(integrator->model->structure, n, &arena, &stiffness, error));
    for (int term = 0; term < forcing->n_terms; term++) {
        int harmonic = forcing->harmonics[term],
            at = term * (forcing->n_modes + forcing->n_ports);
        struct stepper_rates rates = integrator_rates(integrator, harmonic);
        if (!integrator_shows(integrator, harmonic)) {
            continue;
        }
        for (int i = 0; i < n; i++) {
            x[i] = forcing->cosine[at + i] - I * forcing->sine[at + i];
        }
        TRY(modal_stiffness_set(&stiffness, rates.acceleration, rates.velocity));
        modal_stiffness_solve(&stiffness, x);
        for (int k = 0; k < n; k++) {
            /* the first acceleration is that of the balance: both are right after one step */
            double lag = creal(rates.lag * x[k]);
            q[k] += creal(x[k]) + rates.lag_q * lag;
            v[k] += creal(rates.velocity * x[k]) - rates.lag_v * lag;
        }
    }
done:
    arena_clear(&arena);
    return status;
}

enum masing_status rigid_body_release(const struct rigid_body *rigid,
                                      struct integrator *integrator, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)rigid->n;
    if (rigid->n_seen == rigid->n) {
        return MASING_OK;
    }
    double *q = memory_array(n, sizeof(double)), *v = memory_array(n, sizeof(double));
    TRY_ALLOCATED(q && v);
    TRY(find_periodic(integrator, rigid->n, q, v, error));
    rigid_body_keep_seen(rigid, integrator->modal->q);
    rigid_body_keep_seen(rigid, integrator->modal->v);
    add_free(rigid, 1.0, q, integrator->modal->q);
    add_free(rigid, 1.0, v, integrator->modal->v);
done:
    free(q);
    free(v);
    return status;
}

enum masing_status rigid_body_centre(struct integrator *integrator, int n_periods,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct rigid_body rigid;
    double *mean = NULL, *shift = NULL, speed = 0.0, moved = 0.0;
    int n_steps = n_periods * integrator->n_steps;
    TRY(rigid_body_create(integrator, &rigid, error));
    if (rigid.n_seen == rigid.n) {
        goto done;
    }
    mean = memory_array((size_t)rigid.n, sizeof(double));
    shift = memory_array((size_t)rigid.n, sizeof(double));
    TRY_ALLOCATED(mean && shift);
    for (int i = 0; i < n_steps; i++) {
        TRY(integrator_step(integrator));
        const struct modal_state *modal = integrator_modal(integrator);
        speed += modal_state_squared_speed(modal) / n_steps;
        for (int k = 0; k < rigid.n; k++) {
            mean[k] += modal->q[k];
        }
    }
    add_free(&rigid, -1.0 / n_steps, mean, shift);
    moved = dense_dot(rigid.n, shift, shift);
    if (moved >
        ZERO_MEAN_SHARE * ZERO_MEAN_SHARE * speed / (integrator->omega * integrator->omega)) {
        for (int k = 0; k < rigid.n; k++) {
            integrator_modal(integrator)->q[k] += shift[k];
        }
        TRY(integrator_restart(integrator));
    }
done:
    rigid_body_clear(&rigid);
    free(mean);
    free(shift);
    return status;
}
