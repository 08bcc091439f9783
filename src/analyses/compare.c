/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/comparison.h"
#include "analyses/warning_list.h"
#include "base/check.h"
#include "base/memory.h"
#include "transient/newmark.h"

static const double two_pi = 6.28318530717958647692;

enum { DEFAULT_POINTS = 10 };

/* Differences above this part are pointed out. */
static const double suspicious = 0.01;

void masing_compare_summary_clear(struct masing_compare_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings});
        memset(summary, 0, sizeof *summary);
    }
}

/* ---- the curve ---- */

static bool is_wanted(const struct comparison *comparison, double omega)
{
    const struct masing_compare_options *options = comparison->options;
    for (int i = 0; i < options->n_frequencies; i++) {
        double wanted = two_pi * options->frequencies_hz[i];
        if (fabs(omega - wanted) <= 1e-12 * wanted) {
            return true;
        }
    }
    return options->n_frequencies == 0;
}

static enum masing_status keep_point(void *context, const struct response_curve *curve,
                                     const struct continuation_point *point,
                                     struct masing_error *error)
{
    struct comparison *comparison = context;
    return is_wanted(comparison, point->lambda)
               ? kept_points_add(&comparison->points, curve->balance, point->y, point->lambda,
                                 error)
               : MASING_OK;
}

static enum masing_status check_input(const struct comparison *comparison,
                                      struct masing_error *error)
{
    const struct masing_spec *spec = &comparison->model->spec;
    double low = fmin(spec->omega_from, spec->omega_to) / two_pi;
    double high = fmax(spec->omega_from, spec->omega_to) / two_pi;
    if (spec->n_outputs == 0) {
        return masing_error_set(error, MASING_INVALID,
                                "outputs: none, expected at least one to compare");
    }
    for (int i = 0; i < comparison->options->n_frequencies; i++) {
        double hz = comparison->options->frequencies_hz[i];
        if (!(hz >= low * (1.0 - 1e-12) && hz <= high * (1.0 + 1e-12))) {
            return masing_error_set(
                error, MASING_INVALID,
                "frequency %g Hz: expected one within the model's range, %g "
                "to %g Hz",
                hz, low, high);
        }
    }
    return newmark_can_integrate(comparison->model->structure, error);
}

/* Follow the curve and keep the points to compare. MASING_STOPPED is left in *ended. */
static enum masing_status follow_curve(struct comparison *comparison, enum masing_status *ended,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_compare_options *options = comparison->options;
    const struct masing_response_options response_options = {.n_at = options->n_frequencies,
                                                             .at_hz = options->frequencies_hz,
                                                             .progress = options->progress};
    const struct response_curve_settings settings = {
        .model = comparison->model,
        .options = &response_options,
        .point_context = comparison,
        .point = keep_point,
    };
    TRY(response_curve_create(&settings, &comparison->response, &comparison->curve, error));
    *ended = response_curve_follow(comparison->curve, error);
    status = *ended < 0 ? *ended : MASING_OK;
    TRY(status);
    TRY(warnings_add_model(&comparison->warnings, comparison->model, error));
    TRY(energy_limits_warn(comparison->curve->energy_limits, "Hz", &comparison->warnings,
                           error));
    TRY(response_warn_drift(comparison->curve, &comparison->warnings, error));
    if (options->n_frequencies == 0) {
        int n = options->n_points > 0 ? options->n_points : DEFAULT_POINTS;
        kept_points_thin(&comparison->points, (size_t)n);
    }
    comparison->summary->seconds_hb =
        comparison->response.seconds / fmax(1.0, comparison->response.points);
done:
    return status;
}

/* ---- one point ---- */

/* A joint that can slip but does not: the mean of the motion is then a matter of its past. */
static bool is_stuck_somewhere(const struct comparison *comparison)
{
    const struct balance *balance = comparison->curve->balance;
    for (int j = 0; j < balance->n_joints; j++) {
        if (balance->joints[j]->slip_share == 0.0) {
            return true;
        }
    }
    return false;
}

static double relative_difference(const struct output_measures *balance, bool is_stuck,
                                  const struct integrated *integrated)
{
    double hb = is_stuck ? balance->h1 : balance->max;
    double ti = is_stuck ? integrated->h1[0] : integrated->max[0];
    return hb == ti ? 0.0 : fabs(hb - ti) / fabs(ti);
}

static void note_point(struct comparison *comparison, double omega, bool is_stuck)
{
    struct masing_compare_summary *summary = comparison->summary;
    const struct integrated *warm = &comparison->warm, *cold = &comparison->cold;
    bool is_steady = !isnan(warm->difference);
    summary->n_points++;
    summary->n_steady += is_steady;
    summary->n_stuck += is_stuck;
    summary->seconds_ti += warm->seconds;
    if (is_steady && !(warm->difference <= summary->worst_difference)) {
        summary->worst_difference = warm->difference;
        summary->worst_hz = omega / two_pi;
    }
    if (comparison->options->is_cold) {
        summary->worst_difference_cold = fmax(summary->worst_difference_cold, cold->difference);
    }
}

/* What a large difference may come from, and how large. */
static enum masing_status warn_difference(struct comparison *comparison, double omega,
                                          struct masing_error *error)
{
    if (!(comparison->warm.difference > suspicious)) {
        return MASING_OK;
    }
    return warning_add(&comparison->warnings, error,
                       "at %.6g Hz the two differ by %.2g %%: too few harmonics, samples or "
                       "steps per cycle, or an unstable solution that the integration left",
                       omega / two_pi, 100.0 * comparison->warm.difference);
}

static enum masing_status compare_point(struct comparison *comparison, size_t index,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_curve *curve = comparison->curve;
    double omega = comparison->points.omega[index];
    const double *y = kept_points_restore(&comparison->points, index, curve->balance);
    TRY(recovery_evaluate(curve->recovery, y, omega));
    bool is_stuck = is_stuck_somewhere(comparison);
    const struct output_measures *first = &curve->recovery->point.measures[0];
    TRY(comparison_integrate(comparison, y, omega, &comparison->warm, error));
    comparison->warm.difference = relative_difference(first, is_stuck, &comparison->warm);
    if (comparison->options->is_cold) {
        TRY(comparison_integrate(comparison, NULL, omega, &comparison->cold, error));
        comparison->cold.difference = relative_difference(first, is_stuck, &comparison->cold);
    }
    note_point(comparison, omega, is_stuck);
    TRY(warn_difference(comparison, omega, error));
    TRY(comparison_write_row(comparison, omega, is_stuck, error));
done:
    return status;
}

static enum masing_status compare_all(struct comparison *comparison, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_progress *progress = comparison->options->progress;
    size_t n = comparison->points.n;
    for (size_t i = 0; i < n && !comparison->is_cancelled; i++) {
        TRY(compare_point(comparison, i, error));
        if (progress && progress->report) {
            progress->report(progress->context, (double)(i + 1) / (double)n, (int)i + 1);
        }
    }
done:
    return status;
}

/* ---- set-up and end ---- */

static enum masing_status create(struct comparison *comparison, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = comparison->curve->balance;
    size_t n_outputs = (size_t)comparison->model->spec.n_outputs;
    size_t n_coefficients = (size_t)balance->n_coefficients;
    comparison->modal =
        memory_array(n_coefficients * (size_t)balance->structure->n_modes, sizeof(double));
    comparison->axes = memory_array(n_coefficients * (size_t)balance->n_axes, sizeof(double));
    TRY_ALLOCATED(comparison->modal && comparison->axes);
    struct integrated *both[] = {&comparison->warm, &comparison->cold};
    for (size_t i = 0; i < 2; i++) {
        both[i]->max = memory_array(n_outputs, sizeof(double));
        both[i]->h1 = memory_array(n_outputs, sizeof(double));
        TRY_ALLOCATED(both[i]->max && both[i]->h1);
    }
    TRY(comparison_create_rows(comparison, error));
done:
    return status;
}

static void destroy(struct comparison *comparison)
{
    double *owned[] = {comparison->warm.max, comparison->warm.h1, comparison->cold.max,
                       comparison->cold.h1,  comparison->modal,   comparison->axes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
    free(comparison->columns);
    free(comparison->cells);
    kept_points_clear(&comparison->points);
    response_curve_destroy(comparison->curve);
    masing_response_summary_clear(&comparison->response);
}

/* Reasons for MASING_STOPPED, the first that applies. */
static enum masing_status explain_end(struct comparison *comparison, enum masing_status ended,
                                      struct masing_error *error)
{
    struct masing_compare_summary *summary = comparison->summary;
    if (comparison->is_cancelled) {
        return masing_error_set(error, MASING_STOPPED, "interrupted");
    }
    if (error->status != MASING_OK) {
        return MASING_STOPPED;
    }
    if (ended != MASING_OK) {
        return masing_error_set(error, MASING_STOPPED, "the curve ended early");
    }
    if (summary->n_points == 0) {
        return masing_error_set(error, MASING_STOPPED,
                                "the curve has no point at the frequencies that were given");
    }
    if (summary->n_steady < summary->n_points) {
        return masing_error_set(error, MASING_STOPPED, "%d of %d points: %s",
                                summary->n_points - summary->n_steady, summary->n_points,
                                comparison->failure);
    }
    return MASING_OK;
}

static void finish_summary(struct masing_compare_summary *summary, bool is_cold)
{
    bool has_points = summary->n_points > 0;
    summary->seconds_ti = has_points ? summary->seconds_ti / summary->n_points : NAN;
    if (summary->n_steady == 0) {
        summary->worst_difference = summary->worst_hz = NAN;
    }
    if (!is_cold || !has_points) {
        summary->worst_difference_cold = NAN;
    }
}

static enum masing_status run(struct comparison *comparison, bool *is_open,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    const struct masing_sink *rows = comparison->rows;
    TRY(check_input(comparison, error));
    TRY(follow_curve(comparison, &ended, error));
    TRY(create(comparison, error));
    if (rows) {
        TRY(rows->open(rows->context, comparison->columns, comparison->n_columns, error));
        *is_open = true;
    }
    status = compare_all(comparison, error);
    if (status < 0) {
        goto done;
    }
    if (status != MASING_OK && status != MASING_STOPPED) {
        masing_error_set(error, MASING_STOPPED,
                         "a point of the curve could not be evaluated again (%s)",
                         masing_status_name(status));
    }
    finish_summary(comparison->summary, comparison->options->is_cold);
    status = explain_end(comparison, ended, error);
done:
    return status;
}

enum masing_status masing_compare(const struct masing_model *model,
                                  const struct masing_compare_options *options,
                                  const struct masing_sink *rows,
                                  struct masing_compare_summary *summary,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_compare_options defaults = {0};
    struct masing_error own = {0};
    struct comparison comparison = {
        .model = model,
        .rows = rows,
        .summary = summary,
        .warnings = {&summary->warnings, &summary->n_warnings},
    };
    bool is_open = false;
    error = error ? error : &own;
    comparison.options = options ? options : &defaults;
    memset(summary, 0, sizeof *summary);
    status = run(&comparison, &is_open, error);
    if (is_open && (status == MASING_OK || status == MASING_STOPPED)) {
        enum masing_status finished = rows->finish(rows->context, error);
        status = finished != MASING_OK ? finished : status;
    } else if (is_open) {
        rows->abandon(rows->context);
    }
    if (status != MASING_OK) {
        masing_error_set(error, status, "%s", masing_status_name(status));
    }
    if (status == MASING_STOPPED) {
        snprintf(summary->reason, sizeof summary->reason, "%s", error->message);
    }
    destroy(&comparison);
    return status;
}
