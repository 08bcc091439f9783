/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The curve on which points are compared, and a picture's rows of it. */
#include <math.h>
#include <stdio.h>

#include "analyses/compare/comparison.h"
#include "base/check.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/sink.h"

enum { DEFAULT_POINTS = 10, COURSE_COLUMNS = 4 };

int comparison_course_columns(const struct comparison *comparison,
                              struct masing_column columns[COURSE_COLUMNS])
{
    columns[0] = (struct masing_column){"method", MASING_COLUMN_TEXT};
    columns[1] = (struct masing_column){"frequency_hz", MASING_COLUMN_REAL};
    columns[2].type = MASING_COLUMN_REAL;
    snprintf(columns[2].name, sizeof columns[2].name, "%.80s_max",
             comparison->model->spec.outputs[0].name);
    columns[3] = (struct masing_column){"is_dot", MASING_COLUMN_INTEGER};
    return COURSE_COLUMNS;
}

static enum masing_status write_place(const struct comparison *comparison, const char *method,
                                      double omega, double value, bool is_dot,
                                      struct masing_error *error)
{
    const struct masing_cell cells[COURSE_COLUMNS] = {
        {.text = method}, {.number = hertz(omega)}, {.number = value}, {.number = is_dot}};
    return sink_row(comparison->course, cells, error);
}

enum masing_status comparison_write_course(struct comparison *comparison, size_t index,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double omega = comparison->points.omega[index];
    TRY(write_place(comparison, "time integration", omega, comparison->warm.motion->max[0],
                    true, error));
    if (comparison->options->is_cold) {
        TRY(write_place(comparison, "time, from rest", omega, comparison->cold.motion->max[0],
                        true, error));
    }
done:
    return status;
}

static bool is_wanted(const struct comparison *comparison, double omega)
{
    const struct masing_compare_options *options = comparison->options;
    for (int i = 0; i < options->n_frequencies; i++) {
        double wanted = TWO_PI * options->frequencies_hz[i];
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
    enum masing_status status = MASING_OK;
    struct comparison *comparison = context;
    TRY(kept_points_add(&comparison->points, curve->balance, point->y, point->lambda, error));
    if (comparison->course) {
        TRY(write_place(comparison, "harmonic balance", point->lambda,
                        curve->recovery->point.measures[0].max, false, error));
    }
done:
    return status;
}

/* At the frequencies that were given; else evenly along the curve with both ends. */
static enum masing_status choose(struct comparison *comparison, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_compare_options *options = comparison->options;
    size_t n_points = comparison->points.n;
    size_t n = (size_t)(options->n_points > 0 ? options->n_points : DEFAULT_POINTS);
    bool is_picked = options->n_frequencies == 0 && n < n_points;
    comparison->chosen = memory_array(n_points, sizeof *comparison->chosen);
    TRY_ALLOCATED(comparison->chosen);
    for (size_t i = 0; is_picked && i < n; i++) {
        comparison->chosen[comparison->n_chosen++] =
            n > 1 ? (i * (n_points - 1) + (n - 1) / 2) / (n - 1) : n_points / 2;
    }
    for (size_t i = 0; !is_picked && i < n_points; i++) {
        if (is_wanted(comparison, comparison->points.omega[i])) {
            comparison->chosen[comparison->n_chosen++] = i;
        }
    }
done:
    return status;
}

static enum masing_status find_largest(struct comparison *comparison)
{
    enum masing_status status = MASING_OK;
    struct response_curve *curve = comparison->curve;
    double largest = -1.0;
    for (size_t i = 0; i < comparison->n_chosen; i++) {
        size_t index = comparison->chosen[i];
        const double *y = kept_points_restore(&comparison->points, index, curve->balance);
        TRY(recovery_evaluate(curve->recovery, y, comparison->points.omega[index]));
        if (curve->recovery->point.measures[0].max > largest) {
            largest = curve->recovery->point.measures[0].max;
            comparison->largest = index;
        }
    }
done:
    return status;
}

enum masing_status comparison_follow(struct comparison *comparison, enum masing_status *ended,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_compare_options *options = comparison->options;
    const struct masing_progress quiet = progress_quiet(options->progress);
    const struct masing_response_options response_options = {
        .n_at = options->n_frequencies, .at_hz = options->frequencies_hz, .progress = &quiet};
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
    comparison->summary->seconds_hb =
        comparison->response.seconds / fmax(1.0, comparison->response.points);
    TRY(choose(comparison, error));
    if (comparison->loops) {
        TRY(find_largest(comparison));
    }
done:
    return status;
}
