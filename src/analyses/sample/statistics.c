/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/sample/statistics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

/* Both sides together leave 5 % out. */
static const double TAIL = 0.025;

static const double probabilities[MASING_SAMPLE_N_QUANTILES] = {0.05, 0.5, 0.95};

/* Draws of a replicate from which its own 5 and 95 % quantiles are more than an end of it. */
enum { LEAST_OF_REPLICATE = 20 };

/* ---- one set of values ---- */

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double statistics_quantile(const double *values, int n, double p)
{
    double at = p * (n - 1), below = floor(at);
    int i = (int)below, next = i + 1 < n ? i + 1 : i;
    return values[i] + (at - below) * (values[next] - values[i]);
}

enum { MEAN, DEVIATION, QUANTILES, N_STATISTICS = QUANTILES + MASING_SAMPLE_N_QUANTILES };

/* values [n] ascending */
static void describe(const double *values, int n, double statistics[N_STATISTICS])
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++) {
        sum += values[i];
    }
    double mean = sum / n;
    for (int i = 0; i < n; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    statistics[MEAN] = mean;
    statistics[DEVIATION] = n > 1 ? sqrt(squares / (n - 1)) : NAN;
    for (int q = 0; q < MASING_SAMPLE_N_QUANTILES; q++) {
        statistics[QUANTILES + q] = statistics_quantile(values, n, probabilities[q]);
    }
}

/* ---- intervals ---- */

/* Between two values of n ascending ones: the numbers of values below the quantile are
 * binomially distributed, whatever the distribution. */
static void order_interval(const double *values, int n, double p,
                           struct masing_sample_estimate *estimate)
{
    int low = -1, high = n;
    for (int i = 0; i < n; i++) {
        /* values[i] is above the quantile where at most i are below it */
        low = gsl_cdf_binomial_P((unsigned)i, p, (unsigned)n) <= TAIL ? i : low;
        bool is_high = gsl_cdf_binomial_Q((unsigned)i, p, (unsigned)n) <= TAIL;
        high = is_high && high == n ? i : high;
    }
    estimate->low = low >= 0 ? values[low] : NAN;
    estimate->high = high < n ? values[high] : NAN;
}

static void around(struct masing_sample_estimate *estimate, double half)
{
    estimate->low = estimate->value - half;
    estimate->high = estimate->value + half;
}

/* Of independent values: the mean by Student's t, the deviation by that of the squares. */
static void independent_intervals(const double *values, int n, double mean,
                                  struct masing_sample_estimate *all)
{
    double fourth = 0.0, deviation = all[DEVIATION].value;
    double t = n > 1 ? gsl_cdf_tdist_Qinv(TAIL, n - 1.0) : NAN;
    for (int i = 0; i < n; i++) {
        fourth += pow(values[i] - mean, 4.0) / n;
    }
    /* Var s^2 = (mu_4 - (n - 3)/(n - 1) sigma^4)/n */
    double variance = deviation * deviation;
    double part = n > 1 ? (n - 3.0) / (n - 1.0) : NAN;
    double of_variance = sqrt((fourth - part * variance * variance) / n);
    around(&all[MEAN], t * deviation / sqrt(n));
    around(&all[DEVIATION], deviation > 0.0 ? t * of_variance / (2.0 * deviation) : 0.0);
}

/* Student's t of statistics of replicates, [n_replicates][N_STATISTICS]. */
static void replicated_interval(double (*statistics)[N_STATISTICS], int n_replicates, int which,
                                struct masing_sample_estimate *estimate)
{
    double mean = 0.0, squares = 0.0, n = n_replicates;
    for (int r = 0; r < n_replicates; r++) {
        mean += statistics[r][which] / n;
    }
    for (int r = 0; r < n_replicates; r++) {
        squares += (statistics[r][which] - mean) * (statistics[r][which] - mean);
    }
    double error = sqrt(squares / (n - 1.0) / n);
    around(estimate, gsl_cdf_tdist_Qinv(TAIL, n - 1.0) * error);
}

/* The values of a replicate, or of all (-1), in ascending order; how many. */
static int collect(const double *values, const int *replicates, int n, int replicate,
                   double *sorted)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (!isnan(values[i]) && (replicate < 0 || replicates[i] == replicate)) {
            sorted[count++] = values[i];
        }
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return count;
}

static enum masing_status replicate(const double *values, const int *replicates, int n,
                                    int n_replicates, double *sorted,
                                    struct masing_sample_estimate *all,
                                    struct masing_error *error)
{
    int least = n;
    double(*statistics)[N_STATISTICS] = memory_array((size_t)n_replicates, sizeof *statistics);
    NEED_ALLOCATED(statistics);
    for (int r = 0; r < n_replicates; r++) {
        int count = collect(values, replicates, n, r, sorted);
        least = count < least ? count : least;
        if (count > 0) {
            describe(sorted, count, statistics[r]);
        }
    }
    for (int s = 0; s < N_STATISTICS; s++) {
        int needed = s == MEAN ? 1 : s == DEVIATION ? 2 : LEAST_OF_REPLICATE;
        if (least >= needed) {
            replicated_interval(statistics, n_replicates, s, &all[s]);
        }
    }
    free(statistics);
    return MASING_OK;
}

enum masing_status statistics_estimate(const double *values, const int *replicates, int n,
                                       int n_replicates, struct masing_sample_summary *summary,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *sorted = memory_array((size_t)n, sizeof *sorted), found[N_STATISTICS];
    struct masing_sample_estimate all[N_STATISTICS];
    TRY_ALLOCATED(sorted);
    int count = collect(values, replicates, n, -1, sorted);
    if (count == 0) {
        goto done;
    }
    describe(sorted, count, found);
    for (int s = 0; s < N_STATISTICS; s++) {
        all[s] = (struct masing_sample_estimate){found[s], NAN, NAN};
    }
    summary->lowest = sorted[0];
    summary->highest = sorted[count - 1];
    independent_intervals(sorted, count, found[MEAN], all);
    for (int q = 0; q < MASING_SAMPLE_N_QUANTILES; q++) {
        order_interval(sorted, count, probabilities[q], &all[QUANTILES + q]);
    }
    if (n_replicates > 1) {
        TRY(replicate(values, replicates, n, n_replicates, sorted, all, error));
    }
    summary->mean = all[MEAN];
    summary->deviation = all[DEVIATION];
    for (int q = 0; q < MASING_SAMPLE_N_QUANTILES; q++) {
        summary->quantiles[q] = all[QUANTILES + q];
    }
done:
    free(sorted);
    return status;
}

/* ---- rank correlation ---- */

struct ranked {
    double value, rank;
    int index;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    int by_value = compare(&left->value, &right->value);
    return by_value ? by_value : left->index - right->index;
}

/* ranks [n] of values [n], less their mean */
static void rank(const double *values, int n, struct ranked *work, double *ranks)
{
    for (int i = 0; i < n; i++) {
        work[i] = (struct ranked){values[i], 0.0, i};
    }
    qsort(work, (size_t)n, sizeof *work, compare_ranked);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && work[end].value == work[i].value; end++) {
        }
        for (int j = i; j < end; j++) {
            ranks[work[j].index] = 0.5 * (i + end - n);
        }
    }
}

enum masing_status statistics_rank_correlation(const double *a, const double *b, int n,
                                               double *correlation, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *values = memory_array(2 * (size_t)n, sizeof *values);
    double *ranks = memory_array(2 * (size_t)n, sizeof *ranks);
    struct ranked *work = memory_array((size_t)n, sizeof *work);
    double both = 0.0, of_a = 0.0, of_b = 0.0;
    int count = 0;
    TRY_ALLOCATED(values);
    TRY_ALLOCATED(ranks);
    TRY_ALLOCATED(work);
    for (int i = 0; i < n; i++) {
        if (!isnan(a[i]) && !isnan(b[i])) {
            values[count] = a[i];
            values[n + count++] = b[i];
        }
    }
    rank(values, count, work, ranks);
    rank(values + n, count, work, ranks + n);
    for (int i = 0; i < count; i++) {
        both += ranks[i] * ranks[n + i];
        of_a += ranks[i] * ranks[i];
        of_b += ranks[n + i] * ranks[n + i];
    }
    *correlation = of_a > 0.0 && of_b > 0.0 ? both / sqrt(of_a * of_b) : NAN;
done:
    free(values);
    free(ranks);
    free(work);
    return status;
}

/* ---- Sobol's indices ---- */

/* Sums over sets, from which a set can be taken away. */
struct sobol_sums {
    double n, values, squares, first, total;
};

/* What one set adds, its values less a common one. */
static struct sobol_sums sums_of(const double *set, int number, double shift)
{
    double a = set[0] - shift, b = set[1] - shift, mixed = set[2 + number] - shift;
    return (struct sobol_sums){1.0, a + b, a * a + b * b, b * (mixed - a),
                               0.5 * (a - mixed) * (a - mixed)};
}

static void add(struct sobol_sums *sums, const struct sobol_sums *other, double sign)
{
    sums->n += sign * other->n;
    sums->values += sign * other->values;
    sums->squares += sign * other->squares;
    sums->first += sign * other->first;
    sums->total += sign * other->total;
}

static void indices(const struct sobol_sums *sums, double *first, double *total)
{
    double mean = sums->values / (2.0 * sums->n);
    double variance = sums->squares / (2.0 * sums->n) - mean * mean;
    *first = sums->first / sums->n / variance;
    *total = sums->total / sums->n / variance;
}

static bool is_whole(const double *set, int n)
{
    bool is = true;
    for (int i = 0; i < n; i++) {
        is = is && !isnan(set[i]);
    }
    return is;
}

static void estimate_number(const double *values, int n_sets, int n_numbers, int number,
                            double shift, struct masing_sample_influence *influence)
{
    struct sobol_sums all = {0};
    double first = 0.0, total = 0.0, of_first = 0.0, of_total = 0.0;
    for (int s = 0; s < n_sets; s++) {
        const double *set = values + (size_t)s * (size_t)(n_numbers + 2);
        struct sobol_sums one = sums_of(set, number, shift);
        if (is_whole(set, n_numbers + 2)) {
            add(&all, &one, 1.0);
        }
    }
    indices(&all, &influence->first, &influence->total);
    for (int s = 0; s < n_sets; s++) {
        const double *set = values + (size_t)s * (size_t)(n_numbers + 2);
        struct sobol_sums one = sums_of(set, number, shift), rest = all;
        if (is_whole(set, n_numbers + 2)) {
            add(&rest, &one, -1.0);
            indices(&rest, &first, &total);
            of_first += (first - influence->first) * (first - influence->first);
            of_total += (total - influence->total) * (total - influence->total);
        }
    }
    influence->first_error = sqrt((all.n - 1.0) / all.n * of_first);
    influence->total_error = sqrt((all.n - 1.0) / all.n * of_total);
}

int statistics_sobol(const double *values, int n_sets, int n_numbers,
                     struct masing_sample_influence *influences)
{
    double sum = 0.0;
    int n = 0;
    for (int s = 0; s < n_sets; s++) {
        const double *set = values + (size_t)s * (size_t)(n_numbers + 2);
        if (is_whole(set, n_numbers + 2)) {
            sum += 0.5 * (set[0] + set[1]);
            n++;
        }
    }
    for (int i = 0; i < n_numbers && n > 1; i++) {
        estimate_number(values, n_sets, n_numbers, i, sum / n, &influences[i]);
    }
    return n;
}
