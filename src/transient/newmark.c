/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/newmark.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

/* Up to this many products a plain loop is faster than a call. */
enum { SMALL_PRODUCT = 64 };

static const double pi = 3.14159265358979323846;

void newmark_project(int n_ports, int n_modes, const double *shapes, const double *x,
                     double *ports)
{
    if (n_ports * n_modes > SMALL_PRODUCT) {
        dense_multiply_transposed(n_ports, 1, n_modes, shapes, x, ports);
        return;
    }
    for (int i = 0; i < n_ports; i++) {
        double sum = 0.0;
        for (int k = 0; k < n_modes; k++) {
            sum += shapes[i * n_modes + k] * x[k];
        }
        ports[i] = sum;
    }
}

void newmark_damping(const struct newmark *newmark, const double *v, double *force)
{
    int n = newmark->n_modes, first = newmark->n_uncoupled, m = n - first;
    for (int k = 0; k < first; k++) {
        force[k] = newmark->damping[k] * v[k];
    }
    if (m > 0) {
        const double *block = newmark->matrix + (size_t)first * (size_t)(n + 1);
        dense_multiply_parts(m, 1, m, block, n, v + first, m, force + first, m);
    }
}

/* x := (I + (1 + alpha) (gamma h D + beta h^2 diag(omega^2)))^-1 x */
static void solve(const struct newmark *newmark, double *x)
{
    int first = newmark->n_uncoupled;
    for (int k = 0; k < first; k++) {
        x[k] *= newmark->inverse[k];
    }
    if (newmark->factor) {
        cholesky_solve(newmark->n_modes - first, newmark->factor, x + first, 1);
    }
}

void newmark_predict(struct newmark *newmark, const double *force)
{
    int n = newmark->n_modes;
    double h = newmark->step, alpha = newmark->alpha;
    double for_v = newmark->gamma * h, for_q = newmark->beta * h * h;
    double *q = newmark->q, *v = newmark->v, *a = newmark->a;
    for (int k = 0; k < n; k++) {
        newmark->q_old[k] = q[k];
        newmark->v_old[k] = v[k];
        q[k] += h * v[k] + (0.5 * h * h - for_q) * a[k];
        v[k] += (h - for_v) * a[k];
    }
    newmark_damping(newmark, v, newmark->damping_force);
    for (int k = 0; k < n; k++) {
        double balance = force[k] - newmark->damping_force[k] - newmark->stiffness[k] * q[k];
        a[k] = (1.0 + alpha) * balance - alpha * newmark->balance[k];
    }
    solve(newmark, a);
    for (int k = 0; k < n; k++) {
        q[k] += for_q * a[k];
        v[k] += for_v * a[k];
        newmark->balance[k] = (a[k] + alpha * newmark->balance[k]) / (1.0 + alpha);
    }
}

void newmark_correct(struct newmark *newmark, const double *joint_force)
{
    int n = newmark->n_modes;
    double for_v = newmark->gamma * newmark->step;
    double for_q = newmark->beta * newmark->step * newmark->step;
    double for_balance = 1.0 / (1.0 + newmark->alpha);
    for (int axis = 0; axis < newmark->n_axes; axis++) {
        const double *response = newmark->response + (size_t)axis * (size_t)n;
        double g = joint_force[axis];
        for (int k = 0; k < n; k++) {
            double a = -response[k] * g;
            newmark->a[k] += a;
            newmark->v[k] += for_v * a;
            newmark->q[k] += for_q * a;
            newmark->balance[k] += for_balance * a;
        }
    }
}

double newmark_velocity_rate(const struct newmark *newmark)
{
    return newmark->gamma / (newmark->beta * newmark->step);
}

/* h^2 times the square, by inserting motions z^n: h^2 a/((1 + alpha - alpha/z) q) */
static double frequency_square(double alpha, double angle)
{
    double beta = 0.25 * (1.0 - alpha) * (1.0 - alpha), gamma = 0.5 - alpha;
    double complex z = cexp(I * angle), d = z - 1.0;
    double complex displacement = 1.0 - gamma + gamma * z + (0.5 - beta + beta * z) * d;
    return creal(-d * d / (displacement * (1.0 + alpha - alpha / z)));
}

double newmark_prewarped_step(double alpha, double omega, int n_steps)
{
    if (alpha == 0.0) {
        return 2.0 / omega * tan(pi / n_steps);
    }
    return sqrt(frequency_square(alpha, 2.0 * pi / n_steps)) / omega;
}

/* By inserting motions z^n of displacement x, velocity v and acceleration a, of which the
 * equation sees a/weight. */
struct newmark_rates newmark_rates(double alpha, double step, double angle)
{
    double beta = 0.25 * (1.0 - alpha) * (1.0 - alpha), gamma = 0.5 - alpha;
    double complex z = cexp(I * angle), d = z - 1.0, weight = 1.0 + alpha - alpha / z;
    double complex v_of_a = step * (1.0 - gamma + gamma * z) / d;
    double complex x_of_v = (step + step * step * (0.5 - beta + beta * z) / v_of_a) / d;
    return (struct newmark_rates){.velocity = 1.0 / x_of_v,
                                  .acceleration = 1.0 / (weight * v_of_a * x_of_v)};
}

void newmark_place(struct newmark *newmark, const double *q, const double *v)
{
    size_t size = (size_t)newmark->n_modes * sizeof(double);
    memcpy(newmark->q_old, newmark->q, size);
    memcpy(newmark->v_old, newmark->v, size);
    memcpy(newmark->q, q, size);
    memcpy(newmark->v, v, size);
}

void newmark_accelerate(struct newmark *newmark, const double *force, const double *joint_force)
{
    int n = newmark->n_modes;
    newmark_damping(newmark, newmark->v, newmark->damping_force);
    for (int k = 0; k < n; k++) {
        newmark->a[k] =
            force[k] - newmark->damping_force[k] - newmark->stiffness[k] * newmark->q[k];
        for (int axis = 0; axis < newmark->n_axes; axis++) {
            newmark->a[k] -=
                newmark->axes[(size_t)axis * (size_t)n + (size_t)k] * joint_force[axis];
        }
        newmark->balance[k] = newmark->a[k];
    }
}

void newmark_begin_harmonic(const struct newmark *newmark, struct newmark_rates rates,
                            double angle, double complex x, double *q, double *v)
{
    double alpha = newmark->alpha, beta = newmark->beta, gamma = newmark->gamma;
    double complex behind = alpha * (cexp(-I * angle) - 1.0);
    double error = creal(behind * rates.acceleration * x), h = newmark->step;
    /* so that both are right after one step */
    *q = creal(x) + h * h * (0.5 - gamma + beta) * error;
    *v = creal(rates.velocity * x) - h * (1.0 - gamma) * error;
}

/* Of the modes that damping couples. */
static enum masing_status factorise_coupled(struct newmark *newmark, double for_v, double for_q,
                                            bool *is_possible, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)newmark->n_modes, first = (size_t)newmark->n_uncoupled, m = n - first;
    newmark->factor = memory_array(m * m, sizeof(double));
    TRY_ALLOCATED(newmark->factor);
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < m; i++) {
            newmark->factor[j * m + i] = for_v * newmark->matrix[(first + j) * n + first + i];
        }
        newmark->factor[j * (m + 1)] += 1.0 + for_q * newmark->stiffness[first + j];
    }
    *is_possible =
        *is_possible && cholesky_weak_row((int)m, newmark->factor, 0.0, newmark->a) < 0;
done:
    return status;
}

static enum masing_status factorise(struct newmark *newmark, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t first = (size_t)newmark->n_uncoupled, m = (size_t)newmark->n_modes - first;
    double weight = 1.0 + newmark->alpha, for_v = weight * newmark->gamma * newmark->step;
    double for_q = weight * newmark->beta * newmark->step * newmark->step;
    for (size_t k = 0; k < first; k++) {
        newmark->inverse[k] =
            1.0 / (1.0 + for_v * newmark->damping[k] + for_q * newmark->stiffness[k]);
    }
    bool is_possible = true;
    for (size_t k = 0; k < first; k++) {
        is_possible = is_possible && newmark->inverse[k] > 0.0;
    }
    if (m > 0) {
        TRY(factorise_coupled(newmark, for_v, for_q, &is_possible, error));
    }
    if (!is_possible) {
        status = masing_error_set(error, MASING_INVALID,
                                  "the damping matrix feeds so much energy into the structure "
                                  "that no time step of this length exists");
    }
done:
    return status;
}

static void fill_compliance(struct newmark *newmark)
{
    size_t n = (size_t)newmark->n_modes, n_axes = (size_t)newmark->n_axes;
    double for_q = newmark->beta * newmark->step * newmark->step;
    memcpy(newmark->response, newmark->axes, n_axes * n * sizeof(double));
    for (size_t i = 0; i < n_axes * n; i++) {
        newmark->response[i] *= 1.0 + newmark->alpha;
    }
    for (size_t j = 0; j < n_axes; j++) {
        solve(newmark, newmark->response + j * n);
    }
    for (size_t i = 0; i < n_axes; i++) {
        for (size_t j = 0; j < n_axes; j++) {
            newmark->compliance[i * n_axes + j] =
                for_q *
                dense_dot(newmark->n_modes, newmark->axes + i * n, newmark->response + j * n);
        }
    }
}

static enum masing_status allocate(struct newmark *newmark, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)newmark->n_modes, n_axes = (size_t)newmark->n_axes;
    double **vectors[] = {
        &newmark->stiffness, &newmark->inverse, &newmark->q,     &newmark->v,
        &newmark->a,         &newmark->q_old,   &newmark->v_old, &newmark->damping_force,
        &newmark->balance};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = memory_array(n, sizeof(double));
        TRY_ALLOCATED(*vectors[i]);
    }
    newmark->response = memory_array(n_axes * n, sizeof(double));
    newmark->compliance = memory_array(n_axes * n_axes, sizeof(double));
    TRY_ALLOCATED(newmark->response);
    TRY_ALLOCATED(newmark->compliance);
done:
    return status;
}

enum masing_status newmark_can_integrate(const struct structure *structure,
                                         struct masing_error *error)
{
    return structure->loss_factor == 0.0
               ? MASING_OK
               : masing_error_set(error, MASING_UNSUPPORTED,
                                  "structural damping (a loss factor) has no causal form in "
                                  "time: give modal ratios or rayleigh damping to integrate");
}

enum masing_status newmark_create(const struct structure *structure, int n_axes,
                                  const double *axes, double step, double alpha,
                                  struct newmark **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct newmark *newmark = memory_array(1, sizeof *newmark);
    TRY_ALLOCATED(newmark);
    TRY(newmark_can_integrate(structure, error));
    newmark->n_modes = structure->n_modes;
    newmark->n_axes = n_axes;
    newmark->step = step;
    newmark->alpha = alpha;
    newmark->beta = 0.25 * (1.0 - alpha) * (1.0 - alpha);
    newmark->gamma = 0.5 - alpha;
    newmark->axes = axes;
    newmark->matrix = structure->damping_matrix;
    newmark->damping = structure->modal_damping;
    newmark->n_uncoupled = (int)structure_uncoupled_modes(structure);
    TRY(allocate(newmark, error));
    for (int k = 0; k < newmark->n_modes; k++) {
        newmark->stiffness[k] = structure->omega[k] * structure->omega[k];
    }
    TRY(factorise(newmark, error));
    fill_compliance(newmark);
done:
    if (status != MASING_OK) {
        newmark_destroy(newmark);
        newmark = NULL;
    }
    *created = newmark;
    return status;
}

void newmark_destroy(struct newmark *newmark)
{
    if (newmark) {
        double *owned[] = {newmark->stiffness, newmark->inverse,    newmark->factor,
                           newmark->response,  newmark->compliance, newmark->q,
                           newmark->v,         newmark->a,          newmark->balance,
                           newmark->q_old,     newmark->v_old,      newmark->damping_force};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            free(owned[i]);
        }
        free(newmark);
    }
}
