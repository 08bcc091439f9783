/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points of a curve have their tangents, so that between two of them frequency and value are
 * Hermite's cubics of the arc length, across folds too, each of which is a point. Where several
 * branches have one frequency the largest value counts: what the response can be there.
 */
#include "analyses/sample/band.h"

#include <math.h>
#include <stdlib.h>

#include "analyses/curve/row_table.h"
#include "analyses/sample/statistics.h"
#include "base/check.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "linalg/bracket.h"

enum masing_status band_frequencies(const struct masing_spec *spec, int n, double **omega,
                                    struct masing_error *error)
{
    double from = spec->omega_from, to = spec->omega_to;
    NEED_ALLOCATED(*omega = memory_array((size_t)n, sizeof **omega));
    for (int i = 0; i < n; i++) {
        (*omega)[i] = i == n - 1 ? to : from + i * ((to - from) / (n - 1));
    }
    return MASING_OK;
}

/* ---- one curve ---- */

/* At t from 0 to 1, by values and slopes there. */
static double cubic(double t, double a, double slope_a, double b, double slope_b)
{
    double s = 1.0 - t;
    return a * (1.0 + 2.0 * t) * s * s + b * (1.0 + 2.0 * s) * t * t +
           s * t * (slope_a * s - slope_b * t);
}

/* Of what cannot be differentiated the chord. */
static double slope_or(double slope, double length, double chord)
{
    return isnan(slope) ? chord : slope * length;
}

double band_between(const struct band_end *last, const struct band_end *next, double omega)
{
    double length = next->arc - last->arc, rise = next->measure - last->measure;
    double in = length * last->d_omega, out = length * next->d_omega, t = 0.0;
    if (omega == last->omega || omega == next->omega) {
        return omega == next->omega ? next->measure : last->measure;
    }
    struct bracket bracket = bracket_of(0.0, last->omega - omega, 1.0, next->omega - omega);
    while (bracket_next(&bracket, 0.0)) {
        bracket_set(&bracket, cubic(bracket.x, last->omega, in, next->omega, out) - omega);
    }
    t = bracket_root(&bracket);
    double value = cubic(t, last->measure, slope_or(last->slope, length, rise), next->measure,
                         slope_or(next->slope, length, rise));
    return fmax(value, 0.0);
}

static void raise(double *value, double other)
{
    *value = !(other <= *value) ? other : *value;
}

static double slope_of(const struct response_curve *curve,
                       const struct continuation_point *point, const double *dy, double dlambda)
{
    double slope = NAN;
    enum masing_status status =
        recovery_slope(curve->recovery, point->y, point->lambda, dy, dlambda, &slope);
    return status == MASING_OK && isfinite(slope) ? slope : NAN;
}

enum masing_status band_trace_point(void *context, const struct response_curve *curve,
                                    const struct continuation_point *point,
                                    struct masing_error *error)
{
    struct band_trace *trace = context;
    struct band_end here = {.omega = point->lambda,
                            .measure = recovery_peak_measure(curve->recovery),
                            .arc = point->arc,
                            .d_omega = point->dlambda_in,
                            .slope = slope_of(curve, point, point->dy_in, point->dlambda_in),
                            .piece = point->piece};
    bool is_joined = trace->has_last && trace->last.piece == here.piece;
    double low = is_joined ? fmin(trace->last.omega, here.omega) : here.omega;
    double high = is_joined ? fmax(trace->last.omega, here.omega) : here.omega;
    (void)error;
    for (int i = 0; i < trace->n; i++) {
        double omega = trace->omega[i];
        if (omega == here.omega) {
            raise(&trace->values[i], here.measure);
        } else if (omega >= low && omega <= high) {
            raise(&trace->values[i], band_between(&trace->last, &here, omega));
        }
    }
    here.d_omega = point->dlambda;
    here.slope = slope_of(curve, point, point->dy, point->dlambda);
    trace->last = here;
    trace->has_last = true;
    return MASING_OK;
}

/* ---- all of them ---- */

static const double shares[MASING_SAMPLE_N_QUANTILES] = {0.05, 0.5, 0.95};

struct walk {
    const struct masing_spec *spec;
    double share, omega, value;
};

static void walk_row(struct row_table *table, const void *context)
{
    const struct walk *walk = context;
    const struct masing_spec *spec = walk->spec;
    ROW_REAL(table, walk->share, "quantile");
    ROW_REAL(table, hertz(walk->omega), "frequency_hz");
    ROW_REAL(table, walk->value, "%s_%s", spec->outputs[spec->peak_output].name,
             response_rows_measure(spec));
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* sorted [n_draws] scratch; quantiles by `shares` */
static void describe(const double *values, int n_draws, size_t stride, double *sorted,
                     double quantiles[MASING_SAMPLE_N_QUANTILES])
{
    int count = 0;
    for (int d = 0; d < n_draws; d++) {
        double value = values[(size_t)d * stride];
        sorted[count] = value;
        count += !isnan(value);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    for (int q = 0; q < MASING_SAMPLE_N_QUANTILES; q++) {
        quantiles[q] = count > 0 ? statistics_quantile(sorted, count, shares[q]) : NAN;
    }
}

enum masing_status band_write(const struct masing_spec *spec, int n, const double *omega,
                              int n_draws, const double *values, const struct masing_sink *sink,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct row_sink rows = {0};
    double *sorted = memory_array((size_t)n_draws, sizeof *sorted);
    double(*quantiles)[MASING_SAMPLE_N_QUANTILES] = memory_array((size_t)n, sizeof *quantiles);
    TRY_ALLOCATED(sorted);
    TRY_ALLOCATED(quantiles);
    for (int i = 0; i < n; i++) {
        describe(values + i, n_draws, (size_t)n, sorted, quantiles[i]);
    }
    TRY(row_sink_begin(&rows, sink, walk_row, &(struct walk){.spec = spec}, error));
    for (int q = 0; q < MASING_SAMPLE_N_QUANTILES; q++) {
        for (int i = 0; i < n; i++) {
            const struct walk walk = {spec, shares[q], omega[i], quantiles[i][q]};
            TRY(row_sink_write(&rows, &walk, error));
        }
    }
done:
    status = row_sink_end(&rows, status, error);
    free(sorted);
    free(quantiles);
    return status;
}
