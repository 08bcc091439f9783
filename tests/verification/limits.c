/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structures at the edge: a rigid body held by friction alone, hardly any damping, no outputs,
 * loads of several harmonics; and what is said about a curve that breaks off.
 */
#include "response.h"

static char *pair_text(const char *damping, double wall, double slip_force, const char *rest)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  dofs: [x, y]\n"
                   "  mass: [[1, 0], [0, 1]]\n"
                   "  stiffness: [[%.17g, -41328], [-41328, 41328]]\n"
                   "  damping: {modal_ratio: %s}\n"
                   "joints: [{name: slider, law: jenkins, from: ground, to: x,\n"
                   "  stiffness: 40000, slip_force: %.17g}]\n"
                   "loads: [{dof: y, amplitude: 10}]\n"
                   "frequency: [18, 28]\n"
                   "%s",
                   41328.0 + wall, damping, slip_force, rest);
}

/* With the mean among the harmonics the free body moves as it does with odd ones only. */
static void a_body_held_by_friction_alone(void)
{
    static const double slip_forces[] = {3.0, 15.0, 50.0, 100.0}, at[] = {19.0, 22.0, 27.0};
    for (int i = 0; i < 4; i++) {
        char *full = pair_text("0.02", 0.0, slip_forces[i], "outputs: [y, x]\n");
        char *odd = pair_text("0.02", 0.0, slip_forces[i],
                              "harmonics: [1, 3, 5, 7]\noutputs: [y, x]\n");
        struct run runs[2];
        run_text(&runs[0], full, at, 3);
        run_text(&runs[1], odd, at, 3);
        for (int k = 0; k < 2; k++) {
            CHECK(runs[k].status == MASING_OK && runs[k].summary.is_complete);
            CHECK(runs[k].rows.n_rows < 80);
        }
        for (int k = 0; k < 3; k++) {
            int a = table_find(&runs[0].rows, "at", at[k]);
            int b = table_find(&runs[1].rows, "at", at[k]);
            CHECK(a >= 0 && b >= 0);
            if (a >= 0 && b >= 0) {
                CHECK(table_get(&runs[0].rows, a, "frequency_hz") == at[k]);
                CHECK_RELATIVE(table_get(&runs[0].rows, a, "y_max"),
                               table_get(&runs[1].rows, b, "y_max"), 1e-7);
            }
        }
        run_clear(&runs[0]);
        run_clear(&runs[1]);
        free(full);
        free(odd);
    }
}

/* A spring among the joints carries a static load of a rigid body. */
static void a_body_held_by_a_joint(void)
{
    struct run run;
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  masses: {m: 2}\n"
                         "joints: [{name: spring, law: linear, from: ground, to: m,\n"
                         "  stiffness: 8000, damping: 4}]\n"
                         "loads: [{dof: m, amplitude: 1}]\n"
                         "static_loads: [{dof: m, force: 3}]\n"
                         "frequency: [5, 15]\n"
                         "outputs: [m]\n");
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK && run.summary.is_complete);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double w = 6.28318530717958647692 * table_get(&run.rows, r, "frequency_hz");
        CHECK_RELATIVE(table_get(&run.rows, r, "m_mean"), 3.0 / 8000.0, 1e-5);
        CHECK_RELATIVE(table_get(&run.rows, r, "m_h1"),
                       1.0 / hypot(8000.0 - 2.0 * w * w, 4.0 * w), 1e-9);
    }
    run_clear(&run);
    free(text);
}

static void hardly_any_damping(void)
{
    static const char *const ratios[] = {"1e-4", "1e-5", "9e-6", "1e-6", "1e-7"};
    double peak = 0.0;
    for (int i = 0; i < 5; i++) {
        char *text = pair_text(ratios[i], 41339.0, 15.0, "outputs: [y]\n");
        struct run run;
        run_text(&run, text, NULL, 0);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        if (i > 1) { /* friction is all the damping there is */
            CHECK_RELATIVE(run.summary.peak.max, peak, 1e-3);
        }
        peak = run.summary.peak.max;
        run_clear(&run);
        free(text);
    }
}

static void nothing_to_look_at(void)
{
    char *text = pair_text("0.02", 41339.0, 15.0, "");
    struct run run;
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_INVALID);
    CHECK(strstr(run.error.message, "outputs") != NULL);
    run_clear(&run);
    free(text);
}

/* The linear reference has the dashpots of joints; several harmonics have none. */
static void linear_references(void)
{
    const char *form = "masing: 1\n"
                       "structure:\n"
                       "  masses: {m: 1}\n"
                       "  springs: [{from: ground, to: m, stiffness: 1000}]\n"
                       "joints: [{name: link, law: linear, from: ground, to: m,\n"
                       "  stiffness: 3000, damping: 2}]\n"
                       "loads: [{dof: m, amplitude: 1}%s]\n"
                       "frequency: [5, 15]\n"
                       "outputs: [m]\n";
    struct run run;
    char *text = text_of(form, "");
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK);
    CHECK_RELATIVE(run.summary.peak.max, run.summary.stuck_peak, 1e-9);
    CHECK_RELATIVE(run.summary.peak.max, run.summary.free_peak, 1e-9);
    run_clear(&run);
    free(text);
    text = text_of(form, ", {dof: m, amplitude: 2, harmonic: 2}");
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK);
    CHECK(isnan(run.summary.stuck_peak) && isnan(run.summary.equivalent_damping_ratio));
    CHECK(isnan(run.summary.third_to_first));
    run_clear(&run);
    free(text);
}

/* Reasons name the frequency in hertz, and a broken curve's largest point is no peak. */
static void a_curve_that_breaks_off(void)
{
    char *text = pair_text("0.02", 41339.0, 15.0, "solver: {max_points: 5}\noutputs: [y]\n");
    struct run run;
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_STOPPED && !run.summary.is_complete);
    CHECK(run.rows.n_rows == 5);
    CHECK(strstr(run.summary.reason, " Hz") != NULL);
    double hz = NAN;
    const char *number = strstr(run.summary.reason, " at ");
    CHECK(number != NULL && sscanf(number, " at %lf", &hz) == 1 && hz > 17.9 && hz < 28.1);
    CHECK(!run.summary.peak.is_extremum);
    CHECK(run.summary.n_warnings > 0);
    run_clear(&run);
    free(text);
}

static const struct tap_test tests[] = {
    {"a rigid body held by friction alone", a_body_held_by_friction_alone},
    {"a rigid body held by a joint", a_body_held_by_a_joint},
    {"hardly any damping", hardly_any_damping},
    {"nothing to look at", nothing_to_look_at},
    {"linear references", linear_references},
    {"a curve that breaks off", a_curve_that_breaks_off},
};

TAP_MAIN(tests)
