/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A followed peak against a study with the same values of the number: one response for each in
 * one thread. Both write no rows; both begin with a document that has been read.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks.h"
#include "masing/peak.h"

enum { MOST_VALUES = 400 };

struct question {
    const char *example, *parameter;
    double from, to;
    int n_values;
};

struct cost {
    double seconds;
    int n_sweeps;
};

static void fill(const struct question *question, double values[MOST_VALUES])
{
    for (int i = 0; i < question->n_values; i++) {
        double part = (double)i / (question->n_values - 1);
        values[i] = question->from * pow(question->to / question->from, part);
    }
    values[question->n_values - 1] = question->to;
}

static struct cost follow(const struct masing_document *document,
                          const struct question *question, const double *values,
                          bool is_minimized)
{
    const struct masing_peak_request request = {.document = document,
                                                .parameter = question->parameter,
                                                .from = question->from,
                                                .to = question->to,
                                                .n_values = values ? question->n_values : 0,
                                                .values = values,
                                                .is_minimized = is_minimized};
    const struct masing_response_options options = {.n_threads = 1};
    struct masing_peak_summary summary = {0};
    struct masing_error error = {0};
    double start = processor_seconds();
    require(masing_peak_follow(&request, &options, NULL, &summary, &error), "peak", &error);
    struct cost cost = {processor_seconds() - start, summary.n_sweeps};
    masing_peak_summary_clear(&summary);
    return cost;
}

static struct cost sweep(const struct masing_document *document,
                         const struct question *question, const double *values)
{
    static struct masing_response_summary summaries[MOST_VALUES];
    const struct masing_study_request request = {.document = document,
                                                 .parameter = question->parameter,
                                                 .n_values = question->n_values,
                                                 .values = values};
    const struct masing_response_options options = {.n_threads = 1};
    struct masing_error error = {0};
    double start = processor_seconds();
    require(masing_study(&request, &options, NULL, NULL, NULL, summaries, &error), "study",
            &error);
    struct cost cost = {processor_seconds() - start, question->n_values};
    for (int i = 0; i < question->n_values; i++) {
        masing_response_summary_clear(&summaries[i]);
    }
    return cost;
}

static struct cost least(struct cost a, struct cost b)
{
    return b.seconds < a.seconds ? b : a;
}

static void compare(const struct benchmark_settings *settings, const struct question *question)
{
    static double values[MOST_VALUES];
    char file[4096];
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    snprintf(file, sizeof file, "%s/%s.yaml", settings->examples, question->example);
    require(masing_document_read(file, &document, &error), file, &error);
    fill(question, values);
    struct cost whole = sweep(document, question, values);
    struct cost peak = follow(document, question, values, false);
    struct cost lowest = follow(document, question, NULL, true);
    for (int i = 1; i < (settings->is_quick ? 1 : 5); i++) {
        whole = least(whole, sweep(document, question, values));
        peak = least(peak, follow(document, question, values, false));
        lowest = least(lowest, follow(document, question, NULL, true));
    }
    printf("%-20s %6d %10.1f %10.1f %7d %8.3f %12.1f\n", question->example, question->n_values,
           1e3 * whole.seconds, 1e3 * peak.seconds, peak.n_sweeps, peak.seconds / whole.seconds,
           1e3 * lowest.seconds);
    masing_document_destroy(document);
}

void benchmark_peaks(const struct benchmark_settings *settings)
{
    const struct question questions[] = {
        {"two_mass_damper", "damper.preload", 5.0, 300.0, settings->is_quick ? 20 : 100},
        {"two_mass_damper", "damper.preload", 5.0, 300.0, settings->is_quick ? 10 : 400},
        {"rough_damper", "pad.preload", 10.0, 200.0, settings->is_quick ? 5 : 100},
    };
    printf("\nA followed peak against a study with the same values, ms; the lowest peak found\n"
           "%-20s %6s %10s %10s %7s %8s %12s\n",
           "", "values", "study", "peak", "sweeps", "ratio", "--minimize");
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        compare(settings, &questions[i]);
    }
}
