/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/peak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/event_row.h"
#include "analyses/curve/jobs.h"
#include "analyses/curve/row_table.h"
#include "analyses/peak/history.h"
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/processor_time.h"
#include "linalg/one_thread.h"

/* Where values are given, at these alone and at events. */
static bool is_row(const struct history_point *point)
{
    return point->is_wanted || point->events != 0;
}

/* What a walk writes; the point of the history and events are NULL while columns are declared.
 */
struct walk {
    const struct peak_history *history;
    const struct history_point *here;
    const struct event_row *events;
    double other; /* value of a second parameter, if there is one */
    int point, number;
    const struct coefficient_columns *coefficients; /* of the history's model */
};

static void walk_all(struct row_table *table, const void *context)
{
    const struct walk *walk = context;
    const struct masing_peak_request *request = walk->history->request;
    const struct masing_spec *spec = &walk->history->problem->model->spec;
    const struct peak_state *state = walk->here ? &walk->here->state : NULL;
    const double *cell = state ? state->cells : NULL; /* in the order of peak_problem_cells */
    const unsigned extra = walk->history->options->columns;
    ROW_INTEGER(table, walk->point, "point");
    ROW_REAL(table, state->p, "%s", request->parameter);
    if (request->other) {
        ROW_REAL(table, walk->other, "%s", request->other);
    }
    ROW_REAL(table, hertz(state->point[state->n]), "frequency_hz");
    for (int o = 0; o < spec->n_outputs; o++) {
        const char *name = spec->outputs[o].name;
        ROW_REAL(table, cell[0], "%s_max", name);
        ROW_REAL(table, cell[1], "%s_amp", name);
        ROW_REAL(table, cell[2], "%s_h1", name);
        cell += cell ? 3 : 0;
    }
    for (int g = 0; g < spec->n_groups; g++) {
        ROW_REAL(table, cell[g], "slip_%s", spec->groups[g].name);
    }
    cell += cell ? spec->n_groups : 0;
    if (extra & MASING_COLUMNS_ENERGY) {
        ROW_REAL(table, cell[0], "loss_structure");
        for (int g = 0; g < spec->n_groups; g++) {
            ROW_REAL(table, cell[1 + g], "loss_%s", spec->groups[g].name);
        }
    }
    cell += cell ? 1 + spec->n_groups : 0;
    for (int o = 0; (extra & MASING_COLUMNS_HARMONICS) && o < spec->n_outputs; o++) {
        for (int k = 0; k < spec->n_harmonics; k++) {
            if (spec->harmonics[k] > 1) {
                ROW_REAL(table, cell[k], "%s_h%d", spec->outputs[o].name, spec->harmonics[k]);
            }
        }
        cell += cell ? spec->n_harmonics : 0;
    }
    ROW_INTEGER(table, state->is_at_limit ? 1.0 : 0.0, "at_limit");
    ROW_INTEGER(table, walk->number, "number");
    ROW_CELL(table, MASING_COLUMN_TEXT, event_row_cell(walk->events), "event");
    ROW_INTEGER(table, state->iterations, "iterations");
    coefficient_columns_walk(table, walk->coefficients,
                             state ? peak_state_coefficients(state, spec)
                                   : walk->coefficients->values);
}

/* A peak that changes by a smaller part over the whole range does not change. */
static const double FLAT = 1e-7;

/* A history of its own: of the largest peak, of one of those that are wanted, or for one value
 * of the other number. */
struct peak_job {
    struct masing_peak_request request;
    struct masing_response_options options;
    struct masing_override *overrides; /* the other number's value among them */
    char text[32];                     /* that value */
    double *values;                    /* those of the request, from the other end */
    struct masing_peak_summary summary;
    struct peak_history *history; /* NULL: it has not begun */
    bool is_refused;              /* there is no model where it was to begin */
    bool is_backwards;            /* it was followed from the other end of the range */
    enum masing_status status;
    struct masing_error error;
};

struct run {
    const struct masing_peak_request *request;
    struct peak_job *jobs;
    const struct masing_response_options *options;
    const struct masing_sink *rows;
    struct row_sink table; /* begun by the first history */
    struct masing_peak_summary *summary;
    struct warning_list warnings;  /* of the summary */
    bool is_refused;               /* the last history: there is no model where it begins */
    bool is_load;                  /* loads alone depend on the number */
    int n_without;                 /* rows without a peak in the frequency range */
    double without[2], without_hz; /* least and largest of their values; where the last ends */
};

/* All points of a job's history, the first with this number; other: value of a second
 * parameter. Maxima are numbered anew in the order in which they are the largest of a row. */
static enum masing_status write_rows(struct run *run, const struct peak_job *job, double other,
                                     int first, const struct coefficient_columns *coefficients,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_history *history = job->history;
    int n_met = 0, *numbers = memory_array((size_t)history->n_numbers + 1, sizeof(int));
    TRY_ALLOCATED(numbers);
    for (int i = 0; i < history->n_points; i++) {
        int k = job->is_backwards ? history->n_points - 1 - i : i;
        const struct history_point *here = &history->points[k];
        int *number = &numbers[here->branch];
        if (is_row(here)) {
            *number = history->number > 0 ? history->number : *number > 0 ? *number : ++n_met;
            const struct event_row events = event_row_of_kinds(here->events);
            const struct walk walk = {history, here,    &events,     other,
                                      first++, *number, coefficients};
            TRY(row_sink_write(&run->table, &walk, error));
        }
    }
done:
    free(numbers);
    return status;
}

static enum masing_status check(const struct masing_peak_request *request, unsigned columns,
                                struct masing_error *error)
{
    static const char harmonics[] = "harmonics";
    int n = request->n_values;
    if ((columns & MASING_COLUMNS_HARMONICS) &&
        (strncmp(request->parameter, harmonics, strlen(harmonics)) == 0 ||
         (request->other && strncmp(request->other, harmonics, strlen(harmonics)) == 0))) {
        return masing_error_set(error, MASING_INVALID,
                                "--columns harmonics: where the harmonics vary, rows of "
                                "different columns would follow each other");
    }
    if (!isfinite(request->from) || !isfinite(request->to) || request->from == request->to) {
        return masing_error_set(error, MASING_INVALID,
                                "--vary %s=%g:%g: expected two different numbers",
                                request->parameter, request->from, request->to);
    }
    if (request->is_minimized && request->n_numbers > 1) {
        return masing_error_set(error, MASING_INVALID,
                                "--minimize: one peak can be lowest at a time, expected one "
                                "number in --number");
    }
    if (request->other && (request->n_numbers > 0 || request->n_others < 1)) {
        return masing_error_set(error, MASING_INVALID,
                                "--number: not along two numbers, where the largest peak is "
                                "followed");
    }
    if (n > 0 &&
        (request->values[0] != request->from || request->values[n - 1] != request->to)) {
        return masing_error_set(error, MASING_INVALID,
                                "--vary %s: values from %g to %g, expected %g to %g",
                                request->parameter, request->values[0], request->values[n - 1],
                                request->from, request->to);
    }
    for (int i = 1; i < n; i++) {
        double step = request->values[i] - request->values[i - 1];
        if (!(step * (request->to - request->from) > 0.0)) {
            return masing_error_set(error, MASING_INVALID,
                                    "--vary %s: %g after %g: expected values in one direction",
                                    request->parameter, request->values[i],
                                    request->values[i - 1]);
        }
    }
    return MASING_OK;
}

static void note_history(struct run *run, const struct peak_history *history, double other)
{
    struct masing_peak_summary *summary = run->summary;
    for (int k = 0; k < history->n_points; k++) {
        const struct peak_state *state = &history->points[k].state;
        if (!is_row(&history->points[k])) {
            continue;
        }
        summary->points++;
        summary->n_swept += state->is_swept;
        if (state->is_at_limit) {
            bool is_first = run->n_without++ == 0;
            run->without[0] = is_first ? state->p : fmin(run->without[0], state->p);
            run->without[1] = is_first ? state->p : fmax(run->without[1], state->p);
            run->without_hz = hertz(state->point[state->n]);
            continue;
        }
        if (!(state->measure >= summary->lowest)) {
            summary->lowest = state->measure;
            summary->lowest_at = state->p;
            summary->lowest_other = other;
        }
        if (!(state->measure <= summary->highest)) {
            summary->highest = state->measure;
            summary->highest_at = state->p;
        }
    }
    summary->is_log = history->problem->is_log;
    summary->has_derivatives = history->problem->moving != NULL && !history->is_swept;
    summary->measure = history->problem->model->spec.peak_measure;
}

static int count_histories(const struct masing_peak_request *request)
{
    int n = request->n_numbers > 0 ? request->n_numbers : 1;
    return request->other ? request->n_others : n;
}

static const struct masing_peak_optimum no_optimum = {.value = NAN,
                                                      .other = NAN,
                                                      .peak = NAN,
                                                      .frequency_hz = NAN,
                                                      .other_hz = NAN,
                                                      .slope_before = NAN,
                                                      .slope_after = NAN,
                                                      .low = {NAN, NAN},
                                                      .high = {NAN, NAN}};

static void clear_optimum(struct masing_peak_optimum *optimum)
{
    for (int i = 0; i < optimum->n_sensitivities; i++) {
        free(optimum->sensitivities[i].joint);
        free(optimum->sensitivities[i].number);
    }
    free(optimum->sensitivities);
    *optimum = no_optimum;
}

static struct masing_peak_summary nothing_found(void)
{
    return (struct masing_peak_summary){.lowest = NAN,
                                        .lowest_at = NAN,
                                        .lowest_other = NAN,
                                        .highest = NAN,
                                        .highest_at = NAN,
                                        .optimum = no_optimum};
}

/* The value of the other number goes among the fixed ones. */
static enum masing_status fix_other(struct peak_job *job, double other,
                                    struct masing_error *error)
{
    struct masing_peak_request *request = &job->request;
    snprintf(job->text, sizeof job->text, "%.17g", other);
    const struct moving_model_request fixed = {.overrides = request->overrides,
                                               .n_overrides = request->n_overrides,
                                               .parameter = request->other};
    NEED(moving_model_overrides(&fixed, job->text, &job->overrides, error));
    request->overrides = job->overrides;
    request->n_overrides++;
    return MASING_OK;
}

/* Begun: there is a peak at the beginning. */
static enum masing_status begin_history(struct peak_job *job, int index,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_peak_request *request = &job->request;
    struct peak_history *made = NULL;
    status = peak_history_create(request, &job->options,
                                 request->n_numbers > 0 ? request->numbers[index] : 0,
                                 &job->summary, &made, error);
    job->is_refused = status == MASING_STOPPED;
    TRY(status);
    TRY(model_need_loads(&made->problem->model->spec, error));
    TRY(peak_history_start(made, error));
    job->history = made;
    made = NULL;
done:
    peak_history_destroy(made);
    return status;
}

static enum masing_status turn_round(struct peak_job *job, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_peak_request *request = &job->request;
    double from = request->from;
    int n = request->n_values;
    TRY_ALLOCATED(job->values = memory_array((size_t)n, sizeof *job->values));
    for (int k = 0; k < n; k++) {
        job->values[k] = request->values[n - 1 - k];
    }
    request->values = job->values;
    request->from = request->to;
    request->to = from;
done:
    return status;
}

/* A range without a peak at its beginning, or without a model, is followed from its other end,
 * as far as that leads. */
static enum masing_status compute(struct peak_job *job, int index, struct masing_error *error)
{
    const struct masing_peak_request *request = &job->request;
    struct masing_error later = {0};
    double other = request->other ? request->others[index] : NAN;
    NEED(request->other ? fix_other(job, other, error) : MASING_OK);
    enum masing_status begun = begin_history(job, index, error);
    if (begun > 0 && !progress_is_cancelled(job->options.progress)) {
        NEED(turn_round(job, error));
        enum masing_status turned = begin_history(job, index, &later);
        NEED(turned < 0 ? masing_error_set(error, turned, "%s", later.message) : MASING_OK);
        job->is_backwards = turned == MASING_OK;
    }
    if (!job->history) {
        return begun;
    }
    enum masing_status followed = peak_history_follow(job->history, &later);
    if (followed != MASING_OK) {
        return masing_error_set(error, followed, "%s", later.message);
    }
    if (begun == MASING_OK && request->is_minimized) {
        NEED(peak_minimize(job->history, error));
        job->summary.optimum.other = other;
    }
    return begun;
}

static enum masing_status compute_job(void *context, int index,
                                      const struct masing_progress *progress)
{
    struct run *run = context;
    struct peak_job *job = &run->jobs[index];
    job->options.progress = progress;
    job->error = (struct masing_error){0};
    job->status = compute(job, index, &job->error);
    return job->status;
}

/* What a history counted and warned about; of several optima the lowest stays. */
static enum masing_status add_summary(struct run *run, struct peak_job *job,
                                      struct masing_error *error)
{
    struct masing_peak_summary *all = run->summary, *one = &job->summary;
    struct masing_peak_optimum before = all->optimum;
    all->n_crossings += one->n_crossings;
    all->n_jumps += one->n_jumps;
    all->n_folds += one->n_folds;
    all->n_sweeps += one->n_sweeps;
    all->energy_mismatch = fmax(all->energy_mismatch, one->energy_mismatch);
    all->residual = fmax(all->residual, one->residual);
    if (job->status == MASING_OK &&
        !(before.is_found && (!one->optimum.is_found || before.peak <= one->optimum.peak))) {
        all->optimum = one->optimum;
        one->optimum = before;
    }
    for (int w = 0; w < one->n_warnings; w++) {
        NEED(warning_add(&run->warnings, error, "%s", one->warnings[w]));
    }
    return MASING_OK;
}

static void clear_job(struct peak_job *job)
{
    peak_history_destroy(job->history);
    job->history = NULL;
    free(job->values);
    job->values = NULL;
    masing_peak_summary_clear(&job->summary);
    free(job->overrides);
    job->overrides = NULL;
}

/* What was found is written even where it ended early. */
static enum masing_status hand_over_job(void *context, int index, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct run *run = context;
    struct peak_job *job = &run->jobs[index];
    const struct peak_history *history = job->history;
    int point = run->summary->points;
    double other = run->request->other ? run->request->others[index] : NAN;
    struct coefficient_columns coefficients = {0};
    run->is_refused = job->is_refused;
    TRY(add_summary(run, job, error));
    if (job->status >= 0 && history && history->n_points > 0) {
        const struct moving *moving = history->problem->moving;
        run->is_load = moving && moving->n_numbers == 0;
        const struct walk walk = {.history = history, .coefficients = &coefficients};
        TRY(coefficient_columns_create(&history->problem->model->spec,
                                       run->options->columns & ~(unsigned)MASING_COLUMNS_DOFS,
                                       &coefficients, error));
        TRY(run->table.is_open
                ? MASING_OK
                : row_sink_begin(&run->table, run->rows, walk_all, &walk, error));
        note_history(run, history, other);
        TRY(write_rows(run, job, other, point, &coefficients, error));
    }
    TRY(job->status > 0 && run->request->other
            ? warning_add(&run->warnings, error, "%s = %.6g: rows are missing: %s",
                          run->request->other, other, job->error.message)
            : MASING_OK);
done:
    coefficient_columns_clear(&coefficients);
    clear_job(job);
    return status;
}

/* Each history as a job; the first error, and why the last one that ended early did. */
static enum masing_status follow_all(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    const struct masing_peak_request *request = run->request;
    int n = count_histories(request);
    run->jobs = memory_array((size_t)n, sizeof *run->jobs);
    TRY_ALLOCATED(run->jobs);
    for (int i = 0; i < n; i++) {
        struct peak_job *job = &run->jobs[i];
        *job = (struct peak_job){
            .request = *request, .options = *run->options, .summary = nothing_found()};
        job->status = masing_error_set(&job->error, MASING_STOPPED, "interrupted");
    }
    TRY(jobs_run(&(struct jobs){n, run->options->n_threads, run->options->progress, run,
                                compute_job, hand_over_job},
                 error));
    for (int i = 0; i < n; i++) {
        const struct peak_job *job = &run->jobs[i];
        if (job->status < 0) {
            TRY(masing_error_set(error, job->status, "%s", job->error.message));
        }
        ended = job->status > 0 ? masing_error_set(error, job->status, "%s", job->error.message)
                                : ended;
    }
    status = ended;
done:
    for (int i = 0; run->jobs && i < n; i++) {
        clear_job(&run->jobs[i]);
    }
    free(run->jobs);
    return status;
}

/* A lowest peak at an end of the n values of a parameter is no optimum. */
static enum masing_status warn_about_end(const struct run *run, double lowest,
                                         const char *parameter, double at, const double *values,
                                         int n, struct masing_error *error)
{
    return n > 1 && (at == values[0] || at == values[n - 1])
               ? warning_add(&run->warnings, error,
                             "the lowest peak, %.6g, is at the end of the range, %s = %.6g: "
                             "extend it",
                             lowest, parameter, at)
               : MASING_OK;
}

/* The largest response at an end of the frequency range says nothing about a peak. */
static enum masing_status warn_without(const struct run *run, struct masing_error *error)
{
    const char *parameter = run->request->parameter;
    if (run->n_without == 0) {
        return MASING_OK;
    }
    if (run->n_without == run->summary->points) {
        return warning_add(&run->warnings, error,
                           "no peak in the frequency range, whatever %s: the largest response "
                           "lies at its end, %.6g Hz",
                           parameter, run->without_hz);
    }
    return warning_add(&run->warnings, error,
                       "no peak in the frequency range in %d of %d rows, %s = %.6g to %.6g: "
                       "the largest response lies at its end, %.6g Hz",
                       run->n_without, run->summary->points, parameter, run->without[0],
                       run->without[1], run->without_hz);
}

static enum masing_status warn_about_ends(const struct run *run, struct masing_error *error)
{
    const struct masing_peak_request *request = run->request;
    const struct masing_peak_summary *summary = run->summary;
    const struct masing_peak_optimum *optimum = &summary->optimum;
    double lowest = optimum->is_found ? optimum->peak : summary->lowest;
    double at = optimum->is_found ? optimum->value : summary->lowest_at;
    double other = optimum->is_found ? optimum->other : summary->lowest_other;
    const double ends[2] = {request->from, request->to};
    if (summary->highest - summary->lowest <= FLAT * summary->highest) {
        return warning_add(&run->warnings, error,
                           "the peak does not depend on %s: %.8g to %.8g in the whole range",
                           request->parameter, summary->lowest, summary->highest);
    }
    if ((optimum->is_found || request->other) && !run->is_load) {
        NEED(warn_about_end(run, lowest, request->parameter, at, ends, 2, error));
    }
    if (request->other) {
        NEED(warn_about_end(run, lowest, request->other, other, request->others,
                            request->n_others, error));
    }
    return MASING_OK;
}

static enum masing_status follow(const struct masing_peak_request *request,
                                 const struct masing_response_options *options,
                                 const struct masing_sink *rows,
                                 struct masing_peak_summary *summary,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    double start = processor_time();
    struct run run = {.request = request,
                      .options = options,
                      .rows = rows,
                      .summary = summary,
                      .warnings = {&summary->warnings, &summary->n_warnings, NULL}};
    *summary = nothing_found();
    TRY(check(request, options->columns, error));
    ended = follow_all(&run, error);
    TRY(ended < 0 ? ended : MASING_OK);
    if (ended > 0) {
        memcpy(summary->reason, error->message, sizeof summary->reason);
    }
    TRY(warn_without(&run, error));
    TRY(ended == MASING_OK ? warn_about_ends(&run, error) : MASING_OK);
    summary->is_complete = ended == MASING_OK;
    if (ended > 0 && run.is_refused && !run.table.is_open) {
        TRY(masing_error_set(error, MASING_INVALID, "%s", summary->reason));
    }
    if (ended > 0) {
        status = masing_error_set(error, MASING_STOPPED, "%s", summary->reason);
    }
done:
    status = row_sink_end(&run.table, status, error);
    summary->seconds = processor_time() - start;
    return status;
}

void masing_peak_summary_clear(struct masing_peak_summary *summary)
{
    if (summary) {
        clear_optimum(&summary->optimum);
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings, NULL});
    }
}

enum masing_status masing_peak_follow(const struct masing_peak_request *request,
                                      const struct masing_response_options *options,
                                      const struct masing_sink *rows,
                                      struct masing_peak_summary *summary,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_peak_request asked;
    struct masing_response_options chosen;
    struct masing_peak_summary found = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(request, "request", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need(asked.document, "request.document", error));
    TRY(entry_need(asked.parameter, "request.parameter", error));
    TRY(entry_need_array(asked.n_overrides, asked.overrides, "request.overrides", error));
    TRY(entry_need_array(asked.n_values, asked.values, "request.values", error));
    TRY(entry_need_array(asked.other ? asked.n_others : 0, asked.others, "request.others",
                         error));
    TRY(entry_need_array(asked.n_numbers, asked.numbers, "request.numbers", error));
    TRY(response_options_read(options, &chosen, error));
    TRY(entry_check(summary, "summary", error));
    status = follow(&asked, &chosen, rows, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_peak_summary_clear(&found);
    }
    return status;
}
