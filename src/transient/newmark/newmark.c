/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/newmark/newmark.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/cholesky.h"

static const double pi = 3.14159265358979323846;

/* x := (I + (1 + alpha) (gamma h D + beta h^2 diag(omega^2)))^-1 x */
static void solve(const struct newmark *newmark, double *x)
{
    int first = newmark->modal->n_uncoupled;
    for (int k = 0; k < first; k++) {
        x[k] *= newmark->inverse[k];
    }
    if (newmark->factor) {
        cholesky_solve(newmark->modal->n_modes - first, newmark->factor, x + first, 1);
    }
}

void newmark_predict(struct newmark *newmark, const double *force)
{
    struct modal_state *modal = newmark->modal;
    int n = modal->n_modes;
    double h = newmark->step, alpha = newmark->alpha;
    double for_v = newmark->gamma * h, for_q = newmark->beta * h * h;
    double *q = modal->q, *v = modal->v, *a = newmark->a;
    for (int k = 0; k < n; k++) {
        newmark->q_old[k] = q[k];
        newmark->v_old[k] = v[k];
        q[k] += h * v[k] + (0.5 * h * h - for_q) * a[k];
        v[k] += (h - for_v) * a[k];
    }
    modal_state_damping(modal, v, modal->damping_force);
    for (int k = 0; k < n; k++) {
        double balance = force[k] - modal->damping_force[k] - modal->stiffness[k] * q[k];
        a[k] = (1.0 + alpha) * balance - alpha * modal->a[k];
    }
    solve(newmark, a);
    for (int k = 0; k < n; k++) {
        q[k] += for_q * a[k];
        v[k] += for_v * a[k];
        modal->a[k] = (a[k] + alpha * modal->a[k]) / (1.0 + alpha);
    }
}

void newmark_correct(struct newmark *newmark, const double *joint_force)
{
    struct modal_state *modal = newmark->modal;
    int n = modal->n_modes;
    double for_v = newmark->gamma * newmark->step;
    double for_q = newmark->beta * newmark->step * newmark->step;
    double for_balance = 1.0 / (1.0 + newmark->alpha);
    for (int axis = 0; axis < modal->n_axes; axis++) {
        const double *response = newmark->response + (size_t)axis * (size_t)n;
        double g = joint_force[axis];
        for (int k = 0; k < n; k++) {
            double a = -response[k] * g;
            newmark->a[k] += a;
            modal->v[k] += for_v * a;
            modal->q[k] += for_q * a;
            modal->a[k] += for_balance * a;
        }
    }
}

void newmark_begin(struct newmark *newmark)
{
    memcpy(newmark->a, newmark->modal->a, (size_t)newmark->modal->n_modes * sizeof(double));
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
struct stepper_rates newmark_rates(double alpha, double step, double angle)
{
    double beta = 0.25 * (1.0 - alpha) * (1.0 - alpha), gamma = 0.5 - alpha;
    double complex z = cexp(I * angle), d = z - 1.0, weight = 1.0 + alpha - alpha / z;
    double complex v_of_a = step * (1.0 - gamma + gamma * z) / d;
    double complex x_of_v = (step + step * step * (0.5 - beta + beta * z) / v_of_a) / d;
    double complex acceleration = 1.0 / (weight * v_of_a * x_of_v);
    double complex behind = alpha * (cexp(-I * angle) - 1.0);
    return (struct stepper_rates){.velocity = 1.0 / x_of_v,
                                  .acceleration = acceleration,
                                  .lag = behind * acceleration,
                                  .lag_q = step * step * (0.5 - gamma + beta),
                                  .lag_v = step * (1.0 - gamma)};
}

/* Of the modes that damping couples. */
static enum masing_status factorise_coupled(struct newmark *newmark, double for_v, double for_q,
                                            bool *is_possible, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)newmark->modal->n_modes, first = (size_t)newmark->modal->n_uncoupled,
           m = n - first;
    newmark->factor = memory_array(m * m, sizeof(double));
    TRY_ALLOCATED(newmark->factor);
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < m; i++) {
            newmark->factor[j * m + i] =
                for_v * newmark->modal->matrix[(first + j) * n + first + i];
        }
        newmark->factor[j * (m + 1)] += 1.0 + for_q * newmark->modal->stiffness[first + j];
    }
    *is_possible =
        *is_possible && cholesky_weak_row((int)m, newmark->factor, 0.0, newmark->a) < 0;
done:
    return status;
}

static enum masing_status factorise(struct newmark *newmark, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t first = (size_t)newmark->modal->n_uncoupled,
           m = (size_t)newmark->modal->n_modes - first;
    double weight = 1.0 + newmark->alpha, for_v = weight * newmark->gamma * newmark->step;
    double for_q = weight * newmark->beta * newmark->step * newmark->step;
    for (size_t k = 0; k < first; k++) {
        newmark->inverse[k] = 1.0 / (1.0 + for_v * newmark->modal->damping[k] +
                                     for_q * newmark->modal->stiffness[k]);
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
    size_t n = (size_t)newmark->modal->n_modes, n_axes = (size_t)newmark->modal->n_axes;
    double for_q = newmark->beta * newmark->step * newmark->step;
    memcpy(newmark->response, newmark->modal->axes, n_axes * n * sizeof(double));
    for (size_t i = 0; i < n_axes * n; i++) {
        newmark->response[i] *= 1.0 + newmark->alpha;
    }
    for (size_t j = 0; j < n_axes; j++) {
        solve(newmark, newmark->response + j * n);
    }
    for (size_t i = 0; i < n_axes; i++) {
        for (size_t j = 0; j < n_axes; j++) {
            newmark->compliance[i * n_axes + j] =
                for_q * dense_dot(newmark->modal->n_modes, newmark->modal->axes + i * n,
                                  newmark->response + j * n);
        }
    }
}

static enum masing_status allocate(struct newmark *newmark, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)newmark->modal->n_modes, n_axes = (size_t)newmark->modal->n_axes;
    double **vectors[] = {&newmark->inverse, &newmark->a, &newmark->q_old, &newmark->v_old};
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

enum masing_status newmark_create(struct modal_state *modal, double step, double alpha,
                                  struct newmark **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct newmark *newmark = memory_array(1, sizeof *newmark);
    TRY_ALLOCATED(newmark);
    newmark->modal = modal;
    newmark->step = step;
    newmark->alpha = alpha;
    newmark->beta = 0.25 * (1.0 - alpha) * (1.0 - alpha);
    newmark->gamma = 0.5 - alpha;
    TRY(allocate(newmark, error));
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
        double *owned[] = {newmark->inverse,    newmark->factor, newmark->response,
                           newmark->compliance, newmark->a,      newmark->q_old,
                           newmark->v_old};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            free(owned[i]);
        }
        free(newmark);
    }
}
