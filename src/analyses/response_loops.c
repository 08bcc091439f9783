/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hysteresis loops of the joints at the peak, marched through the law itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response_curve.h"
#include "base/check.h"
#include "base/memory.h"
#include "model/joint_axes.h"

enum { LOOP_SAMPLES = 512 };

static const double TWO_PI = 6.283185307179586476925286766559;

int response_loops_columns(const char *parameter, struct masing_column columns[4])
{
    int n = 0;
    if (parameter) {
        snprintf(columns[n].name, sizeof columns[n].name, "%s", parameter);
        columns[n++].type = MASING_COLUMN_REAL;
    }
    columns[n++] = (struct masing_column){"joint", MASING_COLUMN_TEXT};
    columns[n++] = (struct masing_column){"displacement", MASING_COLUMN_REAL};
    columns[n++] = (struct masing_column){"force", MASING_COLUMN_REAL};
    return n;
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

/* The loop of one axis. */
static enum masing_status write_rows(struct response_curve *curve,
                                     const struct masing_sink *loops, const struct joint *joint,
                                     int axis, const double *x, const double *f, int n_samples,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    char name[MASING_COLUMN_NAME];
    joint_axis_text(joint->spec, axis, name, sizeof name);
    bool with_parameter = curve->settings.parameter != NULL;
    for (int i = 0; i <= n_samples; i++) {
        size_t at = (size_t)(i % n_samples) * (size_t)joint->n_axes + (size_t)axis;
        struct masing_cell cells[4], *cell = cells;
        if (with_parameter) {
            *cell++ = (struct masing_cell){.number = curve->settings.value};
        }
        *cell++ = (struct masing_cell){.text = name};
        *cell++ = (struct masing_cell){.number = x[at]};
        *cell++ = (struct masing_cell){.number = f[at]};
        TRY(loops->row(loops->context, cells, error));
    }
done:
    return status;
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

static enum masing_status write_joint(struct response_curve *curve,
                                      const struct joint_response *response, int n_samples,
                                      const struct masing_sink *loops,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = response->joint->law;
    size_t size = (size_t)n_samples * (size_t)response->n_axes;
    double *samples = memory_array(3 * size, sizeof(double));
    double *workspace =
        memory_array(law->family->workspace_size(law, n_samples, 0, 0), sizeof(double));
    double *state = copy_state(response);
    TRY_ALLOCATED(samples && workspace && state);
    double *x = samples, *v = x + size, *f = v + size;
    sample_axes(response, curve->best.omega, n_samples, x, v);
    struct masing_path path = {
        .n_samples = n_samples,
        .n_axes = response->n_axes,
        .is_periodic = true,
        .time_step = TWO_PI / (curve->best.omega * n_samples),
        .x = x,
        .v = v,
        .origin = curve->balance->origin + response->joint->first_axis,
        .origin_state = response->is_carried ? response->carried : NULL,
    };
    struct masing_forces forces = {.f = f};
    TRY(law->family->march(law, response->joint->parameters, &path, state, &forces, NULL,
                           workspace));
    for (int a = 0; a < response->n_axes; a++) {
        TRY(write_rows(curve, loops, response->joint, a, x, f, n_samples, error));
    }
done:
    free(state);
    free(samples);
    free(workspace);
    return status;
}

enum masing_status response_loops_write(struct response_curve *curve,
                                        const struct masing_sink *loops,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = curve->balance;
    if (curve->best.measure < 0.0) {
        return MASING_OK;
    }
    int n_samples = balance->basis->n_samples;
    n_samples = n_samples > LOOP_SAMPLES ? n_samples : LOOP_SAMPLES;
    TRY(balance_settle(balance, curve->best.y, curve->best.omega, false));
    for (int j = 0; j < balance->n_joints; j++) {
        int group = balance->joints[j]->joint->group;
        if (curve->model->spec.groups[group].n_joints > 1) {
            continue; /* a loop for each of a thousand contacts is nothing to look at */
        }
        TRY(write_joint(curve, balance->joints[j], n_samples, loops, error));
    }
done:
    return status;
}
