/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quantile of the same draws is a function of the value without noise, continuous but with
 * kinks, where another draw takes its place. It is looked at all over the range, so that no
 * other minimum than the lowest is taken for it, then narrowed down by golden sections. All
 * draws at the values of the first look are one list of tasks, those at each further value
 * another one.
 */
#include "analyses/sample/minimum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/event_row.h"
#include "analyses/curve/row_table.h"
#include "analyses/curve/tasks.h"
#include "analyses/sample/distribution.h"
#include "analyses/sample/draws.h"
#include "analyses/sample/statistics.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/progress.h"
#include "linalg/bracket.h"

/* N_LOOK values all over the range; of their minima at most so many are narrowed down. */
enum { N_LOOK = 17, MOST_NARROWED = 4, MOST_STEPS = 40 };
/* Tasks that a log has room for. */
enum { MOST_TASKS = 100000000 };

/* To this part of the range: what draws leave uncertain is much more. */
static const double NARROW = 1e-3;
/* Minima whose lowest value in the look is within this factor of the lowest of all are narrowed
 * down. */
static const double NEAR_LOWEST = 1.05;

enum { QUANTILE = 2 }; /* 95 % among those of the summary */

/* A value that was tried. */
struct trial {
    double u, value;
    struct masing_sample_summary summary;   /* of its draws that have a peak */
    struct masing_sample_estimate quantile; /* those without counted as infinitely high */
};

struct search {
    const struct masing_sample_request *request;
    const struct masing_response_options *options;
    struct masing_sample_summary *summary;
    struct draws draws;
    int number; /* of the uncertain ones; -1: another one */
    double location;
    struct trial *trials; /* in the order in which they were computed */
    int n_trials, n_done; /* put down; all draws are computed */
    size_t capacity;
    int *replicates; /* [n_samples] */
    /* the list under way, of the last trials */
    struct draw **each; /* [N_LOOK * n_samples] */
    double *values;     /* likewise, of the number */
    double *sizes;      /* likewise, of the peaks; NAN: there is none */
    struct masing_progress progress;
    struct row_sink rows;
    enum masing_status failed; /* of the first response that cannot be had */
    struct masing_error failure;
};

/* ---- a list of draws ---- */

static enum masing_status compute(void *context, int task,
                                  const struct masing_progress *progress)
{
    struct search *search = context;
    const struct draw_value value = {search->request->minimized, search->number,
                                     search->values[task],
                                     search->values[task] / search->location};
    return draw_compute(&search->draws, task % search->request->n_samples, &value,
                        &search->each[task], progress);
}

static enum masing_status keep(void *context, int task, struct packing *packing,
                               struct masing_error *error)
{
    struct search *search = context;
    return draw_keep(&search->draws, &search->each[task], packing, error);
}

static void tell(void *context, int task, struct packing *packing)
{
    PACK(packing, ((struct search *)context)->values[task]);
}

static enum masing_status hand_over(void *context, int task, struct masing_error *error)
{
    struct search *search = context;
    struct draw *draw = search->each[task];
    struct trial *trial = &search->trials[search->n_done + task / search->request->n_samples];
    NEED_ALLOCATED(draw);
    if (draw->status < 0) {
        search->failed = search->failed ? search->failed : draw->status;
        search->failure = draw->error;
    } else if (!draw_is_interrupted(draw)) {
        search->sizes[task] = draw_size(&search->draws, draw);
        draw_count(&search->draws, draw, true, &trial->summary);
    }
    draw_destroy(draw);
    search->each[task] = NULL;
    return MASING_OK;
}

/* Of what the look and one minimum take. */
static void report(void *context, double fraction, int points)
{
    struct search *search = context;
    const struct masing_progress *progress = search->options->progress;
    const double expected = N_LOOK + 11;
    double n = search->n_trials - search->n_done;
    progress->report(progress->context, fmin((search->n_done + n * fraction) / expected, 1.0),
                     points);
}

static void log_line(void *context, const char *line)
{
    const struct masing_progress *progress = ((struct search *)context)->options->progress;
    progress->log(progress->context, line);
}

static bool is_cancelled(void *context)
{
    return progress_is_cancelled(((struct search *)context)->options->progress);
}

static double or_infinite(double size)
{
    return isnan(size) ? INFINITY : size;
}

/* sizes [n_samples]; those that are missing are replaced. */
static enum masing_status evaluate(const struct search *search, double *sizes,
                                   struct trial *trial, struct masing_error *error)
{
    int n = search->request->n_samples, n_replicates = search->draws.design.n_replicates;
    struct masing_sample_summary all = {0};
    NEED(statistics_estimate(sizes, search->replicates, n, n_replicates, &trial->summary,
                             error));
    for (int i = 0; i < n; i++) {
        sizes[i] = or_infinite(sizes[i]);
    }
    NEED(statistics_estimate(sizes, search->replicates, n, n_replicates, &all, error));
    trial->quantile = all.quantiles[QUANTILE];
    trial->quantile.value = or_infinite(trial->quantile.value);
    return MASING_OK;
}

/* All draws at the values that were put down last. */
static enum masing_status compute_trials(struct search *search, struct masing_error *error)
{
    int n_samples = search->request->n_samples;
    int n = (search->n_trials - search->n_done) * n_samples;
    const struct masing_progress *progress = search->options->progress;
    for (int t = 0; t < n; t++) {
        search->values[t] = search->trials[search->n_done + t / n_samples].value;
        search->sizes[t] = NAN;
    }
    NEED(tasks_run(&(struct tasks){.n = n,
                                   .n_threads = search->options->n_threads,
                                   .progress = progress ? &search->progress : NULL,
                                   .journal = search->options->journal,
                                   .context = search,
                                   .compute = compute,
                                   .keep = keep,
                                   .hand_over = hand_over,
                                   .first = search->n_done * n_samples,
                                   .may_have_more = true,
                                   .tell = tell},
                   error));
    if (search->failed) {
        return masing_error_set(error, search->failed, "%s", search->failure.message);
    }
    for (int k = 0; k * n_samples < n; k++) {
        if (search->trials[search->n_done].summary.n_draws < n_samples) {
            return masing_error_set(error, MASING_STOPPED, "interrupted");
        }
        NEED(evaluate(search, search->sizes + k * n_samples, &search->trials[search->n_done],
                      error));
        search->n_done++;
    }
    return MASING_OK;
}

/* ---- the search ---- */

static double coordinate(const struct search *search, double value)
{
    return search->request->is_log ? log(value) : value;
}

static enum masing_status put_down(struct search *search, double u, double value,
                                   struct masing_error *error)
{
    NEED_ALLOCATED(memory_grow((void **)&search->trials, (size_t)search->n_trials + 1,
                               &search->capacity, sizeof *search->trials));
    search->trials[search->n_trials++] = (struct trial){.u = u, .value = value};
    return MASING_OK;
}

static enum masing_status look(struct search *search, struct masing_error *error)
{
    const struct masing_sample_request *request = search->request;
    double from = coordinate(search, request->from), to = coordinate(search, request->to);
    for (int k = 0; k < N_LOOK; k++) {
        double u = from + k * (to - from) / (N_LOOK - 1);
        double value = k == 0            ? request->from
                       : k == N_LOOK - 1 ? request->to
                       : request->is_log ? exp(u)
                                         : u;
        NEED(put_down(search, u, value, error));
    }
    return compute_trials(search, error);
}

static double quantile_of(const struct search *search, int k)
{
    return search->trials[k].quantile.value;
}

/* From the lowest value of the look about k on. */
static enum masing_status narrow_down(struct search *search, int k, struct masing_error *error)
{
    const struct trial *look = search->trials;
    double width = NARROW * fabs(look[N_LOOK - 1].u - look[0].u);
    struct golden_section section =
        golden_section_of(look[k > 0 ? k - 1 : k].u, look[k].u, quantile_of(search, k),
                          look[k + 1 < N_LOOK ? k + 1 : k].u);
    for (int i = 0; i < MOST_STEPS && golden_section_next(&section, width); i++) {
        double value = search->request->is_log ? exp(section.x) : section.x;
        NEED(put_down(search, section.x, value, error));
        NEED(compute_trials(search, error));
        golden_section_set(&section, quantile_of(search, search->n_done - 1));
    }
    return MASING_OK;
}

/* A value of the look that is lower than the one before, and not higher than the next. */
static bool is_minimum(const struct search *search, int k)
{
    double here = quantile_of(search, k);
    return isfinite(here) && (k == 0 || here < quantile_of(search, k - 1)) &&
           (k == N_LOOK - 1 || here <= quantile_of(search, k + 1));
}

static enum masing_status seek(struct search *search, struct masing_error *error)
{
    bool is_taken[N_LOOK] = {false};
    double lowest = INFINITY;
    NEED(look(search, error));
    for (int i = 0; i < MOST_NARROWED; i++) {
        int next = -1;
        for (int k = 0; k < N_LOOK; k++) {
            bool is_lower = next < 0 || quantile_of(search, k) < quantile_of(search, next);
            next = is_minimum(search, k) && !is_taken[k] && is_lower ? k : next;
        }
        if (next < 0 || (i > 0 && quantile_of(search, next) > NEAR_LOWEST * lowest)) {
            break;
        }
        lowest = i == 0 ? quantile_of(search, next) : lowest;
        is_taken[next] = true;
        NEED(narrow_down(search, next, error));
    }
    return MASING_OK;
}

/* ---- what was found ---- */

struct walk {
    const struct search *search;
    const struct trial *trial;
    const struct event_row *event;
};

static double or_none(double value)
{
    return isfinite(value) ? value : NAN;
}

static void walk_trial(struct row_table *table, const void *context)
{
    const struct walk *walk = context;
    const struct masing_spec *spec = &walk->search->draws.model->spec;
    const char *output = spec->outputs[spec->peak_output].name;
    const char *measure = response_rows_measure(spec);
    const struct trial *trial = walk->trial;
    const struct masing_sample_summary *of = trial ? &trial->summary : NULL;
    ROW_REAL(table, trial->value, "%s", walk->search->request->minimized);
    ROW_INTEGER(table, of->n_draws - of->n_peaks, "draws_without_peak");
    ROW_INTEGER(table, of->n_at_limit, "draws_at_limit");
    ROW_REAL(table, of->mean.value, "%s_%s_mean", output, measure);
    ROW_REAL(table, of->quantiles[1].value, "%s_%s_q50", output, measure);
    ROW_REAL(table, or_none(trial->quantile.value), "%s_%s_q95", output, measure);
    ROW_REAL(table, or_none(trial->quantile.low), "%s_%s_q95_low", output, measure);
    ROW_REAL(table, or_none(trial->quantile.high), "%s_%s_q95_high", output, measure);
    ROW_CELL(table, MASING_COLUMN_TEXT, event_row_cell(walk->event), "event");
}

static int compare(const void *a, const void *b)
{
    double left = ((const struct trial *)a)->value, right = ((const struct trial *)b)->value;
    return (left > right) - (left < right);
}

/* The first of equal ones, -1: none has a quantile. */
static int find_best(const struct search *search)
{
    int best = -1;
    for (int k = 0; k < search->n_done; k++) {
        bool is_lower = best < 0 || quantile_of(search, k) < quantile_of(search, best);
        best = isfinite(quantile_of(search, k)) && is_lower ? k : best;
    }
    return best;
}

static struct masing_sample_value value_of(const struct trial *trial)
{
    const struct masing_sample_estimate *quantile = &trial->quantile;
    return (struct masing_sample_value){
        .value = trial->value,
        .n_without = trial->summary.n_draws - trial->summary.n_peaks,
        .n_at_limit = trial->summary.n_at_limit,
        .quantile = {or_none(quantile->value), or_none(quantile->low),
                     or_none(quantile->high)}};
}

/* The summary of the best one, but for what all add to. */
static void sum_up(const struct search *search, int best)
{
    struct masing_sample_summary *summary = search->summary;
    const struct masing_sample_request *request = search->request;
    double value = search->trials[best].value;
    for (int k = 0; k < search->n_done; k++) {
        summary->points += search->trials[k].summary.points;
        summary->seconds += search->trials[k].summary.seconds;
        summary->n_warned += search->trials[k].summary.n_warned;
    }
    struct masing_sample_summary own = search->trials[best].summary;
    own.points = summary->points;
    own.seconds = summary->seconds;
    own.n_warned = summary->n_warned;
    own.quantiles[QUANTILE] = value_of(&search->trials[best]).quantile;
    own.best = best;
    own.is_at_end = value == request->from || value == request->to;
    own.values = summary->values;
    own.n_values = summary->n_values;
    *summary = own;
}

/* Rows of all values whose draws are all computed, and the summary. */
static enum masing_status tell_all(struct search *search, struct masing_error *error)
{
    struct masing_sample_summary *summary = search->summary;
    qsort(search->trials, (size_t)search->n_done, sizeof *search->trials, compare);
    int best = find_best(search);
    NEED_ALLOCATED(summary->values =
                       memory_array((size_t)search->n_done, sizeof *summary->values));
    summary->n_values = search->n_done;
    for (int k = 0; k < search->n_done; k++) {
        const struct event_row event =
            event_row_of_kinds(k == best ? MASING_EVENT_BIT(MASING_EVENT_MINIMUM) : 0u);
        summary->values[k] = value_of(&search->trials[k]);
        NEED(row_sink_write(&search->rows, &(struct walk){search, &search->trials[k], &event},
                            error));
    }
    if (best >= 0) {
        sum_up(search, best);
    }
    return MASING_OK;
}

/* ---- all of it ---- */

static enum masing_status check(const struct masing_sample_request *request,
                                struct masing_error *error)
{
    const char *name = request->minimized;
    if (request->is_sobol || request->n_parts > 0 || request->n_band > 0) {
        return masing_error_set(error, MASING_INVALID,
                                "--minimize %s: neither Sobol's indices, nor a band of "
                                "responses, nor a part of the draws: which values are tried "
                                "hangs on all of them",
                                name);
    }
    if (!isfinite(request->from) || !isfinite(request->to) || request->from == request->to ||
        (request->is_log && !(fmin(request->from, request->to) > 0.0))) {
        return masing_error_set(error, MASING_INVALID,
                                "--minimize %s=%g:%g: expected two different numbers%s", name,
                                request->from, request->to, request->is_log ? " above 0" : "");
    }
    const int most = MOST_TASKS / (N_LOOK + MOST_NARROWED * MOST_STEPS);
    return request->n_samples <= most
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "--minimize %s: %d draws of each value, expected at most %d",
                                  name, request->n_samples, most);
}

/* Whether the model takes what is drawn at both ends of the range. */
static enum masing_status check_ends(const struct search *search, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_sample_request *request = search->request;
    const struct numbers numbers = draws_numbers_of(&search->draws);
    const struct numbers_other own = {"--minimize", request->minimized};
    const double ends[2] = {request->from, request->to};
    int n = numbers.spec->uncertain.n;
    double *low = memory_array(2 * (size_t)n, sizeof *low), *high = low + n;
    TRY_ALLOCATED(low);
    TRY(draws_ends(&search->draws, 0, 1, request->n_samples, low, high, error));
    for (int k = 0; k < n; k++) {
        for (int e = 0; e < 2; e++) {
            double scale = k == search->number ? ends[e] / search->location : 1.0;
            TRY(numbers_try(&numbers, k, scale * low[k], error));
            TRY(numbers_try(&numbers, k, scale * high[k], error));
        }
    }
    for (int e = 0; e < 2 && search->number < 0; e++) {
        TRY(numbers_try_other(&numbers, &own, ends[e], error));
    }
done:
    free(low);
    return status;
}

static enum masing_status find_number(struct search *search, struct masing_error *error)
{
    const struct masing_sample_request *request = search->request;
    const struct numbers numbers = draws_numbers_of(&search->draws);
    const struct numbers_other own = {"--minimize", request->minimized};
    NEED(numbers_find(&numbers, &own, request->from, &search->number, error));
    search->location =
        search->number >= 0
            ? distribution_location(&numbers.spec->uncertain.numbers[search->number])
            : 1.0;
    return search->location != 0.0
               ? MASING_OK
               : numbers_fail(&numbers, search->number, error,
                              "--minimize scales a distribution, and this one lies about 0");
}

static enum masing_status prepare(struct search *search, const struct masing_sink *rows,
                                  struct masing_error *error)
{
    const struct masing_sample_request *request = search->request;
    const struct masing_progress *progress = search->options->progress;
    size_t n = (size_t)request->n_samples;
    search->progress = (struct masing_progress){
        .context = search,
        .report = progress && progress->report ? report : NULL,
        .log = progress && progress->log ? log_line : NULL,
        .is_cancelled = progress && progress->is_cancelled ? is_cancelled : NULL};
    NEED(check(request, error));
    NEED(draws_create(request, search->options, &search->draws, error));
    NEED(find_number(search, error));
    NEED(check_ends(search, error));
    NEED_ALLOCATED(search->each = memory_array(N_LOOK * n, sizeof(struct draw *)));
    NEED_ALLOCATED(search->values = memory_array(N_LOOK * n, sizeof *search->values));
    NEED_ALLOCATED(search->sizes = memory_array(N_LOOK * n, sizeof *search->sizes));
    NEED_ALLOCATED(search->replicates = memory_array(n, sizeof *search->replicates));
    for (size_t i = 0; i < n; i++) {
        search->replicates[i] = design_replicate(&search->draws.design, (int)i);
    }
    return row_sink_begin(&search->rows, rows, walk_trial, &(struct walk){.search = search},
                          error);
}

enum masing_status sample_minimize(const struct masing_sample_request *request,
                                   const struct masing_response_options *options,
                                   const struct masing_sink *rows,
                                   struct masing_sample_summary *summary,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error later = {0};
    struct search search = {.request = request, .options = options, .summary = summary};
    TRY(prepare(&search, rows, error));
    enum masing_status ended = seek(&search, error);
    TRY(ended < 0 ? ended : MASING_OK);
    status = tell_all(&search, &later);
    TRY(status ? masing_error_set(error, status, "%s", later.message) : MASING_OK);
    status = row_sink_end(&search.rows, ended, error);
done:
    row_sink_end(&search.rows, MASING_INTERNAL, NULL);
    for (size_t t = 0; search.each && t < N_LOOK * (size_t)request->n_samples; t++) {
        draw_destroy(search.each[t]);
    }
    free(search.each);
    free(search.values);
    free(search.sizes);
    free(search.replicates);
    free(search.trials);
    draws_clear(&search.draws);
    return status;
}
