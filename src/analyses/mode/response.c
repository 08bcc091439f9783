/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The response of a mode by itself, and beside the full one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/message.h"
#include "analyses/mode/mode.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "base/sink.h"
#include "linalg/one_thread.h"
#include "model/cyclic.h"

struct mode_response {
    const struct masing_model *model;
    const struct masing_mode_response_options *options;
    const struct masing_sink *rows; /* may be NULL */
    struct masing_mode_response_summary *summary;
    struct warning_list warnings;
    struct mode_estimate estimate;
    /* the full response as it comes */
    int *sources; /* [1 + n_outputs] its columns of the frequency and of the outputs */
    int n_full;
    size_t capacity;
    double *full;         /* [n_full][1 + n_outputs]: Hz, amplitudes */
    double peak_hz, peak; /* refined, between two rows */
    struct masing_progress progress;
    double progress_from, progress_share;
};

/* ---- the comparison ---- */

static const double DEFAULT_TOLERANCE = 0.05;

/* [1 + n_outputs] */
static double *full_row(const struct mode_response *run, int i)
{
    return run->full + (size_t)i * (1 + (size_t)run->model->spec.n_outputs);
}

static bool is_compared(const struct mode_response *run, double hz)
{
    return hz >= run->summary->from_hz && hz <= run->summary->to_hz;
}

static double distance_to_estimate(const struct mode_response *run, double hz, double size)
{
    const struct mode_estimate *estimate = &run->estimate;
    int output = run->model->spec.peak_output;
    double nearest = INFINITY, unit = run->summary->full_peak;
    for (int i = 0; i < estimate->n_points; i++) {
        const struct mode_estimate_point *a = &estimate->points[i];
        bool goes_on =
            i + 1 < estimate->n_points && estimate->points[i + 1].branch == a->branch;
        const struct mode_estimate_point *b = goes_on ? a + 1 : a;
        double x = a->omega / TWO_PI / hz - 1.0, y = (a->outputs[output] - size) / unit;
        double dx = (b->omega - a->omega) / TWO_PI / hz;
        double dy = (b->outputs[output] - a->outputs[output]) / unit;
        double length = dx * dx + dy * dy; /* of the segment from here to there, squared */
        double t = length > 0.0 ? fmin(fmax(-(x * dx + y * dy) / length, 0.0), 1.0) : 0.0;
        nearest = fmin(nearest, hypot(x + t * dx, y + t * dy));
    }
    return nearest;
}

static void compare(struct mode_response *run)
{
    struct masing_mode_response_summary *summary = run->summary;
    int column = 1 + run->model->spec.peak_output;
    for (int i = 0; i <= run->n_full; i++) { /* then the refined one */
        double hz = i < run->n_full ? full_row(run, i)[0] : run->peak_hz;
        double size = i < run->n_full ? full_row(run, i)[column] : run->peak;
        if (is_compared(run, hz) && !(size <= summary->full_peak)) {
            summary->full_peak = size;
            summary->full_hz = hz;
        }
    }
    for (int i = 0; i < run->n_full; i++) {
        const double *row = full_row(run, i);
        if (is_compared(run, row[0])) {
            double distance = distance_to_estimate(run, row[0], row[column]);
            if (!(distance <= summary->distance)) {
                summary->distance = distance;
                summary->distance_hz = row[0];
            }
        }
    }
    summary->frequency_difference = summary->estimate_hz / summary->full_hz - 1.0;
    summary->amplitude_difference = summary->estimate_peak / summary->full_peak - 1.0;
}

static enum masing_status warn_of_difference(struct mode_response *run,
                                             struct masing_error *error)
{
    struct masing_mode_response_summary *summary = run->summary;
    double tolerance =
        run->options->tolerance > 0.0 ? run->options->tolerance : DEFAULT_TOLERANCE;
    double worst =
        fmax(fmax(fabs(summary->frequency_difference), fabs(summary->amplitude_difference)),
             summary->distance);
    if (!(worst > tolerance)) {
        return MASING_OK;
    }
    summary->is_far = true;
    char next[64] = "there is no other mode";
    if (isfinite(summary->next_mode_hz)) {
        snprintf(next, sizeof next, "the next mode lies at %.5g Hz (joints stuck)",
                 summary->next_mode_hz);
    }
    return warning_add(
        &run->warnings, error,
        "the mode by itself does not give the response to %.2g %%: its peak is %.2g "
        "%% off in frequency and %.2g %% in amplitude, points of the full response "
        "up to %.2g %%; %s, harmonics above the first have %.2g %% of it, and the "
        "shape has changed by %.2g %%",
        100.0 * tolerance, 100.0 * fabs(summary->frequency_difference),
        100.0 * fabs(summary->amplitude_difference), 100.0 * summary->distance, next,
        100.0 * summary->overtones, 100.0 * summary->shape_change);
}

static enum masing_status warn(struct mode_response *run, struct masing_error *error)
{
    const struct masing_spec *spec = &run->model->spec;
    if (run->estimate.n_points == 0) {
        NEED(warning_add(&run->warnings, error,
                         "the mode gives no response between %.6g and %.6g Hz: loads, range of "
                         "frequencies and mode.amplitude (from %g to %g) do not meet",
                         spec->omega_from / TWO_PI, spec->omega_to / TWO_PI,
                         spec->mode.amplitude_from, spec->mode.amplitude_to));
    } else if (run->estimate.is_cut) {
        NEED(
            warning_add(&run->warnings, error,
                        "the loads drive the mode beyond mode.amplitude, %g: the estimate ends "
                        "there, its peak is not reached",
                        spec->mode.amplitude_to));
    } else {
        NEED(warn_of_difference(run, error));
    }
    for (int l = 0; l < spec->n_loads; l++) {
        if (spec->loads[l].harmonic != 1) {
            NEED(warning_add(&run->warnings, error,
                             "the load of harmonic %d is left out of the mode's response",
                             spec->loads[l].harmonic));
        }
    }
    return MASING_OK;
}

/* ---- both responses ---- */

/* Steps of the mode in decades of its amplitude. */
static const double ESTIMATE_STEP = 0.05;

/* The two are compared where the estimate is at least this part of its peak, and a little
 * beyond. */
static const double COMPARED_PART = 0.25, COMPARED_MARGIN = 1.05;

/* Share of the progress that the mode takes. */
static const double MODE_SHARE = 0.3;

void masing_mode_response_summary_clear(struct masing_mode_response_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings, NULL});
        entry_zero(summary, sizeof *summary);
    }
}

static void pass_report(void *context, double fraction, int points)
{
    const struct mode_response *run = context;
    const struct masing_progress *whole = run->options->progress;
    if (whole->report) {
        whole->report(whole->context, run->progress_from + run->progress_share * fraction,
                      points);
    }
}

static void pass_log(void *context, const char *line)
{
    const struct mode_response *run = context;
    if (run->options->progress->log) {
        run->options->progress->log(run->options->progress->context, line);
    }
}

static bool pass_cancelled(void *context)
{
    return progress_is_cancelled(((struct mode_response *)context)->options->progress);
}

/* Progress of one of the two analyses. */
static const struct masing_progress *part_of_progress(struct mode_response *run, double from,
                                                      double share)
{
    run->progress = (struct masing_progress){run, pass_report, pass_log, pass_cancelled};
    run->progress_from = from;
    run->progress_share = share;
    return run->options->progress ? &run->progress : NULL;
}

/* The warnings of one of them, those that are there already excepted; what it ended with, or
 * that there is no memory for them. */
static enum masing_status add_new_warnings(struct mode_response *run, char **texts, int n,
                                           enum masing_status ended, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < n; i++) {
        bool is_known = false;
        for (int k = 0; k < run->summary->n_warnings; k++) {
            is_known = is_known || strcmp(run->summary->warnings[k], texts[i]) == 0;
        }
        TRY(is_known ? MASING_OK
                     : warning_add(&run->warnings, ended < 0 ? NULL : error, "%s", texts[i]));
    }
done:
    return ended != MASING_OK ? ended : status;
}

/* --- the mode --- */

static enum masing_status follow_mode(struct mode_response *run, struct masing_error *error)
{
    struct masing_mode_summary summary = {0};
    const struct masing_mode_options options = {.progress =
                                                    part_of_progress(run, 0.0, MODE_SHARE)};
    const struct mode_observer observer = {&run->estimate, mode_estimate_gather, ESTIMATE_STEP};
    enum masing_status status =
        mode_follow(run->model, &options, NULL, &observer, &summary, error);
    status = add_new_warnings(run, summary.warnings, summary.n_warnings, status, error);
    masing_mode_summary_clear(&summary);
    run->summary->stuck_hz = run->estimate.stuck_hz;
    run->summary->next_mode_hz = run->estimate.next_mode_hz;
    return status;
}

static void find_estimated_peak(struct mode_response *run)
{
    struct masing_mode_response_summary *summary = run->summary;
    const struct mode_estimate *estimate = &run->estimate;
    int output = run->model->spec.peak_output;
    summary->n_estimate = estimate->n_points;
    if (estimate->n_points == 0) {
        return;
    }
    for (int i = 0; i < estimate->n_points; i++) {
        const struct mode_estimate_point *point = &estimate->points[i];
        if (!(point->outputs[output] <= summary->estimate_peak)) {
            summary->estimate_peak = point->outputs[output];
            summary->estimate_hz = point->omega / TWO_PI;
            summary->mode = point->mode;
        }
    }
    for (int i = 0; i < estimate->n_points; i++) {
        const struct mode_estimate_point *point = &estimate->points[i];
        if (point->outputs[output] >= COMPARED_PART * summary->estimate_peak) {
            double hz = point->omega / TWO_PI;
            summary->from_hz = fmin(hz, summary->from_hz); /* NAN at first */
            summary->to_hz = fmax(hz, summary->to_hz);
        }
    }
    const struct masing_spec *spec = &run->model->spec;
    double low = fmin(spec->omega_from, spec->omega_to) / TWO_PI;
    double high = fmax(spec->omega_from, spec->omega_to) / TWO_PI;
    summary->from_hz = fmax(summary->from_hz / COMPARED_MARGIN, low);
    summary->to_hz = fmin(summary->to_hz * COMPARED_MARGIN, high);
    mode_estimate_describe(&run->estimate, summary->mode.amplitude, &summary->overtones,
                           &summary->shape_change);
}

/* --- the full response --- */

static enum masing_status open_full(void *context, const struct masing_column *columns,
                                    int n_columns, struct masing_error *error)
{
    struct mode_response *run = context;
    const struct masing_spec *spec = &run->model->spec;
    (void)error;
    for (int i = 0; i <= spec->n_outputs; i++) {
        char name[MASING_COLUMN_NAME] = "frequency_hz";
        if (i > 0) {
            snprintf(name, sizeof name, "%s_h1", spec->outputs[i - 1].name);
        }
        for (int c = 0; c < n_columns; c++) {
            run->sources[i] = strcmp(columns[c].name, name) == 0 ? c : run->sources[i];
        }
    }
    return MASING_OK;
}

static enum masing_status take_full(void *context, const struct masing_cell *cells,
                                    struct masing_error *error)
{
    struct mode_response *run = context;
    int n = 1 + run->model->spec.n_outputs;
    NEED_ALLOCATED(memory_grow((void **)&run->full, (size_t)run->n_full + 1, &run->capacity,
                               (size_t)n * sizeof *run->full));
    for (int c = 0; c < n; c++) {
        full_row(run, run->n_full)[c] = cells[run->sources[c]].number;
    }
    run->n_full++;
    return MASING_OK;
}

static enum masing_status respond_fully(struct mode_response *run, struct masing_error *error)
{
    struct masing_response_summary summary = {0};
    const struct masing_response_options options = {
        .n_threads = run->options->n_threads,
        .progress = part_of_progress(run, MODE_SHARE, 1.0 - MODE_SHARE),
        .stability = MASING_STABILITY_NONE,
    };
    const struct masing_sink sink = {.context = run, .open = open_full, .row = take_full};
    double began = processor_time();
    enum masing_status status = masing_frf(run->model, &options, &sink, NULL, &summary, error);
    run->summary->seconds_full = processor_time() - began;
    run->peak_hz = summary.peak.frequency_hz;
    run->peak = summary.peak.h1;
    status = add_new_warnings(run, summary.warnings, summary.n_warnings, status, error);
    masing_response_summary_clear(&summary);
    run->summary->n_full = run->n_full;
    return status;
}

/* --- rows --- */

struct row {
    const struct mode_response *run;
    const char *curve;
    int branch, point;
    double amplitude, hz;
    const double *outputs; /* [n_outputs] */
};

static void walk(struct row_table *table, const void *context)
{
    const struct row *row = context;
    const struct masing_spec *spec = &row->run->model->spec;
    ROW_TEXT(table, row->curve, "curve");
    ROW_INTEGER(table, row->branch, "branch");
    ROW_INTEGER(table, row->point, "point");
    ROW_REAL(table, row->amplitude, "amplitude");
    ROW_REAL(table, row->hz, "frequency_hz");
    for (int o = 0; o < spec->n_outputs; o++) {
        ROW_REAL(table, row->outputs[o], "%s_h1", spec->outputs[o].name);
    }
}

static enum masing_status write_rows(const struct mode_response *run,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct row_sink rows = {0};
    if (!run->rows) {
        return MASING_OK;
    }
    TRY(row_sink_begin(&rows, run->rows, walk, &(struct row){.run = run}, error));
    for (int i = 0; i < run->n_full; i++) {
        const double *full = full_row(run, i);
        const struct row row = {run, "full", 0, i, NAN, full[0], full + 1};
        TRY(row_sink_write(&rows, &row, error));
    }
    for (int i = 0; i < run->estimate.n_points; i++) {
        const struct mode_estimate_point *point = &run->estimate.points[i];
        const struct row row = {run,
                                "estimate",
                                point->branch,
                                i,
                                point->mode.amplitude,
                                point->omega / TWO_PI,
                                point->outputs};
        TRY(row_sink_write(&rows, &row, error));
    }
done:
    return row_sink_end(&rows, status, error);
}

static enum masing_status respond(const struct masing_model *model,
                                  const struct masing_mode_response_options *options,
                                  const struct masing_sink *rows,
                                  struct masing_mode_response_summary *summary,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct mode_response run = {.model = model,
                                .options = options,
                                .rows = rows,
                                .summary = summary,
                                .warnings = {&summary->warnings, &summary->n_warnings, NULL}};
    double began = processor_time();
    *summary = (struct masing_mode_response_summary){.mode = {NAN, NAN, NAN}};
    summary->stuck_hz = summary->estimate_hz = summary->estimate_peak = NAN;
    summary->full_hz = summary->full_peak = summary->from_hz = summary->to_hz = NAN;
    summary->frequency_difference = summary->amplitude_difference = NAN;
    summary->distance = summary->distance_hz = summary->next_mode_hz = NAN;
    summary->overtones = summary->shape_change = NAN;
    run.sources = memory_array(1 + (size_t)model->spec.n_outputs, sizeof *run.sources);
    TRY_ALLOCATED(run.sources);
    TRY(model_need_sweep(&model->spec, true, error));
    TRY(model_need_outputs(&model->spec, error));
    TRY(mode_estimate_create(model, &run.estimate, error));
    ended = follow_mode(&run, error);
    TRY(ended < 0 ? ended : MASING_OK);
    TRY(mode_estimate_respond(&run.estimate, error));
    find_estimated_peak(&run);
    if (ended == MASING_OK) {
        ended = respond_fully(&run, error);
        TRY(ended < 0 ? ended : MASING_OK);
        compare(&run);
        TRY(warn(&run, error));
    }
    TRY(write_rows(&run, error));
    status = ended;
done:
    mode_estimate_clear(&run.estimate);
    free(run.sources);
    free(run.full);
    summary->seconds = processor_time() - began;
    return status;
}

enum masing_status masing_mode_response(const struct masing_model *model,
                                        const struct masing_mode_response_options *options,
                                        const struct masing_sink *rows,
                                        struct masing_mode_response_summary *summary,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_mode_response_options chosen;
    struct masing_mode_response_summary found = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(cyclic_refuse(&model->spec, "a nonlinear mode is", error));
    TRY(speed_refuse(model, "a nonlinear mode is", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_check(summary, "summary", error));
    status = respond(model, &chosen, rows, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_mode_response_summary_clear(&found);
    }
    return status;
}
