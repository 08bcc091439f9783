/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/peak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/peak_rows.h"
#include "base/check.h"
#include "base/processor_time.h"

static enum masing_status check(const struct masing_peak_request *request,
                                struct masing_error *error)
{
    if (!isfinite(request->from) || !isfinite(request->to) || request->from == request->to) {
        return masing_error_set(error, MASING_INVALID,
                                "--vary %s=%g:%g: expected two different numbers",
                                request->parameter, request->from, request->to);
    }
    for (int i = 1; i < request->n_values; i++) {
        bool is_on =
            (request->values[i] - request->values[i - 1]) * (request->to - request->from) > 0.0;
        if (!is_on) {
            return masing_error_set(error, MASING_INVALID,
                                    "--vary %s: %g after %g: expected values in one direction",
                                    request->parameter, request->values[i],
                                    request->values[i - 1]);
        }
    }
    if (request->is_minimized && request->n_numbers > 1) {
        return masing_error_set(error, MASING_INVALID,
                                "--minimize: one peak can be lowest at a time, expected one "
                                "number in --number");
    }
    return MASING_OK;
}

static void note_course(struct masing_peak_summary *summary, const struct peak_course *course)
{
    for (int k = 0; k < course->n_stations; k++) {
        const struct peak_state *state = &course->stations[k].state;
        if (!(state->measure >= summary->lowest)) {
            summary->lowest = state->measure;
            summary->lowest_at = state->p;
        }
        if (!(state->measure <= summary->highest)) {
            summary->highest = state->measure;
            summary->highest_at = state->p;
        }
    }
    summary->points += course->n_stations;
    summary->is_log = course->is_log;
    summary->has_derivatives = course->site->moving != NULL && !course->is_swept;
    summary->measure = course->site->model->spec.peak_measure;
}

/* The largest peak, or the i-th of those that are wanted; what was found is written even where
 * it ends early. */
static enum masing_status run_one(const struct masing_peak_request *request,
                                  const struct masing_response_options *options, int i,
                                  const struct masing_sink *rows, bool *is_open,
                                  struct masing_peak_summary *summary,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct peak_course *course = NULL;
    struct masing_column *columns = NULL;
    int n_columns = 0, n = request->n_numbers > 0 ? request->n_numbers : 1;
    TRY(peak_course_create(request, options, request->n_numbers > 0 ? request->numbers[i] : 0,
                           summary, &course, error));
    course->fraction_from = (double)i / n;
    course->fraction_part = 1.0 / n;
    TRY(peak_course_start(course, error));
    if (rows && !*is_open) {
        TRY(peak_rows_columns(course->site->model, request->parameter, NULL, &columns,
                              &n_columns, error));
        TRY(rows->open(rows->context, columns, n_columns, error));
        *is_open = true;
    }
    ended = peak_course_follow(course, error);
    if (ended < 0) {
        status = ended;
        goto done;
    }
    if (ended == MASING_OK && request->is_minimized) {
        TRY(peak_minimize(course, error));
    }
    int point = summary->points;
    note_course(summary, course);
    TRY(rows ? peak_rows_write(course, false, 0.0, &point, rows, error) : MASING_OK);
    status = ended;
done:
    peak_course_destroy(course);
    free(columns);
    return status;
}

enum masing_status masing_peak_follow(const struct masing_peak_request *request,
                                      const struct masing_response_options *options,
                                      const struct masing_sink *rows,
                                      struct masing_peak_summary *summary,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    double start = processor_time();
    bool is_open = false;
    struct masing_error stop = {0};
    *summary = (struct masing_peak_summary){.lowest = NAN,
                                            .lowest_at = NAN,
                                            .highest = NAN,
                                            .highest_at = NAN,
                                            .optimum = {.value = NAN,
                                                        .peak = NAN,
                                                        .frequency_hz = NAN,
                                                        .other_hz = NAN,
                                                        .slope_before = NAN,
                                                        .slope_after = NAN,
                                                        .low = {NAN, NAN},
                                                        .high = {NAN, NAN}}};
    TRY(check(request, error));
    for (int i = 0; i < (request->n_numbers > 0 ? request->n_numbers : 1); i++) {
        enum masing_status one = run_one(request, options, i, rows, &is_open, summary, &stop);
        if (one < 0) {
            TRY(masing_error_set(error, one, "%s", stop.message));
        }
        ended = one > 0 ? one : ended;
    }
    if (is_open) {
        is_open = false;
        TRY(rows->finish(rows->context, error));
    }
    summary->is_complete = ended == MASING_OK;
    if (ended > 0) {
        memcpy(summary->reason, stop.message, sizeof summary->reason);
        status = masing_error_set(error, MASING_STOPPED, "%s", stop.message);
    }
done:
    if (is_open) {
        rows->abandon(rows->context);
    }
    summary->seconds = processor_time() - start;
    return status;
}

void masing_peak_summary_clear(struct masing_peak_summary *summary)
{
    if (summary) {
        for (int i = 0; i < summary->optimum.n_sensitivities; i++) {
            free(summary->optimum.sensitivities[i].joint);
            free(summary->optimum.sensitivities[i].number);
        }
        free(summary->optimum.sensitivities);
        summary->optimum.sensitivities = NULL;
        summary->optimum.n_sensitivities = 0;
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings});
    }
}
