/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where sliders start is an input (LAWS, section 5): a stuck slider keeps its offset, and with
 * the mean of the motion. One mass on a slider, a static and a harmonic load; the slider is a
 * Jenkins element, a contact under constant normal force, or a patch of such.
 */
#include "response.h"

static const char *const sliders[] = {
    "law: jenkins, from: ground, to: p.y, stiffness: 60, slip_force: 1",
    "law: contact, normal: {from: ground, to: p.x}, tangential: [{from: ground, to: p.y}],\n"
    "    normal_stiffness: 1000, tangential_stiffness: 60, friction: 0.5, preload: 2",
    "law: contact_patch, from: ground, to: p, normal_stiffness: 1000, friction: 0.5,\n"
    "    tangential_stiffness: 60, preload: 2, size: [1, 1], elements: [2, 3]",
};
enum { N_SLIDERS = sizeof sliders / sizeof *sliders };

static char *model_text(int slider, const char *start, double static_force, double amplitude)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {p.y: 1, p.x: 1}\n"
                   "  springs: [{from: ground, to: p.y, stiffness: 100},\n"
                   "    {from: ground, to: p.x, stiffness: 5000}]\n"
                   "  damping: {modal_ratio: 0.05}\n"
                   "joints: [{name: slider, %s}]\n"
                   "loads: [{dof: p.y, amplitude: %.17g}]\n"
                   "static_loads: [{dof: p.y, force: %.17g}]\n"
                   "frequency: [1, 3]\n"
                   "harmonics: 9\n"
                   "start: %s\n"
                   "outputs: [{name: m, from: ground, to: p.y}]\n",
                   sliders[slider], amplitude, static_force, start);
}

static void run_start(struct run *run, int slider, const char *start, double static_force,
                      double amplitude)
{
    char *text = model_text(slider, start, static_force, amplitude);
    run_text(run, text, NULL, 0);
    CHECK(run->status == MASING_OK && run->summary.is_complete);
    CHECK(strcmp(run->summary.start, start) == 0);
    CHECK(run->summary.energy_mismatch < 1e-6);
    free(text);
}

/* Stuck throughout: the slider is a spring from where it stands. */
static void means_of_stuck_motion(int slider)
{
    static const struct {
        const char *start;
        double stiffness;
    } cases[] = {{"zero", 160.0}, {"static", 100.0}, {"previous", 160.0}};
    double largest[3];
    for (int c = 0; c < 3; c++) {
        struct run run;
        run_start(&run, slider, cases[c].start, 0.8, 0.02);
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
static void slip_forgets_the_start(int slider)
{
    static const char *const starts[] = {"zero", "static", "previous"};
    double peaks[3], last_mean[3];
    for (int c = 0; c < 3; c++) {
        struct run run;
        run_start(&run, slider, starts[c], 0.3, 1.5);
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

static void stuck_sliders(void)
{
    for (int slider = 0; slider < N_SLIDERS; slider++) {
        means_of_stuck_motion(slider);
    }
}

static void slipping_sliders(void)
{
    for (int slider = 0; slider < N_SLIDERS; slider++) {
        slip_forgets_the_start(slider);
    }
}

static const struct tap_test tests[] = {
    {"a stuck slider keeps its start", stuck_sliders},
    {"slip forgets the start", slipping_sliders},
};

TAP_MAIN(tests)
