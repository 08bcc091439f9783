/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the benchmarks share: models, repetitions, and one part of the table a file. */
#ifndef MASING_BENCHMARKS_H
#define MASING_BENCHMARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/response.h"

struct benchmark_settings {
    const char *examples; /* folder of the example models */
    bool is_quick;        /* a single repetition of small cases: shows that they run */
};

/* Processor time of this process, s. */
double processor_seconds(void);

/* Leaves the program with what and why: there is nothing to measure then. */
void require(enum masing_status status, const char *what, const struct masing_error *error);

/* A sealed model from a file, or from text where @p text is given. */
struct masing_model *model_of(const char *file, const char *text,
                              const struct masing_override *overrides, int n_overrides);

struct curve_cost {
    struct masing_response_summary
        summary;         /* of the fastest repetition; owned, to be cleared */
    double seconds;      /* of the curve itself */
    double call_seconds; /* with everything that is set up for it */
};

/* The cheapest of several runs of the frequency response, nothing being written. */
struct curve_cost measure_curve(const struct masing_model *model, bool is_quick);

/* First harmonics of m2 at frequencies of a response. */
void first_harmonics(const struct masing_model *model, const double *hz, int n, double *values);

/* A point of the damper's curve in plain C, and the first harmonic of m2 where it ends. */
struct floor_cost {
    double seconds, hz, h1;
};

/* With harmonics 0 to @p highest, at most 15. */
struct floor_cost measure_floor(int highest, bool is_quick);

/* First harmonic of m2 in the last of so many cycles from rest, n steps each: the same in time.
 */
double plain_newmark(double ratio, double hz, int n, int n_cycles);

/* One part of the table each. */
void benchmark_floor(const struct benchmark_settings *settings);
void benchmark_curves(const struct benchmark_settings *settings);
void benchmark_structures(const struct benchmark_settings *settings);
void benchmark_integration(const struct benchmark_settings *settings);
void benchmark_peaks(const struct benchmark_settings *settings);
void benchmark_laws(const struct benchmark_settings *settings);

#endif
