/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/peak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/event_row.h"
#include "analyses/curve/row_table.h"
#include "analyses/curve/tasks.h"
#include "analyses/peak/history.h"
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/processor_time.h"
#include "base/sink.h"
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

/* What the rows of a history come to. */
struct peak_digest {
    int n_points, n_swept;
    double lowest, lowest_at, highest, highest_at;
    int n_without;                 /* rows without a peak in the frequency range */
    double without[2], without_hz; /* least and largest of their values; where the last ends */
    bool is_log, has_derivatives;
    bool is_load; /* loads alone depend on the number */
    enum masing_measure measure;
};

/* A history of its own: of the largest peak, of one of those that are wanted, or for one value
 * of the other number. */
struct peak_job {
    struct masing_peak_request request;
    struct masing_response_options options;
    struct masing_override *overrides; /* the other number's value among them */
    char text[32];                     /* that value */
    double *values;                    /* those of the request, from the other end */
    struct masing_peak_summary summary;
    struct peak_history *history; /* while it is followed */
    bool is_refused;              /* there is no model where it was to begin */
    bool is_backwards;            /* it was followed from the other end of the range */
    bool has_rows;
    struct peak_digest digest;
    struct masing_column *columns; /* [n_columns] of the rows, which wait in memory */
    int n_columns;
    struct task_rows rows; /* points counted from 0 */
    struct kept_log log;   /* for the saver */
    struct peak_saver saver;
    enum masing_status status;
    struct masing_error error;
};

struct run {
    const struct masing_peak_request *request;
    struct peak_job *jobs;
    const struct masing_response_options *options;
    const struct masing_sink *rows;
    struct row_sink table; /* begun by the first history with rows */
    struct masing_peak_summary *summary;
    struct warning_list warnings; /* of the summary */
    bool is_refused;              /* the last history: there is no model where it begins */
    struct peak_digest digest;    /* of all; is_load: of the last */
};

/* ---- the rows of a history, made by its thread ---- */

static enum masing_status open_rows(void *context, const struct masing_column *columns,
                                    int n_columns, struct masing_error *error)
{
    struct peak_job *job = context;
    const struct masing_sink table = {0}; /* rows wait until their numbers are known */
    NEED_ALLOCATED(job->columns = memory_copy(columns, (size_t)n_columns, sizeof *columns));
    job->n_columns = n_columns;
    return task_rows_begin(&job->rows, &table, n_columns, job->options.journal != NULL, error);
}

static enum masing_status take_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    const struct peak_job *job = context;
    return job->rows.sink.row(job->rows.sink.context, cells, error);
}

/* All points of a job's history; other: value of a second parameter. Maxima are numbered anew
 * in the order in which they are the largest of a row. */
static enum masing_status write_rows(struct peak_job *job, double other,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_history *history = job->history;
    const struct masing_sink sink = {.context = job, .open = open_rows, .row = take_row};
    struct row_sink table = {0};
    struct coefficient_columns coefficients = {0};
    const struct walk first = {.history = history, .coefficients = &coefficients};
    int n_met = 0, n_rows = 0;
    int *numbers = memory_array((size_t)history->n_numbers + 1, sizeof(int));
    TRY_ALLOCATED(numbers);
    TRY(coefficient_columns_create(&history->problem->model->spec,
                                   job->options.columns & ~(unsigned)MASING_COLUMNS_DOFS,
                                   &coefficients, error));
    TRY(row_sink_begin(&table, &sink, walk_all, &first, error));
    for (int i = 0; i < history->n_points; i++) {
        int k = job->is_backwards ? history->n_points - 1 - i : i;
        const struct history_point *here = &history->points[k];
        int *number = &numbers[here->branch];
        if (is_row(here)) {
            *number = history->number > 0 ? history->number : *number > 0 ? *number : ++n_met;
            const struct event_row events = event_row_of_kinds(here->events);
            const struct walk walk = {history,  here,    &events,      other,
                                      n_rows++, *number, &coefficients};
            TRY(row_sink_write(&table, &walk, error));
        }
    }
done:
    row_sink_end(&table, MASING_OK, NULL);
    coefficient_columns_clear(&coefficients);
    free(numbers);
    return status;
}

/* The rows of a job follow those of others. */
struct numbered_rows {
    const struct masing_sink *sink;
    struct masing_cell *cells; /* [n_columns] */
    int n_columns, first;
};

static enum masing_status number_row(void *context, const struct masing_cell *cells,
                                     struct masing_error *error)
{
    struct numbered_rows *rows = context;
    memcpy(rows->cells, cells, (size_t)rows->n_columns * sizeof *cells);
    rows->cells[0].number += rows->first;
    return sink_row(rows->sink, rows->cells, error);
}

/* To the files, the first with this number. */
static enum masing_status hand_over_rows(struct run *run, const struct peak_job *job, int first,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct numbered_rows rows = {run->rows, NULL, job->n_columns, first};
    const struct masing_sink sink = {.context = &rows, .row = number_row};
    TRY_ALLOCATED(rows.cells = memory_array((size_t)job->n_columns, sizeof *rows.cells));
    status = row_buffer_replay(&job->rows.part, &sink, error);
done:
    free(rows.cells);
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

static void note_history(struct peak_job *job)
{
    struct peak_digest *digest = &job->digest;
    const struct peak_history *history = job->history;
    const struct moving *moving = history->problem->moving;
    for (int k = 0; k < history->n_points; k++) {
        const struct peak_state *state = &history->points[k].state;
        if (!is_row(&history->points[k])) {
            continue;
        }
        digest->n_points++;
        digest->n_swept += state->is_swept;
        if (state->is_at_limit) {
            bool is_first = digest->n_without++ == 0;
            digest->without[0] = is_first ? state->p : fmin(digest->without[0], state->p);
            digest->without[1] = is_first ? state->p : fmax(digest->without[1], state->p);
            digest->without_hz = hertz(state->point[state->n]);
            continue;
        }
        if (!(state->measure >= digest->lowest)) {
            digest->lowest = state->measure;
            digest->lowest_at = state->p;
        }
        if (!(state->measure <= digest->highest)) {
            digest->highest = state->measure;
            digest->highest_at = state->p;
        }
    }
    digest->is_log = history->problem->is_log;
    digest->has_derivatives = moving != NULL && !history->is_swept;
    digest->is_load = moving && moving->n_numbers == 0;
    digest->measure = history->problem->model->spec.peak_measure;
}

/* What the rows of a job add to the summary; other: its value of a second parameter. */
static void add_digest(struct run *run, const struct peak_digest *digest, double other)
{
    struct masing_peak_summary *summary = run->summary;
    struct peak_digest *all = &run->digest;
    summary->points += digest->n_points;
    summary->n_swept += digest->n_swept;
    if (digest->n_without > 0) {
        bool is_first = all->n_without == 0;
        const double *ends = digest->without;
        all->n_without += digest->n_without;
        all->without[0] = is_first ? ends[0] : fmin(all->without[0], ends[0]);
        all->without[1] = is_first ? ends[1] : fmax(all->without[1], ends[1]);
        all->without_hz = digest->without_hz;
    }
    if (!isnan(digest->lowest) && !(digest->lowest >= summary->lowest)) {
        summary->lowest = digest->lowest;
        summary->lowest_at = digest->lowest_at;
        summary->lowest_other = other;
    }
    if (!isnan(digest->highest) && !(digest->highest <= summary->highest)) {
        summary->highest = digest->highest;
        summary->highest_at = digest->highest_at;
    }
    summary->is_log = digest->is_log;
    summary->has_derivatives = digest->has_derivatives;
    summary->measure = digest->measure;
    all->is_load = digest->is_load;
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
    bool is_found;
    made->saver = job->saver.journal && !job->values ? &job->saver : NULL; /* one direction */
    TRY(peak_checkpoint_restore(made, &is_found, error));
    TRY(is_found ? MASING_OK : peak_history_start(made, error));
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
    /* what was cut short counts as not found in many places */
    NEED(begun == MASING_OK ? progress_check(job->options.progress, error) : MASING_OK);
    return begun;
}

/* What was found counts even where it ended early. */
static enum masing_status note_job(struct run *run, struct peak_job *job, int index,
                                   struct masing_error *error)
{
    double other = run->request->other ? run->request->others[index] : NAN;
    job->has_rows = job->status >= 0 && job->history && job->history->n_points > 0;
    if (job->has_rows) {
        note_history(job);
        NEED(run->rows ? write_rows(job, other, error) : MASING_OK);
    }
    peak_history_destroy(job->history);
    job->history = NULL;
    return MASING_OK;
}

static enum masing_status compute_job(void *context, int index,
                                      const struct masing_progress *progress)
{
    struct run *run = context;
    struct peak_job *job = &run->jobs[index];
    struct masing_error later = {0};
    job->saver = (struct peak_saver){job->options.journal, index, &job->log};
    job->options.progress = job->saver.journal ? kept_log_begin(&job->log, progress) : progress;
    job->error = (struct masing_error){0};
    job->status = compute(job, index, &job->error);
    enum masing_status noted = note_job(run, job, index, &later);
    if (noted != MASING_OK) {
        job->has_rows = false; /* they are not whole */
        job->status = noted;
        job->error = later;
    }
    return job->status;
}

/* All that hand_over_job and follow_all look at. */
static enum masing_status keep_job(void *context, int index, struct packing *packing,
                                   struct masing_error *error)
{
    const struct masing_sink table = {0};
    const struct run *run = context;
    struct peak_job *job = &run->jobs[index];
    PACK(packing, job->is_refused);
    PACK(packing, job->has_rows);
    PACK(packing, job->digest);
    task_pack_error(packing, &job->status, &job->error);
    peak_summary_pack(packing, &job->summary);
    int n_columns = packing_count(packing, job->n_columns, sizeof *job->columns);
    if (n_columns > 0) {
        packing_array(packing, (void **)&job->columns, n_columns, sizeof *job->columns);
    }
    NEED(packing_end(packing, error));
    job->n_columns = n_columns;
    return task_rows_keep(&job->rows, n_columns > 0 ? &table : NULL, n_columns, packing, error);
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
    kept_log_clear(&job->log);
    task_rows_clear(&job->rows);
    free(job->columns);
    job->columns = NULL;
    free(job->values);
    job->values = NULL;
    masing_peak_summary_clear(&job->summary);
    free(job->overrides);
    job->overrides = NULL;
}

static enum masing_status hand_over_job(void *context, int index, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct run *run = context;
    struct peak_job *job = &run->jobs[index];
    int point = run->summary->points;
    double other = run->request->other ? run->request->others[index] : NAN;
    run->is_refused = job->is_refused;
    TRY(add_summary(run, job, error));
    if (job->has_rows) {
        add_digest(run, &job->digest, other);
        TRY(run->table.is_open ? MASING_OK
                               : sink_open(run->rows, job->columns, job->n_columns, error));
        run->table = (struct row_sink){.sink = run->rows, .is_open = true};
        TRY(run->rows ? hand_over_rows(run, job, point, error) : MASING_OK);
    }
    TRY(job->status > 0 && run->request->other
            ? warning_add(&run->warnings, error, "%s = %.6g: rows are missing: %s",
                          run->request->other, other, job->error.message)
            : MASING_OK);
done:
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
            .request = *request,
            .options = *run->options,
            .summary = nothing_found(),
            .digest = {.lowest = NAN, .highest = NAN, .lowest_at = NAN, .highest_at = NAN}};
        job->status = masing_error_set(&job->error, MASING_STOPPED, "interrupted");
    }
    TRY(tasks_run(&(struct tasks){.n = n,
                                  .n_threads = run->options->n_threads,
                                  .progress = run->options->progress,
                                  .journal = run->options->journal,
                                  .context = run,
                                  .compute = compute_job,
                                  .keep = keep_job,
                                  .hand_over = hand_over_job},
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
    if (run->digest.n_without == 0) {
        return MASING_OK;
    }
    if (run->digest.n_without == run->summary->points) {
        return warning_add(&run->warnings, error,
                           "no peak in the frequency range, whatever %s: the largest response "
                           "lies at its end, %.6g Hz",
                           parameter, run->digest.without_hz);
    }
    return warning_add(&run->warnings, error,
                       "no peak in the frequency range in %d of %d rows, %s = %.6g to %.6g: "
                       "the largest response lies at its end, %.6g Hz",
                       run->digest.n_without, run->summary->points, parameter,
                       run->digest.without[0], run->digest.without[1], run->digest.without_hz);
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
    if ((optimum->is_found || request->other) && !run->digest.is_load) {
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
