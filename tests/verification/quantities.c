/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outputs as displacement, velocity and acceleration of one place: harmonic h of the latter two
 * is h Omega and (h Omega)^2 times that of the displacement, a quarter of a turn ahead each.
 */
#include "masing/mode.h"

#include "example.h"

static const double TWO_PI = 6.28318530717958647692;

static const char *const names[] = {"x", "v", "a"};

/* Two masses with a slider and a stop, which one output is asked for its peak by `measure`. */
static char *model_text(int peak, const char *measure, const char *range)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m1: 1, m2: 1}\n"
                   "  springs:\n"
                   "    - {from: ground, to: m1, stiffness: 41339}\n"
                   "    - {from: m1, to: m2, stiffness: 41328}\n"
                   "  damping: {modal_ratio: 0.02}\n"
                   "joints:\n"
                   "  - {name: j, law: jenkins, from: ground, to: m1, stiffness: 4e4,\n"
                   "     slip_force: 15}\n"
                   "  - {name: s, law: unilateral_spring, from: ground, to: m2,\n"
                   "     stiffness: 1e4, gap: 1e-4}\n"
                   "loads: [{dof: m2, amplitude: 10}]\n"
                   "frequency: %s\n"
                   "harmonics: [0, 1, 2, 3, 5]\n"
                   "outputs:\n"
                   "  - {name: x, dof: m2}\n"
                   "  - {name: v, dof: m2, quantity: velocity}\n"
                   "  - {name: a, dof: m2, quantity: acceleration}\n"
                   "peak: {output: %s, measure: %s}\n"
                   "mode: {number: 1, amplitude: [1e-4, 0.02]}\n",
                   range, names[peak], measure);
}

static double number(const struct table *rows, int row, const char *output, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", output, suffix);
    return table_get(rows, row, name);
}

static double turn(double degrees)
{
    return remainder(degrees, 360.0);
}

static void check_harmonics(const struct table *rows, int row)
{
    static const char *const suffix[] = {"_h1", "_h2", "_h3", "_h5"};
    static const int harmonic[] = {1, 2, 3, 5};
    double omega = TWO_PI * table_get(rows, row, "frequency_hz");
    for (int i = 0; i < 4; i++) {
        char phase[32];
        snprintf(phase, sizeof phase, "%s_phase_deg", suffix[i]);
        double x = number(rows, row, "x", suffix[i]), x_phase = number(rows, row, "x", phase);
        for (int q = 1; q <= 2; q++) {
            double size = pow(harmonic[i] * omega, q) * x;
            double ahead = number(rows, row, names[q], phase) - x_phase - 90.0 * q;
            CHECK_SCALED(number(rows, row, names[q], suffix[i]), size, size, 1e-11);
            CHECK(x == 0.0 || fabs(turn(ahead)) < 1e-6);
        }
    }
    CHECK(number(rows, row, "v", "_mean") == 0.0 && number(rows, row, "a", "_mean") == 0.0);
}

/* Largest value and half the range of an output, from its harmonics. */
static void measure(const struct table *rows, int row, const char *output, double *max,
                    double *amp)
{
    enum { N_SAMPLES = 20000 };
    static const char *const suffix[] = {"_h1", "_h2", "_h3", "_h5"};
    static const int harmonic[] = {1, 2, 3, 5};
    double low = INFINITY, high = -INFINITY, size[4], phase[4];
    for (int k = 0; k < 4; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s_phase_deg", suffix[k]);
        size[k] = number(rows, row, output, suffix[k]);
        phase[k] = number(rows, row, output, name) * TWO_PI / 360.0;
    }
    for (int i = 0; i < N_SAMPLES; i++) {
        double value = number(rows, row, output, "_mean");
        for (int k = 0; k < 4; k++) {
            value += size[k] * cos(harmonic[k] * TWO_PI * i / N_SAMPLES + phase[k]);
        }
        low = fmin(low, value);
        high = fmax(high, value);
    }
    *max = fmax(high, -low);
    *amp = 0.5 * (high - low);
}

static void harmonics_differ_by_the_frequency(void)
{
    char *text = model_text(0, "h1", "[18, 30]");
    struct run run;
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK && run.rows.n_rows > 20);
    for (int row = 0; row < run.rows.n_rows; row++) {
        check_harmonics(&run.rows, row);
        for (int q = 0; q < 3 && row % 10 == 0; q++) {
            double max, amp;
            measure(&run.rows, row, names[q], &max, &amp);
            CHECK_RELATIVE(number(&run.rows, row, names[q], "_max"), max, 1e-6);
            CHECK_RELATIVE(number(&run.rows, row, names[q], "_amp"), amp, 1e-6);
        }
    }
    run_clear(&run);
    free(text);
}

/* d(Omega^q x)/dOmega = q Omega^(q-1) x + Omega^q dx/dOmega, for the first harmonic. */
static void slopes_know_the_frequency(void)
{
    static const double at_hz[] = {21.0, 24.0, 27.0};
    double x[3] = {0}, slope[3][3];
    for (int q = 0; q < 3; q++) {
        char *text = model_text(q, "h1", "[18, 30]"), name[32];
        struct run run;
        run_text(&run, text, at_hz, 3);
        CHECK(run.status == MASING_OK);
        snprintf(name, sizeof name, "%s_h1_slope_in", names[q]);
        for (int i = 0; i < 3; i++) {
            int row = table_find(&run.rows, "at", at_hz[i]);
            if (CHECK(row >= 0)) {
                x[i] = table_get(&run.rows, row, "x_h1");
                slope[q][i] = table_get(&run.rows, row, name);
            }
        }
        run_clear(&run);
        free(text);
    }
    for (int i = 0; i < 3; i++) {
        double omega = TWO_PI * at_hz[i];
        for (int q = 1; q < 3; q++) {
            double expected =
                q * TWO_PI * pow(omega, q - 1) * x[i] + pow(omega, q) * slope[0][i];
            CHECK_SCALED(slope[q][i], expected, TWO_PI * pow(omega, q - 1) * x[i], 1e-7);
        }
    }
}

/* Amplitudes along a nonlinear mode. */
static void modes_and_their_amplitudes(void)
{
    static const char *const suffix[] = {"_h1", "_h2", "_h3", "_h5"};
    static const int harmonic[] = {1, 2, 3, 5};
    const struct masing_mode_options options = {.columns = MASING_COLUMNS_ENERGY};
    struct masing_model *model = model_of_text(model_text(0, "h1", "[18, 30]"));
    struct masing_mode_summary summary = {0};
    struct masing_error error = {0};
    struct table rows;
    struct masing_sink sink = table_sink(&rows);
    if (!CHECK(model && masing_mode(model, &options, &sink, &summary, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    CHECK(rows.n_rows > 20);
    for (int row = 0; row < rows.n_rows; row++) {
        double omega = TWO_PI * table_get(&rows, row, "frequency_hz");
        for (int i = 0; i < 4; i++) {
            for (int q = 1; q < 3; q++) {
                double size = pow(harmonic[i] * omega, q) * number(&rows, row, "x", suffix[i]);
                CHECK_SCALED(number(&rows, row, names[q], suffix[i]), size, size, 1e-11);
            }
        }
    }
    masing_mode_summary_clear(&summary);
    masing_model_destroy(model);
    table_clear(&rows);
}

static const struct tap_test tests[] = {
    {"harmonics differ by the frequency", harmonics_differ_by_the_frequency},
    {"slopes know the frequency", slopes_know_the_frequency},
    {"modes and their amplitudes", modes_and_their_amplitudes},
};

TAP_MAIN(tests)
