/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three masses with an Iwan joint (Lacayo, Deaner and Allen 2017, section 3) around the second
 * mode, in micro- and macroslip, against shooting on the same equations.
 */
#include "response.h"

static const double TWO_PI = 6.28318530717958647692;

enum { N_ROWS = 15, N_NUMBERS = 12 };

/* Numbers after the case's name: F, omega, U1_h1 .. U3_h1, U1_peak .. U3_peak, phases */
static int read_case(const char *name, double rows[N_ROWS][N_NUMBERS])
{
    FILE *file = open_reference("three_mass_forced.csv");
    char line[4096];
    int n = 0;
    while (file && n < N_ROWS && fgets(line, sizeof line, file)) {
        size_t length = strcspn(line, ",");
        if (length != strlen(name) || strncmp(line, name, length) != 0) {
            continue;
        }
        char *at = line + length;
        for (int i = 0; i < N_NUMBERS; i++) {
            rows[n][i] = strtod(at + 1, &at);
        }
        n++;
    }
    if (file) {
        fclose(file);
    }
    return n;
}

static char *model_text(double force, double from, double to)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m1: 10, m2: 10, m3: 10}\n"
                   "  springs:\n"
                   "    - {from: ground, to: m1, stiffness: 9}\n"
                   "    - {from: m1, to: m2, stiffness: 9}\n"
                   "    - {from: m2, to: m3, stiffness: 9}\n"
                   "  damping: {modal_ratio: 1.0e-4, modes: stuck}\n"
                   "joints: [{name: j, law: iwan4, from: m2, to: m3, slip_force: 10,\n"
                   "  stiffness: 1, chi: -0.5, beta: 5}]\n"
                   "loads: [{dof: m1, amplitude: %.17g, phase: -90}]\n"
                   "frequency_unit: rad_s\n"
                   "frequency: [%.17g, %.17g]\n"
                   "harmonics: 7\n"
                   "samples: 512\n"
                   "outputs: [m1, m2, m3]\n",
                   force, from, to);
}

/* Angle between two phases in degrees. */
static double apart(double a, double b)
{
    double difference = fmod(fabs(a - b), 360.0);
    return fmin(difference, 360.0 - difference);
}

static void check_case(const char *name, double amplitude_tolerance)
{
    static const char *const h1[] = {"m1_h1", "m2_h1", "m3_h1"};
    static const char *const maxima[] = {"m1_max", "m2_max", "m3_max"};
    double rows[N_ROWS][N_NUMBERS], hz[N_ROWS];
    struct run run;
    int n = read_case(name, rows);
    if (!CHECK(n == N_ROWS)) {
        return;
    }
    for (int i = 0; i < N_ROWS; i++) {
        hz[i] = rows[i][1] / TWO_PI;
    }
    char *text = model_text(rows[0][0], rows[0][1] - 0.01, rows[N_ROWS - 1][1] + 0.01);
    run_text(&run, text, hz, N_ROWS);
    CHECK(run.status == MASING_OK && run.summary.energy_mismatch < 1e-6);
    double largest = 0.0;
    for (int i = 0; i < N_ROWS; i++) {
        int row = table_find(&run.rows, "at", hz[i]);
        if (!CHECK(row >= 0)) {
            continue;
        }
        for (int m = 0; m < 3; m++) {
            CHECK_RELATIVE(table_get(&run.rows, row, h1[m]), rows[i][2 + m],
                           amplitude_tolerance);
            CHECK_RELATIVE(table_get(&run.rows, row, maxima[m]), rows[i][5 + m],
                           amplitude_tolerance);
        }
        /* the table's phases refer to the sine */
        double phase = table_get(&run.rows, row, "m1_h1_phase_deg") + 90.0;
        CHECK(apart(phase, rows[i][8] * 360.0 / TWO_PI) < 0.1);
        largest = fmax(largest, rows[i][5]);
    }
    CHECK(run.summary.peak.max >= largest * (1.0 - 1e-4));
    CHECK_RELATIVE(run.summary.peak.max, largest, 1e-3);
    run_clear(&run);
    free(text);
}

static void microslip(void)
{
    check_case("micro", 1e-4);
}

static void macroslip(void)
{
    check_case("macro", 1e-4);
}

static const struct tap_test tests[] = {
    {"microslip at F = 0.1", microslip},
    {"macroslip at F = 8", macroslip},
};

TAP_MAIN(tests)
