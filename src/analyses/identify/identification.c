/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/identification.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/row_table.h"
#include "model/message.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/one_thread.h"

/* ---- measured loops ---- */

/* Distance of two samples, each coordinate in parts of its range. */
struct scale {
    double x, f;
};

static double distance(const struct masing_measurement *m, const struct scale *scale, int i,
                       int j)
{
    return hypot((m->displacement[i] - m->displacement[j]) / scale->x,
                 (m->force[i] - m->force[j]) / scale->f);
}

static double range(int n, const double *values)
{
    double low = values[0], high = values[0];
    for (int i = 1; i < n; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    return high - low;
}

/* The distance of the last sample from the first is at most so many times the mean distance of
 * neighbours, and at most this part of the ranges. */
static const double closing_steps = 3.0, closing_part = 0.25;

/* Samples nearer than this are the same. */
static const double same_sample = 1e-9;

/* When sample i was taken, counted on beyond the last one of a steady motion. */
static double moment(const struct measured_path *path, double frequency_hz, int i)
{
    const double *time = path->source->time;
    double turn = i >= path->n ? 1.0 : 0.0;
    int j = i % path->n;
    if (time) {
        int n = path->source->n_samples;
        double step = (time[n - 1] - time[0]) / (n - 1);
        double period = path->n < n ? time[n - 1] - time[0] : time[n - 1] - time[0] + step;
        return time[j] + turn * period;
    }
    return frequency_hz > 0 ? i / (path->n * frequency_hz) : i;
}

enum masing_status measured_path_create(const struct masing_measurements *data, int index,
                                        struct measured_path *path, struct masing_error *error)
{
    const struct masing_measurement *m = &data->loops[index];
    struct scale scale = {range(m->n_samples, m->displacement), range(m->n_samples, m->force)};
    *path = (struct measured_path){.source = m, .n = m->n_samples, .travel = scale.x};
    enum masing_measured_motion motion =
        data->motion == MASING_MEASURED_DETECT ? m->motion : data->motion;
    double gap = distance(m, &scale, m->n_samples - 1, 0), mean = 0.0;
    for (int i = 1; i < m->n_samples; i++) {
        mean += distance(m, &scale, i, i - 1) / (m->n_samples - 1);
    }
    bool closes = gap <= fmin(closing_steps * mean, closing_part);
    path->is_steady =
        motion == MASING_MEASURED_STEADY || (motion == MASING_MEASURED_DETECT && closes);
    if (path->is_steady && gap <= same_sample) {
        path->n--;
    }
    for (int i = 1; path->is_steady && i < path->n; i++) {
        path->first = m->displacement[i] > m->displacement[path->first] ? i : path->first;
    }
    path->n_points = path->is_steady ? path->n + 1 : path->n;
    path->has_time = m->time || (path->is_steady && data->frequency_hz > 0);
    size_t n = (size_t)path->n_points;
    path->x = memory_array(n, sizeof *path->x);
    path->f = memory_array(n, sizeof *path->f);
    path->t = memory_array(n, sizeof *path->t);
    NEED_ALLOCATED(path->x && path->f && path->t);
    for (int i = 0; i < path->n_points; i++) {
        int j = (path->first + i) % path->n;
        path->x[i] = m->displacement[j];
        path->f[i] = m->force[j];
        path->t[i] = moment(path, data->frequency_hz, path->first + i);
        path->largest_force = fmax(path->largest_force, fabs(path->f[i]));
    }
    return MASING_OK;
}

bool measured_path_has_past(const struct measured_path *path)
{
    const double unloaded = 0.05; /* force over the largest one */
    return !path->is_steady && fabs(path->f[0]) > unloaded * path->largest_force;
}

void measured_path_clear(struct measured_path *path)
{
    free(path->x);
    free(path->f);
    free(path->t);
    *path = (struct measured_path){0};
}

/* ---- smoothing ----
 *
 * Velocities from noisy displacements: differences between neighbours multiply the noise by the
 * number of samples. A steady motion is a Fourier series; how many harmonics are motion and
 * what is noise is decided by generalized cross-validation. Other motions are left as they are.
 */

/* Harmonics of the series: at most, and samples of a period that each of them needs. */
enum { MOST_HARMONICS = 64, SAMPLES_PER_HARMONIC = 8 };

/* Samples that are this unevenly spaced are no samples of a series over the period. */
static const double largest_unevenness = 0.05;

bool measured_path_is_even(const struct measured_path *path)
{
    double step = (path->t[path->n_points - 1] - path->t[0]) / (path->n_points - 1);
    for (int i = 1; i < path->n_points; i++) {
        if (fabs(path->t[i] - path->t[i - 1] - step) > largest_unevenness * step) {
            return false;
        }
    }
    return true;
}

/* Take harmonic h out of the rest and, where asked for, put it into the series. */
static double move_harmonic(int n, int h, double *rest, double *series)
{
    double a = 0.0, b = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        a += rest[i] * cos(TWO_PI * h * i / n);
        b += rest[i] * sin(TWO_PI * h * i / n);
    }
    a *= (h > 0 ? 2.0 : 1.0) / n;
    b *= 2.0 / n;
    for (int i = 0; i < n; i++) {
        double value = a * cos(TWO_PI * h * i / n) + b * sin(TWO_PI * h * i / n);
        rest[i] -= value;
        sum += rest[i] * rest[i];
        if (series) {
            series[i] += value;
        }
    }
    return sum;
}

static int choose_harmonics(int n, double *rest)
{
    int most =
        n / SAMPLES_PER_HARMONIC < MOST_HARMONICS ? n / SAMPLES_PER_HARMONIC : MOST_HARMONICS;
    int best = most;
    double least = INFINITY;
    for (int h = 0; h <= most; h++) {
        double value = move_harmonic(n, h, rest, NULL) / pow(n - 2 * h - 1, 2);
        if (h > 0 && value < least) {
            least = value;
            best = h;
        }
    }
    return best;
}

/* Root of the mean square of third differences, which a smooth motion has hardly any of. */
static double noise_of_differences(const struct measured_path *path)
{
    double sum = 0.0;
    int n = path->n_points - 3;
    for (int i = 0; i < n; i++) {
        const double *x = path->x + i;
        sum += pow(x[3] - 3 * x[2] + 3 * x[1] - x[0], 2) / n;
    }
    return sqrt(sum / 20);
}

enum masing_status measured_path_smooth(struct measured_path *path, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = path->n;
    double *rest = NULL, *series = NULL;
    if (!path->is_steady || !measured_path_is_even(path)) {
        double mean_step = 0.0;
        for (int i = 1; i < path->n_points; i++) {
            mean_step += fabs(path->x[i] - path->x[i - 1]) / (path->n_points - 1);
        }
        path->velocity_noise = noise_of_differences(path) / mean_step;
        goto done;
    }
    rest = memory_copy(path->x, (size_t)n, sizeof *rest);
    series = memory_array((size_t)n, sizeof *series);
    TRY_ALLOCATED(rest && series);
    int harmonics = choose_harmonics(n, rest);
    memcpy(rest, path->x, (size_t)n * sizeof *rest);
    for (int h = 0; h <= harmonics; h++) {
        move_harmonic(n, h, rest, series);
    }
    memcpy(path->x, series, (size_t)n * sizeof *series);
    path->x[n] = series[0];
done:
    free(rest);
    free(series);
    return status;
}

/* ---- forces of a law along the loops, and their derivatives ---- */

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

enum masing_status loop_fit_create(const struct masing_law *law, bool needs_velocity,
                                   const struct fit_parameters *varied,
                                   const struct measured_path *paths, int n_loops, void *given,
                                   struct loop_fit *fit, struct masing_error *error)
{
    size_t n_varied = (size_t)varied->n, size = law->parameters_size, longest = 1, k = 0;
    struct arena *arena = &fit->arena;
    *fit = (struct loop_fit){
        .law = law, .varied = varied, .paths = paths, .n_loops = n_loops, .given = given};
    for (int i = 0; i < n_loops; i++) {
        size_t n = (size_t)paths[i].n;
        longest = n > longest ? n : longest;
        fit->n_data += paths[i].n;
        fit->force_scale = fmax(fit->force_scale, paths[i].largest_force);
    }
    fit->parameters = arena_allocate(arena, size);
    fit->tangents = arena_array(arena, n_varied, sizeof *fit->tangents);
    for (size_t i = 0; fit->tangents && i < n_varied; i++) {
        fit->tangents[i] = arena_allocate(arena, size);
    }
    fit->displacement = arena_doubles(arena, (size_t)fit->n_data);
    fit->velocity = law->needs_velocity ? arena_doubles(arena, (size_t)fit->n_data) : NULL;
    fit->force = arena_doubles(arena, longest);
    fit->changes = arena_doubles(arena, longest * n_varied);
    NEED_ALLOCATED(!arena->has_failed);
    memcpy(fit->parameters, given, size);
    NEED(masing_law_check(law, fit->parameters, error));
    size_t state_size = masing_law_state_size(law, fit->parameters);
    fit->state = state_size > 0 ? arena_doubles(arena, state_size) : NULL;
    fit->workspace =
        arena_doubles(arena, law->family->workspace_size(law, (int)longest, 0, (int)n_varied));
    NEED_ALLOCATED(!arena->has_failed);
    for (int i = 0; i < n_loops; i++) {
        NEED(fit->velocity && needs_velocity ? check_time(fit, &paths[i], error) : MASING_OK);
        for (int j = 0; j < paths[i].n; j++, k++) {
            fit->displacement[k] = measured_path_x(&paths[i], j);
            if (fit->velocity) {
                fit->velocity[k] = velocity_at(&paths[i], j);
            }
        }
    }
    return MASING_OK;
}

void loop_fit_clear(struct loop_fit *fit)
{
    arena_clear(&fit->arena);
    *fit = (struct loop_fit){0};
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
        .dp = has_changes ? (const void *const *)fit->tangents : NULL,
    };
    struct masing_forces forces = {.f = fit->force, .dfp = fit->changes};
    if (fit->state) {
        masing_law_rest(law, fit->parameters, &origin, fit->state);
    }
    return masing_law_march(law, fit->parameters, &motion, path->is_steady ? NULL : fit->state,
                            &forces, NULL, fit->workspace);
}

enum masing_status loop_fit_evaluate(void *context, const double *unknowns, double *residuals,
                                     double *jacobian)
{
    struct loop_fit *fit = context;
    const struct masing_law *law = fit->law;
    int n_parameters = fit->varied->n, row = 0;
    fit_parameters_store(fit->varied, unknowns, fit->given);
    memcpy(fit->parameters, fit->given, law->parameters_size);
    NEED(masing_law_check(law, fit->parameters, NULL));
    for (int k = 0; k < n_parameters; k++) {
        masing_law_tangent(law, fit->parameters, fit->varied->list[k].offset, fit->tangents[k]);
    }
    for (int i = 0; i < fit->n_loops; i++) {
        const struct measured_path *path = &fit->paths[i];
        NEED(march(fit, path, row, jacobian != NULL));
        for (int j = 0; j < path->n; j++, row++) {
            residuals[row] = (fit->force[j] - path->source->force[j]) / fit->force_scale;
            for (int k = 0; jacobian && k < n_parameters; k++) {
                jacobian[(size_t)k * (size_t)fit->n_data + (size_t)row] =
                    fit->changes[j * n_parameters + k] *
                    fit_parameter_slope(&fit->varied->list[k], unknowns[k]) / fit->force_scale;
            }
        }
    }
    return MASING_OK;
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

/* ---- a call ---- */

enum masing_status identification_begin(const struct masing_measurements *data,
                                        const struct masing_law *law,
                                        struct measured_path **paths,
                                        struct masing_identification *result,
                                        struct masing_error *error)
{
    size_t n = (size_t)data->n_loops;
    result->law = law;
    result->parameters = memory_array(1, law->parameters_size);
    result->is_steady = memory_array(n, sizeof *result->is_steady);
    result->fitted = memory_array(n, sizeof *result->fitted);
    *paths = memory_array(n, sizeof **paths);
    NEED_ALLOCATED(result->parameters && result->is_steady && result->fitted && *paths);
    result->n_loops = data->n_loops;
    for (int i = 0; i < data->n_loops; i++) {
        result->fitted[i] =
            memory_array((size_t)data->loops[i].n_samples, sizeof *result->fitted[i]);
        NEED_ALLOCATED(result->fitted[i]);
        NEED(measured_path_create(data, i, &(*paths)[i], error));
        result->is_steady[i] = (*paths)[i].is_steady;
    }
    return MASING_OK;
}

/* Noise of the velocities, over their mean, that is worth a warning. */
static const double noisy_velocity = 0.02;

enum masing_status identification_smooth(struct measured_path *paths, bool needs_velocity,
                                         struct masing_identification *result,
                                         struct masing_error *error)
{
    const struct warning_list warnings = identification_warnings(result);
    for (int i = 0; i < result->n_loops; i++) {
        NEED(measured_path_smooth(&paths[i], error));
        if (needs_velocity && paths[i].has_time && paths[i].velocity_noise > noisy_velocity) {
            NEED(
                warning_add(&warnings, error,
                            "%s: velocities come from differences of displacements and are "
                            "noisy, %.0f %% of their mean: smooth the displacements before, or "
                            "take whole steady cycles",
                            paths[i].source->name, 100 * paths[i].velocity_noise));
        }
    }
    return MASING_OK;
}

void measured_paths_free(struct measured_path *paths, int n_loops)
{
    for (int i = 0; paths && i < n_loops; i++) {
        measured_path_clear(&paths[i]);
    }
    free(paths);
}

void masing_identification_clear(struct masing_identification *result)
{
    if (!result) {
        return;
    }
    for (int i = 0; i < result->n_loops; i++) {
        free(result->fitted ? result->fitted[i] : NULL);
        free(result->fitted_phase_deg ? result->fitted_phase_deg[i] : NULL);
    }
    free(result->fitted);
    free(result->fitted_phase_deg);
    free(result->is_steady);
    free(result->estimates);
    free(result->parameters);
    for (int i = 0; i < result->n_added; i++) {
        free(result->added[i].parameters);
    }
    free(result->added);
    warnings_clear(&(const struct warning_list){&result->warnings, &result->n_warnings, NULL});
    entry_zero(result, sizeof *result);
}

enum masing_status identification_check(const struct masing_measurements *data,
                                        struct masing_error *error)
{
    NEED(entry_need_array(data->n_loops, data->loops, "data.loops", error));
    for (int i = 0; i < data->n_loops; i++) {
        const struct masing_measurement *loop = &data->loops[i];
        NEED(entry_need_array(loop->n_samples, loop->displacement, "data.loops.displacement",
                              error));
        NEED(entry_need_array(loop->n_samples, loop->force, "data.loops.force", error));
    }
    return MASING_OK;
}

enum masing_status identification_run(identify_request *identify, const void *request,
                                      void *asked, size_t size,
                                      struct masing_identification *result,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_identification found = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(request, "request", error));
    TRY(entry_read(request, "request", asked, size, error));
    TRY(entry_need(result, "result", error));
    TRY(entry_check(result, "result", error));
    TRY(blas_need_buffer(error));
    status = identify(asked, &found, error);
done:
    release_blas();
    if (!entry_write(result, &found, sizeof found)) {
        masing_identification_clear(&found);
    }
    return status;
}

struct sample {
    const struct masing_measurement *loop;
    int index;
    double fitted;
};

static void walk_sample(struct row_table *table, const void *context)
{
    const struct sample *sample = context;
    const struct masing_measurement *loop = sample->loop;
    int j = sample->index;
    ROW_TEXT(table, loop->name, "loop");
    ROW_INTEGER(table, j, "sample");
    ROW_REAL(table, loop->time ? loop->time[j] : NAN, "time");
    ROW_REAL(table, loop->displacement[j], "displacement");
    ROW_REAL(table, loop->force[j], "force");
    ROW_REAL(table, sample->fitted, "force_fitted");
    ROW_REAL(table, loop->force[j] - sample->fitted, "residual");
}

enum masing_status masing_identification_rows(const struct masing_measurements *data,
                                              const struct masing_identification *result,
                                              const struct masing_sink *rows,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct row_sink table = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(data, "data", error));
    TRY(identification_check(data, error));
    TRY(entry_need(result, "result", error));
    TRY(entry_check(result, "result", error));
    if (result->n_loops < data->n_loops || (data->n_loops > 0 && !result->fitted)) {
        TRY(masing_error_set(error, MASING_INVALID, "result: fits %d loops, expected %d",
                             result->n_loops, data->n_loops));
    }
    TRY(row_sink_begin(&table, rows, walk_sample, &(struct sample){0}, error));
    for (int i = 0; i < data->n_loops; i++) {
        for (int j = 0; j < data->loops[i].n_samples; j++) {
            const struct sample sample = {&data->loops[i], j, result->fitted[i][j]};
            TRY(row_sink_write(&table, &sample, error));
        }
    }
done:
    return row_sink_end(&table, status, error);
}
