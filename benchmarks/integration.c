/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Harmonic balance against direct time integration on the two-mass damper, at equal accuracy:
 * the coarsest setting of each (highest odd harmonic; steps per cycle and steady-state
 * tolerance) whose first harmonic of m2 is within a tolerance of the reference at all of
 * several frequencies. The reference is the balance with harmonics 0 to 41.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks.h"
#include "masing/integrate.h"

enum { N_FREQUENCIES = 5, MAX_COLUMNS = 256 };

static const double frequencies[N_FREQUENCIES] = {20.0, 21.0, 21.7, 22.5, 24.0}; /* Hz */

/* Rows of a response that lie at the frequencies. */
struct catcher {
    int frequency, h1;
    double values[N_FREQUENCIES];
};

static enum masing_status catch_open(void *context, const struct masing_column *columns,
                                     int n_columns, struct masing_error *error)
{
    struct catcher *catcher = context;
    (void)error;
    for (int c = 0; c < n_columns; c++) {
        catcher->frequency =
            strcmp(columns[c].name, "frequency_hz") == 0 ? c : catcher->frequency;
        catcher->h1 = strcmp(columns[c].name, "m2_h1") == 0 ? c : catcher->h1;
    }
    return MASING_OK;
}

static enum masing_status catch_row(void *context, const struct masing_cell *cells,
                                    struct masing_error *error)
{
    struct catcher *catcher = context;
    (void)error;
    for (int i = 0; i < N_FREQUENCIES; i++) {
        if (fabs(cells[catcher->frequency].number - frequencies[i]) < 1e-9) {
            catcher->values[i] = cells[catcher->h1].number;
        }
    }
    return MASING_OK;
}

static enum masing_status catch_finish(void *context, struct masing_error *error)
{
    (void)context;
    (void)error;
    return MASING_OK;
}

static void catch_abandon(void *context)
{
    (void)context;
}

static void balance_values(const char *file, const char *harmonics, double *values,
                           double *seconds_per_point, bool is_quick)
{
    struct masing_override override = {"harmonics", harmonics};
    struct masing_model *model = model_of(file, NULL, &override, 1);
    struct catcher catcher = {.frequency = 0, .h1 = 0};
    struct masing_sink sink = {&catcher,     catch_open,    catch_row,
                               catch_finish, catch_abandon, catch_abandon};
    struct masing_response_options options = {.n_at = N_FREQUENCIES, .at_hz = frequencies};
    struct masing_response_summary summary = {0};
    struct masing_error error = {0};
    require(masing_frf(model, &options, &sink, NULL, &summary, &error), "response", &error);
    masing_response_summary_clear(&summary);
    memcpy(values, catcher.values, sizeof catcher.values);
    if (seconds_per_point) {
        struct curve_cost cost = measure_curve(model, is_quick);
        *seconds_per_point = cost.seconds / cost.summary.points;
        masing_response_summary_clear(&cost.summary);
    }
    masing_model_destroy(model);
}

/* Mean processor time of an integration from rest to the steady state. */
static void integration_values(const char *file, int steps, double tolerance, double *values,
                               double *seconds)
{
    char steps_text[16], tolerance_text[32];
    snprintf(steps_text, sizeof steps_text, "%d", steps);
    snprintf(tolerance_text, sizeof tolerance_text, "%g", tolerance);
    struct masing_override overrides[] = {{"integration.steps_per_cycle", steps_text},
                                          {"integration.tolerance", tolerance_text}};
    struct masing_model *model = model_of(file, NULL, overrides, 2);
    *seconds = 0;
    for (int i = 0; i < N_FREQUENCIES; i++) {
        struct masing_integrate_summary summary = {0};
        struct masing_error error = {0};
        double start = processor_seconds();
        require(masing_integrate(model, frequencies[i], NULL, NULL, &summary, &error),
                "integration", &error);
        *seconds += (processor_seconds() - start) / N_FREQUENCIES;
        values[i] = summary.outputs[0].h1;
        masing_integrate_summary_clear(&summary);
    }
    masing_model_destroy(model);
}

static double worst(const double *values, const double *reference)
{
    double largest = 0;
    for (int i = 0; i < N_FREQUENCIES; i++) {
        largest = fmax(largest, fabs(values[i] / reference[i] - 1));
    }
    return largest;
}

/* "[1, 3, ..., highest]" */
static void odd_harmonics(int highest, char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "[1");
    for (int h = 3; h <= highest && length < size; h += 2) {
        length += (size_t)snprintf(text + length, size - length, ", %d", h);
    }
    snprintf(text + length, size - length, "]");
}

static void compare(const char *file, double tolerance, const double *reference, bool is_quick)
{
    enum { HIGHEST = 41, MOST_STEPS = 16384 };
    double values[N_FREQUENCIES], balance_seconds = 0, seconds = 0, least = INFINITY;
    int highest = 1, steps = 32;
    char text[256];
    for (; highest < HIGHEST; highest += 2) {
        odd_harmonics(highest, text, sizeof text);
        balance_values(file, text, values, NULL, is_quick);
        if (worst(values, reference) <= tolerance) {
            break;
        }
    }
    double balance_error = worst(values, reference);
    balance_values(file, text, values, &balance_seconds, is_quick);
    for (; steps < MOST_STEPS; steps *= 2) {
        integration_values(file, steps, 0.1 * tolerance, values, &seconds);
        if (worst(values, reference) <= tolerance) {
            break;
        }
    }
    double integration_error = worst(values, reference);
    for (int i = 0; i < (is_quick ? 1 : 5); i++) {
        integration_values(file, steps, 0.1 * tolerance, values, &seconds);
        least = fmin(least, seconds);
    }
    printf("%7.0e %11d %9.2f %9.1e %11d %9.1f %9.1e %7.0f\n", tolerance, highest,
           1e6 * balance_seconds, balance_error, steps, 1e6 * least, integration_error,
           least / balance_seconds);
}

void benchmark_integration(const struct benchmark_settings *settings)
{
    char file[4096];
    double reference[N_FREQUENCIES];
    snprintf(file, sizeof file, "%s/two_mass_damper.yaml", settings->examples);
    balance_values(file, settings->is_quick ? "15" : "41", reference, NULL, true);
    printf("\nHarmonic balance against time integration from rest, damper, first harmonic\n");
    printf("%7s %11s %9s %9s %11s %9s %9s %7s\n", "within", "highest odd", "us/point", "error",
           "steps/cycle", "us/steady", "error", "ratio");
    compare(file, 1e-3, reference, settings->is_quick);
    if (!settings->is_quick) {
        compare(file, 1e-4, reference, false);
    }
}
