/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The points of a curve carry it: between any two of them the cubic Hermite interpolation with
 * their slopes is right to 1e-3 of the peak, with fewer than 60 points per preload, and a point
 * costs at most 3.7 residuals.
 */
#include "response.h"

static const double preloads[] = {0, 10, 20, 30, 50, 100, 200, 600};

static char *model_text(double preload)
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
                   "harmonics: 7\n"
                   "samples: 256\n"
                   "outputs: [m2]\n",
                   preload);
}

static double hermite(double share, double width, double left, double left_slope, double right,
                      double right_slope)
{
    double t = share, s = 1.0 - share;
    return s * s * (1.0 + 2.0 * t) * left + t * t * (1.0 + 2.0 * s) * right +
           t * s * s * width * left_slope - t * t * s * width * right_slope;
}

/* Largest error at three places between neighbouring points, relative to the peak. */
static double interpolation_error(const char *text, const struct run *run)
{
    static const double shares[] = {0.25, 0.5, 0.75};
    int n = run->rows.n_rows, n_at = 0;
    double *at = malloc(sizeof *at * 3 * (size_t)n), worst = 0.0;
    double *expected = malloc(sizeof *expected * 3 * (size_t)n);
    for (int r = 0; r + 1 < n; r++) {
        double left = table_get(&run->rows, r, "frequency_hz");
        double width = table_get(&run->rows, r + 1, "frequency_hz") - left;
        for (int s = 0; s < 3; s++) {
            at[n_at] = left + shares[s] * width;
            expected[n_at++] = hermite(shares[s], width, table_get(&run->rows, r, "m2_max"),
                                       table_get(&run->rows, r, "m2_max_slope_out"),
                                       table_get(&run->rows, r + 1, "m2_max"),
                                       table_get(&run->rows, r + 1, "m2_max_slope_in"));
        }
    }
    struct run fine;
    run_text(&fine, text, at, n_at);
    for (int i = 0; i < n_at; i++) {
        int row = table_find(&fine.rows, "at", at[i]);
        CHECK(row >= 0);
        if (row >= 0) {
            worst = fmax(worst, fabs(table_get(&fine.rows, row, "m2_max") - expected[i]));
        }
    }
    run_clear(&fine);
    free(at);
    free(expected);
    return worst / run->summary.peak.max;
}

static void few_points_carry_the_curve(void)
{
    long residuals = 0;
    int points = 0;
    for (int p = 0; p < 8; p++) {
        char *text = model_text(preloads[p]);
        struct run run;
        run_text(&run, text, NULL, 0);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        CHECK(run.rows.n_rows < 60);
        double error = interpolation_error(text, &run);
        printf("# preload %g N: %d points, %.2f residuals per point, interpolation %.1e\n",
               preloads[p], run.rows.n_rows, (double)run.summary.residuals / run.rows.n_rows,
               error);
        CHECK(error < 1e-3);
        residuals += run.summary.residuals;
        points += run.rows.n_rows;
        run_clear(&run);
        free(text);
    }
    CHECK((double)residuals / points <= 3.7);
}

static const struct tap_test tests[] = {
    {"fewer than 60 points carry each curve to 1e-3", few_points_carry_the_curve},
};

TAP_MAIN(tests)
