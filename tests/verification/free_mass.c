/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A free mass that nothing but a joint to the ground holds. Laws that forget where they were
 * leave its mean undetermined: it is zero. A spring, also one inside a law, holds it.
 */
#include "masing/integrate.h"

#include "response.h"

static char *model_text(const char *joint, double amplitude, double static_force)
{
    char load[80] = "";
    if (static_force != 0.0) {
        snprintf(load, sizeof load, "static_loads: [{dof: m, force: %.17g}]\n", static_force);
    }
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m: 1}\n"
                   "joints:\n"
                   "  - {name: j, from: ground, to: m, %s}\n"
                   "loads: [{name: shaker, dof: m, amplitude: %.17g}]\n"
                   "%s"
                   "frequency: [0.5, 4]\n"
                   "harmonics: 9\n"
                   "samples: 512\n"
                   "outputs: [m]\n",
                   joint, amplitude, load);
}

static void run_joint(struct run *run, const char *joint, double amplitude, double static_force,
                      double hz)
{
    char *text = model_text(joint, amplitude, static_force);
    run_text(run, text, &hz, hz > 0.0);
    free(text);
}

/* Half of the swing that direct time integration ends with. */
static double integrated_amplitude(const char *joint, double amplitude, double static_force,
                                   double hz)
{
    char *text = model_text(joint, amplitude, static_force);
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct table rows;
    struct masing_sink sink = table_sink(&rows);
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    double low = INFINITY, high = -INFINITY;
    if (CHECK(masing_document_parse(text, strlen(text), "m", &document, &error) == MASING_OK &&
              masing_document_model(document, NULL, 0, &model, &error) == MASING_OK &&
              masing_integrate(model, hz, NULL, &sink, &summary, &error) == MASING_OK)) {
        for (int r = 0; r < rows.n_rows; r++) {
            low = fmin(low, table_get(&rows, r, "m"));
            high = fmax(high, table_get(&rows, r, "m"));
        }
    }
    masing_integrate_summary_clear(&summary);
    table_clear(&rows);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(text);
    return 0.5 * (high - low);
}

static const char *const forgetful[] = {
    "law: dahl, stiffness: 100, slip_force: 1",
    "law: dahl, stiffness: 100, slip_force: 1, exponent: 0.5",
    "law: lugre, sigma0: 100, sigma1: 0.5, coulomb_force: 1",
    "law: mindlin_dahl, slip_force: 1, slip_displacement: 0.015, form: simplified, "
    "loop_amplitude: 0.02",
    "law: bouc_wen, hysteretic_stiffness: 100, beta: 50, gamma: 50",
    "law: tanh_friction, slip_force: 1, regularization: 0.05",
    "law: quadratic_damper, coefficient: 2",
    "law: linear, stiffness: 0, damping: 1",
    "law: generalized_valanis, e1: 100, e2: 100",
};
enum { N_FORGETFUL = sizeof forgetful / sizeof *forgetful };

static void forgetful_joints_leave_the_mean_at_zero(void)
{
    for (int i = 0; i < N_FORGETFUL; i++) {
        struct run run;
        run_joint(&run, forgetful[i], 1.2, 0.0, 1.2);
        if (!CHECK(run.status == MASING_OK && run.summary.is_complete)) {
            printf("# %s: %s\n", forgetful[i], run.error.message);
        }
        CHECK(run.summary.energy_mismatch < 1e-6);
        for (int r = 0; r < run.rows.n_rows; r++) {
            double amplitude = table_get(&run.rows, r, "m_amp");
            CHECK(fabs(table_get(&run.rows, r, "m_mean")) <= 1e-9 * amplitude);
        }
        int at = table_find(&run.rows, "at", 1.2);
        if (CHECK(at >= 0)) {
            CHECK_RELATIVE(table_get(&run.rows, at, "m_amp"),
                           integrated_amplitude(forgetful[i], 1.2, 0.0, 1.2), 2e-3);
        }
        run_clear(&run);
    }
}

/* Small motions: a spring that joins the mass to the ground. */
static void small_motions_are_linear(void)
{
    struct run run;
    double omega = 2.0 * 3.14159265358979324 * 1.2;
    run_joint(&run, forgetful[0], 1e-6, 0.0, 1.2);
    int at = table_find(&run.rows, "at", 1.2);
    if (CHECK(run.status == MASING_OK && at >= 0)) {
        CHECK_RELATIVE(table_get(&run.rows, at, "m_amp"), 1e-6 / (100.0 - omega * omega), 1e-4);
    }
    run_clear(&run);
}

static void static_loads_make_the_mass_drift(void)
{
    for (int i = 0; i < N_FORGETFUL; i++) {
        struct run run;
        run_joint(&run, forgetful[i], 1.2, 0.1, 0.0);
        CHECK(run.status == MASING_INVALID);
        CHECK(strstr(run.error.message, "rigid-body motion that no joint holds"));
        run_clear(&run);
    }
}

/* The mean force of a symmetric loop is that of the spring alone. */
static void springs_inside_laws_hold_the_mean(void)
{
    static const struct {
        const char *joint;
        double stiffness;
    } cases[] = {
        {"law: bouc_wen, linear_stiffness: 60, hysteretic_stiffness: 100, beta: 50, gamma: 50",
         60.0},
        {"law: valanis, initial_stiffness: 300, slip_stiffness: 40, stick_limit: 1, "
         "transition: 0.1",
         40.0},
        {"law: generalized_valanis, e1: 200, e2: 100, terms: [{coefficient: 5000, power: 1}]",
         50.0},
        {"law: linear, stiffness: 70, damping: 1", 70.0},
    };
    for (int i = 0; i < 4; i++) {
        struct run run;
        run_joint(&run, cases[i].joint, 1.0, 0.1, 1.2);
        int at = table_find(&run.rows, "at", 1.2);
        if (CHECK(run.status == MASING_OK && run.summary.is_complete && at >= 0)) {
            CHECK_RELATIVE(table_get(&run.rows, at, "m_mean"), 0.1 / cases[i].stiffness, 3e-8);
            CHECK_RELATIVE(table_get(&run.rows, at, "m_amp"),
                           integrated_amplitude(cases[i].joint, 1.0, 0.1, 1.2), 2e-3);
        } else {
            printf("# %s: %s\n", cases[i].joint, run.error.message);
        }
        run_clear(&run);
    }
}

/* The mean force of a loop without symmetry has nothing that it could lean upon. */
static void drift_is_told(void)
{
    static const struct {
        const char *joint, *second;
        bool drifts;
    } cases[] = {
        {"law: dahl, stiffness: 100, slip_force: 1", "harmonic: 2, phase: 40", true},
        {"law: jenkins, stiffness: 100, slip_force: 1", "harmonic: 2, phase: 40", true},
        {"law: dahl, stiffness: 100, slip_force: 1", "harmonic: 3, phase: 40", false},
        {"law: bouc_wen, linear_stiffness: 60, hysteretic_stiffness: 100, beta: 50, gamma: 50",
         "harmonic: 2, phase: 40", false},
    };
    for (int i = 0; i < 4; i++) {
        struct run run;
        bool is_told = false;
        char *text = text_of("masing: 1\n"
                             "structure:\n"
                             "  masses: {m: 1}\n"
                             "joints: [{name: j, from: ground, to: m, %s}]\n"
                             "loads:\n"
                             "  - {dof: m, amplitude: 1.2}\n"
                             "  - {dof: m, amplitude: 0.6, %s}\n"
                             "frequency: [0.5, 4]\n"
                             "harmonics: 9\n"
                             "outputs: [m]\n",
                             cases[i].joint, cases[i].second);
        run_text(&run, text, NULL, 0);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        for (int w = 0; w < run.summary.n_warnings; w++) {
            is_told = is_told || strstr(run.summary.warnings[w], "it drifts");
        }
        CHECK(is_told == cases[i].drifts);
        run_clear(&run);
        free(text);
    }
}

static const struct tap_test tests[] = {
    {"forgetful joints leave the mean at zero", forgetful_joints_leave_the_mean_at_zero},
    {"small motions are linear", small_motions_are_linear},
    {"static loads make the mass drift", static_loads_make_the_mass_drift},
    {"springs inside laws hold the mean", springs_inside_laws_hold_the_mean},
    {"drift is told", drift_is_told},
};

TAP_MAIN(tests)
