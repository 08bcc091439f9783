/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads, preloads and contact stiffnesses over many decades: every curve is complete with every
 * residual below 1e-8 of the load.
 */
#include "response.h"

static const double loads[] = {1e-3, 1.0, 10.0, 1000.0};
static const double preloads[] = {0.0, 1e-3, 1.0, 30.0, 400.0, 5000.0};
static const double stiffnesses[] = {4e4, 4e6, 4e8, 4e10};
static const int orders[] = {1, 7, 31};

static int most_points;

static void run_rung(double load, double preload, double stiffness, int order)
{
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  masses: {m1: 1.0, m2: 1.0}\n"
                         "  springs:\n"
                         "    - {from: ground, to: m1, stiffness: 41339}\n"
                         "    - {from: m1, to: m2, stiffness: 41328}\n"
                         "  damping: {modal_ratio: 0.02}\n"
                         "joints:\n"
                         "  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                         "     stiffness: %.17g, friction: 0.5, preload: %.17g}\n"
                         "loads: [{dof: m2, amplitude: %.17g}]\n"
                         "frequency: [18, 28]\n"
                         "harmonics: %d\n"
                         "outputs: [m2, m1]\n",
                         stiffness, preload, load, order);
    struct run run;
    run_text(&run, text, NULL, 0);
    bool is_good = run.status == MASING_OK && run.summary.is_complete;
    CHECK(is_good);
    CHECK(run.summary.residual < 1e-8);
    CHECK(run.summary.energy_mismatch < 1e-6);
    if (!is_good || run.summary.energy_mismatch >= 1e-6) {
        printf("# load %g preload %g stiffness %g H %d: %d points, energy %.2g, %s\n", load,
               preload, stiffness, order, run.summary.points, run.summary.energy_mismatch,
               run.summary.reason);
    }
    if (is_good) {
        CHECK_RELATIVE(table_get(&run.rows, 0, "frequency_hz"), 18.0, 1e-14);
        CHECK_RELATIVE(table_get(&run.rows, run.rows.n_rows - 1, "frequency_hz"), 28.0, 1e-14);
    }
    most_points = run.summary.points > most_points ? run.summary.points : most_points;
    run_clear(&run);
    free(text);
}

/* Each `stride`-th preload. */
static void ladder(int order, int stride)
{
    most_points = 0;
    for (size_t l = 0; l < 4; l++) {
        for (size_t p = 0; p < 6; p += (size_t)stride) {
            for (size_t s = 0; s < 4; s++) {
                run_rung(loads[l], preloads[p], stiffnesses[s], order);
            }
        }
    }
    printf("# H = %d: at most %d points per curve\n", order, most_points);
}

static void first_order(void)
{
    ladder(orders[0], tap_most(1, 3));
}

static void seventh_order(void)
{
    ladder(orders[1], tap_most(1, 3));
}

static void high_order(void)
{
    ladder(orders[2], tap_most(2, 3));
}

static const struct tap_test tests[] = {
    {"96 curves with one harmonic", first_order},
    {"96 curves with seven harmonics", seventh_order},
    {"48 curves with thirty-one harmonics", high_order},
};

TAP_MAIN(tests)
