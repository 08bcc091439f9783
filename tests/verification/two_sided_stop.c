/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A two-sided stop in the balance: against numbers of an independent balance, integration in
 * time by Runge and Kutta's method, and the describing function of one harmonic.
 */
#include "response.h"
#include "two_masses.h"

static const double TWO_PI = 6.28318530717958647692, PI = 3.14159265358979323846;

/* Two masses of 1 kg, the first behind a stop with clearance. */
static const double k1 = 41339.0, k2 = 41328.0, stop_stiffness = 1e5, gap = 3e-4, load = 10.0;
static const double ratios[2] = {0.02, 0.01};

static void run_stop(struct run *run, const char *harmonics, const char *range,
                     const double *at_hz, int n_at)
{
    char *text =
        text_of("masing: 1\n"
                "structure:\n"
                "  masses: {m1: 1, m2: 1}\n"
                "  springs:\n"
                "    - {from: ground, to: m1, stiffness: %.17g}\n"
                "    - {from: m1, to: m2, stiffness: %.17g}\n"
                "  damping: {modal_ratio: [%.17g, %.17g]}\n"
                "joints: [{name: j, law: unilateral_spring, from: ground, to: m1,\n"
                "  stiffness: %.17g, gap: %.17g, two_sided: true}]\n"
                "loads: [{dof: m2, amplitude: %.17g}]\n"
                "frequency: %s\nharmonics: %s\nsamples: 4096\n"
                "outputs: [m2, m1]\n",
                k1, k2, ratios[0], ratios[1], stop_stiffness, gap, load, range, harmonics);
    run_text(run, text, at_hz, n_at);
    CHECK(run->status == MASING_OK && run->summary.is_complete);
    free(text);
}

/* The only row at a frequency that was asked for; -1 where there are others or none. */
static int only_row(const struct run *run, double hz)
{
    int found = -1, n = 0;
    for (int r = 0; r < run->rows.n_rows; r++) {
        if (strstr(run->rows.events[r], "at") &&
            fabs(table_get(&run->rows, r, "frequency_hz") - hz) < 1e-12 * hz) {
            found = r;
            n++;
        }
    }
    return CHECK(n == 1) ? found : -1;
}

static void known_numbers(void)
{
    static const double at_hz[] = {18.3, 25.0}, m2_max[] = {1.113349734e-3, 3.1903211e-3};
    static const double tolerance[] = {5e-10, 2e-8}; /* digits of the numbers */
    static const char *const ranges[] = {"[16, 30]", "[30, 16]"};
    for (int direction = 0; direction < 2; direction++) {
        struct run run;
        run_stop(&run, "7", ranges[direction], at_hz, 2);
        for (int i = 0; i < 2; i++) {
            int row = only_row(&run, at_hz[i]);
            if (row >= 0) {
                CHECK_RELATIVE(table_get(&run.rows, row, "m2_max"), m2_max[i], tolerance[i]);
                CHECK_SCALED(table_get(&run.rows, row, "m2_mean"), 0.0, m2_max[i], 1e-12);
                CHECK_SCALED(table_get(&run.rows, row, "loss_j"), 0.0, 1e-2, 1e-10);
            }
        }
        run_clear(&run);
    }
}

/* ---- Runge and Kutta ---- */

enum { STEPS_PER_PERIOD = 4000, PERIODS = 300 };

/* Which stops there are: above, below. */
struct stops {
    bool is_above, is_below;
};

static double stop_force(const struct stops *stops, double x)
{
    double force = 0.0;
    force += stops->is_above && x > gap ? stop_stiffness * (x - gap) : 0.0;
    force += stops->is_below && x < -gap ? stop_stiffness * (x + gap) : 0.0;
    return force;
}

struct motion {
    struct stops stops;
    double omega, damping[2][2];
};

static void rate_of(const struct motion *motion, double t, const double y[4], double rate[4])
{
    const double *x = y, *v = y + 2;
    double force = k2 * (x[1] - x[0]);
    for (int i = 0; i < 2; i++) {
        rate[i] = v[i];
        rate[2 + i] = -motion->damping[i][0] * v[0] - motion->damping[i][1] * v[1];
    }
    rate[2] += force - k1 * x[0] - stop_force(&motion->stops, x[0]);
    rate[3] += load * cos(motion->omega * t) - force;
}

static void advance(const struct motion *motion, double t, double step, double y[4])
{
    static const double part[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    double rate[4] = {0}, sum[4] = {0}, at[4];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 4; i++) {
            at[i] = y[i] + part[stage] * step * rate[i];
        }
        rate_of(motion, t + part[stage] * step, at, rate);
        for (int i = 0; i < 4; i++) {
            sum[i] += weight[stage] * rate[i];
        }
    }
    for (int i = 0; i < 4; i++) {
        y[i] += step * sum[i] / 6.0;
    }
}

/* Steady from rest: largest absolute displacements of the masses in the last period. */
static void integrate(const struct stops *stops, double hz, double largest[2])
{
    struct motion motion = {.stops = *stops, .omega = TWO_PI * hz};
    double y[4] = {0}, step = 1.0 / (hz * STEPS_PER_PERIOD);
    two_masses_damping(k1, k2, ratios, motion.damping);
    largest[0] = largest[1] = 0.0;
    for (int n = 0; n < PERIODS * STEPS_PER_PERIOD; n++) {
        advance(&motion, n * step, step, y);
        for (int i = 0; n >= (PERIODS - 1) * STEPS_PER_PERIOD && i < 2; i++) {
            largest[i] = fmax(largest[i], fabs(y[i]));
        }
    }
}

/* With one stop only the motion is another one, so that it would be noticed. */
static void integration_in_time(void)
{
    static const double at_hz[] = {18.3, 25.0};
    static const struct stops both = {true, true}, above = {true, false}, below = {false, true};
    struct run run;
    run_stop(&run, "25", "[16, 30]", at_hz, 2);
    for (int i = 0; i < 2; i++) {
        double expected[2], one[2], other[2];
        int row = only_row(&run, at_hz[i]);
        if (row < 0) {
            continue;
        }
        double m1 = table_get(&run.rows, row, "m1_max");
        double m2 = table_get(&run.rows, row, "m2_max");
        integrate(&both, at_hz[i], expected);
        integrate(&above, at_hz[i], one);
        integrate(&below, at_hz[i], other);
        printf("# %g Hz: %.7e, %.7e; in time %.7e, %.7e; with one stop %.4e, %.4e\n", at_hz[i],
               m1, m2, expected[0], expected[1], one[0], one[1]);
        CHECK_RELATIVE(m1, expected[0], 2e-5);
        CHECK_RELATIVE(m2, expected[1], 2e-5);
        CHECK(expected[0] > 1.2 * gap);
        CHECK(fabs(one[1] / m2 - 1.0) > 0.01 && fabs(one[0] / m1 - 1.0) > 0.01);
        CHECK_RELATIVE(other[1], one[1], 1e-3);
    }
    run_clear(&run);
}

/* ---- one harmonic ---- */

/*
 * Describing function of one or two stops behind a gap, mean zero:
 *   n k / pi (theta - sin(theta) cos(theta)), theta = acos(gap / amplitude), n stops.
 */
static double equivalent_stiffness(double stiffness, double clearance, double amplitude)
{
    double theta = amplitude > clearance ? acos(clearance / amplitude) : 0.0;
    return 2.0 * stiffness / PI * (theta - sin(theta) * cos(theta));
}

static void describing_function(void)
{
    const double k = 3e4, c = 8.0, stiffness = 2e4, clearance = 2e-4, force = 3.0;
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  masses: {m: 2}\n"
                         "  springs: [{from: ground, to: m, stiffness: %.17g}]\n"
                         "  dampers: [{from: ground, to: m, damping: %.17g}]\n"
                         "joints: [{name: j, law: unilateral_spring, from: ground, to: m,\n"
                         "  stiffness: %.17g, gap: %.17g, two_sided: true}]\n"
                         "loads: [{dof: m, amplitude: %.17g}]\n"
                         "frequency: [12, 35]\nharmonics: [1]\noutputs: [m]\n",
                         k, c, stiffness, clearance, force);
    struct run run;
    int n_closed = 0, n_open = 0;
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK && run.summary.is_complete);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double omega = TWO_PI * table_get(&run.rows, r, "frequency_hz");
        double x = table_get(&run.rows, r, "m_h1");
        double own = equivalent_stiffness(stiffness, clearance, x);
        double size = hypot(k + own - 2.0 * omega * omega, c * omega) * x;
        CHECK_RELATIVE(size, force, 1e-8);
        CHECK_SCALED(table_get(&run.rows, r, "j_equivalent_stiffness"), own, stiffness, 1e-9);
        n_closed += x > 1.01 * clearance;
        n_open += x < 0.99 * clearance;
    }
    CHECK(n_closed > 20 && n_open > 5);
    run_clear(&run);
    free(text);
}

static const struct tap_test tests[] = {
    {"numbers of an independent balance, both ways", known_numbers},
    {"integration in time", integration_in_time},
    {"describing function of one harmonic", describing_function},
};

TAP_MAIN(tests)
