/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The responses of all draws at common frequencies, and their quantiles there. */
#ifndef MASING_ANALYSES_SAMPLE_BAND_H
#define MASING_ANALYSES_SAMPLE_BAND_H

#include "analyses/response/curve.h"
#include "masing/sample.h"

/* Frequencies [n] rad/s, evenly from one end to the other, both exact. */
enum masing_status band_frequencies(const struct masing_spec *spec, int n, double **omega,
                                    struct masing_error *error);

/* Where a curve under way was last. */
struct band_end {
    double omega, measure, arc;
    double d_omega, slope; /* by arc length, going out */
    int piece;
};

/* The largest value that a curve has at each of the frequencies. */
struct band_trace {
    int n;
    const double *omega; /* [n] ascending or descending; lent */
    double *values;      /* [n] NAN: the curve has not been there yet; lent */
    struct band_end last;
    bool has_last;
};

/* For response_curve_settings.point, the context being a trace. */
enum masing_status band_trace_point(void *trace, const struct response_curve *curve,
                                    const struct continuation_point *point,
                                    struct masing_error *error);

/* The cubic between two points: where along it, from 0 to 1, a frequency that lies between
 * theirs is, and the value there; last and next by their tangents going out and coming in. */
double band_between(const struct band_end *last, const struct band_end *next, double omega);

/* Rows quantile, frequency_hz, value: values [n_draws][n] of each draw, NAN: it has none. */
enum masing_status band_write(const struct masing_spec *spec, int n, const double *omega,
                              int n_draws, const double *values, const struct masing_sink *sink,
                              struct masing_error *error);

#endif
