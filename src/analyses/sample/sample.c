/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of responses, each of the numbers that the design has for its index: the draws first,
 * then the sets for Sobol's indices. What is told of them all is a function of the sizes of
 * their peaks, which wait in an array; everything else is handed over and forgotten.
 */
#include "masing/sample.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/moving_model.h"
#include "analyses/curve/tasks.h"
#include "analyses/response/peak_columns.h"
#include "analyses/sample/design.h"
#include "analyses/sample/numbers.h"
#include "analyses/sample/statistics.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "linalg/cholesky.h"
#include "linalg/one_thread.h"
#include "model/message.h"

/* A response that was computed and not handed over yet. */
struct draw {
    struct masing_response_summary summary;
    struct output_measures *measures; /* [n_outputs] at the peak, or NULL */
    enum masing_status status;
    struct masing_error error;
    bool is_refused; /* there is no such model, as `error` says */
};

struct sample {
    const struct masing_sample_request *request;
    const struct masing_response_options *options;
    struct masing_sample_summary *summary;
    struct masing_model *model; /* with the file's own numbers: columns are of it */
    const struct masing_uncertainty *uncertain;
    double *factor; /* of the correlation; NULL: there is none */
    struct design design;
    int n_tasks, n_all;  /* of this part, of all parts */
    struct draw **draws; /* [n_tasks] */
    double *sizes;       /* [n_all] of the peaks, NAN: there is none */
    double *numbers;     /* [n_numbers] of the row that is written */
    struct row_sink rows;
    enum masing_status failed; /* of the first response that cannot be had */
    struct masing_error failure;
};

/* ---- what is drawn ---- */

static bool is_part(const struct sample *sample)
{
    return sample->request->n_parts > 1;
}

/* Index among those of all parts. */
static int index_of(const struct sample *sample, int task)
{
    return is_part(sample) ? sample->request->part + task * sample->request->n_parts : task;
}

static bool is_of_draw(const struct sample *sample, int task)
{
    return index_of(sample, task) < sample->request->n_samples;
}

/* scratch [2 * n_numbers] */
static void find_numbers(const struct sample *sample, int task, double *scratch,
                         double *numbers)
{
    int n = sample->uncertain->n, index = index_of(sample, task);
    int behind = index - sample->request->n_samples;
    const double *unit = scratch + n;
    if (behind < 0) {
        unit = &sample->design.unit[(size_t)index * (size_t)n];
    } else {
        design_set_point(sample->request->seed, n, behind / (n + 2), behind % (n + 2),
                         scratch + n);
    }
    design_numbers(sample->uncertain, sample->factor, unit, scratch, numbers);
}

/* The fixed overrides and those of the numbers. */
struct draw_overrides {
    struct masing_override *list;
    char (*texts)[32];
    double *scratch; /* [2 * n_numbers], behind the numbers */
};

static enum masing_status make_overrides(const struct sample *sample, int task,
                                         struct draw_overrides *overrides,
                                         struct masing_error *error)
{
    size_t n = (size_t)sample->uncertain->n, fixed = (size_t)sample->request->n_overrides;
    NEED_ALLOCATED(overrides->list = memory_array(fixed + n, sizeof *overrides->list));
    NEED_ALLOCATED(overrides->texts = memory_array(n, sizeof *overrides->texts));
    NEED_ALLOCATED(overrides->scratch = memory_array(3 * n, sizeof *overrides->scratch));
    double *numbers = overrides->scratch + 2 * n;
    find_numbers(sample, task, overrides->scratch, numbers);
    for (size_t k = 0; k < fixed; k++) {
        overrides->list[k] = sample->request->overrides[k];
    }
    for (size_t k = 0; k < n; k++) {
        snprintf(overrides->texts[k], sizeof overrides->texts[k], "%.17g", numbers[k]);
        overrides->list[fixed + k] =
            (struct masing_override){sample->uncertain->numbers[k].path, overrides->texts[k]};
    }
    return MASING_OK;
}

static void clear_overrides(struct draw_overrides *overrides)
{
    free(overrides->list);
    free(overrides->texts);
    free(overrides->scratch);
}

/* ---- numbers that the model does not take ---- */

static struct numbers trial_of(const struct sample *sample)
{
    return (struct numbers){sample->request->document, sample->request->overrides,
                            sample->request->n_overrides, &sample->model->spec};
}

/* The smallest and the largest number drawn of each: mistakes are told before anything is
 * computed. */
static enum masing_status check_ends(const struct sample *sample, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct numbers trial = trial_of(sample);
    int n = sample->uncertain->n;
    double *all = memory_array(5 * (size_t)n, sizeof *all);
    TRY_ALLOCATED(all);
    double *numbers = all + 2 * n, *low = all + 3 * n, *high = all + 4 * n;
    for (int t = 0; t < sample->n_tasks; t++) {
        find_numbers(sample, t, all, numbers);
        for (int k = 0; k < n; k++) {
            low[k] = t == 0 || numbers[k] < low[k] ? numbers[k] : low[k];
            high[k] = t == 0 || numbers[k] > high[k] ? numbers[k] : high[k];
        }
    }
    for (int k = 0; k < n; k++) {
        TRY(numbers_try(&trial, k, low[k], error));
        TRY(numbers_try(&trial, k, high[k], error));
    }
done:
    free(all);
    return status;
}

/* ---- rows ---- */

struct walk {
    const struct sample *sample;
    const struct draw *draw; /* NULL: columns are declared */
    int task;
};

static void walk_draw(struct row_table *table, const void *context)
{
    static const struct masing_response_summary none;
    const struct walk *walk = context;
    const struct sample *sample = walk->sample;
    const struct draw *draw = walk->draw;
    ROW_INTEGER(table, index_of(sample, walk->task) + 1, "sample");
    for (int k = 0; k < sample->uncertain->n; k++) {
        ROW_REAL(table, sample->numbers[k], "%s", sample->uncertain->numbers[k].path);
    }
    const struct peak_columns peak = {.model = sample->model,
                                      .summary = draw ? &draw->summary : &none,
                                      .measures = draw ? draw->measures : NULL,
                                      .is_known =
                                          draw && draw->measures && draw->summary.is_complete};
    peak_columns_walk(table, &peak);
}

static double peak_size(const struct sample *sample, const struct draw *draw)
{
    const struct masing_peak *peak = &draw->summary.peak;
    enum masing_measure measure = sample->model->spec.peak_measure;
    return !draw->measures || !draw->summary.is_complete ? NAN
           : measure == MASING_MEASURE_MAX               ? peak->max
           : measure == MASING_MEASURE_AMP               ? peak->amp
                                                         : peak->h1;
}

static void clear_draw(struct draw *draw)
{
    if (draw) {
        masing_response_summary_clear(&draw->summary);
        free(draw->measures);
        free(draw);
    }
}

static void count(struct sample *sample, int task, const struct draw *draw)
{
    struct masing_sample_summary *summary = sample->summary;
    bool has_peak = !isnan(sample->sizes[index_of(sample, task)]);
    summary->points += draw->summary.points;
    summary->seconds += isnan(draw->summary.seconds) ? 0.0 : draw->summary.seconds;
    summary->n_warned += draw->summary.n_warnings > 0;
    if (is_of_draw(sample, task)) {
        summary->n_draws++;
        summary->n_peaks += has_peak;
        summary->n_refused += draw->is_refused;
        summary->n_incomplete += !has_peak && !draw->is_refused;
        summary->n_at_limit += has_peak && draw->summary.peak.is_at_limit;
    }
    if (!has_peak && !*summary->reason) {
        snprintf(summary->reason, sizeof summary->reason, "%.400s", draw->error.message);
    }
}

static enum masing_status hand_over(void *context, int task, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct sample *sample = context;
    struct draw *draw = sample->draws[task];
    double *scratch = NULL;
    NEED_ALLOCATED(draw);
    if (draw->status < 0) {
        sample->failed = sample->failed ? sample->failed : draw->status;
        sample->failure = draw->error;
        goto done;
    }
    if (strcmp(draw->summary.reason, "interrupted") == 0) {
        goto done; /* it is none yet */
    }
    sample->sizes[index_of(sample, task)] = peak_size(sample, draw);
    count(sample, task, draw);
    if (is_of_draw(sample, task)) {
        TRY_ALLOCATED(scratch =
                          memory_array(2 * (size_t)sample->uncertain->n, sizeof *scratch));
        find_numbers(sample, task, scratch, sample->numbers);
        TRY(row_sink_write(&sample->rows, &(struct walk){sample, draw, task}, error));
    }
done:
    free(scratch);
    clear_draw(draw);
    sample->draws[task] = NULL;
    return status;
}

/* ---- responses ---- */

static enum masing_status follow_model(const struct sample *sample,
                                       const struct masing_model *model, struct draw *draw,
                                       const struct masing_progress *progress,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct response_curve *curve = NULL;
    struct masing_response_options options = *sample->options;
    options.progress = progress;
    options.journal = NULL;
    const struct response_curve_settings settings = {
        .model = model, .options = &options, .n_threads = 1};
    TRY(model_need_loads(&model->spec, error));
    TRY(response_curve_create(&settings, &draw->summary, &curve, error));
    ended = response_curve_follow(curve, error);
    TRY(ended < 0 ? ended : MASING_OK);
    draw->measures = memory_copy(curve->peak_measures, (size_t)model->spec.n_outputs,
                                 sizeof *draw->measures);
    TRY_ALLOCATED(draw->measures);
    status = ended;
done:
    response_curve_destroy(curve);
    return status;
}

static enum masing_status follow(const struct sample *sample, int task, struct draw *draw,
                                 const struct masing_progress *progress)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = &draw->error;
    struct draw_overrides overrides = {0};
    struct masing_model *model = NULL;
    struct masing_error refusal = {0};
    TRY(make_overrides(sample, task, &overrides, error));
    TRY(moving_model_try(sample->request->document, overrides.list,
                         sample->request->n_overrides + sample->uncertain->n, &model, &refusal,
                         error));
    draw->is_refused = !model;
    status = model ? follow_model(sample, model, draw, progress, error)
                   : masing_error_set(error, MASING_STOPPED, "%s", refusal.message);
done:
    masing_model_destroy(model);
    clear_overrides(&overrides);
    return status;
}

static struct draw *new_draw(void)
{
    struct draw *draw = memory_array(1, sizeof *draw);
    if (draw) {
        response_summary_reset(&draw->summary);
    }
    return draw;
}

static enum masing_status compute(void *context, int task,
                                  const struct masing_progress *progress)
{
    struct sample *sample = context;
    struct draw *draw = sample->draws[task] = new_draw();
    if (!draw) {
        return MASING_NO_MEMORY;
    }
    draw->status = follow(sample, task, draw, progress);
    return draw->status;
}

/* All that hand_over looks at. */
static enum masing_status keep(void *context, int task, struct packing *packing,
                               struct masing_error *error)
{
    struct sample *sample = context;
    NEED_ALLOCATED(sample->draws[task] = packing->is_taking ? new_draw() : sample->draws[task]);
    struct draw *draw = sample->draws[task];
    PACK(packing, draw->is_refused);
    task_pack_error(packing, &draw->status, &draw->error);
    int n = packing_count(packing, draw->measures ? sample->model->spec.n_outputs : 0,
                          sizeof *draw->measures);
    if (n > 0) {
        packing_array(packing, (void **)&draw->measures, n, sizeof *draw->measures);
    }
    response_summary_pack(packing, &draw->summary);
    return packing_end(packing, error);
}

/* ---- what they say together ---- */

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

struct step {
    double size, share;
};

static void walk_step(struct row_table *table, const void *context)
{
    const struct step *step = context;
    ROW_REAL(table, step->size, "peak");
    ROW_REAL(table, step->share, "share");
}

/* Two rows for each peak: a step. */
static enum masing_status write_distribution(const struct sample *sample,
                                             const struct masing_sink *sink,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct row_sink rows = {0};
    int n = 0, n_samples = sample->request->n_samples;
    double *sorted = memory_array((size_t)n_samples, sizeof *sorted);
    TRY_ALLOCATED(sorted);
    for (int i = 0; i < n_samples; i++) {
        sorted[n] = sample->sizes[i];
        n += !isnan(sample->sizes[i]);
    }
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    TRY(row_sink_begin(&rows, sink, walk_step, NULL, error));
    for (int i = 0; i < 2 * n; i++) {
        const struct step step = {sorted[i / 2], (i + 1) / 2 / (double)n};
        TRY(row_sink_write(&rows, &step, error));
    }
done:
    status = row_sink_end(&rows, status, error);
    free(sorted);
    return status;
}

static enum masing_status correlate(const struct sample *sample, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = sample->uncertain->n, n_samples = sample->request->n_samples;
    double *column = memory_array((size_t)n_samples, sizeof *column);
    double *numbers = memory_array(3 * (size_t)n, sizeof *numbers);
    TRY_ALLOCATED(column);
    TRY_ALLOCATED(numbers);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n_samples; i++) {
            find_numbers(sample, i, numbers + n, numbers);
            column[i] = numbers[k];
        }
        TRY(statistics_rank_correlation(column, sample->sizes, n_samples,
                                        &sample->summary->influences[k].rank_correlation,
                                        error));
    }
done:
    free(column);
    free(numbers);
    return status;
}

static enum masing_status evaluate(const struct sample *sample, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_samples = sample->request->n_samples;
    struct masing_sample_summary *summary = sample->summary;
    int *replicates = memory_array((size_t)n_samples, sizeof *replicates);
    TRY_ALLOCATED(replicates);
    for (int i = 0; i < n_samples; i++) {
        replicates[i] = design_replicate(&sample->design, i);
    }
    TRY(statistics_estimate(sample->sizes, replicates, n_samples, sample->design.n_replicates,
                            summary, error));
    TRY(correlate(sample, error));
    if (sample->request->is_sobol) {
        summary->n_sets = statistics_sobol(sample->sizes + n_samples, n_samples,
                                           sample->uncertain->n, summary->influences);
        summary->n_sets_left = n_samples - summary->n_sets;
    }
done:
    free(replicates);
    return status;
}

/* ---- the sample ---- */

static enum masing_status factorise(struct sample *sample, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = sample->uncertain->n;
    double *diagonal = NULL;
    if (!sample->uncertain->correlation) {
        return MASING_OK;
    }
    TRY_ALLOCATED(diagonal = memory_array((size_t)n, sizeof *diagonal));
    TRY_ALLOCATED(sample->factor = memory_copy(sample->uncertain->correlation,
                                               (size_t)n * (size_t)n, sizeof *diagonal));
    TRY(cholesky_weak_row(n, sample->factor, 0.0, diagonal) < 0
            ? MASING_OK
            : masing_error_set(error, MASING_INVALID,
                               "uncertain: the correlation is not positive definite"));
done:
    free(diagonal);
    return status;
}

static enum masing_status count_tasks(struct sample *sample, struct masing_error *error)
{
    const struct masing_sample_request *request = sample->request;
    const struct masing_spec *spec = &sample->model->spec;
    long long n = request->n_samples, each = sample->uncertain->n + 2;
    long long all = request->is_sobol ? n * (1 + each) : n;
    if (sample->uncertain->n == 0) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: there is no section 'uncertain', which says what numbers "
                                "are drawn, as uncertain: {damper.preload: {normal: [30, 3]}}",
                                spec->file ? spec->file : "the model");
    }
    if (all > INT_MAX / 2 || n * each > INT_MAX / 2) {
        return masing_error_set(error, MASING_INVALID, "%lld responses are too many", all);
    }
    if (request->is_sobol && sample->uncertain->correlation) {
        return masing_error_set(error, MASING_INVALID,
                                "Sobol's indices are of independent numbers, and those of the "
                                "model are correlated");
    }
    if (is_part(sample) && all < request->n_parts) {
        return masing_error_set(error, MASING_INVALID,
                                "%d parts of %lld responses: expected no more parts than these",
                                request->n_parts, all);
    }
    int n_parts = is_part(sample) ? request->n_parts : 1;
    int part = is_part(sample) ? request->part : 0;
    sample->n_all = (int)all;
    sample->n_tasks = ((int)all - part + n_parts - 1) / n_parts;
    return MASING_OK;
}

static enum masing_status prepare(struct sample *sample, const struct masing_sink *rows,
                                  struct masing_error *error)
{
    const struct masing_sample_request *request = sample->request;
    NEED(masing_document_model(request->document, request->overrides, request->n_overrides,
                               &sample->model, error));
    sample->uncertain = &sample->model->spec.uncertain;
    NEED(count_tasks(sample, error));
    NEED(model_need_sweep(&sample->model->spec, false, error));
    NEED(model_need_outputs(&sample->model->spec, error));
    NEED(model_need_loads(&sample->model->spec, error));
    const struct numbers trial = trial_of(sample);
    NEED(numbers_check(&trial, true, error));
    NEED(factorise(sample, error));
    size_t n = (size_t)sample->uncertain->n;
    NEED(design_create(&sample->design, request->design, request->n_samples, (int)n,
                       request->seed, error));
    NEED_ALLOCATED(sample->draws =
                       memory_array((size_t)sample->n_tasks, sizeof *sample->draws));
    NEED_ALLOCATED(sample->sizes = memory_array((size_t)sample->n_all, sizeof *sample->sizes));
    NEED_ALLOCATED(sample->numbers = memory_array(n, sizeof *sample->numbers));
    NEED_ALLOCATED(sample->summary->influences =
                       memory_array(n, sizeof *sample->summary->influences));
    sample->summary->n_numbers = (int)n;
    for (size_t k = 0; k < n; k++) {
        sample->summary->influences[k] =
            (struct masing_sample_influence){NAN, NAN, NAN, NAN, NAN};
    }
    for (int i = 0; i < sample->n_all; i++) {
        sample->sizes[i] = NAN;
    }
    NEED(check_ends(sample, error));
    return row_sink_begin(&sample->rows, rows, walk_draw, &(struct walk){sample, NULL, 0},
                          error);
}

static enum masing_status run(struct sample *sample, const struct masing_sink *rows,
                              const struct masing_sink *distribution,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    const struct masing_response_options *options = sample->options;
    const struct masing_progress *progress = options->progress;
    TRY(prepare(sample, rows, error));
    TRY(tasks_run(&(struct tasks){sample->n_tasks, options->n_threads, progress,
                                  options->journal, sample, compute, keep, hand_over},
                  error));
    TRY(sample->failed ? masing_error_set(error, sample->failed, "%s", sample->failure.message)
                       : MASING_OK);
    bool is_cancelled =
        progress && progress->is_cancelled && progress->is_cancelled(progress->context);
    ended = is_cancelled ? masing_error_set(error, MASING_STOPPED, "interrupted") : MASING_OK;
    if (!is_part(sample)) {
        TRY(evaluate(sample, error));
        TRY(distribution ? write_distribution(sample, distribution, error) : MASING_OK);
    }
    status = row_sink_end(&sample->rows, ended, error);
done:
    row_sink_end(&sample->rows, MASING_INTERNAL, NULL);
    for (int t = 0; sample->draws && t < sample->n_tasks; t++) {
        clear_draw(sample->draws[t]);
    }
    free(sample->draws);
    free(sample->sizes);
    free(sample->numbers);
    free(sample->factor);
    design_clear(&sample->design);
    masing_model_destroy(sample->model);
    return status;
}

void masing_sample_summary_clear(struct masing_sample_summary *summary)
{
    if (summary) {
        free(summary->influences);
        entry_zero(summary, sizeof *summary);
    }
}

static struct masing_sample_summary empty_summary(void)
{
    struct masing_sample_estimate none = {NAN, NAN, NAN};
    return (struct masing_sample_summary){.lowest = NAN,
                                          .highest = NAN,
                                          .mean = none,
                                          .deviation = none,
                                          .quantiles = {none, none, none}};
}

enum masing_status masing_sample(const struct masing_sample_request *request,
                                 const struct masing_response_options *options,
                                 const struct masing_sink *rows,
                                 const struct masing_sink *distribution,
                                 struct masing_sample_summary *summary,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_sample_request asked = {0};
    struct masing_response_options chosen;
    struct masing_sample_summary found = empty_summary();
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(request, "request", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need(asked.document, "request.document", error));
    TRY(entry_need_array(asked.n_overrides, asked.overrides, "request.overrides", error));
    TRY(asked.n_samples > 0 ? MASING_OK
                            : masing_error_set(error, MASING_INVALID,
                                               "request.n_samples: expected at least one"));
    TRY(response_options_read(options, &chosen, error));
    TRY(entry_check(summary, "summary", error));
    chosen.fields = NULL;
    chosen.contacts = chosen.check = NULL;
    status = run(&(struct sample){.request = &asked, .options = &chosen, .summary = &found},
                 rows, distribution, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_sample_summary_clear(&found);
    }
    return status;
}
