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

#include "analyses/curve/tasks.h"
#include "analyses/response/peak_columns.h"
#include "analyses/sample/band.h"
#include "analyses/sample/draws.h"
#include "analyses/sample/minimum.h"
#include "analyses/sample/statistics.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "linalg/one_thread.h"

struct sample {
    const struct masing_sample_request *request;
    const struct masing_response_options *options;
    struct masing_sample_summary *summary;
    struct draws draws;
    int n_tasks, n_all; /* of this part, of all parts */
    int n_done;         /* of this part: handed over, and not interrupted */
    struct draw **each; /* [n_tasks] */
    double *sizes;      /* [n_all] of the peaks, NAN: there is none */
    double *numbers;    /* [n_numbers] of the row that is written */
    double *band;       /* [n_samples][n_band], NAN: there is nothing; or NULL */
    struct row_sink rows;
    enum masing_status failed; /* of the first response that cannot be had */
    struct masing_error failure;
};

/* ---- the parts ---- */

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

/* ---- numbers that the model does not take ---- */

/* The smallest and the largest number drawn of each: mistakes are told before anything is
 * computed. */
static enum masing_status check_ends(const struct sample *sample, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct numbers numbers = draws_numbers_of(&sample->draws);
    int n = numbers.spec->uncertain.n, step = is_part(sample) ? sample->request->n_parts : 1;
    double *low = memory_array(2 * (size_t)n, sizeof *low);
    TRY_ALLOCATED(low);
    TRY(draws_ends(&sample->draws, index_of(sample, 0), step, sample->n_all, low, low + n,
                   error));
    for (int k = 0; k < n; k++) {
        TRY(numbers_try(&numbers, k, low[k], error));
        TRY(numbers_try(&numbers, k, low[n + k], error));
    }
done:
    free(low);
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
    for (int k = 0; k < sample->draws.uncertain->n; k++) {
        ROW_REAL(table, sample->numbers[k], "%s", sample->draws.uncertain->numbers[k].path);
    }
    const struct peak_columns peak = {.model = sample->draws.model,
                                      .summary = draw ? &draw->summary : &none,
                                      .measures = draw ? draw->measures : NULL,
                                      .is_known =
                                          draw && draw->measures && draw->summary.is_complete};
    peak_columns_walk(table, &peak);
}

static enum masing_status hand_over(void *context, int task, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct sample *sample = context;
    struct draw *draw = sample->each[task];
    double *scratch = NULL;
    int index = index_of(sample, task);
    NEED_ALLOCATED(draw);
    if (draw->status < 0) {
        sample->failed = sample->failed ? sample->failed : draw->status;
        sample->failure = draw->error;
        goto done;
    }
    if (draw_is_interrupted(draw)) {
        goto done;
    }
    sample->n_done++;
    sample->sizes[index] = draw_size(&sample->draws, draw);
    if (sample->band && draw->band && !isnan(sample->sizes[index])) {
        size_t width = (size_t)sample->request->n_band;
        memcpy(sample->band + (size_t)index * width, draw->band, width * sizeof *draw->band);
    }
    draw_count(&sample->draws, draw, is_of_draw(sample, task), sample->summary);
    if (is_of_draw(sample, task)) {
        size_t n = (size_t)sample->draws.uncertain->n;
        TRY_ALLOCATED(scratch = memory_array(2 * n, sizeof *scratch));
        draws_find(&sample->draws, index, scratch, sample->numbers);
        TRY(row_sink_write(&sample->rows, &(struct walk){sample, draw, task}, error));
    }
done:
    free(scratch);
    draw_destroy(draw);
    sample->each[task] = NULL;
    return status;
}

static enum masing_status compute(void *context, int task,
                                  const struct masing_progress *progress)
{
    struct sample *sample = context;
    return draw_compute(&sample->draws, index_of(sample, task), NULL, &sample->each[task],
                        progress);
}

/* All that hand_over looks at. */
static enum masing_status keep(void *context, int task, struct packing *packing,
                               struct masing_error *error)
{
    struct sample *sample = context;
    return draw_keep(&sample->draws, &sample->each[task], packing, error);
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
    int n = sample->draws.uncertain->n, n_samples = sample->request->n_samples;
    double *column = memory_array((size_t)n_samples, sizeof *column);
    double *numbers = memory_array(3 * (size_t)n, sizeof *numbers);
    TRY_ALLOCATED(column);
    TRY_ALLOCATED(numbers);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n_samples; i++) {
            draws_find(&sample->draws, i, numbers + n, numbers);
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
        replicates[i] = design_replicate(&sample->draws.design, i);
    }
    TRY(statistics_estimate(sample->sizes, replicates, n_samples,
                            sample->draws.design.n_replicates, summary, error));
    TRY(correlate(sample, error));
    if (sample->request->is_sobol) {
        summary->n_sets = statistics_sobol(sample->sizes + n_samples, n_samples,
                                           sample->draws.uncertain->n, summary->influences);
        summary->n_sets_left = n_samples - summary->n_sets;
    }
done:
    free(replicates);
    return status;
}

/* ---- the sample ---- */

static enum masing_status count_tasks(struct sample *sample, struct masing_error *error)
{
    const struct masing_sample_request *request = sample->request;
    long long n = request->n_samples, each = sample->draws.uncertain->n + 2;
    long long all = request->is_sobol ? n * (1 + each) : n;
    if (all > INT_MAX / 2 || n * each > INT_MAX / 2) {
        return masing_error_set(error, MASING_INVALID, "%lld responses are too many", all);
    }
    if (request->is_sobol && sample->draws.uncertain->correlation) {
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

/* Room for the responses of all draws, where what they say together is told here. */
static enum masing_status make_band(struct sample *sample, struct masing_error *error)
{
    const size_t most = (size_t)1 << 28; /* 2 GiB */
    size_t n = (size_t)sample->request->n_samples, width = (size_t)sample->request->n_band;
    if (width == 0 || is_part(sample)) {
        return MASING_OK;
    }
    if (n > most / width) {
        return masing_error_set(error, MASING_INVALID,
                                "--band %zu: of %zu draws these are too many values, expected "
                                "at most %zu frequencies",
                                width, n, most / n);
    }
    NEED_ALLOCATED(sample->band = memory_array(n * width, sizeof *sample->band));
    for (size_t i = 0; i < n * width; i++) {
        sample->band[i] = NAN;
    }
    return MASING_OK;
}

static enum masing_status prepare(struct sample *sample, const struct masing_sink *rows,
                                  struct masing_error *error)
{
    NEED(draws_create(sample->request, sample->options, &sample->draws, error));
    NEED(count_tasks(sample, error));
    size_t n = (size_t)sample->draws.uncertain->n;
    NEED_ALLOCATED(sample->each = memory_array((size_t)sample->n_tasks, sizeof *sample->each));
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
    NEED(make_band(sample, error));
    NEED(check_ends(sample, error));
    return row_sink_begin(&sample->rows, rows, walk_draw, &(struct walk){sample, NULL, 0},
                          error);
}

static enum masing_status run(struct sample *sample, const struct masing_sink *rows,
                              const struct masing_sink *distribution,
                              const struct masing_sink *band, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    const struct masing_response_options *options = sample->options;
    TRY(prepare(sample, rows, error));
    TRY(tasks_run(&(struct tasks){.n = sample->n_tasks,
                                  .n_threads = options->n_threads,
                                  .progress = options->progress,
                                  .journal = options->journal,
                                  .context = sample,
                                  .compute = compute,
                                  .keep = keep,
                                  .hand_over = hand_over},
                  error));
    TRY(sample->failed ? masing_error_set(error, sample->failed, "%s", sample->failure.message)
                       : MASING_OK);
    /* also where another process was asked to end */
    ended = sample->n_done < sample->n_tasks
                ? masing_error_set(error, MASING_STOPPED, "interrupted")
                : MASING_OK;
    if (!is_part(sample)) {
        TRY(evaluate(sample, error));
        TRY(distribution ? write_distribution(sample, distribution, error) : MASING_OK);
        TRY(sample->band && band
                ? band_write(&sample->draws.model->spec, sample->request->n_band,
                             sample->draws.omega, sample->request->n_samples, sample->band,
                             band, error)
                : MASING_OK);
    }
    status = row_sink_end(&sample->rows, ended, error);
done:
    row_sink_end(&sample->rows, MASING_INTERNAL, NULL);
    for (int t = 0; sample->each && t < sample->n_tasks; t++) {
        draw_destroy(sample->each[t]);
    }
    free(sample->each);
    free(sample->sizes);
    free(sample->numbers);
    free(sample->band);
    draws_clear(&sample->draws);
    return status;
}

void masing_sample_summary_clear(struct masing_sample_summary *summary)
{
    if (summary) {
        free(summary->influences);
        free(summary->values);
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
                                          .quantiles = {none, none, none},
                                          .best = -1};
}

enum masing_status
masing_sample(const struct masing_sample_request *request,
              const struct masing_response_options *options, const struct masing_sink *rows,
              const struct masing_sink *distribution, const struct masing_sink *band,
              struct masing_sample_summary *summary, struct masing_error *error)
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
    TRY(asked.n_band == 0 || asked.n_band > 1
            ? MASING_OK
            : masing_error_set(error, MASING_INVALID,
                               "--band %d: expected two frequencies at least", asked.n_band));
    TRY(response_options_read(options, &chosen, error));
    TRY(entry_check(summary, "summary", error));
    chosen.fields = NULL;
    chosen.contacts = chosen.check = NULL;
    status =
        asked.minimized
            ? sample_minimize(&asked, &chosen, rows, &found, error)
            : run(&(struct sample){.request = &asked, .options = &chosen, .summary = &found},
                  rows, distribution, band, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_sample_summary_clear(&found);
    }
    return status;
}
