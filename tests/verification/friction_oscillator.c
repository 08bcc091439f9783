/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Voldřich (2009), example 1: one mass, contact 100 times as stiff as its spring. Stuck phases
 * ring at the contact frequency, so that many harmonics are needed; convergence in harmonics
 * and in samples is shown on the same oscillator.
 */
#include "response.h"

static const double TWO_PI = 6.28318530717958647692;

/* The response around one frequency ratio only; sin(eta tau) is a phase of -90 degrees. */
static char *model_text(double eta, int order, int samples, const char *forces)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m: 1}\n"
                   "  springs: [{from: ground, to: m, stiffness: 1}]\n"
                   "  dampers: [{from: ground, to: m, damping: 0.1}]\n"
                   "joints: [{name: contact, law: jenkins, from: ground, to: m,\n"
                   "  stiffness: 100, slip_force: 0.5}]\n"
                   "loads: [{dof: m, amplitude: 1, phase: -90}]\n"
                   "frequency_unit: rad_s\n"
                   "frequency: [%.17g, %.17g]\n"
                   "harmonics: %d\n"
                   "samples: %d\n"
                   "forces: %s\n"
                   "outputs: [{name: v, weights: {m: 1}}]\n",
                   eta + 0.01, eta - 0.01, order, samples, forces);
}

struct solution {
    double max, h1, fundamental_cosine, fundamental_sine, h3;
};

static struct solution solve(double eta, int order, int samples, const char *forces)
{
    struct solution solution = {NAN, NAN, NAN, NAN, NAN};
    char *text = model_text(eta, order, samples, forces);
    double hz = eta / TWO_PI;
    struct run run;
    run_text(&run, text, &hz, 1);
    CHECK(run.status == MASING_OK && run.summary.energy_mismatch < 1e-6);
    int row = table_find(&run.rows, "at", hz);
    CHECK(row >= 0);
    if (row >= 0) {
        double phase = table_get(&run.rows, row, "v_h1_phase_deg") * TWO_PI / 360.0;
        solution.max = table_get(&run.rows, row, "v_max");
        solution.h1 = table_get(&run.rows, row, "v_h1");
        solution.fundamental_cosine = solution.h1 * cos(phase);
        solution.fundamental_sine = -solution.h1 * sin(phase);
        solution.h3 = order >= 3 ? table_get(&run.rows, row, "v_h3") : NAN;
    }
    run_clear(&run);
    free(text);
    return solution;
}

static void maxima_and_fundamentals(void)
{
    FILE *file = open_reference("friction_oscillator_1dof.csv");
    char line[256];
    int n = 0;
    while (file && fgets(line, sizeof line, file)) {
        double row[6];
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", row, row + 1, row + 2, row + 3, row + 4,
                   row + 5) != 6) {
            continue;
        }
        struct solution sampled = solve(row[0], 63, 4096, "sampled");
        struct solution exact = solve(row[0], 63, 4096, "exact");
        CHECK_RELATIVE(sampled.max, row[1], 1e-3);
        CHECK_RELATIVE(sampled.h1, row[5], 1e-3);
        CHECK_RELATIVE(exact.max, row[1], 1e-3);
        CHECK_RELATIVE(exact.h1, row[5], 1e-3);
        n++;
    }
    CHECK(n == 4);
    if (file) {
        fclose(file);
    }
}

static void phases_and_third_harmonic(void)
{
    FILE *file = open_reference("friction_oscillator_1dof_fourier.csv");
    char line[256];
    double row[5];
    struct solution solution = {NAN, NAN, NAN, NAN, NAN};
    int n = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf", row, row + 1, row + 2, row + 3, row + 4) != 5) {
            continue;
        }
        if (row[1] == 1.0) {
            solution = solve(row[0], 101, 4096, "exact");
            CHECK_SCALED(solution.fundamental_cosine, row[2], row[4], 1e-4);
            CHECK_SCALED(solution.fundamental_sine, row[3], row[4], 1e-4);
            n++;
        } else if (row[1] == 3.0) {
            CHECK_SCALED(solution.h3, row[4], solution.h1, 1e-4);
        }
    }
    CHECK(n == 4);
    if (file) {
        fclose(file);
    }
}

/* The error of sampled forces against exact ones falls with the samples squared; the mean over
 * several frequencies, since a single one may be lucky. */
static void converges_with_samples(void)
{
    double error[3] = {0.0, 0.0, 0.0};
    int step = tap_most(1, 5);
    for (int k = 0; k < 15; k += step) {
        double eta = 0.4 + 0.04 * k;
        double exact = solve(eta, 15, 1024, "exact").h1;
        for (int level = 0; level < 3; level++) {
            double sampled = solve(eta, 15, 128 << (2 * level), "sampled").h1;
            error[level] += step * fabs(sampled / exact - 1.0) / 15.0;
        }
    }
    printf("# mean relative error at 128, 512, 2048 samples: %.2e %.2e %.2e\n", error[0],
           error[1], error[2]);
    CHECK(error[0] < 1e-2 && error[2] < 1e-5);
    CHECK(log(error[0] / error[2]) / log(16.0) > 1.8);
}

/* Forces of class C0 with kinks: coefficients fall like h^-2, the response's like h^-4, so that
 * the fundamental converges at least with the second order in H once contact ringing is met. */
static void converges_with_harmonics(void)
{
    int n_samples = tap_most(4096, 1024);
    double reference = solve(0.75, tap_most(201, 101), n_samples, "exact").h1, error[3];
    for (int level = 0; level < 3; level++) {
        error[level] = fabs(solve(0.75, 13 << level, n_samples, "exact").h1 / reference - 1.0);
    }
    printf("# relative error at H = 13, 26, 52: %.2e %.2e %.2e\n", error[0], error[1],
           error[2]);
    CHECK(error[2] < 2e-4);
    CHECK(log(error[0] / error[2]) / log(4.0) > 2.0);
}

static const struct tap_test tests[] = {
    {"maxima and fundamentals, H = 63", maxima_and_fundamentals},
    {"phases and third harmonic, H = 101", phases_and_third_harmonic},
    {"order of convergence in samples", converges_with_samples},
    {"order of convergence in harmonics", converges_with_harmonics},
};

TAP_MAIN(tests)
