/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Harmonic balance against direct time integration on the two-mass damper, at equal accuracy:
 * the coarsest setting of each (highest odd harmonic; steps per cycle, or accuracy of a step,
 * if any, and steady-state tolerance) whose first harmonic of m2 is within a tolerance of the
 * reference at all of several frequencies. The reference is the balance with all harmonics up
 * to a highest one. Integrations begin at rest, and reach the steady state by marching or by
 * shooting.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks.h"
#include "masing/integrate.h"

enum { N_FREQUENCIES = 7, MAX_COLUMNS = 256 };

/* Hz; at the first one the damper sticks: only the structure's damping ends the transient */
static const double frequencies[N_FREQUENCIES] = {18.5, 20.0, 21.0, 21.7, 22.5, 24.0, 27.0};

static void balance_values(const char *file, const char *damping, const char *harmonics,
                           double *values, double *seconds_per_point, bool is_quick)
{
    struct masing_override overrides[] = {{"harmonics", harmonics},
                                          {"structure.damping.modal_ratio", damping}};
    struct masing_model *model = model_of(file, NULL, overrides, 2);
    first_harmonics(model, frequencies, N_FREQUENCIES, values);
    if (seconds_per_point) {
        struct curve_cost cost = measure_curve(model, is_quick);
        *seconds_per_point = cost.seconds / cost.summary.points;
        masing_response_summary_clear(&cost.summary);
    }
    masing_model_destroy(model);
}

/* What makes a way to the steady state more or less accurate. */
enum setting { STEPS, ACCURACY, NOTHING };

struct way {
    const char *method, *steady, *name;
    enum setting setting;
    bool is_quick;  /* part of a quick run */
    bool has_plain; /* in plain C as well */
};

/* Mean processor time of an integration from rest to the steady state, and its cycles. A value
 * that steps are too coarse to settle on is NAN. */
static void integration_values(const char *file, const char *damping, const struct way *way,
                               int level, double tolerance, double *values, double *seconds,
                               int cycles[N_FREQUENCIES])
{
    char steps[16], accuracy[32], settled[32];
    snprintf(steps, sizeof steps, "%d", way->setting == STEPS ? 32 << level : 64);
    snprintf(accuracy, sizeof accuracy, "%g",
             way->setting == ACCURACY ? pow(10.0, -4 - level) : 1e-10);
    snprintf(settled, sizeof settled, "%g", 0.1 * tolerance);
    struct masing_override overrides[] = {{"structure.damping.modal_ratio", damping},
                                          {"integration.method", way->method},
                                          {"integration.steady", way->steady},
                                          {"integration.steps_per_cycle", steps},
                                          {"integration.accuracy", accuracy},
                                          {"integration.tolerance", settled},
                                          {"integration.cycles", "5000"}};
    struct masing_model *model = model_of(file, NULL, overrides, 7);
    *seconds = 0;
    for (int i = 0; i < N_FREQUENCIES; i++) {
        struct masing_integrate_summary summary = {0};
        struct masing_error error = {0};
        double start = processor_seconds();
        enum masing_status status =
            masing_integrate(model, frequencies[i], NULL, NULL, &summary, &error);
        if (status != MASING_STOPPED) {
            require(status, "integration", &error);
        }
        *seconds += (processor_seconds() - start) / N_FREQUENCIES;
        cycles[i] = summary.cycles;
        values[i] = status == MASING_OK ? summary.outputs[0].h1 : (double)NAN;
        masing_integrate_summary_clear(&summary);
    }
    masing_model_destroy(model);
}

static double worst(const double *values, const double *reference)
{
    double largest = 0;
    for (int i = 0; i < N_FREQUENCIES; i++) {
        double error = fabs(values[i] / reference[i] - 1);
        largest = isnan(error) ? INFINITY : fmax(largest, error);
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

static void print_row(const char *damping, double tolerance, const char *name,
                      const char *setting, double cycles, double seconds, double error,
                      double ratio)
{
    char text[16] = "";
    if (cycles > 0) {
        snprintf(text, sizeof text, "%.0f", cycles);
    }
    printf("%7g %7.0e  %-22s %-12s %7s %10.1f %8.1e %7.1f\n", 100 * atof(damping), tolerance,
           name, setting, text, 1e6 * seconds, error, ratio);
}

/* Microseconds per point of the coarsest balance. */
static double measure_balance(const char *file, const char *damping, double tolerance,
                              const double *reference, bool is_quick)
{
    enum { HIGHEST = 41 };
    double values[N_FREQUENCIES], seconds = 0;
    char text[256], setting[16];
    int highest = 1;
    for (; highest < HIGHEST; highest += 2) {
        odd_harmonics(highest, text, sizeof text);
        balance_values(file, damping, text, values, NULL, is_quick);
        if (worst(values, reference) <= tolerance) {
            break;
        }
    }
    balance_values(file, damping, text, values, &seconds, is_quick);
    snprintf(setting, sizeof setting, "H = %d", highest);
    print_row(damping, tolerance, "balance", setting, 0, seconds, worst(values, reference), 1);
    return seconds;
}

static double mean(const int *numbers)
{
    double sum = 0;
    for (int i = 0; i < N_FREQUENCIES; i++) {
        sum += numbers[i];
    }
    return sum / N_FREQUENCIES;
}

/* Newmark's rule in plain C over the same cycles, with as many steps as the tolerance takes. */
static void measure_plain(const char *damping, double tolerance, const double *reference,
                          double balance_seconds, const int *cycles)
{
    enum { FEWEST = 5, MOST = 8192 };
    double values[N_FREQUENCIES], least = INFINITY;
    char setting[16];
    int n = 32, left = 1;
    while (left > 0) {
        double start = processor_seconds();
        for (int i = 0; i < N_FREQUENCIES; i++) {
            values[i] = plain_newmark(atof(damping), frequencies[i], n, cycles[i]);
        }
        double seconds = (processor_seconds() - start) / N_FREQUENCIES;
        bool is_enough = n >= MOST || worst(values, reference) <= tolerance;
        least = is_enough ? fmin(least, seconds) : INFINITY;
        left = !is_enough ? FEWEST : left - 1;
        n *= is_enough ? 1 : 2;
    }
    snprintf(setting, sizeof setting, "n = %d", n);
    print_row(damping, tolerance, "Newmark in plain C", setting, mean(cycles), least,
              worst(values, reference), least / balance_seconds);
}

static void measure_way(const char *file, const char *damping, const struct way *way,
                        double tolerance, const double *reference, double balance_seconds,
                        bool is_quick)
{
    enum { MOST_LEVELS = 9, FEWEST = 3, MOST = 40 };
    const double enough = 1.0; /* s in all */
    double values[N_FREQUENCIES], seconds = 0, least = INFINITY, spent = 0;
    int level = 0, cycles[N_FREQUENCIES];
    for (; level < MOST_LEVELS; level++) {
        integration_values(file, damping, way, level, tolerance, values, &seconds, cycles);
        if (worst(values, reference) <= tolerance || way->setting == NOTHING) {
            break;
        }
    }
    double error = worst(values, reference);
    least = seconds;
    for (int i = 1; !is_quick && (i < FEWEST || (i < MOST && spent < enough)); i++) {
        integration_values(file, damping, way, level, tolerance, values, &seconds, cycles);
        spent += N_FREQUENCIES * seconds;
        least = fmin(least, seconds);
    }
    char setting[16] = "";
    if (way->setting != NOTHING) {
        bool has_steps = way->setting == STEPS;
        snprintf(setting, sizeof setting, has_steps ? "n = %d" : "1e-%d",
                 has_steps ? 32 << level : 4 + level);
    }
    print_row(damping, tolerance, way->name, setting, mean(cycles), least, error,
              least / balance_seconds);
    if (way->has_plain) {
        measure_plain(damping, tolerance, reference, balance_seconds, cycles);
    }
}

static void compare(const char *file, const char *damping, double tolerance, bool is_quick)
{
    static const struct way ways[] = {
        {"newmark", "marching", "Newmark, marching", STEPS, true, true},
        {"newmark", "shooting", "Newmark, shooting", STEPS, true, false},
        {"hht", "marching", "HHT, marching", STEPS, false, false},
        {"hht", "shooting", "HHT, shooting", STEPS, false, false},
        {"accurate", "marching", "with events, marching", ACCURACY, false, false},
        {"accurate", "shooting", "with events, shooting", ACCURACY, false, false},
        {"exact", "marching", "exact, marching", NOTHING, false, false},
        {"exact", "shooting", "exact, shooting", NOTHING, false, false},
    };
    double reference[N_FREQUENCIES];
    balance_values(file, damping, is_quick ? "15" : "41", reference, NULL, true);
    double seconds = measure_balance(file, damping, tolerance, reference, is_quick);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].is_quick || !is_quick) {
            measure_way(file, damping, &ways[i], tolerance, reference, seconds, is_quick);
        }
    }
}

void benchmark_integration(const struct benchmark_settings *settings)
{
    char file[4096];
    snprintf(file, sizeof file, "%s/two_mass_damper.yaml", settings->examples);
    printf("\nHarmonic balance against time integration from rest, damper, first harmonic\n");
    printf("%7s %7s  %-22s %-12s %7s %10s %8s %7s\n", "damp. %", "within", "", "setting",
           "cycles", "us/point", "error", "ratio");
    compare(file, "0.02", 1e-3, settings->is_quick);
    if (!settings->is_quick) {
        compare(file, "0.02", 1e-4, false);
        compare(file, "0.001", 1e-4, false);
    }
}
