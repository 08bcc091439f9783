/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Voldřich (2009), example 2: the two-mass oscillator with a friction damper, against
 * solutions computed with exact events, and the linear limits in closed form.
 */
#include <complex.h>

#include "response.h"

static const double PI = 3.14159265358979323846;

static char *model_text(double preload, const char *measure, const char *harmonics, int samples,
                        const char *forces)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m1: 1.0, m2: 1.0}\n"
                   "  springs:\n"
                   "    - {from: ground, to: m1, stiffness: 41339}\n"
                   "    - {from: m1, to: m2, stiffness: 41328}\n"
                   "  damping: {modal_ratio: 0.02}\n"
                   "joints:\n"
                   "  - {name: damper, law: jenkins, from: ground, to: m1, stiffness: 40000,\n"
                   "     friction: 0.5, preload: %.17g}\n"
                   "loads: [{dof: m2, amplitude: 10}]\n"
                   "frequency: [18, 28]\n"
                   "harmonics: %s\n"
                   "samples: %d\n"
                   "forces: %s\n"
                   "outputs: [m2, m1]\n"
                   "peak: {output: m2, measure: %s}\n",
                   preload, harmonics, samples, forces, measure);
}

static void run_model(struct run *run, double preload, const char *measure,
                      const char *harmonics, int samples, const char *forces)
{
    char *text = model_text(preload, measure, harmonics, samples, forces);
    run_text(run, text, NULL, 0);
    CHECK(run->status == MASING_OK && run->summary.is_complete);
    free(text);
}

/* All rows of the peak table; tolerances relative, of amplitude and of frequency. */
static void check_peaks(const char *harmonics, int samples, const char *forces,
                        double amplitude_tolerance, double frequency_tolerance,
                        const char *only_measure)
{
    FILE *file = open_reference("two_mass_damper_peaks.csv");
    char line[256], measure[64];
    double preload, hz, size, lowest = INFINITY, best = NAN;
    int n_checked = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "2,%lf,%63[^,],%lf,%lf", &preload, measure, &hz, &size) != 4) {
            continue;
        }
        const char *name = strcmp(measure, "max_abs_x2") == 0 ? "max" : "h1";
        if (only_measure && strcmp(only_measure, name) != 0) {
            continue;
        }
        struct run run;
        run_model(&run, preload, name, harmonics, samples, forces);
        double found = strcmp(name, "max") == 0 ? run.summary.peak.max : run.summary.peak.h1;
        CHECK_RELATIVE(found, size, amplitude_tolerance);
        CHECK_RELATIVE(run.summary.peak.frequency_hz, hz, frequency_tolerance);
        CHECK(!run.summary.peak.is_at_limit);
        CHECK(run.summary.energy_mismatch < 1e-6);
        if (strcmp(name, "max") == 0 && found < lowest) {
            lowest = found;
            best = preload;
        }
        n_checked++;
        run_clear(&run);
    }
    CHECK(n_checked == (only_measure ? 8 : 16));
    CHECK(only_measure || best == 30.0);
    if (file) {
        fclose(file);
    }
}

static void peaks_with_sampled_forces(void)
{
    check_peaks("9", 1024, "sampled", 3e-4, 3e-4, NULL);
}

static void peaks_with_exact_forces(void)
{
    check_peaks("9", 1024, "exact", 3e-4, 1e-4, NULL);
}

static void fundamental_with_fifteen_harmonics(void)
{
    check_peaks("15", 1024, "exact", 1e-4, 1e-4, "h1");
}

/* The response tables: every frequency as an exact landing. */
static void check_response(double preload, const char *harmonics, double tolerance,
                           double fundamental_tolerance)
{
    enum { MOST = 256 };
    static double at[MOST], reference[MOST][4];
    FILE *file = open_reference("two_mass_damper_response.csv");
    char line[512];
    int n = 0;
    while (file && fgets(line, sizeof line, file)) {
        double row[6];
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", row, row + 1, row + 2, row + 3, row + 4,
                   row + 5) == 6 &&
            row[0] == preload && n < MOST) {
            at[n] = row[1];
            memcpy(reference[n++], row + 2, sizeof reference[0]);
        }
    }
    if (file) {
        fclose(file);
    }
    CHECK(n > 90);
    char *text = model_text(preload, "max", harmonics, 1024, "exact");
    struct run run;
    run_text(&run, text, at, n);
    CHECK(run.status == MASING_OK);
    for (int i = 0; i < n; i++) {
        int row = -1;
        for (int r = 0; r < run.rows.n_rows && row < 0; r++) {
            row = fabs(table_get(&run.rows, r, "frequency_hz") - at[i]) < 1e-11 ? r : -1;
        }
        CHECK(row >= 0);
        if (row >= 0) {
            CHECK_RELATIVE(table_get(&run.rows, row, "m2_max"), reference[i][0], tolerance);
            CHECK_RELATIVE(table_get(&run.rows, row, "m2_h1"), reference[i][1],
                           fundamental_tolerance);
            CHECK_RELATIVE(table_get(&run.rows, row, "m1_max"), reference[i][2], tolerance);
            CHECK_RELATIVE(table_get(&run.rows, row, "m1_h1"), reference[i][3],
                           fundamental_tolerance);
        }
    }
    run_clear(&run);
    free(text);
}

static void response_tables(void)
{
    check_response(10.0, "9", 1e-3, 1e-3);
    check_response(30.0, "9", 1e-3, 1e-3);
    check_response(100.0, "9", 1e-3, 1e-3);
}

static void response_tables_with_fifteen_harmonics(void)
{
    check_response(10.0, "15", 1e-3, 1e-4);
    check_response(30.0, "15", 1e-3, 1e-4);
    check_response(100.0, "15", 1e-3, 1e-4);
}

/* |x2| of the linear structure, modal damping in the modes without the joint, spring k on m1.
 */
static double closed_form(double hz, double k)
{
    double k1 = 41339, k2 = 41328, w = 2.0 * PI * hz;
    double mean = 0.5 * (k1 + 2.0 * k2), root = hypot(0.5 * k1, k2);
    double complex d[2][2] = {{k, 0.0}, {0.0, 0.0}};
    for (int mode = 0; mode < 2; mode++) {
        double square = mode == 0 ? mean - root : mean + root;
        double shape[2] = {k2, k1 + k2 - square}, size = hypot(shape[0], shape[1]);
        double complex z = square - w * w + 2.0 * I * 0.02 * sqrt(square) * w;
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                d[i][j] += z * shape[i] * shape[j] / (size * size);
            }
        }
    }
    return cabs(10.0 * d[0][0] / (d[0][0] * d[1][1] - d[0][1] * d[1][0]));
}

static void limits_are_linear(void)
{
    static const double preloads[] = {0.0, 600.0}, stiffness[] = {0.0, 40000.0};
    static const double at[] = {18.0, 19.5, 20.0, 22.25, 24.65, 27.0, 28.0};
    for (int i = 0; i < 2; i++) {
        char *text = model_text(preloads[i], "max", "7", 256, "auto");
        struct run run;
        run_text(&run, text, at, 7);
        for (int r = 0; r < run.rows.n_rows; r++) {
            double hz = table_get(&run.rows, r, "frequency_hz");
            double size = closed_form(hz, stiffness[i]);
            CHECK_RELATIVE(table_get(&run.rows, r, "m2_max"), size, 1e-9);
            CHECK_RELATIVE(table_get(&run.rows, r, "m2_h1"), size, 1e-9);
        }
        for (int a = 1; a < 6; a++) {
            CHECK(table_find(&run.rows, "at", at[a]) >= 0);
        }
        double peak = i == 0 ? run.summary.free_peak : run.summary.stuck_peak;
        CHECK_RELATIVE(run.summary.peak.max, peak, 1e-9);
        CHECK(run.rows.n_rows > 10);
        run_clear(&run);
        free(text);
    }
}

static const struct tap_test tests[] = {
    {"free and stuck limits equal the linear closed form", limits_are_linear},
    {"peaks at eight preloads, exact forces", peaks_with_exact_forces},
    {"peaks at eight preloads, sampled forces", peaks_with_sampled_forces},
    {"fundamental with fifteen harmonics", fundamental_with_fifteen_harmonics},
    {"response tables", response_tables},
    {"response tables with fifteen harmonics", response_tables_with_fifteen_harmonics},
};

TAP_MAIN(tests)
