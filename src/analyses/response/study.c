/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One response per parameter value. Curves are independent, so that threads share nothing but
 * the document; rows are made ready by the thread of their curve and wait in memory for their
 * turn, which makes the order that of the values.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/jobs.h"
#include "analyses/curve/moving_model.h"
#include "analyses/curve/row_table.h"
#include "analyses/curve/tasks.h"
#include "analyses/response/curve.h"
#include "analyses/response/peak_columns.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/sink.h"
#include "linalg/one_thread.h"
#include "model/message.h"
#include "model/moving.h"

/* Models are all made before the first curve when they fit into this many bytes, so that a
 * wrong value is refused before anything is computed. */
static const double MODEL_MEMORY = 5e8;

/* ---- the study ---- */

struct study_value {
    struct masing_model *model;
    struct task_rows rows[RESPONSE_N_TABLES];
    struct output_measures *measures; /* [n_outputs] */
    enum masing_status status;
    struct masing_error error;
    bool is_done, is_refused; /* refused: there is no such model, as `error` says */
};

struct study {
    const struct masing_study_request *request;
    const struct masing_response_options *options;
    const struct masing_sink *sinks[RESPONSE_N_TABLES], *peak_sink; /* or NULL */
    struct response_rows *rows;
    struct row_sink peaks;
    struct masing_response_summary *summaries;
    bool is_design; /* the parameter has a best value to look for */
    struct study_value *values;
    int n_threads_inside; /* of each curve */
    int first;            /* value with a model: rows of all have its columns */
};

static double number_of(const struct study *study, int index)
{
    return study->request->words ? NAN : study->request->values[index];
}

static const char *word_of(const struct study *study, int index)
{
    return study->request->words ? study->request->words[index] : NULL;
}

/* ---- results in the order of the values ---- */

/* What a walk reads. */
struct walk {
    const struct study *study;
    int index; /* of the value */
};

static void walk_peak(struct row_table *table, const void *context)
{
    const struct walk *walk = context;
    const struct study *study = walk->study;
    const struct masing_model *model = study->values[study->first].model;
    const struct study_value *value = &study->values[walk->index];
    const struct masing_response_summary *summary = &study->summaries[walk->index];
    const char *word = word_of(study, walk->index);
    /* the largest point of a curve that broke off is no peak */
    bool is_known = summary->is_complete || summary->peak.is_extremum;
    if (word) {
        ROW_TEXT(table, word, "%s", study->request->parameter);
    } else {
        ROW_REAL(table, number_of(study, walk->index), "%s", study->request->parameter);
    }
    peak_columns_walk(table, &(struct peak_columns){model, summary, value->measures, is_known});
    ROW_REAL(table, summary->seconds, "seconds");
}

static enum masing_status create_rows(const struct study *study, int index,
                                      const struct masing_sink *const *sinks,
                                      struct response_rows **rows, struct masing_error *error)
{
    return response_rows_create(study->values[index].model, study->options->columns,
                                study->request->parameter, word_of(study, index), sinks, rows,
                                error);
}

/* Of tables whose columns are compared. */
static enum masing_status take_names(void *context, const struct masing_column *columns,
                                     int n_columns, struct masing_error *error)
{
    (void)context;
    (void)columns;
    (void)n_columns;
    (void)error;
    return MASING_OK;
}

/* Rows of a value have the columns of the first one that has a model. */
static enum masing_status check_columns(const struct study *study, int index,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_sink named = {.open = take_names};
    const struct masing_sink *const sinks[RESPONSE_N_TABLES] = {[RESPONSE_POINTS] = &named};
    struct response_rows *first = NULL, *other = NULL;
    TRY(create_rows(study, study->first, sinks, &first, error));
    TRY(create_rows(study, index, sinks, &other, error));
    const struct row_table *a = &first->tables[RESPONSE_POINTS].table;
    const struct row_table *b = &other->tables[RESPONSE_POINTS].table;
    bool is_same = a->n_columns == b->n_columns;
    for (int c = 0; is_same && c < a->n_columns; c++) {
        is_same = strcmp(a->columns[c].name, b->columns[c].name) == 0;
    }
    status = is_same ? MASING_OK
                     : masing_error_set(error, MASING_INVALID,
                                        "%s: values %d and %d have rows of different columns; "
                                        "they cannot stand in one table",
                                        study->request->parameter, study->first + 1, index + 1);
done:
    response_rows_destroy(first);
    response_rows_destroy(other);
    return status;
}

static void clear_rows(struct study_value *value)
{
    for (int t = 0; t < RESPONSE_N_TABLES; t++) {
        task_rows_clear(&value->rows[t]);
    }
}

static enum masing_status write_value(struct study *study, int index,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct study_value *value = &study->values[index];
    const struct masing_response_summary *summary = &study->summaries[index];
    for (int t = 0; t < RESPONSE_N_TABLES; t++) {
        const struct masing_sink *part = &value->rows[t].part;
        TRY(part->context ? sink_join(study->sinks[t], part, error) : MASING_OK);
    }
    if (study->peak_sink && (value->is_refused || isfinite(summary->peak.frequency_hz))) {
        const struct walk walk = {study, index};
        TRY(row_sink_write(&study->peaks, &walk, error));
    }
done:
    return status;
}

static enum masing_status hand_over_value(void *context, int index, struct masing_error *error)
{
    struct study *study = context;
    struct study_value *value = &study->values[index];
    enum masing_status status =
        value->status >= 0 ? write_value(study, index, error) : MASING_OK;
    clear_rows(value);
    return status;
}

/* ---- models and curves ---- */

/* A value that the structure, its loads or its static state do not go with is refused by
 * itself. One that the model file's keys do not allow is the caller's mistake. */
static enum masing_status make_model(struct study *study, int index, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_study_request *request = study->request;
    struct study_value *value = &study->values[index];
    const struct moving_model_request fixed = {.overrides = request->overrides,
                                               .n_overrides = request->n_overrides,
                                               .parameter = request->parameter};
    struct masing_override *overrides = NULL;
    const char *word = word_of(study, index);
    char number[40];
    if (value->model || value->is_refused) {
        return MASING_OK;
    }
    snprintf(number, sizeof number, "%.17g", number_of(study, index));
    TRY(moving_model_overrides(&fixed, word ? word : number, &overrides, error));
    TRY(moving_model_try(request->document, overrides, request->n_overrides + 1, &value->model,
                         &value->error, error));
    value->is_refused = !value->model;
    TRY(value->is_refused ? MASING_OK : model_need_loads(&value->model->spec, error));
done:
    free(overrides);
    return status;
}

/* The model of a value behind the first one that has one; in any thread. */
static enum masing_status prepare_value(void *context, int index,
                                        const struct masing_progress *progress)
{
    struct study *study = context;
    int at = study->first + 1 + index;
    struct study_value *value = &study->values[at];
    struct masing_error error = {0};
    (void)progress;
    enum masing_status status = make_model(study, at, &error);
    if (status == MASING_OK && value->model) {
        status = check_columns(study, at, &error);
    }
    if (status != MASING_OK) {
        value->error = error;
        value->status = status;
    }
    return status;
}

static enum masing_status hand_over_prepared(void *context, int index,
                                             struct masing_error *error)
{
    const struct study *study = context;
    const struct study_value *value = &study->values[study->first + 1 + index];
    if (value->status != MASING_OK) {
        *error = value->error;
    }
    return value->status;
}

static enum masing_status make_models(struct study *study, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_values = study->request->n_values;
    TRY(make_model(study, 0, error));
    while (study->values[study->first].is_refused) {
        if (++study->first == n_values) {
            const struct masing_error *why = &study->values[study->first = 0].error;
            return masing_error_set(error, why->status, "%s", why->message);
        }
        TRY(make_model(study, study->first, error));
    }
    TRY(model_need_sweep(&study->values[study->first].model->spec, false, error));
    TRY(model_need_outputs(&study->values[study->first].model->spec, error));
    double n = study->values[study->first].model->structure->n_dofs;
    double bytes = 8.0 * 6.0 * n * n + 1e4;
    if (bytes * n_values < MODEL_MEMORY) {
        TRY(jobs_run(&(struct jobs){n_values - 1 - study->first, study->options->n_threads,
                                    NULL, study, prepare_value, hand_over_prepared, 0},
                     error));
    }
done:
    return status;
}

/* Nothing is computed, and the other values go on. */
static enum masing_status refuse_value(struct study *study, int index,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_response_summary *summary = &study->summaries[index];
    const struct warning_list list = {&summary->warnings, &summary->n_warnings,
                                      &summary->numbered};
    const char *why = study->values[index].error.message;
    memcpy(summary->reason, why, sizeof summary->reason);
    TRY(warning_add(&list, error, "not computed: %s", why));
    status = MASING_STOPPED;
done:
    return status;
}

/* Rows of a value whose model was not made before have as many columns as the first one's. */
static enum masing_status check_widths(const struct study *study,
                                       const struct response_rows *rows,
                                       struct masing_error *error)
{
    for (int t = 0; t < RESPONSE_N_TABLES; t++) {
        int n = study->rows->tables[t].table.n_columns, other = rows->tables[t].table.n_columns;
        if (study->sinks[t] && other != n) {
            return masing_error_set(error, MASING_INVALID,
                                    "the values have rows of different columns: %d and %d", n,
                                    other);
        }
    }
    return MASING_OK;
}

static enum masing_status follow_curve(struct study *study, int index,
                                       const struct masing_progress *progress,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct study_value *value = &study->values[index];
    struct response_curve *curve = NULL;
    struct masing_response_options options = *study->options;
    options.progress = progress;
    TRY(make_model(study, index, error));
    if (value->is_refused) {
        return refuse_value(study, index, error);
    }
    struct response_curve_settings settings = {
        .model = value->model,
        .options = &options,
        .n_threads = study->n_threads_inside,
        .looks_at_ends = true,
        .parameter = study->request->parameter,
        .value = number_of(study, index),
        .word = word_of(study, index),
    };
    const struct response_saver saver = {options.journal, index, value->rows};
    settings.saver = options.journal ? &saver : NULL;
    for (int t = 0; t < RESPONSE_N_TABLES; t++) {
        if (study->sinks[t]) {
            TRY(task_rows_begin(&value->rows[t], study->sinks[t],
                                study->rows->tables[t].table.n_columns,
                                study->options->journal != NULL, error));
            settings.sinks[t] = &value->rows[t].sink;
        }
    }
    TRY(response_curve_create(&settings, &study->summaries[index], &curve, error));
    TRY(check_widths(study, curve->rows, error));
    ended = response_curve_follow(curve, error);
    TRY(ended < 0 ? ended : MASING_OK);
    TRY(response_curve_write_peak(curve, error));
    value->measures = memory_copy(curve->peak_measures, (size_t)value->model->spec.n_outputs,
                                  sizeof *curve->peak_measures);
    TRY_ALLOCATED(value->measures);
    status = ended;
done:
    response_curve_destroy(curve);
    return status;
}

static void end_value(struct study *study, int index)
{
    struct study_value *value = &study->values[index];
    value->is_done = true;
    if (index != study->first) {
        masing_model_destroy(value->model);
        value->model = NULL;
    }
}

static enum masing_status compute_value(void *context, int index,
                                        const struct masing_progress *progress)
{
    struct study *study = context;
    struct study_value *value = &study->values[index];
    value->status = follow_curve(study, index, progress, &value->error);
    end_value(study, index);
    return value->status;
}

/* All that write_value and collect look at. */
static enum masing_status keep_value(void *context, int index, struct packing *packing,
                                     struct masing_error *error)
{
    struct study *study = context;
    struct study_value *value = &study->values[index];
    const struct masing_spec *spec = &study->values[study->first].model->spec;
    PACK(packing, value->is_refused);
    task_pack_error(packing, &value->status, &value->error);
    int n_measures =
        packing_count(packing, value->measures ? spec->n_outputs : 0, sizeof *value->measures);
    if (n_measures > 0) {
        packing_array(packing, (void **)&value->measures, n_measures, sizeof *value->measures);
    }
    response_summary_pack(packing, &study->summaries[index]);
    NEED(packing_end(packing, error));
    for (int t = 0; t < RESPONSE_N_TABLES; t++) {
        NEED(task_rows_keep(&value->rows[t], study->sinks[t],
                            study->rows->tables[t].table.n_columns, packing, error));
    }
    if (packing->is_taking) {
        end_value(study, index);
    }
    return MASING_OK;
}

static double peak_size(const struct study *study, int index)
{
    const struct masing_spec *spec = &study->values[study->first].model->spec;
    const struct masing_peak *peak = &study->summaries[index].peak;
    return spec->peak_measure == MASING_MEASURE_MAX   ? peak->max
           : spec->peak_measure == MASING_MEASURE_AMP ? peak->amp
                                                      : peak->h1;
}

/* A peak that changes by a smaller part over all values does not change. */
static const double FLAT = 1e-7;

/* A lowest peak at an end of the list is no optimum. */
static enum masing_status warn_about_ends(struct study *study, struct masing_error *error)
{
    int n = study->request->n_values, lowest = 0, smallest = 0, largest = 0;
    double highest = 0.0;
    if (study->request->words ||
        study->values[study->first].model->spec.sweep == MASING_SWEEP_POINT) {
        return MASING_OK; /* in no order; no peaks */
    }
    for (int i = 0; i < n; i++) {
        if (!(peak_size(study, i) >= 0.0) || study->summaries[i].peak.is_at_limit) {
            return MASING_OK;
        }
        const double *values = study->request->values;
        highest = fmax(highest, peak_size(study, i));
        lowest = peak_size(study, i) < peak_size(study, lowest) ? i : lowest;
        smallest = values[i] < values[smallest] ? i : smallest;
        largest = values[i] > values[largest] ? i : largest;
    }
    if (n < 2 || (lowest != smallest && lowest != largest) || !study->is_design ||
        highest - peak_size(study, lowest) <= FLAT * highest) {
        return MASING_OK;
    }
    struct masing_response_summary *summary = &study->summaries[lowest];
    const struct warning_list list = {&summary->warnings, &summary->n_warnings,
                                      &summary->numbered};
    return warning_add(&list, error,
                       "the lowest peak is at the end of the list, %s = %.6g: extend it",
                       study->request->parameter, study->request->values[lowest]);
}

static enum masing_status collect(struct study *study, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    for (int i = 0; i < study->request->n_values; i++) {
        const struct study_value *value = &study->values[i];
        if (value->is_done && value->status < 0) {
            return masing_error_set(error, value->status, "%s", value->error.message);
        }
    }
    for (int i = 0; i < study->request->n_values; i++) {
        const struct study_value *value = &study->values[i];
        if (!value->is_done) {
            struct masing_response_summary *summary = &study->summaries[i];
            const struct warning_list list = {&summary->warnings, &summary->n_warnings,
                                              &summary->numbered};
            TRY(warning_add(&list, error, "not computed"));
            ended = ended ? ended : masing_error_set(error, MASING_STOPPED, "interrupted");
        } else if (value->status > 0 && ended == MASING_OK) {
            char number[40];
            snprintf(number, sizeof number, "%.6g", number_of(study, i));
            ended = masing_error_set(
                error, MASING_STOPPED, "%s = %.60s: %s", study->request->parameter,
                study->request->words ? word_of(study, i) : number, value->error.message);
        }
    }
done:
    return status ? status : ended;
}

/* Is it worth to look for its best value? Not for numbers of loads and settings. */
static enum masing_status find_design(struct study *study, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int last = study->request->n_values - 1;
    const int at[3] = {0, last / 2, last};
    struct moving_specs specs;
    for (int k = 0; k < 3; k++) {
        TRY(make_model(study, at[k], error));
        if (study->values[at[k]].is_refused) {
            return MASING_OK;
        }
        TRY(check_columns(study, at[k], error));
        specs.at[k] = &study->values[at[k]].model->spec;
        specs.p[k] = study->request->values[at[k]];
    }
    TRY(moving_find_design(&specs, &study->is_design, error));
done:
    return status;
}

static enum masing_status
follow_all(const struct masing_study_request *request,
           const struct masing_response_options *options, const struct masing_sink *rows,
           const struct masing_sink *peaks, const struct masing_sink *loops,
           struct masing_response_summary *summaries, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct study study = {.request = request,
                          .options = options,
                          .sinks = {[RESPONSE_POINTS] = rows,
                                    [RESPONSE_CONTACTS] = options->contacts,
                                    [RESPONSE_LOOPS] = loops,
                                    [RESPONSE_CHECK] = options->check},
                          .peak_sink = peaks,
                          .summaries = summaries};
    study.values = memory_array((size_t)request->n_values, sizeof *study.values);
    TRY_ALLOCATED(study.values);
    TRY(make_models(&study, error));
    TRY(request->words ? MASING_OK : find_design(&study, error));
    TRY(create_rows(&study, study.first, study.sinks, &study.rows, error));
    TRY(row_sink_begin(&study.peaks, peaks, walk_peak, &(struct walk){&study, study.first},
                       error));
    /* threads over curves pay best; only a single curve is followed by several */
    study.n_threads_inside = request->n_values == 1 ? jobs_threads(options->n_threads) : 1;
    TRY(tasks_run(&(struct tasks){.n = request->n_values,
                                  .n_threads = options->n_threads,
                                  .progress = options->progress,
                                  .journal = options->journal,
                                  .context = &study,
                                  .compute = compute_value,
                                  .keep = keep_value,
                                  .hand_over = hand_over_value},
                  error));
    ended = collect(&study, error);
    TRY(ended < 0 ? ended : MASING_OK);
    TRY(ended == MASING_OK ? warn_about_ends(&study, error) : MASING_OK);
    TRY(row_sink_end(&study.peaks, MASING_OK, error));
    status = response_rows_end(study.rows, ended, error);
done:
    row_sink_end(&study.peaks, MASING_INTERNAL, NULL);
    response_rows_destroy(study.rows);
    for (int i = 0; study.values && i < request->n_values; i++) {
        masing_model_destroy(study.values[i].model);
        clear_rows(&study.values[i]);
        free(study.values[i].measures);
    }
    free(study.values);
    return status;
}

/* Each to its place, at the distance that the caller's struct has. */
static void hand_over(struct masing_response_summary *found, int n,
                      struct masing_response_summary *summaries)
{
    size_t stride = summaries ? entry_size(summaries, sizeof *summaries) : 0;
    for (int i = 0; found && i < n; i++) {
        void *place = summaries ? (char *)summaries + (size_t)i * stride : NULL;
        if (!entry_write(place, &found[i], sizeof found[i])) {
            masing_response_summary_clear(&found[i]);
        }
    }
}

enum masing_status masing_study(const struct masing_study_request *request,
                                const struct masing_response_options *options,
                                const struct masing_sink *rows, const struct masing_sink *peaks,
                                const struct masing_sink *loops,
                                struct masing_response_summary *summaries,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_study_request asked = {0};
    struct masing_response_options chosen;
    struct masing_response_summary *found = NULL;
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(request, "request", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need(asked.document, "request.document", error));
    TRY(entry_need(asked.parameter, "request.parameter", error));
    TRY(entry_need_array(asked.n_overrides, asked.overrides, "request.overrides", error));
    TRY(entry_need_array(asked.words ? 0 : asked.n_values, asked.values, "request.values",
                         error));
    if (asked.n_values == 0) {
        TRY(masing_error_set(error, MASING_INVALID, "request.values: expected at least one"));
    }
    TRY(response_options_read(options, &chosen, error));
    chosen.fields = NULL; /* of one curve */
    TRY(entry_check(summaries, "summaries", error));
    found = memory_array((size_t)asked.n_values, sizeof *found);
    TRY_ALLOCATED(found);
    for (int i = 0; i < asked.n_values; i++) {
        response_summary_reset(&found[i]);
    }
    status = follow_all(&asked, &chosen, rows, peaks, loops, found, error);
done:
    release_blas();
    hand_over(found, asked.n_values, summaries);
    free(found);
    return status;
}
