/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Duffing oscillator with one harmonic: the amplitude–frequency relation
 *   ((1 - w^2 + 3/4 g a^2)^2 + (2 z w)^2) a^2 = f^2
 * is exact for H = 1, with both folds where d(w)/d(a) = 0 and three solutions in between.
 */
#include "response.h"

static const double TWO_PI = 6.28318530717958647692;
static const double ratio = 0.05, cubic = 0.1, force = 0.3;

static char *model_text(const char *range, const char *harmonics, double amplitude)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m: 1}\n"
                   "  springs: [{from: ground, to: m, stiffness: 1}]\n"
                   "  damping: {modal_ratio: %.17g}\n"
                   "joints: [{name: duffing, law: cubic_spring, from: ground, to: m,\n"
                   "  coefficient: %.17g}]\n"
                   "loads: [{dof: m, amplitude: %.17g}]\n"
                   "frequency_unit: rad_s\n"
                   "frequency: %s\n"
                   "harmonics: %s\n"
                   "outputs: [m]\n",
                   ratio, cubic, amplitude, range, harmonics);
}

static double relation(double a, double w)
{
    double stiffness = 1.0 - w * w + 0.75 * cubic * a * a, damping = 2.0 * ratio * w;
    return (stiffness * stiffness + damping * damping) * a * a - force * force;
}

/* Upper (sign 1) or lower solution for w^2 at an amplitude; NAN beyond the largest amplitude.
 */
static double frequency_of(double a, int sign)
{
    double backbone = 1.0 + 0.75 * cubic * a * a, d = 4.0 * ratio * ratio;
    double b = 2.0 * backbone - d, c = backbone * backbone - force * force / (a * a);
    double root = b * b - 4.0 * c;
    return root < 0.0 ? NAN : sqrt(0.5 * (b + sign * sqrt(root)));
}

/* Extremum of frequency_of over the amplitude by golden section: a fold. */
static double fold(double low, double high, int sign, bool is_maximum)
{
    const double golden = 0.38196601125010515;
    for (int i = 0; i < 200; i++) {
        double a = low + golden * (high - low), b = high - golden * (high - low);
        bool keep_low = is_maximum ? frequency_of(a, sign) > frequency_of(b, sign)
                                   : frequency_of(a, sign) < frequency_of(b, sign);
        *(keep_low ? &high : &low) = keep_low ? b : a;
    }
    return frequency_of(0.5 * (low + high), sign);
}

static double largest_amplitude(void)
{
    double low = 0.1, high = 100.0;
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        *(isnan(frequency_of(middle, 1)) ? &high : &low) = middle;
    }
    return low;
}

static void check_relation(const struct run *run)
{
    for (int r = 0; r < run->rows.n_rows; r++) {
        double w = TWO_PI * table_get(&run->rows, r, "frequency_hz");
        double a = table_get(&run->rows, r, "m_h1");
        CHECK_SCALED(relation(a, w), 0.0, force * force, 1e-8);
    }
}

static void folds_and_relation(void)
{
    double at_hz[] = {0.0};
    double top = largest_amplitude();
    double lower = fold(0.5, 0.8 * top, 1, false); /* on the falling side of the overhang */
    /* The upper fold lies just behind the largest amplitude, where both roots meet. */
    double upper = fold(0.95 * top, top, 1, true);
    for (int direction = 0; direction < 2; direction++) {
        char *text = model_text(direction ? "[3, 0.2]" : "[0.2, 3]", "[1]", force);
        struct run run;
        at_hz[0] = 0.5 * (lower + upper) / TWO_PI;
        run_text(&run, text, at_hz, 1);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        check_relation(&run);
        CHECK(run.summary.n_jumps_up == 1 && run.summary.n_jumps_down == 1);
        CHECK_RELATIVE(TWO_PI * run.summary.jump_down_hz[0], lower, 1e-7);
        CHECK_RELATIVE(TWO_PI * run.summary.jump_up_hz[0], upper, 1e-7);
        int n_at = 0;
        for (int r = 0; r < run.rows.n_rows; r++) {
            n_at += strstr(run.rows.events[r], "at") != NULL &&
                    fabs(table_get(&run.rows, r, "frequency_hz") - at_hz[0]) < 1e-12;
        }
        CHECK(n_at == 3);
        CHECK_RELATIVE(run.summary.peak.h1, top, 1e-8);
        CHECK(run.summary.energy_mismatch < 1e-6);
        run_clear(&run);
        free(text);
    }
}

/* With more harmonics both directions still give the same curve. */
static void same_curve_both_ways(void)
{
    static const double at_hz[] = {0.1, 0.16, 0.2, 0.22, 0.25, 0.3, 0.4};
    struct run runs[2];
    for (int direction = 0; direction < 2; direction++) {
        char *text =
            model_text(direction ? "[3, 0.2]" : "[0.2, 3]", "[0, 1, 2, 3, 5, 7]", force);
        run_text(&runs[direction], text, at_hz, 7);
        CHECK(runs[direction].status == MASING_OK && runs[direction].summary.is_complete);
        free(text);
    }
    for (int i = 0; i < 7; i++) {
        double values[2][8];
        int n[2] = {0, 0};
        for (int direction = 0; direction < 2; direction++) {
            const struct table *rows = &runs[direction].rows;
            for (int r = 0; r < rows->n_rows && n[direction] < 8; r++) {
                if (strstr(rows->events[r], "at") &&
                    fabs(table_get(rows, r, "frequency_hz") - at_hz[i]) < 1e-12) {
                    values[direction][n[direction]++] = table_get(rows, r, "m_max");
                }
            }
        }
        CHECK(n[0] == n[1] && n[0] >= 1);
        for (int k = 0; k < n[0] && n[0] == n[1]; k++) {
            CHECK_RELATIVE(values[1][n[0] - 1 - k], values[0][k], 1e-8);
        }
    }
    run_clear(&runs[0]);
    run_clear(&runs[1]);
}

static void no_load_no_response(void)
{
    char *text = model_text("[0.2, 3]", "5", 0.0);
    struct run run;
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK && run.summary.is_complete);
    for (int r = 0; r < run.rows.n_rows; r++) {
        CHECK(fabs(table_get(&run.rows, r, "m_max")) < 1e-12);
    }
    CHECK(run.rows.n_rows >= 2);
    run_clear(&run);
    free(text);
}

/* Rows up to the first fold, and a few more. */
static int points_past_first_fold(const struct run *run)
{
    int row = 0;
    while (row < run->rows.n_rows && !strstr(run->rows.events[row], "fold")) {
        row++;
    }
    return CHECK(row < run->rows.n_rows - 5) ? row + 3 : row;
}

/*
 * Curves that end between the folds: one that begins there runs downwards on the lower branch
 * over one fold and comes back, and the other end's leads there without a fold; one that may
 * have no more points has met the upper fold only.
 */
static void unequal_numbers_of_jumps(void)
{
    double top = largest_amplitude();
    double lower = fold(0.5, 0.8 * top, 1, false), upper = fold(0.95 * top, top, 1, true);
    struct run run;
    char range[64];
    snprintf(range, sizeof range, "[%.17g, 0.2]", 0.5 * (lower + upper));
    char *text = model_text(range, "[1]", force);
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK && run.summary.is_complete);
    int last = run.rows.n_rows - 1;
    CHECK(table_get(&run.rows, 0, "branch") == 1.0 &&
          table_get(&run.rows, last, "branch") == 2.0);
    CHECK_RELATIVE(table_get(&run.rows, last, "frequency_hz"), 0.5 * (lower + upper) / TWO_PI,
                   1e-12);
    CHECK(run.summary.n_jumps_up == 0 && run.summary.n_jumps_down == 1);
    CHECK_RELATIVE(TWO_PI * run.summary.jump_down_hz[0], lower, 1e-7);
    run_clear(&run);
    free(text);
    text = model_text("[0.2, 3]", "[1]", force);
    run_text(&run, text, NULL, 0);
    char *few = text_of("%ssolver: {max_points: %d}\n", text, points_past_first_fold(&run));
    run_clear(&run);
    run_text(&run, few, NULL, 0);
    CHECK(run.status == MASING_STOPPED && !run.summary.is_complete);
    CHECK(run.summary.n_jumps_up == 1 && run.summary.n_jumps_down == 0);
    CHECK_RELATIVE(TWO_PI * run.summary.jump_up_hz[0], upper, 1e-7);
    run_clear(&run);
    free(few);
    free(text);
}

static const struct tap_test tests[] = {
    {"both folds, three solutions between them, amplitude-frequency relation",
     folds_and_relation},
    {"the same curve in both directions", same_curve_both_ways},
    {"no load, no response", no_load_no_response},
    {"unequal numbers of jumps", unequal_numbers_of_jumps},
};

TAP_MAIN(tests)
