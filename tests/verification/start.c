/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where sliders start is an input (LAWS, section 5): a stuck slider keeps its offset, and with
 * it the mean of the motion. One mass, one Jenkins element, a static and a harmonic load.
 */
#include "response.h"

static char *model_text(const char *start, double static_force, double amplitude)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m: 1}\n"
                   "  springs: [{from: ground, to: m, stiffness: 100}]\n"
                   "  damping: {modal_ratio: 0.05}\n"
                   "joints: [{name: slider, law: jenkins, from: ground, to: m,\n"
                   "  stiffness: 60, slip_force: 1}]\n"
                   "loads: [{dof: m, amplitude: %.17g}]\n"
                   "static_loads: [{dof: m, force: %.17g}]\n"
                   "frequency: [1, 3]\n"
                   "harmonics: 9\n"
                   "start: %s\n"
                   "outputs: [m]\n",
                   amplitude, static_force, start);
}

static void run_start(struct run *run, const char *start, double static_force, double amplitude)
{
    char *text = model_text(start, static_force, amplitude);
    run_text(run, text, NULL, 0);
    CHECK(run->status == MASING_OK && run->summary.is_complete);
    CHECK(strcmp(run->summary.start, start) == 0);
    CHECK(run->summary.energy_mismatch < 1e-6);
    free(text);
}

/* Stuck throughout: the slider is a spring from where it stands. */
static void means_of_stuck_motion(void)
{
    static const struct {
        const char *start;
        double stiffness;
    } cases[] = {{"zero", 160.0}, {"static", 100.0}, {"previous", 160.0}};
    double largest[3];
    for (int c = 0; c < 3; c++) {
        struct run run;
        run_start(&run, cases[c].start, 0.8, 0.02);
        for (int r = 0; r < run.rows.n_rows; r++) {
            CHECK_RELATIVE(table_get(&run.rows, r, "m_mean"), 0.8 / cases[c].stiffness, 1e-9);
        }
        largest[c] = run.summary.peak.h1;
        run_clear(&run);
    }
    CHECK_RELATIVE(largest[1], largest[0], 1e-9);
    CHECK_RELATIVE(largest[2], largest[0], 1e-9);
}

/* In full slip the slider forgets its start; the force has no mean, the spring carries the
 * load. */
static void slip_forgets_the_start(void)
{
    static const char *const starts[] = {"zero", "static", "previous"};
    double peaks[3], last_mean[3];
    for (int c = 0; c < 3; c++) {
        struct run run;
        run_start(&run, starts[c], 0.3, 1.5);
        peaks[c] = run.summary.peak.max;
        last_mean[c] = table_get(&run.rows, run.rows.n_rows - 1, "m_mean");
        CHECK(table_get(&run.rows, run.rows.n_rows - 1, "slip_slider") == 0.0);
        CHECK(run.summary.slip_share > 0.5);
        run_clear(&run);
    }
    CHECK_RELATIVE(peaks[1], peaks[0], 1e-7);
    CHECK_RELATIVE(peaks[2], peaks[0], 1e-7);
    /* stuck again at the end: from zero as if it had never slipped, else where slip left it */
    CHECK_RELATIVE(last_mean[0], 0.3 / 160.0, 1e-6);
    CHECK_RELATIVE(last_mean[1], 0.3 / 100.0, 1e-6);
    CHECK(last_mean[2] > 0.3 / 160.0 * 1.05 && last_mean[2] < 0.3 / 100.0 * 1.05);
}

static const struct tap_test tests[] = {
    {"a stuck slider keeps its start", means_of_stuck_motion},
    {"slip forgets the start", slip_forgets_the_start},
};

TAP_MAIN(tests)
