/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One mass on a spring and a damper, of which everything is known in closed form: with
 *   X = F / (k - m w^2 + i c w),
 * the columns of displacement, velocity i w X and acceleration -w^2 X, slopes along the curve,
 * and the damping ratio at the peak.
 */
#include <complex.h>

#include "response.h"

static const double two_pi = 6.28318530717958647692;
static const double mass = 2.0, stiffness = 3.2e4, damping = 8.0, force = 5.0, phase = 25.0;

static const char model[] = "masing: 1\n"
                            "structure:\n"
                            "  masses: {m: 2}\n"
                            "  springs: [{from: ground, to: m, stiffness: 3.2e4}]\n"
                            "  dampers: [{from: ground, to: m, damping: 8}]\n"
                            "loads: [{dof: m, amplitude: 5, phase: 25}]\n"
                            "frequency: [15, 25]\n"
                            "harmonics: 3\n"
                            "outputs: [{name: %s, dof: m, quantity: %s},\n"
                            "  {name: x, dof: m}, {name: v, dof: m, quantity: velocity},\n"
                            "  {name: a, dof: m, quantity: acceleration}]\n";

static double complex response(double hz, int order)
{
    double w = two_pi * hz;
    double complex f = force * cexp(I * phase / 360.0 * two_pi);
    return cpow(I * w, order) * f / (stiffness - mass * w * w + I * damping * w);
}

static void run_peak(struct run *run, const char *quantity)
{
    static const double at[] = {16.0, 19.5, 20.25, 24.0};
    char *text = text_of(model, "peak", quantity);
    run_text(run, text, at, 4);
    CHECK(run->status == MASING_OK && run->summary.is_complete && run->rows.n_rows > 8);
    free(text);
}

static void check_output(const struct run *run, int row, const char *name, int order)
{
    char column[64];
    double complex expected = response(table_get(&run->rows, row, "frequency_hz"), order);
    const char *const sizes[] = {"max", "amp", "h1"};
    for (int i = 0; i < 3; i++) {
        snprintf(column, sizeof column, "%s_%s", name, sizes[i]);
        CHECK_RELATIVE(table_get(&run->rows, row, column), cabs(expected), 1e-9);
    }
    snprintf(column, sizeof column, "%s_h1_phase_deg", name);
    double degrees = table_get(&run->rows, row, column);
    double complex direction = cexp(I * degrees / 360.0 * two_pi);
    CHECK(cabs(direction - expected / cabs(expected)) <= 1e-8);
    snprintf(column, sizeof column, "%s_mean", name);
    CHECK_SCALED(table_get(&run->rows, row, column), 0.0, cabs(expected), 1e-12);
}

static void outputs_of_each_quantity(void)
{
    struct run run;
    run_peak(&run, "displacement");
    for (int r = 0; r < run.rows.n_rows; r++) {
        check_output(&run, r, "x", 0);
        check_output(&run, r, "v", 1);
        check_output(&run, r, "a", 2);
    }
    run_clear(&run);
}

/* d|output|/df, by the difference quotient of the closed form. */
static void slopes_are_per_hertz(void)
{
    static const char *const quantities[] = {"displacement", "velocity", "acceleration"};
    for (int order = 0; order < 3; order++) {
        struct run run;
        run_peak(&run, quantities[order]);
        for (int r = 0; r < run.rows.n_rows; r++) {
            double hz = table_get(&run.rows, r, "frequency_hz"), h = 1e-4;
            double slope =
                (cabs(response(hz + h, order)) - cabs(response(hz - h, order))) / (2.0 * h);
            CHECK_SCALED(table_get(&run.rows, r, "peak_max_slope_in"), slope,
                         cabs(response(hz, order)), 1e-6);
            CHECK_SCALED(table_get(&run.rows, r, "peak_max_slope_out"), slope,
                         cabs(response(hz, order)), 1e-6);
        }
        run_clear(&run);
    }
}

/* Loss over 4 pi times the kinetic energy is c/(2 m w) where w is the peak's frequency. The
 * displacement's is w_0 sqrt(1 - 2 z^2), the velocity's w_0, the acceleration's the inverse. */
static void peaks_of_each_quantity(void)
{
    static const char *const quantities[] = {"displacement", "velocity", "acceleration"};
    double natural = sqrt(stiffness / mass), ratio = damping / (2.0 * mass * natural);
    for (int order = 0; order < 3; order++) {
        struct run run;
        run_peak(&run, quantities[order]);
        double omega = natural * pow(1.0 - 2.0 * ratio * ratio, 0.5 * (1 - order));
        CHECK_RELATIVE(run.summary.peak.frequency_hz, omega / two_pi, 1e-9);
        CHECK_RELATIVE(run.summary.peak.max, cabs(response(omega / two_pi, order)), 1e-10);
        CHECK_RELATIVE(run.summary.equivalent_damping_ratio, damping / (2.0 * mass * omega),
                       1e-8);
        run_clear(&run);
    }
}

static const struct tap_test tests[] = {
    {"outputs of each quantity", outputs_of_each_quantity},
    {"slopes are per hertz", slopes_are_per_hertz},
    {"peaks of each quantity", peaks_of_each_quantity},
};
TAP_MAIN(tests)
