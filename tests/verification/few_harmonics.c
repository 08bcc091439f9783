/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verdicts where the motion has too few harmonics for them: errors of multipliers say so, and
 * points near the circle are judged by the solution with more of them.
 */
#include <math.h>
#include <string.h>

#include "response.h"

/*
 * Two masses, one between two elastic stops. Behind the upper fold the curve comes back and is
 * unstable as well between two points where a pair leaves and enters the circle: largest moduli
 * by Newton's method on the map of a period and its derivative, both by Runge and Kutta's rule
 * with 1500 steps. Seven harmonics tell little near the folds, where a multiplier should be 1:
 * verdicts are then those of the solution with more of them.
 */
static void pairs_that_part(void)
{
    static const double at_hz[] = {19.65, 20.1, 20.55, 21.0, 21.3, 21.6};
    static const double expected[] = {0.89224, 1.1247, 1.1521, 1.0466, 0.9069, 0.8938};
    const char *text = "masing: 1\nstructure:\n  masses: {m1: 1, m2: 1}\n  springs:\n"
                       "    - {from: ground, to: m1, stiffness: 41339}\n"
                       "    - {from: m1, to: m2, stiffness: 41328}\n"
                       "  damping: {modal_ratio: [0.02, 0.01]}\njoints:\n"
                       "  - {name: j, law: unilateral_spring, from: ground, to: m1,\n"
                       "     stiffness: 1e5, gap: 3e-4, two_sided: true}\n"
                       "loads: [{dof: m2, amplitude: 10}]\nfrequency: [16, 30]\n"
                       "harmonics: 7\nsamples: 4096\noutputs: [m2]\n";
    struct run run = {0};
    run_with(&run, text,
             &(struct masing_response_options){
                 .columns = MASING_COLUMNS_STABILITY, .at_hz = at_hz, .n_at = 6});
    CHECK(run.status == MASING_OK);
    int n_undecided = 0, n_folds = 0, n_found = 0;
    for (int r = 0; r < run.rows.n_rows; r++) {
        double hz = table_get(&run.rows, r, "frequency_hz");
        double stable = table_get(&run.rows, r, "stable");
        double modulus = table_get(&run.rows, r, "multiplier");
        double error = table_get(&run.rows, r, "multiplier_error");
        n_folds += strstr(run.rows.events[r], "fold") != NULL;
        n_undecided += !*run.rows.events[r] && isnan(stable);
        for (int i = 0; n_folds == 2 && i < 6; i++) {
            if (fabs(hz - at_hz[i]) < 1e-9) {
                n_found++;
                CHECK(stable == (expected[i] < 1.0));
                CHECK_SCALED(modulus, expected[i], 1.0, error);
                CHECK(error < 0.05);
            }
        }
    }
    CHECK(n_found == 6 && n_undecided <= 3);
    CHECK(run.summary.stability.neimark_sackers.n == 2);
    run_clear(&run);
}

/*
 * Near the circle seven harmonics find another modulus than 25 do, 0.9972 and 0.9994: their
 * error says so.
 */
static void truncation_is_an_error(void)
{
    static const double at_hz[] = {11.01365232};
    static const int harmonics[] = {7, 25};
    double modulus[2] = {0}, error[2] = {0};
    for (int i = 0; i < 2; i++) {
        char *text = text_of(
            "masing: 1\nstructure:\n  masses: {m1: 2.30511, m2: 0.473463, m3: 1.22259}\n"
            "  springs:\n"
            "    - {from: ground, to: m1, stiffness: 28471.9}\n"
            "    - {from: m1, to: m2, stiffness: 45652.4}\n"
            "    - {from: ground, to: m2, stiffness: 8644.57}\n"
            "    - {from: m2, to: m3, stiffness: 12533.1}\n"
            "  damping: {modal_ratio: 0.02202}\njoints:\n"
            "  - {name: j1, from: m3, to: m1, law: dahl, stiffness: 219771,\n"
            "     slip_force: 1.30973, exponent: 1}\n"
            "  - {name: j2, from: m1, to: m3, law: cubic_spring, coefficient: 1.48565e8}\n"
            "  - {name: j3, from: ground, to: m3, law: unilateral_spring,\n"
            "     stiffness: 46747.7, gap: 2.27352e-05}\n"
            "loads: [{dof: m2, amplitude: 36.4131}]\nfrequency: [10.9, 11.1]\n"
            "harmonics: %d\noutputs: [m3]\n",
            harmonics[i]);
        struct run run = {0};
        run_with(&run, text,
                 &(struct masing_response_options){
                     .columns = MASING_COLUMNS_STABILITY, .at_hz = at_hz, .n_at = 1});
        CHECK(run.status == MASING_OK);
        for (int r = 0; r < run.rows.n_rows; r++) {
            if (strstr(run.rows.events[r], "at")) {
                modulus[i] = table_get(&run.rows, r, "multiplier");
                error[i] = table_get(&run.rows, r, "multiplier_error");
            }
        }
        run_clear(&run);
        free(text);
    }
    CHECK(fabs(modulus[0] - modulus[1]) > 1e-3);
    CHECK(fabs(modulus[0] - modulus[1]) <= error[0] && error[0] < 0.02);
    CHECK(error[1] < 0.002);
}

static const struct tap_test tests[] = {
    {"a pair that leaves the circle", pairs_that_part},
    {"truncation is an error", truncation_is_an_error},
};

TAP_MAIN(tests)
