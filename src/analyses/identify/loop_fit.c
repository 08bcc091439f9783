/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/loop_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

static double time_step(const struct measured_path *path)
{
    int n = path->n_points;
    return (path->t[n - 1] - path->t[0]) / (n - 1);
}

static enum masing_status check_time(const struct loop_fit *fit,
                                     const struct measured_path *path,
                                     struct masing_error *error)
{
    if (!path->has_time) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: '%s' depends on velocity: a column 'time' is needed (or, "
                                "where the loop is one steady cycle, its frequency)",
                                path->source->name, fit->law->name);
    }
    if (!measured_path_is_even(path)) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: '%s' depends on velocity: samples must be evenly spaced "
                                "in time",
                                path->source->name, fit->law->name);
    }
    return MASING_OK;
}

/* Fourth-order differences; one-sided ones at the ends of an open motion. */
static double velocity_at(const struct measured_path *path, int i)
{
    double h = time_step(path);
    if (path->is_steady || (i >= 2 && i + 2 < path->n)) {
        return (8 * (measured_path_x(path, i + 1) - measured_path_x(path, i - 1)) -
                (measured_path_x(path, i + 2) - measured_path_x(path, i - 2))) /
               (12 * h);
    }
    double s = i < 2 ? 1.0 : -1.0;
    int k = i < 2 ? 1 : -1;
    return s *
           (-25 * measured_path_x(path, i) + 48 * measured_path_x(path, i + k) -
            36 * measured_path_x(path, i + 2 * k) + 16 * measured_path_x(path, i + 3 * k) -
            3 * measured_path_x(path, i + 4 * k)) /
           (12 * h);
}

static enum masing_status add_motions(struct loop_fit *fit, bool needs_velocity,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0, k = 0; i < fit->n_loops; i++) {
        const struct measured_path *path = &fit->paths[i];
        TRY(fit->velocity && needs_velocity ? check_time(fit, path, error) : MASING_OK);
        for (int j = 0; j < path->n; j++, k++) {
            fit->displacement[k] = measured_path_x(path, j);
            if (fit->velocity) {
                fit->velocity[k] = velocity_at(path, j);
            }
        }
    }
done:
    return status;
}

static enum masing_status allocate(struct loop_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = fit->law;
    size_t n_parameters = (size_t)fit->varied->n, n_data = (size_t)fit->n_data, longest = 1;
    for (int i = 0; i < fit->n_loops; i++) {
        size_t n = (size_t)fit->paths[i].n;
        longest = n > longest ? n : longest;
    }
    fit->parameters = memory_copy(fit->given, 1, law->parameters_size);
    fit->tangents = memory_array(n_parameters, law->parameters_size);
    fit->tangent_list = memory_array(n_parameters, sizeof *fit->tangent_list);
    TRY_ALLOCATED(fit->parameters && fit->tangents && fit->tangent_list);
    TRY(masing_law_check(law, fit->parameters, error));
    size_t state_size = law->family->state_size(law, fit->parameters);
    size_t workspace_size =
        law->family->workspace_size(law, (int)longest, 0, (int)n_parameters);
    fit->arrays =
        memory_array(2 * n_data + longest * (1 + n_parameters) + state_size + workspace_size,
                     sizeof(double));
    TRY_ALLOCATED(fit->arrays);
    double *rest = fit->arrays;
    fit->displacement = memory_part(&rest, n_data);
    fit->velocity = memory_part(&rest, law->needs_velocity ? n_data : 0);
    fit->force = memory_part(&rest, longest);
    fit->changes = memory_part(&rest, longest * n_parameters);
    fit->state = memory_part(&rest, state_size);
    fit->workspace = rest;
    for (size_t k = 0; k < n_parameters; k++) {
        fit->tangent_list[k] = (char *)fit->tangents + k * law->parameters_size;
    }
done:
    return status;
}

enum masing_status loop_fit_create(const struct masing_law *law, bool needs_velocity,
                                   const struct fit_parameters *varied,
                                   const struct measured_path *paths, int n_loops, void *given,
                                   struct loop_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *fit = (struct loop_fit){
        .law = law, .varied = varied, .paths = paths, .n_loops = n_loops, .given = given};
    for (int i = 0; i < n_loops; i++) {
        fit->n_data += paths[i].n;
        fit->force_scale = fmax(fit->force_scale, paths[i].largest_force);
    }
    TRY(allocate(fit, error));
    TRY(add_motions(fit, needs_velocity, error));
done:
    return status;
}

void loop_fit_clear(struct loop_fit *fit)
{
    free(fit->parameters);
    free(fit->tangents);
    free((void *)fit->tangent_list);
    free(fit->arrays);
    *fit = (struct loop_fit){0};
}

/* Parameters for these unknowns, as far as the law accepts them, and their tangents. */
static enum masing_status set_parameters(struct loop_fit *fit, const double *unknowns)
{
    const struct masing_law *law = fit->law;
    for (int k = 0; k < fit->varied->n; k++) {
        const struct fit_parameter *parameter = &fit->varied->list[k];
        fit_parameter_store(parameter, fit_parameter_value(parameter, unknowns[k]), fit->given);
    }
    memcpy(fit->parameters, fit->given, law->parameters_size);
    enum masing_status status = masing_law_check(law, fit->parameters, NULL);
    for (int k = 0; status == MASING_OK && k < fit->varied->n; k++) {
        masing_law_tangent(law, fit->parameters, fit->varied->list[k].offset,
                           (char *)fit->tangents + (size_t)k * law->parameters_size);
    }
    return status;
}

/* Along one loop, whose samples begin at `row`. */
static enum masing_status march(struct loop_fit *fit, const struct measured_path *path, int row,
                                bool has_changes)
{
    const struct masing_law *law = fit->law;
    const double origin = 0.0;
    const struct masing_path motion = {
        .n_samples = path->n,
        .n_axes = 1,
        .is_periodic = path->is_steady,
        .time_step = time_step(path),
        .x = fit->displacement + row,
        .v = fit->velocity ? fit->velocity + row : NULL,
        .origin = &origin,
        .n_parameters = has_changes ? fit->varied->n : 0,
        .dp = has_changes ? fit->tangent_list : NULL,
    };
    struct masing_forces forces = {.f = fit->force, .dfp = fit->changes};
    if (fit->state) {
        law->family->rest(law, fit->parameters, &origin, fit->state);
    }
    return law->family->march(law, fit->parameters, &motion,
                              path->is_steady ? NULL : fit->state, &forces, NULL,
                              fit->workspace);
}

enum masing_status loop_fit_evaluate(void *context, const double *unknowns, double *residuals,
                                     double *jacobian)
{
    struct loop_fit *fit = context;
    int n_parameters = fit->varied->n, row = 0;
    enum masing_status status = set_parameters(fit, unknowns);
    for (int i = 0; status == MASING_OK && i < fit->n_loops; i++) {
        const struct measured_path *path = &fit->paths[i];
        status = march(fit, path, row, jacobian != NULL);
        for (int j = 0; status == MASING_OK && j < path->n; j++, row++) {
            residuals[row] = (fit->force[j] - path->source->force[j]) / fit->force_scale;
            for (int k = 0; jacobian && k < n_parameters; k++) {
                jacobian[(size_t)k * (size_t)fit->n_data + (size_t)row] =
                    fit->changes[j * n_parameters + k] *
                    fit_parameter_slope(&fit->varied->list[k], unknowns[k]) / fit->force_scale;
            }
        }
    }
    return status;
}

void loop_fit_write(const struct loop_fit *fit, const double *residuals, double **fitted)
{
    for (int i = 0; i < fit->n_loops; i++) {
        const struct masing_measurement *source = fit->paths[i].source;
        for (int j = 0; j < source->n_samples; j++) {
            fitted[i][j] = j < fit->paths[i].n
                               ? source->force[j] + *residuals++ * fit->force_scale
                               : fitted[i][0];
        }
    }
}
